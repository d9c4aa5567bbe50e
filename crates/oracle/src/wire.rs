//! Packets to and from the server, with an eye on the clock and on whoever cancels.

use std::io::{self, Write};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Registration, Result};
use bowshot_net::{Address, Buffer, Socket, TlsOptions, Transport, lost};
use oracledb_protocol::thin::TNS_PACKET_TYPE_DATA;
use oracledb_protocol::wire::{PacketLengthWidth, encode_packet};
use parking_lot::Mutex;

use crate::error::{protocol, unexpected};
use crate::uri::TLS_NAMES;

/// Packets that interrupt, and that clear up after an interruption.
pub(crate) const MARKER: u8 = 12;
/// Packets about the connection itself.
const CONTROL: u8 = 14;
const BREAK: u8 = 3;
const RESET: u8 = 2;
/// The header of a packet.
const HEADER: usize = 8;
/// The flags behind it in packets of data.
const DATA_FLAGS: usize = 2;
/// A data packet that ends a response, or the connection.
const END: u16 = 0x2000 | 0x0040;
/// The last packet of a connection.
const END_OF_FILE: u16 = 0x0040;
/// The message that ends a response, where it is alone in its packet.
const END_OF_RESPONSE: u8 = 29;
/// How long a read waits before it looks whether somebody cancelled.
const TICK: Duration = Duration::from_millis(100);
/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_millis(300);
/// No server's packets are longer.
const LONGEST: usize = 4 << 20;
/// The least room in front of the socket.
const ROOM: usize = 16 << 10;

/// Ends a connection from another thread.
type End = Box<dyn Fn() + Send>;

/// What a packet says of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    /// Whether it says that the response ends with it.
    pub(crate) ends: bool,
    /// Whether it is nothing but the message that ends a response, or a byte of another one that looks like it.
    pub(crate) may_end: bool,
}

/// A connection as a sequence of packets.
pub(crate) struct Wire {
    stream: Transport,
    buffer: Buffer,
    cancel: Cancel,
    /// The packet that is being read may come until then.
    pub(crate) deadline: Option<Instant>,
    /// What is under way, for errors.
    pub(crate) what: &'static str,
    width: PacketLengthWidth,
    /// The longest packet that the server takes.
    pub(crate) longest: usize,
    broken: bool,
    /// Last words are being exchanged.
    leaving: bool,
    _registration: Registration,
}

impl Wire {
    /// Connects to an address, and encrypts where TLS is asked for.
    pub(crate) fn connect(
        address: &Address,
        name: &str,
        tls: Option<&TlsOptions>,
        deadline: Instant,
        cancel: &Cancel,
    ) -> Result<Self> {
        cancel.check()?;
        let watched: Arc<Mutex<Option<End>>> = Arc::default();
        let fire = Arc::clone(&watched);
        // Before the first packet nothing runs in the database: whoever cancels may end the connection itself.
        let registration = cancel.on_cancel(move || {
            if let Some(end) = fire.lock().as_ref() {
                end();
            }
        });
        let socket = Socket::connect(address, None, Some(deadline), |socket| {
            *watched.lock() = Some(Box::new(move || {
                // It fails only when the other side was quicker.
                let _ = socket.shutdown(std::net::Shutdown::Both);
            }));
        });
        let cancelled = |error: Error| if cancel.is_cancelled() { Error::cancelled() } else { error };
        let socket = socket.map_err(|error| cancelled(unreachable(address, error)))?;
        cancel.check()?;
        let stream = match tls {
            Some(tls) => {
                let ip = match address {
                    Address::Tcp(address) => Some(address.ip()),
                    Address::Unix(_) => None,
                };
                encrypt(socket, tls, name, ip).map_err(cancelled)?
            }
            None => Transport::Plain(socket),
        };
        // From here on, reads look for themselves, and tell the server.
        *watched.lock() = None;
        Ok(Wire {
            stream,
            buffer: Buffer::new(),
            cancel: cancel.clone(),
            deadline: Some(deadline),
            what: "the login",
            width: PacketLengthWidth::Legacy16,
            longest: 8192,
            broken: false,
            leaving: false,
            _registration: registration,
        })
    }

    /// Encrypts anew, on the same socket, as a server asks that handed us on to another process.
    pub(crate) fn encrypt_again(self, tls: &TlsOptions, name: &str) -> Result<Self> {
        let Wire { stream, cancel, deadline, what, width, longest, _registration, .. } = self;
        let Transport::Tls(inner) = stream else {
            return Err(unexpected("a request to renew an encryption that there is none of"));
        };
        let (_, socket) = inner.into_parts();
        let stream = encrypt(socket, tls, name, None)?;
        Ok(Wire {
            stream,
            buffer: Buffer::new(),
            cancel,
            deadline,
            what,
            width,
            longest,
            broken: false,
            leaving: false,
            _registration,
        })
    }

    /// The lengths of packets have four bytes from here on, and `longest` is the longest one that the server takes.
    pub(crate) fn accepted(&mut self, longest: usize) {
        self.width = PacketLengthWidth::Large32;
        self.longest = longest.clamp(512, LONGEST);
    }

    /// Who asks the work to stop.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether no more can be said on it.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Whether bytes are here already that were not looked at.
    pub(crate) fn has_more(&self) -> bool {
        !self.buffer.unread().is_empty()
    }

    /// Sends a packet that is no data.
    pub(crate) fn send(&mut self, kind: u8, flags: u8, body: &[u8]) -> Result<()> {
        let packet = encode_packet(kind, flags, None, body, self.width).map_err(|error| protocol(error, None))?;
        self.write(&packet)
    }

    /// Sends data, in as many packets as it needs.
    pub(crate) fn send_data(&mut self, body: &[u8]) -> Result<()> {
        self.send_flagged(body, 0)
    }

    fn send_flagged(&mut self, body: &[u8], flags: u16) -> Result<()> {
        let most = self.longest - HEADER - DATA_FLAGS;
        let mut rest = body;
        loop {
            let (now, later) = rest.split_at(rest.len().min(most));
            let packet = encode_packet(TNS_PACKET_TYPE_DATA, 0, Some(flags), now, self.width)
                .map_err(|error| protocol(error, None))?;
            self.write(&packet)?;
            rest = later;
            if rest.is_empty() {
                return Ok(());
            }
        }
    }

    fn write(&mut self, packet: &[u8]) -> Result<()> {
        // A server that takes no bytes for so long is gone: what we send is small.
        let until = self.deadline.unwrap_or_else(|| Instant::now() + Duration::from_secs(30));
        let result = self
            .stream
            .socket()
            .set_deadline(Some(until))
            .and_then(|()| self.stream.write_all(packet))
            .and_then(|()| self.stream.flush());
        result.map_err(|error| self.failed(error))
    }

    /// Reads a packet and puts its body behind what `body` has.
    pub(crate) fn receive(&mut self, body: &mut Vec<u8>) -> Result<Head> {
        loop {
            let head = self.packet(body)?;
            match head.kind {
                // They say that the database is about to go; the next call will show it.
                CONTROL => {}
                _ => return Ok(head),
            }
        }
    }

    fn packet(&mut self, body: &mut Vec<u8>) -> Result<Head> {
        if self.cancel.is_cancelled() && !self.leaving {
            return Err(self.interrupt());
        }
        self.fill_to(HEADER)?;
        let mut head = [0; HEADER];
        head.copy_from_slice(self.buffer.take(HEADER));
        let [a, b, c, d, kind, flags, ..] = head;
        let length = match self.width {
            PacketLengthWidth::Legacy16 => usize::from(u16::from_be_bytes([a, b])),
            PacketLengthWidth::Large32 => usize::try_from(u32::from_be_bytes([a, b, c, d])).unwrap_or(usize::MAX),
        };
        let mut left = match length.checked_sub(HEADER) {
            Some(left) if length <= LONGEST => left,
            _ => {
                self.broken = true;
                return Err(unexpected(&format!("a packet of {length} bytes")));
            }
        };
        let mut ends = false;
        if kind == TNS_PACKET_TYPE_DATA && left >= DATA_FLAGS {
            self.fill_to(DATA_FLAGS)?;
            let mut word = [0; DATA_FLAGS];
            word.copy_from_slice(self.buffer.take(DATA_FLAGS));
            left -= DATA_FLAGS;
            ends = u16::from_be_bytes(word) & END != 0;
        }
        let start = body.len();
        while left > 0 {
            self.fill_to(1)?;
            let now = self.buffer.unread().len().min(left);
            body.extend_from_slice(self.buffer.take(now));
            left -= now;
        }
        let may_end = kind == TNS_PACKET_TYPE_DATA && body.get(start..) == Some(&[END_OF_RESPONSE]);
        Ok(Head { kind, flags, ends, may_end })
    }

    /// Waits until there are `count` unread bytes.
    fn fill_to(&mut self, count: usize) -> Result<()> {
        while self.buffer.unread().len() < count {
            let tick = Instant::now() + TICK;
            let until = self.deadline.map_or(tick, |deadline| deadline.min(tick));
            let filled =
                self.stream.socket().set_deadline(Some(until)).and_then(|()| self.buffer.fill(&mut self.stream, ROOM));
            match filled {
                Ok(0) => return Err(self.failed(io::ErrorKind::UnexpectedEof.into())),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                    if self.cancel.is_cancelled() && !self.leaving {
                        return Err(self.interrupt());
                    }
                    if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                        return Err(self.failed(error));
                    }
                }
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(())
    }

    fn failed(&mut self, error: io::Error) -> Error {
        self.broken = true;
        if self.cancel.is_cancelled() { Error::cancelled() } else { lost(error, self.what, &TLS_NAMES) }
    }

    /// Somebody cancelled.
    fn interrupt(&mut self) -> Error {
        self.break_off();
        Error::cancelled()
    }

    /// Tells the server to stop what it does, and hangs up.
    pub(crate) fn break_off(&mut self) {
        self.hang_up_with(|wire| wire.send(MARKER, 0, &[1, 0, BREAK]));
    }

    /// Clears up after the server broke off a response; what follows is a new one.
    pub(crate) fn reset(&mut self) -> Result<()> {
        self.send(MARKER, 0, &[1, 0, RESET])?;
        let mut body = Vec::new();
        loop {
            body.clear();
            let head = self.receive(&mut body)?;
            if head.kind == MARKER && body.get(2) == Some(&RESET) {
                return Ok(());
            }
        }
    }

    /// Says that nothing more comes.
    pub(crate) fn end_of_file(&mut self) -> Result<()> {
        self.send_flagged(&[], END_OF_FILE)
    }

    /// Says something short and closes, without waiting long.
    pub(crate) fn hang_up_with(&mut self, last_words: impl FnOnce(&mut Wire) -> Result<()>) {
        if self.broken || self.leaving {
            return;
        }
        let until = Instant::now() + GOODBYE;
        (self.deadline, self.leaving) = (Some(until), true);
        let said = last_words(self);
        self.broken = true;
        if said.is_ok() {
            // Bytes that we did not read would make the system throw our last words away. Whatever comes, it ends here.
            let _ = self.stream.socket().set_deadline(Some(until));
            while Instant::now() < until && matches!(self.buffer.fill(&mut self.stream, ROOM), Ok(1..)) {
                let unread = self.buffer.unread().len();
                self.buffer.take(unread);
            }
        }
        self.stream.close();
    }
}

fn encrypt(socket: Socket, tls: &TlsOptions, name: &str, address: Option<IpAddr>) -> Result<Transport> {
    tls.client(Some(name), address)?.handshake(socket)
}

fn unreachable(address: &Address, error: io::Error) -> Error {
    let message = match error.kind() {
        io::ErrorKind::TimedOut => {
            return Error::new(ErrorKind::Timeout, format!("the listener at {address} did not answer in time"))
                .with_source(error)
                .with_hint(
                    "is it the right address, and does a firewall let us through? connect_timeout=… sets the limit",
                );
        }
        io::ErrorKind::ConnectionRefused => format!("no listener listens at {address}"),
        _ => format!("the listener at {address} cannot be reached: {error}"),
    };
    Error::new(ErrorKind::Connect, message)
        .with_source(error)
        .with_hint("is the listener running, and is the port right?")
}
