//! Real drivers from PyPI; `dev/adbc_setup.sh` installs them.

mod cancelling;
mod drivers;
mod duckdb;
mod failures;
mod flight;
mod partitions;
mod postgres;
mod sqlite;
