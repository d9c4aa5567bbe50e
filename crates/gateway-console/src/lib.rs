//! The gateway's console in the browser, on a port of its own: sources, statements that run and endpoints that wait,
//! throughput over time, history, and a place to ask. Beside it the pages that operators' tools read.
//!
//! | path | what |
//! |---|---|
//! | `/` | the console |
//! | `/health` | `200 live`: the process answers |
//! | `/ready` | `200 ready`, or `503` and why not: draining, or a probe that hangs |
//! | `/metrics` | figures for Prometheus, in OpenMetrics |
//! | `GET /api/who`, `sources`, `running`, `endpoints`, `history?limit=200`, `throughput` | what the console shows, as JSON |
//! | `POST /api/kill/{id}` | ends a statement: 204, or 404 |
//! | `POST /api/query` | `{"sql", "source"?, "limit"?}` becomes columns and rows, each value as text |
//!
//! All it knows, it has from a [`Host`], which the gateway is. Where users are configured, a browser logs in with HTTP Basic
//! and gets a cookie for a quarter of an hour; an open gateway answers this machine alone. Every request must name a known
//! host, and what changes something must come from the page itself, with the header `x-bowshot-console`.
//!
//! ```no_run
//! # async fn serve(gateway: std::sync::Arc<dyn bowshot_gateway_console::Host>) -> bowshot_core::Result<()> {
//! use bowshot_gateway_console::{Console, ConsoleOptions};
//!
//! let listener = Console::listen(([127, 0, 0, 1], 31338).into()).await?;
//! Console::new(gateway, ConsoleOptions::default()).serve(listener, std::future::pending()).await
//! # }
//! ```

mod api;
mod console;
mod cookies;
mod failure;
mod files;
mod host;
mod operations;
mod options;
mod origin;
mod peer;
mod probe;
mod query;
mod rows;
mod shield;
mod sign_in;

#[cfg(test)]
mod tests;

pub use console::Console;
pub use host::{Answer, Ask, Host, SourceStatus, Who};
pub use options::ConsoleOptions;
