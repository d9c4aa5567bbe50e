//! What the console needs of the gateway that it belongs to.

use std::fmt;
use std::net::IpAddr;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Result};
use bowshot_gateway_monitor::{Monitor, Viewer};
use serde::Serialize;

/// The gateway, as the console sees it. All functions may block: the console calls them in threads of their own.
pub trait Host: Send + Sync + 'static {
    /// What the gateway knows of its work.
    fn monitor(&self) -> &Monitor;

    /// Whether no users are configured, so that everybody on this machine is let in.
    fn is_open(&self) -> bool;

    /// Who sends the header `authorization`, which is `Basic` in a browser. An open gateway lets in who sends none too.
    ///
    /// The gateway limits and counts refused logins itself: [`Monitor::login_refused`].
    ///
    /// # Errors
    /// Of kind [`Authentication`](bowshot_core::ErrorKind::Authentication) where nobody knows who it is, of kind
    /// [`ConnectionLimit`](bowshot_core::ErrorKind::ConnectionLimit) where it was tried too often.
    fn login(&self, authorization: Option<&str>, peer: IpAddr) -> Result<Who>;

    /// The sources that somebody may see. Each open page asks every ten seconds: remember for a while what can be reached.
    fn sources(&self, who: &Who) -> Vec<SourceStatus>;

    /// Runs a statement with the rights of `who`, and stops when it has as many rows as are asked for. It shows up in the
    /// monitor like any other.
    ///
    /// # Errors
    /// Whatever the source says, in words that the user may read.
    fn run(&self, who: &Who, ask: &Ask, cancel: &Cancel) -> Result<Answer>;

    /// Whether the gateway takes new work; an error says why not: it is draining, a source is missing.
    ///
    /// # Errors
    /// Why it does not.
    fn ready(&self) -> Result<()>;
}

/// Somebody who was let in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Who {
    /// The user's name.
    pub user: String,
    /// Whether other users' statements may be seen and ended.
    pub sees_all: bool,
}

impl Who {
    /// As the monitor asks for it.
    pub fn viewer(&self) -> Viewer {
        if self.sees_all { Viewer::all(&self.user) } else { Viewer::own(&self.user) }
    }
}

/// A source, as the console shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SourceStatus {
    /// Its name in the gateway.
    pub name: String,
    /// What it is: `PostgreSQL`, `Parquet`.
    pub kind: String,
    /// Whether it answers; `None` where nobody has asked it yet.
    pub reachable: Option<bool>,
    /// More about it, without secrets: a version, or why it does not answer.
    pub detail: Option<String>,
}

/// What somebody asks.
#[derive(Clone, PartialEq, Eq)]
pub struct Ask {
    /// The SQL.
    pub sql: String,
    /// The source to ask, where one was chosen.
    pub source: Option<String>,
    /// How many rows are wanted at most.
    pub rows: usize,
}

impl fmt::Debug for Ask {
    /// Without the SQL: its literals may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ask").field("source", &self.source).field("rows", &self.rows).finish_non_exhaustive()
    }
}

/// What comes back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The columns.
    pub schema: SchemaRef,
    /// The rows; those that are more than asked for are not shown.
    pub batches: Vec<RecordBatch>,
    /// Whether there would have been more.
    pub truncated: bool,
}
