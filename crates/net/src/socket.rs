//! TCP or a Unix socket, with a deadline while one is set.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::sync::Arc;
use std::time::{Duration, Instant};

use socket2::{Protocol, TcpKeepalive, Type};

use crate::Address;

/// Bytes that go nowhere must be an error here, not a signal that ends the process.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NO_SIGNAL: i32 = libc::MSG_NOSIGNAL;
// Elsewhere the socket itself was told when it was made.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const NO_SIGNAL: i32 = 0;

/// What TCP does to find out that the other side is gone.
#[derive(Clone, Copy, Debug)]
pub struct Keepalive {
    /// Whether it does anything.
    pub enabled: bool,
    /// How long a connection is idle before it asks.
    pub idle: Option<Duration>,
    /// How long it waits before it asks again.
    pub interval: Option<Duration>,
    /// How often it asks.
    pub count: Option<u32>,
    /// How long sent bytes may stay without an answer.
    pub user_timeout: Option<Duration>,
}

/// A connected socket, shared with whoever may have to interrupt it, with a deadline while one is set.
pub struct Socket {
    inner: Arc<socket2::Socket>,
    deadline: Option<Instant>,
    /// How many bytes the last read asked for, and how many it brought.
    last_read: (usize, usize),
}

impl Socket {
    /// A socket that is not connected yet; `watch` is told of it before it waits for anything.
    pub fn connect(
        address: &Address,
        keepalive: Option<&Keepalive>,
        deadline: Option<Instant>,
        watch: impl FnOnce(Arc<socket2::Socket>),
    ) -> io::Result<Self> {
        let protocol = matches!(address, Address::Tcp(_)).then_some(Protocol::TCP);
        let inner = Arc::new(socket2::Socket::new(address.domain(), Type::STREAM, protocol)?);
        watch(Arc::clone(&inner));
        let mut socket = Socket { inner, deadline, last_read: (0, 0) };
        let target = address.to_socket()?;
        match (address, socket.left()?) {
            (Address::Tcp(_), Some(left)) => socket.inner.connect_timeout(&target, left)?,
            (Address::Tcp(_), None) => socket.inner.connect(&target)?,
            (Address::Unix(_), left) => {
                // A Unix socket waits only for a place in the server's queue, and as long as a write may.
                socket.inner.set_write_timeout(left)?;
                socket.inner.connect(&target)?;
                socket.inner.set_write_timeout(None)?;
            }
        }
        if matches!(address, Address::Tcp(_)) {
            socket.inner.set_tcp_nodelay(true)?;
            if let Some(keepalive) = keepalive {
                socket.keep_alive(keepalive)?;
            }
        }
        socket.set_deadline(deadline)?;
        Ok(socket)
    }

    fn keep_alive(&self, keepalive: &Keepalive) -> io::Result<()> {
        if keepalive.enabled {
            let mut parameters = TcpKeepalive::new();
            if let Some(idle) = keepalive.idle {
                parameters = parameters.with_time(idle);
            }
            if let Some(interval) = keepalive.interval {
                parameters = parameters.with_interval(interval);
            }
            if let Some(count) = keepalive.count {
                parameters = parameters.with_retries(count);
            }
            // With none of the three this is plain SO_KEEPALIVE.
            self.inner.set_tcp_keepalive(&parameters)?;
        }
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if keepalive.user_timeout.is_some() {
            self.inner.set_tcp_user_timeout(keepalive.user_timeout)?;
        }
        Ok(())
    }

    /// Reads and writes fail with [`io::ErrorKind::TimedOut`] past this instant; `None` lets them wait for ever.
    pub fn set_deadline(&mut self, deadline: Option<Instant>) -> io::Result<()> {
        self.deadline = deadline;
        if deadline.is_none() {
            self.inner.set_read_timeout(None)?;
            self.inner.set_write_timeout(None)?;
        }
        Ok(())
    }

    /// Ends both directions.
    pub fn shutdown(&self) {
        // It fails only when the other side was quicker.
        let _ = self.inner.shutdown(Shutdown::Both);
    }

    /// Whether the last read brought all that was there: less than it asked for, and less than `enough`.
    pub(crate) fn ran_dry(&self, enough: usize) -> bool {
        let (asked, came) = self.last_read;
        came < asked.min(enough)
    }

    /// The time up to the deadline.
    fn left(&self) -> io::Result<Option<Duration>> {
        let Some(deadline) = self.deadline else { return Ok(None) };
        match deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(io::ErrorKind::TimedOut.into()),
            left => Ok(Some(left)),
        }
    }
}

impl Read for Socket {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if let Some(left) = self.left()? {
            self.inner.set_read_timeout(Some(left))?;
        }
        let came = (&*self.inner).read(bytes).map_err(timed_out)?;
        self.last_read = (bytes.len(), came);
        Ok(came)
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Some(left) = self.left()? {
            self.inner.set_write_timeout(Some(left))?;
        }
        self.inner.send_with_flags(bytes, NO_SIGNAL).map_err(timed_out)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Closing this socket breaks the connection off (RST) in place of ending it (FIN): what either side would still send is
/// for nobody, and the other side is to know at once.
pub(crate) fn reset_when_closed(socket: &socket2::Socket) {
    // It fails only where there is nothing to be broken off.
    let _ = socket.set_linger(Some(Duration::ZERO));
}

/// A socket's time limit shows as "would block".
fn timed_out(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}
