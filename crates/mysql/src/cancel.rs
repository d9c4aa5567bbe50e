//! Interrupting a connection from another thread.

use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bowshot_core::Cancel;
use parking_lot::Mutex;

use crate::connect::Session;
use crate::uri::Config;

/// How long it may take to log in again and to end a query.
const LIMIT: Duration = Duration::from_millis(900);

/// What it takes to interrupt one connection, at any time of its life.
#[derive(Default)]
pub(crate) struct Interrupt {
    /// Whether the server works for us: what is idle needs no KILL.
    busy: AtomicBool,
    state: Mutex<State>,
}

#[derive(Clone, Default)]
struct State {
    /// While it connects and afterwards.
    socket: Option<Arc<bowshot_net::RawSocket>>,
    /// Once it is logged in.
    target: Option<Target>,
}

/// The server's thread behind a connection, and how to reach its server.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) config: Arc<Config>,
    pub(crate) connection: u64,
}

impl Interrupt {
    /// From now on an interruption ends this socket.
    pub(crate) fn watch(&self, socket: Arc<bowshot_net::RawSocket>) {
        *self.state.lock() = State { socket: Some(socket), target: None };
    }

    /// From now on an interruption also ends the query of this connection.
    pub(crate) fn logged_in(&self, target: Target) {
        self.state.lock().target = Some(target);
    }

    /// Whether the server has something to do for us.
    pub(crate) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::SeqCst);
    }

    /// Frees a thread that reads or writes, then ends the query in the server; about a second at most.
    pub(crate) fn fire(&self) {
        let State { socket, .. } = self.state.lock().clone();
        // Reading ends at once, whatever the network does to the KILL. Here and below, failure means that the
        // connection is gone already.
        if let Some(socket) = &socket {
            let _ = socket.shutdown(Shutdown::Read);
        }
        self.end_query();
        if let Some(socket) = socket {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Kills the query if the server is busy. Once is enough: who calls first does it.
    pub(crate) fn end_query(&self) {
        if self.busy.swap(false, Ordering::SeqCst)
            && let Some(target) = self.state.lock().target.clone()
        {
            // A server that cannot be reached cannot be asked to stop; it will notice the closed connection.
            let _ = target.kill();
        }
    }
}

impl Target {
    /// Ends the query over a connection of its own, which nothing else can cancel.
    fn kill(&self) -> bowshot_core::Result<()> {
        let deadline = Some(Instant::now() + LIMIT);
        let mut session = Session::log_in(&self.config, deadline, &Cancel::new())?;
        let outcome = session.execute(&format!("KILL QUERY {}", self.connection));
        // It is not killed in turn, whatever came of it: a server that never answers well would see one KILL for each KILL.
        session.idle();
        outcome
    }
}
