//! The gateway: any source behind Arrow Flight SQL.
//!
//! A query is let in when its turn comes, goes to the source that has its tables or to the [`Engine`], and is planned there; the
//! partitions of the plan become endpoints on one snapshot ([`endpoints`]), which wait for clients as signed tickets
//! ([`results`]) and are read in threads that end with their client ([`feed`]).

mod actions;
mod again;
mod answer;
mod batches;
mod caller;
mod change;
mod columns;
mod cursors;
mod declare;
mod divide;
mod drain;
mod encrypted;
pub mod endpoints;
mod engine;
pub mod feed;
mod fetch;
mod first_error;
mod gate;
mod gateway;
mod line;
mod local;
mod metadata;
mod own;
mod pacing;
mod parameters;
mod prepared;
mod put;
mod query;
mod received;
pub mod results;
mod route;
mod serve;
mod service;
mod session_options;
mod status;
mod tls;
mod whole;
mod work;

pub use bowshot_gateway_admission::AdmissionLimits;
pub use bowshot_gateway_monitor::{Monitor, MonitorOptions};
pub use bowshot_gateway_share::ShareLimits;
pub use encrypted::Encrypted;
pub use engine::{Asker, Engine, OwnTable};
pub use gateway::{Gateway, Limits};
pub use local::{Excerpt, Question};
pub use tls::{Tls, TlsFiles};
