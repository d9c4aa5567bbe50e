//! The gateway with real sources, read by Bowshot's own client and by bare gRPC.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

mod claims;
mod excerpts;
mod faults;
mod limits;
mod packed;
mod pages;
mod prepared;
mod raw;
mod read_only;
mod reading;
mod rules;
mod running;
mod shared;
mod writing;
