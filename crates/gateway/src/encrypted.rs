//! Connections that speak TLS.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{Sender, channel};
use tokio::time::{sleep, timeout};
use tokio_rustls::server::TlsStream;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use crate::tls::Tls;

/// How long a handshake may take. A client that says nothing holds nobody up, since handshakes run side by side.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How long to wait where the system gives no connection, as it does when all file descriptors are in use.
const PAUSE: Duration = Duration::from_millis(100);

/// Connections that speak TLS. Dropping it closes the listener.
#[derive(Debug)]
pub struct Encrypted(pub(crate) ReceiverStream<io::Result<TlsStream<TcpStream>>>);

impl Encrypted {
    /// The next connection whose handshake is done, and who is at its other end; `None` when there will be no more.
    pub async fn next(&mut self) -> Option<(TlsStream<TcpStream>, SocketAddr)> {
        loop {
            let stream = self.0.next().await?;
            let Ok(stream) = stream else { continue };
            // One that is gone already concerns nobody.
            if let Ok(peer) = stream.get_ref().0.peer_addr() {
                return Some((stream, peer));
            }
        }
    }
}

/// The connections that `listener` accepts, each once its handshake is done. Dropping the stream closes the listener.
pub(crate) fn encrypted(listener: TcpListener, tls: Tls) -> ReceiverStream<io::Result<TlsStream<TcpStream>>> {
    let (sender, receiver) = channel(1);
    tokio::spawn(accept(listener, tls, sender));
    ReceiverStream::new(receiver)
}

async fn accept(listener: TcpListener, tls: Tls, sender: Sender<io::Result<TlsStream<TcpStream>>>) {
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = sender.closed() => return,
        };
        match accepted {
            Ok((socket, _)) => drop(tokio::spawn(greet(socket, tls.clone(), sender.clone()))),
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                sleep(PAUSE).await;
            }
        }
    }
}

/// Makes one connection an encrypted one. One that fails concerns nobody else.
async fn greet(socket: TcpStream, tls: Tls, sender: Sender<io::Result<TlsStream<TcpStream>>>) {
    let peer = socket.peer_addr().map_or_else(|_| "somebody".to_owned(), |peer| peer.to_string());
    // Calls are small and wait for answers; where it cannot be set they are slower, and right.
    let _ = socket.set_nodelay(true);
    match timeout(HANDSHAKE, tls.acceptor().accept(socket)).await {
        // Nobody takes it when the gateway ends.
        Ok(Ok(stream)) => drop(sender.send(Ok(stream)).await),
        Ok(Err(error)) => tracing::info!(%peer, %error, "no encrypted connection"),
        Err(_) => tracing::info!(%peer, "no encrypted connection: the client was silent for too long"),
    }
}
