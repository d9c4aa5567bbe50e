//! A client's connection, and how far away the client is.

use std::io::{self, IoSlice};
use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tonic::body::Body;
use tonic::codegen::http::{Extensions, Request};
use tonic::transport::server::{Connected, TcpConnectInfo, TlsConnectInfo};

use crate::gate::{Answer, Gate};

/// How long a byte takes to the client and back, as the kernel saw it when the connection was made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrip(pub(crate) Duration);

/// A connection that knows its round trip.
#[derive(Debug)]
pub(crate) struct Line<S> {
    inner: S,
    round_trip: Option<RoundTrip>,
}

/// What a call knows of its connection.
#[derive(Clone, Debug)]
pub(crate) struct Told<I> {
    inner: I,
    round_trip: Option<RoundTrip>,
}

impl<S: Tcp> Line<S> {
    pub(crate) fn new(inner: S) -> Self {
        let round_trip = round_trip(inner.tcp());
        wait_in_front(inner.tcp());
        Line { inner, round_trip }
    }
}

/// A connection over TCP.
pub(crate) trait Tcp {
    fn tcp(&self) -> &TcpStream;
}

impl Tcp for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Tcp for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

impl<S: Connected> Connected for Line<S> {
    type ConnectInfo = Told<S::ConnectInfo>;

    fn connect_info(&self) -> Self::ConnectInfo {
        Told { inner: self.inner.connect_info(), round_trip: self.round_trip }
    }
}

/// Tells each call what is known of its connection.
#[derive(Clone)]
pub(crate) struct Telling;

impl Gate for Telling {
    fn pass(&self, mut request: Request<Body>) -> ControlFlow<Answer, Request<Body>> {
        unpack(request.extensions_mut());
        ControlFlow::Continue(request)
    }
}

/// Puts what a call knows of its connection where tonic looks for it, and the round trip beside it.
fn unpack(extensions: &mut Extensions) {
    fn one<I: Clone + Send + Sync + 'static>(extensions: &mut Extensions) {
        if let Some(told) = extensions.remove::<Told<I>>() {
            extensions.insert(told.inner);
            if let Some(round_trip) = told.round_trip {
                extensions.insert(round_trip);
            }
        }
    }
    one::<TcpConnectInfo>(extensions);
    one::<TlsConnectInfo<TcpConnectInfo>>(extensions);
}

#[cfg(target_os = "linux")]
mod kernel {
    use nix::{getsockopt_impl, libc, setsockopt_impl, sockopt_impl};

    sockopt_impl!(
        /// What the kernel measures of a connection (tcp(7), `TCP_INFO`).
        TcpInfo,
        GetOnly,
        libc::IPPROTO_TCP,
        libc::TCP_INFO,
        libc::tcp_info
    );
    sockopt_impl!(
        /// How many bytes may wait in the kernel to be sent at all (tcp(7), `TCP_NOTSENT_LOWAT`).
        NotSentLowat,
        SetOnly,
        libc::IPPROTO_TCP,
        libc::TCP_NOTSENT_LOWAT,
        u32
    );
}

/// Bytes that may wait in the kernel: enough for it to be busy until it is given more.
#[cfg(target_os = "linux")]
const WAITING: u32 = 256 << 10;

/// Has messages wait here and not in the kernel, which takes megabytes in a moment whatever the link: how fast the link is
/// shows by how long they wait.
#[cfg(target_os = "linux")]
fn wait_in_front(socket: &TcpStream) {
    // Where it cannot be set, the link's speed is known later.
    let _ = nix::sys::socket::setsockopt(socket, kernel::NotSentLowat, &WAITING);
}

#[cfg(not(target_os = "linux"))]
fn wait_in_front(_: &TcpStream) {}

#[cfg(target_os = "linux")]
fn round_trip(socket: &TcpStream) -> Option<RoundTrip> {
    let info = nix::sys::socket::getsockopt(socket, kernel::TcpInfo).ok()?;
    // 0 where nothing was measured yet.
    (info.tcpi_rtt > 0).then(|| RoundTrip(Duration::from_micros(info.tcpi_rtt.into())))
}

/// Other systems tell it in other ways, or not at all.
#[cfg(not(target_os = "linux"))]
fn round_trip(_: &TcpStream) -> Option<RoundTrip> {
    None
}

impl<S: AsyncRead + Unpin> AsyncRead for Line<S> {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, into: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Line<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn a_client_on_this_machine_is_near() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let _client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let line = Line::new(listener.accept().await.unwrap().0);
        if cfg!(target_os = "linux") {
            let RoundTrip(time) = line.round_trip.unwrap();
            assert!(time < Duration::from_millis(100), "{time:?}");
        }
        let mut extensions = Extensions::new();
        extensions.insert(line.connect_info());
        unpack(&mut extensions);
        assert!(extensions.get::<TcpConnectInfo>().unwrap().remote_addr().unwrap().ip().is_loopback());
        assert_eq!(extensions.get::<RoundTrip>().is_some(), line.round_trip.is_some());
    }
}
