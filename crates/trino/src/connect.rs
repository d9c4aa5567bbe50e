//! A connection to the cluster: TCP, TLS where it is asked for, HTTP/1.1.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::uri::Target;

/// What requests are sent through.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// Connects; whoever waits sets the limit. What drives the connection runs whenever its runtime does.
pub(crate) async fn connect(target: &Target, tls: Option<Arc<ClientConfig>>) -> Result<Sender> {
    let socket = reach(target).await?;
    let Some(config) = tls else { return speak(socket, target).await };
    let name = ServerName::try_from(target.host.clone()).map_err(|_| {
        Error::new(ErrorKind::Config, format!("\"{}\" is no name that a certificate could have", target.host))
    })?;
    let encrypted = TlsConnector::from(config).connect(name, socket).await.map_err(|error| refused(target, error))?;
    speak(encrypted, target).await
}

/// Tries every address of the host, one after the other.
async fn reach(target: &Target) -> Result<TcpStream> {
    let unreachable = |error: io::Error| {
        let hint = if error.kind() == io::ErrorKind::ConnectionRefused {
            "nobody listens there: check the host and the port"
        } else {
            "check the host, the port and the network"
        };
        Error::new(ErrorKind::Connect, format!("cannot reach {target}: {error}")).with_hint(hint).with_source(error)
    };
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for address in resolve(target).await.map_err(unreachable)? {
        match TcpStream::connect(address).await {
            Ok(socket) => {
                // Requests are small and wait for answers; where it cannot be set, they are slower.
                let _ = socket.set_nodelay(true);
                return Ok(socket);
            }
            Err(error) => failure = error,
        }
    }
    Err(unreachable(failure))
}

/// The addresses of a host. A name is looked up in a thread that nobody has to wait for.
async fn resolve(target: &Target) -> io::Result<Vec<SocketAddr>> {
    let (host, port) = (target.host.clone(), target.port);
    if let Ok(known) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(known, port)]);
    }
    let (sender, receiver) = tokio::sync::oneshot::channel();
    let look_up = move || {
        let found = (host.as_str(), port).to_socket_addrs().map(Iterator::collect);
        // Nobody waits any more where the time limit has passed.
        let _ = sender.send(found);
    };
    std::thread::Builder::new().name("bowshot-resolve".to_owned()).spawn(look_up)?;
    receiver.await.unwrap_or_else(|_| Err(io::Error::other("the host's name could not be looked up")))
}

async fn speak<S>(socket: S, target: &Target) -> Result<Sender>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (sender, connection) = http1::handshake(TokioIo::new(socket)).await.map_err(|error| {
        Error::new(ErrorKind::Connect, format!("{target} does not speak HTTP: {error}")).with_source(error)
    })?;
    // Its end is seen by the requests that it ends.
    tokio::spawn(async move { connection.await.unwrap_or_default() });
    Ok(sender)
}

/// The error of TLS that could not be had.
fn refused(target: &Target, error: io::Error) -> Error {
    let reason = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let hint = match reason {
        Some(rustls::Error::InvalidMessage(_)) => {
            "the server does not seem to speak TLS there: trino+http://HOST:PORT connects in the clear"
        }
        Some(rustls::Error::InvalidCertificate(_)) => {
            "name the authority that signed the server's certificate with ca=FILE, and the server as its certificate does"
        }
        _ => "check that the server speaks TLS on this port",
    };
    Error::new(ErrorKind::Tls, format!("no encrypted connection to {target}: {error}"))
        .with_hint(hint)
        .with_source(error)
}
