//! Real drivers from PyPI; `dev/adbc_setup.sh` installs them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod cancelling;
mod drivers;
mod duckdb;
mod failures;
mod flight;
mod partitions;
mod postgres;
mod sqlite;
