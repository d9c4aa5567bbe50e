//! The command itself, started as users start it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod checking;
mod console;
mod console_tls;
mod draining;
mod issuer;
mod logging;
mod server;
mod tls;
mod tokens;
