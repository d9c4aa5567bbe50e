//! A TCP connection whose waiting ends when the work is cancelled or its time is up.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use socket2::{SockRef, TcpKeepalive};

/// How long a read waits before it looks whether it is still wanted.
const TICK: Duration = Duration::from_millis(50);
/// A connection on which nothing happens is tested this often.
const KEEPALIVE: Duration = Duration::from_secs(30);
/// A request that the server does not take within this time never will be.
const WRITE_LIMIT: Duration = Duration::from_secs(60);

/// A TCP connection whose waiting ends when the work is cancelled or its time is up.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: TcpStream,
    cancel: Cancel,
    deadline: Option<Instant>,
}

impl Socket {
    /// Connects to the first address of the host that answers.
    pub(crate) fn connect(host: &str, port: u16, deadline: Instant, cancel: &Cancel) -> Result<Socket> {
        cancel.check()?;
        let (sender, receiver) = mpsc::channel();
        let name = host.to_owned();
        // Looking a name up and connecting can neither be cancelled: they go on in a thread that nobody waits for.
        std::thread::spawn(move || {
            let _ = sender.send(first_that_answers(&name, port, deadline));
        });
        let stream = loop {
            match receiver.recv_timeout(TICK) {
                Ok(outcome) => break outcome,
                Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => cancel.check()?,
                Err(_) => break Err(io::ErrorKind::TimedOut.into()),
            }
        };
        let stream = stream.map_err(|error| unreachable(host, port, error))?;
        let prepared = stream
            .set_nodelay(true)
            .and_then(|()| stream.set_read_timeout(Some(TICK)))
            .and_then(|()| stream.set_write_timeout(Some(WRITE_LIMIT)))
            .and_then(|()| {
                let keepalive = TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 3);
                SockRef::from(&stream).set_tcp_keepalive(&keepalive)
            });
        prepared.map_err(|error| unreachable(host, port, error))?;
        Ok(Socket { stream, cancel: cancel.clone(), deadline: Some(deadline) })
    }

    /// From now on `cancel` ends its waiting.
    pub(crate) fn follow(&mut self, cancel: &Cancel) {
        self.cancel = cancel.clone();
    }

    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Until when answers may come; `None`: as long as it takes.
    pub(crate) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.deadline = deadline;
    }

    /// Whether its time is up.
    pub(crate) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

fn first_that_answers(host: &str, port: u16, deadline: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the name has no address");
    for address in (host, port).to_socket_addrs()? {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        match TcpStream::connect_timeout(&address, left) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

fn unreachable(host: &str, port: u16, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            Error::new(ErrorKind::Timeout, format!("{host}:{port} did not answer in time")).with_hint(
                "is it the right address, and does a firewall let us through? connect_timeout=SECONDS sets the limit",
            )
        }
        io::ErrorKind::ConnectionRefused => {
            Error::new(ErrorKind::Connect, format!("no server listens at {host}:{port}"))
                .with_hint("is the server running, is TCP/IP turned on in its configuration, and is the port right?")
        }
        _ => Error::new(ErrorKind::Connect, format!("{host}:{port} cannot be reached: {error}")),
    }
    .with_source(error)
}

/// Whether an error only says that nothing came within a tick.
fn is_tick(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.cancel.is_cancelled() {
                // Not `Interrupted`, after which readers try again.
                return Err(io::Error::other("cancelled"));
            }
            match self.stream.read(buffer) {
                Err(error) if is_tick(&error) => {
                    if self.is_late() {
                        return Err(io::ErrorKind::TimedOut.into());
                    }
                }
                outcome => return outcome,
            }
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}
