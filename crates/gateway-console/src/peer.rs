//! Who is at the other end of a connection.

use std::io;
use std::net::{IpAddr, SocketAddr};

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};

/// The address at the other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// A listener whose connections know their peer. It exists because axum keeps the trait for all listeners to itself.
pub(crate) struct Knowing<L>(pub(crate) L);

impl<L: Listener<Addr = SocketAddr>> Listener for Knowing<L> {
    type Io = L::Io;
    type Addr = SocketAddr;

    fn accept(&mut self) -> impl Future<Output = (Self::Io, Self::Addr)> + Send {
        self.0.accept()
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

impl<L: Listener<Addr = SocketAddr>> Connected<IncomingStream<'_, Knowing<L>>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Knowing<L>>) -> Self {
        Peer(stream.remote_addr().ip().to_canonical())
    }
}
