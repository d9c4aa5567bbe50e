//! Interrupting a connection from another thread.

use std::io::{Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bowshot_net::{Address, RawSocket, Socket, Transport};
use bytes::BytesMut;
use parking_lot::Mutex;
use postgres_protocol::message::frontend;

use crate::tls::{self, TlsClient};

/// How long a CancelRequest may take in all.
const LIMIT: Duration = Duration::from_millis(900);

/// What it takes to interrupt one connection, at any time of its life.
#[derive(Default)]
pub(crate) struct Interrupt {
    /// Whether the server works for us: what is idle needs no CancelRequest.
    busy: AtomicBool,
    state: Mutex<State>,
}

#[derive(Clone, Default)]
struct State {
    /// While it connects and afterwards.
    socket: Option<Arc<RawSocket>>,
    /// Once it is logged in.
    backend: Option<Backend>,
}

/// The server's process behind a connection, and how to reach its postmaster.
#[derive(Clone)]
pub(crate) struct Backend {
    pub(crate) process: i32,
    pub(crate) secret: i32,
    pub(crate) address: Address,
    /// Present if the connection is encrypted: then its CancelRequest is too.
    pub(crate) tls: Option<TlsClient>,
}

impl Interrupt {
    /// From now on an interruption ends this socket.
    pub(crate) fn watch(&self, socket: Arc<RawSocket>) {
        *self.state.lock() = State { socket: Some(socket), backend: None };
    }

    /// From now on an interruption also ends the query in this process.
    pub(crate) fn logged_in(&self, backend: Backend) {
        self.state.lock().backend = Some(backend);
    }

    /// Whether the server has something to do for us.
    pub(crate) fn set_busy(&self, busy: bool) {
        self.busy.store(busy, Ordering::SeqCst);
    }

    /// Frees a thread that reads or writes, then ends the query in the server; about a second at most.
    pub(crate) fn fire(&self) {
        let State { socket, .. } = self.state.lock().clone();
        // Reading ends at once, whatever the network does to the CancelRequest. Here and below, failure means that the
        // connection is gone already.
        if let Some(socket) = &socket {
            let _ = socket.shutdown(Shutdown::Read);
        }
        self.end_query();
        if let Some(socket) = socket {
            let _ = socket.shutdown(Shutdown::Both);
        }
    }

    /// Sends a CancelRequest if the server is busy. Once is enough: who calls first does it.
    pub(crate) fn end_query(&self) {
        if self.busy.swap(false, Ordering::SeqCst)
            && let Some(backend) = self.state.lock().backend.clone()
        {
            // A server that cannot be reached cannot be asked to stop; it will notice the closed connection.
            let _ = backend.request_cancel();
        }
    }
}

impl Backend {
    /// Asks the postmaster to stop the query, and waits until it has passed that on.
    fn request_cancel(&self) -> bowshot_core::Result<()> {
        let deadline = Some(Instant::now() + LIMIT);
        let lost = |error| bowshot_net::lost(error, "a request to cancel", &tls::NAMES);
        let socket = Socket::connect(&self.address, None, deadline, |_| ()).map_err(lost)?;
        let mut transport = match &self.tls {
            None => Transport::Plain(socket),
            Some(client) => client.negotiate(socket)?,
        };
        let mut request = BytesMut::new();
        frontend::cancel_request(self.process, self.secret, &mut request);
        transport.write_all(&request).and_then(|()| transport.flush()).map_err(lost)?;
        // The postmaster closes without an answer once the signal is out.
        let _ = transport.read(&mut [0; 1]);
        Ok(())
    }
}
