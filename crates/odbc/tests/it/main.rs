//! The drivers of this machine against private servers. `dev/odbc_setup.sh` installs them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod cancelling;
mod failures;
mod linking;
mod partitions;
mod streaming;
mod support;
mod tds;
mod values;
mod zero_dates;
