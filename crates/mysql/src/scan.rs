//! The live side of a plan.

use std::sync::Weak;

use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Casts, Connection, Error, ErrorKind, Part, Result, Scan};
use parking_lot::Mutex;

use crate::connect::Session;
use crate::read::MySqlConnection;
use crate::result::Definition;
use crate::statement::Statement;
use crate::types::Column;
use crate::uri::Protocol;

/// Everything that connections need to read the plan's partitions.
pub(crate) struct MySqlScan {
    /// Itself, for the connections that it opens.
    pub(crate) this: Weak<MySqlScan>,
    pub(crate) protocol: Protocol,
    /// The connections that see the snapshot and that no worker has taken yet.
    pub(crate) sessions: Mutex<Vec<Session>>,
    /// The first partition's rows are on their way over the only connection.
    pub(crate) started: Mutex<bool>,
    /// What every execution has to return.
    pub(crate) definitions: Vec<Definition>,
    pub(crate) columns: Vec<Column>,
    /// The columns' fields, before the user's casts.
    pub(crate) read_schema: SchemaRef,
    pub(crate) casts: Casts,
    /// One a partition.
    pub(crate) statements: Vec<Statement>,
    /// What each of them reads.
    pub(crate) parts: Vec<Part>,
    pub(crate) batch_bytes: usize,
}

impl Scan for MySqlScan {
    fn obstacle(&self) -> Option<String> {
        Some("MySQL and MariaDB cannot hand a snapshot from one connection to another".into())
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.parts.get(index).cloned()
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        let closed = || Error::new(ErrorKind::Internal, "the plan was dropped");
        let this = self.this.upgrade().ok_or_else(closed)?;
        let Some(mut session) = self.sessions.lock().pop() else {
            let message = "no other connection sees the same state of the database";
            return Err(Error::new(ErrorKind::ConnectionLimit, message));
        };
        // Who reads may have another way to stop than who planned.
        session.follow(cancel);
        let started = std::mem::take(&mut *self.started.lock());
        Ok(Box::new(MySqlConnection::new(session, this, started)))
    }
}
