//! A connection to a server: TCP, TLS where it is asked for, HTTP/2.

use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_runtime::Runtime;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::channel::{Channel, Transport};
use crate::heard::Heard;
use crate::session::Session;
use crate::uri::{Address, Target};

/// How much a server may send before it hears that we read. HTTP/2 begins with 64 KiB, which is used up within
/// microseconds and then costs a round trip.
const WINDOW: u32 = 16 << 20;

/// The largest frame that a server may send; HTTP/2 begins with 16 KiB. One of 128 KiB is still in the core's cache when it is
/// copied to its array, and one of 1 MiB is not.
const FRAME: u32 = 128 << 10;

/// Room for the headers of an answer; statuses with long messages and many details travel there.
const HEADERS: u32 = 1 << 20;

/// Connects to `address`, within the target's time limit.
pub(crate) fn connect(target: &Target, session: &Arc<Session>, address: &Address, cancel: &Cancel) -> Result<Channel> {
    connect_within(target, session, address, target.connect_timeout, cancel)
}

/// Connects to `address`, within `limit`.
pub(crate) fn connect_within(
    target: &Target,
    session: &Arc<Session>,
    address: &Address,
    limit: Duration,
    cancel: &Cancel,
) -> Result<Channel> {
    let runtime = Runtime::new()?;
    let tls = address.tls.then(|| session.tls(target)).transpose()?;
    let what = format!("connecting to {address}");
    let transport = runtime.wait_for(cancel, limit, &what, open(target, Arc::clone(session), address, tls))?;
    Ok(Channel::new(runtime, transport))
}

async fn open(
    target: &Target,
    session: Arc<Session>,
    address: &Address,
    tls: Option<Arc<ClientConfig>>,
) -> Result<Transport> {
    let socket = reach(address).await?;
    let own = *address == target.address;
    let sender = match tls {
        None => speak(socket, address).await?,
        Some(config) => {
            let name = target.tls_server_name.as_ref().filter(|_| own).unwrap_or(&address.host);
            let name = ServerName::try_from(name.clone()).map_err(|_| {
                Error::new(ErrorKind::Config, format!("\"{name}\" is no name that a certificate could have"))
            })?;
            let connector = TlsConnector::from(config);
            let encrypted = connector.connect(name, socket).await.map_err(|error| refused(address, error))?;
            speak(encrypted, address).await?
        }
    };
    let authority = target.authority.clone().filter(|_| own).unwrap_or_else(|| address.authority());
    Transport::new(sender, session, address.clone(), &authority)
}

/// Tries every address of the host, one after the other.
async fn reach(address: &Address) -> Result<TcpStream> {
    let unreachable = |error: io::Error| {
        let hint = if error.kind() == io::ErrorKind::ConnectionRefused {
            "nobody listens there: check the host and the port"
        } else {
            "check the host, the port and the network"
        };
        Error::new(ErrorKind::Connect, format!("cannot reach {address}: {error}")).with_hint(hint).with_source(error)
    };
    let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
    for socket_address in resolve(address).await.map_err(unreachable)? {
        match TcpStream::connect(socket_address).await {
            Ok(socket) => {
                // Calls are small and wait for answers; what cannot be set is no reason to give up.
                let _ = socket.set_nodelay(true);
                let keepalive =
                    TcpKeepalive::new().with_time(Duration::from_secs(60)).with_interval(Duration::from_secs(10));
                let _ = SockRef::from(&socket).set_tcp_keepalive(&keepalive);
                return Ok(socket);
            }
            Err(error) => failure = error,
        }
    }
    Err(unreachable(failure))
}

/// The addresses of a host. A name is looked up in a thread that nobody has to wait for.
async fn resolve(address: &Address) -> io::Result<Vec<SocketAddr>> {
    let (host, port) = (address.host.clone(), address.port);
    if let Ok(known) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(known, port)]);
    }
    let (sender, receiver) = tokio::sync::oneshot::channel();
    std::thread::spawn(move || {
        let found = (host.as_str(), port).to_socket_addrs().map(Iterator::collect);
        // Nobody waits any more where the time limit has passed.
        let _ = sender.send(found);
    });
    receiver.await.unwrap_or_else(|_| Err(io::Error::other("the host's name could not be looked up")))
}

/// Begins HTTP/2; what drives it runs whenever the connection's runtime does.
async fn speak<S>(socket: S, address: &Address) -> Result<http2::SendRequest<tonic::body::Body>>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_frame_size(FRAME)
        .max_header_list_size(HEADERS);
    let (socket, word) = Heard::new(socket);
    let (sender, connection) = builder.handshake(TokioIo::new(socket)).await.map_err(|error| {
        Error::new(ErrorKind::Connect, format!("{address} does not speak HTTP/2: {error}")).with_source(error)
    })?;
    // Its end is seen by the calls that it ends.
    tokio::spawn(async move { connection.await.unwrap_or_default() });
    word.check(address).await?;
    Ok(sender)
}

/// The error of TLS that could not be had.
pub(crate) fn refused(address: &Address, error: io::Error) -> Error {
    let reason = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    let hint = match reason {
        Some(rustls::Error::InvalidMessage(_)) => {
            "the server does not seem to speak TLS there: grpc://HOST:PORT connects in the clear"
        }
        Some(rustls::Error::InvalidCertificate(_)) => {
            "name the authority that signed the server's certificate with ca=FILE, or the name that it is made out to with \
             tls_server_name=NAME"
        }
        Some(rustls::Error::AlertReceived(_)) => "the server may want a certificate of ours: cert=FILE and key=FILE",
        _ => "check that the server speaks TLS on this port",
    };
    Error::new(ErrorKind::Tls, format!("no encrypted connection to {address}: {error}"))
        .with_hint(hint)
        .with_source(error)
}
