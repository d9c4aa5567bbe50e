//! Ending a query from another connection.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::Cancel;
use bowshot_net::EndQuery;

use crate::connect::Session;
use crate::uri::Config;

/// How long it may take to log in again and to end a query.
const LIMIT: Duration = Duration::from_millis(900);

/// What it takes to interrupt one connection.
pub(crate) type Interrupt = bowshot_net::Interrupt<Target>;

/// The server's thread behind a connection, and how to reach its server.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) config: Arc<Config>,
    pub(crate) connection: u64,
}

impl EndQuery for Target {
    /// Kills the query over a connection of its own, which nothing else can cancel.
    fn end_query(&self) -> bowshot_core::Result<()> {
        let deadline = Some(Instant::now() + LIMIT);
        let mut session = Session::log_in(&self.config, deadline, &Cancel::new())?;
        let outcome = session.execute(&format!("KILL QUERY {}", self.connection));
        // It is not killed in turn, whatever came of it: a server that never answers well would see one KILL for each KILL.
        session.idle();
        outcome
    }
}
