//! The command itself, started as users start it.

mod checking;
mod draining;
mod logging;
mod server;
mod tls;
