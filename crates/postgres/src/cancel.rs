//! Ending a query from another connection.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use bowshot_net::{Address, EndQuery, Socket, Transport};
use bytes::BytesMut;
use postgres_protocol::message::frontend;

use crate::tls::{self, TlsClient};

/// How long a CancelRequest may take in all.
const LIMIT: Duration = Duration::from_millis(900);

/// What it takes to interrupt one connection.
pub(crate) type Interrupt = bowshot_net::Interrupt<Backend>;

/// The server's process behind a connection, and how to reach its postmaster.
#[derive(Clone)]
pub(crate) struct Backend {
    pub(crate) process: i32,
    pub(crate) secret: i32,
    pub(crate) address: Address,
    /// Present if the connection is encrypted: then its CancelRequest is too.
    pub(crate) tls: Option<TlsClient>,
}

impl EndQuery for Backend {
    /// Sends the postmaster a CancelRequest, and waits until it has passed that on.
    fn end_query(&self) -> bowshot_core::Result<()> {
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
