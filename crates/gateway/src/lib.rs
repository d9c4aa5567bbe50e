//! The gateway: any source behind Arrow Flight SQL.
//!
//! A query is planned by its source; the partitions of the plan become endpoints on one snapshot ([`endpoints`]), which wait
//! for clients as signed tickets ([`results`]) and are read in threads that end with their client ([`feed`]).

mod actions;
mod caller;
mod cursors;
mod declare;
mod drain;
mod encrypted;
pub mod endpoints;
pub mod feed;
mod fetch;
mod first_error;
mod gateway;
mod metadata;
mod parameters;
mod prepared;
mod query;
mod ready;
pub mod results;
mod serve;
mod service;
mod session_options;
mod status;
mod tls;

pub use gateway::{Gateway, Limits};
pub use tls::{Tls, TlsFiles};
