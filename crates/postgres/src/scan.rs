//! The live side of a plan.

use std::sync::Weak;

use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Connection, Options, Result, Scan};
use parking_lot::Mutex;

use crate::connect::Session;
use crate::read::PostgresConnection;
use crate::snapshot;
use crate::statement::Statement;
use crate::types::Column;
use crate::uri::Config;

/// Everything that connections need to read the plan's partitions.
pub(crate) struct PostgresScan {
    /// Itself, for the connections that it opens.
    pub(crate) this: Weak<PostgresScan>,
    pub(crate) config: Config,
    pub(crate) options: Options,
    /// The exported snapshot, where there is more than one partition.
    pub(crate) snapshot: Option<String>,
    /// The connection that made the plan, until a worker takes it; then those that have ended their work.
    pub(crate) sessions: Mutex<Sessions>,
    pub(crate) schema: SchemaRef,
    pub(crate) columns: Vec<Column>,
    /// One a partition.
    pub(crate) statements: Vec<Statement>,
    pub(crate) batch_bytes: usize,
    /// Rows that a cursor fetches at a time.
    pub(crate) cursor_rows: i32,
}

/// Connections that no worker uses.
#[derive(Default)]
pub(crate) struct Sessions {
    /// Sees the snapshot and can be given to a worker.
    pub(crate) planner: Option<Session>,
    /// Stay open until the scan ends, because their transactions hold the snapshot for those that still connect.
    pub(crate) ended: Vec<Session>,
}

impl PostgresScan {
    /// Keeps a session whose worker has ended.
    pub(crate) fn keep(&self, session: Session) {
        self.sessions.lock().ended.push(session);
    }
}

impl Scan for PostgresScan {
    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        let closed = || bowshot_core::Error::new(bowshot_core::ErrorKind::Internal, "the plan was dropped");
        let this = self.this.upgrade().ok_or_else(closed)?;
        let planner = self.sessions.lock().planner.take();
        let session = match planner {
            Some(session) => session,
            None => snapshot::begin(&self.config, &self.options, self.snapshot.as_deref(), cancel)?,
        };
        Ok(Box::new(PostgresConnection::new(session, this)))
    }
}
