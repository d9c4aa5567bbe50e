//! The console's connections where it speaks TLS.

use std::future::pending;
use std::io;
use std::net::SocketAddr;

use axum::serve::Listener;
use bowshot_gateway::Tls;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::server::TlsStream;

/// Accepts connections whose handshake is done.
pub(crate) struct Encrypted {
    accepted: bowshot_gateway::Encrypted,
    address: SocketAddr,
}

impl Encrypted {
    /// Those of a listener on this address.
    pub(crate) fn new(tls: &Tls, listener: TcpListener, address: SocketAddr) -> Encrypted {
        Encrypted { accepted: tls.accept(listener), address }
    }
}

impl Listener for Encrypted {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.accepted.next().await {
            Some(accepted) => accepted,
            // The runtime ends: nobody comes any more.
            None => pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}
