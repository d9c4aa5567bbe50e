//! What a gateway knows of its own work: which statements run and where their endpoints stand, what ran and how it ended,
//! how much was sent in each second, and how to stop a statement.
//!
//! There is no server here. The gateway tells a [`Monitor`] what happens; a console, a metrics page and the table
//! `bowshot.queries` ask it. Every statement gets exactly one outcome, also when the gateway forgets to say it, and a
//! line in the log through `tracing`, under the target `bowshot::statement`.
//!
//! ```
//! use std::time::Duration;
//! use bowshot_core::Cancel;
//! use bowshot_gateway_monitor::{Monitor, Sent, State, Statement, Viewer};
//!
//! let monitor = Monitor::default();
//! let statement = Statement { user: "ann".into(), sql: "SELECT * FROM orders".into(), ..Statement::default() };
//! let running = monitor.begin(statement, Cancel::new());
//! running.planned(1, "it is small", None);
//!
//! let mut reading = running.endpoint(0);
//! reading.opened();
//! reading.sent(&Sent { rows: 7, bytes: 560, wire_bytes: 200, waited: Duration::ZERO, codec: "lz4" });
//! assert_eq!(monitor.running(&Viewer::own("ann"))[0].state, State::Reading);
//! reading.done();
//!
//! let ended = monitor.history(&Viewer::own("ann"), 10);
//! assert_eq!((ended[0].state, ended[0].rows), (State::Finished, 7));
//! assert!(monitor.history(&Viewer::own("bob"), 10).is_empty());
//! ```

mod history;
mod kind;
mod log;
mod metrics;
mod monitor;
mod options;
mod progress;
mod reading;
mod redact;
mod running;
mod state;
mod statement;
mod table;
mod throughput;
mod tracked;
mod view;
mod viewer;

#[cfg(test)]
mod tests;

pub use kind::kind_name;
pub use metrics::METRICS_TYPE;
pub use monitor::Monitor;
pub use options::MonitorOptions;
pub use reading::{Reading, Sent};
pub use running::Running;
pub use state::{EndpointState, State};
pub use statement::Statement;
pub use table::queries_schema;
pub use throughput::{Second, THROUGHPUT_SECONDS};
pub use view::{EndpointView, StatementView};
pub use viewer::Viewer;
