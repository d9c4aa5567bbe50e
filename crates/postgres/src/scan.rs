//! The live side of a plan.

use std::sync::{OnceLock, Weak};

use arrow_schema::{DataType, SchemaRef};
use bowshot_core::{Cancel, Casts, Connection, Error, ErrorKind, Hold, Options, Origin, Part, Result, Scan};
use bowshot_postgres_values::Column;
use bowshot_sql::Prepared;
use parking_lot::Mutex;

use crate::connect::Session;
use crate::held;
use crate::locks::{self, Locking};
use crate::read::PostgresConnection;
use crate::snapshot;
use crate::statement::Statement;
use crate::uri::Config;

/// Everything that connections need to read the plan's partitions.
pub(crate) struct PostgresScan {
    /// Itself, for the connections that it opens.
    pub(crate) this: Weak<PostgresScan>,
    pub(crate) config: Config,
    pub(crate) options: Options,
    /// The queries as they were given, whose tables every connection locks before it reads.
    pub(crate) queries: Vec<Locking>,
    /// The same as they are sent.
    pub(crate) prepared: Vec<Prepared>,
    /// The exported snapshot, where there is more than one partition, or where it is held for readers elsewhere.
    pub(crate) snapshot: OnceLock<String>,
    /// Why nobody else can join it.
    pub(crate) obstacle: Option<String>,
    /// The user allows partitions to see different states.
    pub(crate) torn: bool,
    /// The connection that made the plan, until a worker takes it; then those that have ended their work.
    pub(crate) sessions: Mutex<Sessions>,
    /// What is read, before the user's choice of types.
    pub(crate) read_schema: SchemaRef,
    pub(crate) casts: Casts,
    pub(crate) columns: Vec<Column>,
    /// One a partition.
    pub(crate) statements: Vec<Statement>,
    /// What each of them reads.
    pub(crate) parts: Vec<Part>,
    /// The types of the query's parameters, as far as the server says them.
    pub(crate) parameters: Vec<Option<DataType>>,
    /// The tables that the columns come from.
    pub(crate) origins: Vec<Option<Origin>>,
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

    /// One more session that sees the plan's snapshot.
    fn join(&self, cancel: &Cancel) -> Result<Session> {
        let Some(snapshot) = self.snapshot.get() else {
            if self.torn {
                return snapshot::begin(&self.config, &self.options, None, cancel);
            }
            let message = "the connections share no snapshot, so that one alone can read the result";
            return Err(Error::new(ErrorKind::ConnectionLimit, message));
        };
        let mut session = snapshot::begin(&self.config, &self.options, Some(snapshot), cancel)?;
        locks::take(&mut session, &self.queries)?;
        Ok(session)
    }
}

impl Scan for PostgresScan {
    fn parameters(&self) -> Vec<Option<DataType>> {
        self.parameters.clone()
    }

    fn origins(&self) -> Vec<Option<Origin>> {
        self.origins.clone()
    }

    fn obstacle(&self) -> Option<String> {
        self.obstacle.clone()
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.parts.get(index).cloned()
    }

    fn hold(&self, plan: u128, cancel: &Cancel) -> Result<Box<dyn Hold>> {
        held::hold(self, plan, cancel)
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        let closed = || Error::new(ErrorKind::Internal, "the plan was dropped");
        let this = self.this.upgrade().ok_or_else(closed)?;
        let planner = self.sessions.lock().planner.take();
        let session = match planner {
            Some(mut session) => {
                // Who reads may have another way to stop than who planned.
                session.follow(cancel);
                session
            }
            None => self.join(cancel)?,
        };
        Ok(Box::new(PostgresConnection::new(session, this)))
    }
}
