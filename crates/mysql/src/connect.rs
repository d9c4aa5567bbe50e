//! A logged-in connection: sockets, TLS and login behind one type.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Notice, Options, Registration, Result, Value};
use bowshot_net::{Address, Buffer, Gather, Keepalive, Socket, Transport};

use crate::binary_row;
use crate::cancel::{Interrupt, Target};
use crate::error::{ERR, broken};
use crate::login;
use crate::packet::{self, Extent, Fields, LONGEST, LONGEST_OF_LOGIN};
use crate::result::{self, Header};
use crate::statement::Statement;
use crate::uri::{Config, Place, Protocol};
use crate::warnings;

/// Bytes to make room for when a message is not whole.
const ROOM: usize = 16 << 10;

/// Bytes of an answer that is kept whole.
const MOST_KEPT: usize = 64 << 20;

/// What a cell of an answer takes besides its text, two allocations included.
const CELL_BYTES: usize = 64;

/// How long saying goodbye may take.
const GOODBYE: Duration = Duration::from_millis(100);

/// Ordinary keepalives, as the operating system has them.
const KEEPALIVE: Keepalive = Keepalive { enabled: true, idle: None, interval: None, count: None, user_timeout: None };

/// What every session is told first. Text comes as UTF-8 and timestamps as UTC; and whoever consumes the batches may
/// take his time, which a server must not mistake for a dead client.
const SETTINGS: &str = "SET NAMES utf8mb4, time_zone = '+00:00', \
     net_write_timeout = GREATEST(@@net_write_timeout, 28800), wait_timeout = GREATEST(@@wait_timeout, 28800)";

/// Nothing is changed, whatever the SQL says.
const READ_ONLY: &str = "SET SESSION TRANSACTION READ ONLY";

/// What a session may ask its server to do.
pub(crate) mod command {
    pub(crate) const QUIT: u8 = 1;
    pub(crate) const QUERY: u8 = 3;
    pub(crate) const PREPARE: u8 = 0x16;
    pub(crate) const EXECUTE: u8 = 0x17;
    pub(crate) const CLOSE: u8 = 0x19;
}

/// The server at the other end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Server {
    /// Its version; zeros if it does not tell.
    pub(crate) version: (u16, u16, u16),
    /// MariaDB, not MySQL.
    pub(crate) maria_db: bool,
    /// The version as it tells it: `10.11.19-MariaDB-1`.
    pub(crate) text: String,
    /// Whether columns come with the names of types that MySQL's protocol does not know.
    pub(crate) extended: bool,
    /// Whether no EOF packets stand between the parts of an answer.
    pub(crate) without_eof: bool,
}

/// A logged-in connection to MySQL or MariaDB.
///
/// Cancelling ends a read that waits, and the query in the server. Dropping it while the server works for it ends the
/// query too.
pub(crate) struct Session {
    /// `None` only where a TLS handshake failed.
    stream: Option<Transport>,
    pub(crate) buffer: Buffer,
    /// The number of the next packet, sent or received.
    pub(crate) sequence: u8,
    pub(crate) server: Server,
    connection: u64,
    /// How many warnings the last answer told of, which nobody has taken.
    pub(crate) warnings: u16,
    /// How long the fastest answer to a small statement took.
    round_trip: Option<Duration>,
    config: Arc<Config>,
    /// What is under way, for the error of a connection that breaks.
    phase: &'static str,
    /// The longest message that is accepted; a login needs little, whoever is on the other side.
    longest: usize,
    /// Whether the connection broke, so that there is nobody to say goodbye to.
    broken: bool,
    interrupt: Arc<Interrupt>,
    cancel: Cancel,
    _registration: Registration,
}

impl Session {
    /// Connects, logs in, sets what every session needs and runs the user's own statements.
    pub(crate) fn open(config: &Arc<Config>, options: &Options, cancel: &Cancel) -> Result<Session> {
        let mut session = Session::open_writable(config, cancel)?;
        session.execute(READ_ONLY)?;
        for statement in &options.before {
            session.execute(statement)?;
            warnings::take(&mut session)?;
        }
        Ok(session)
    }

    /// Connects, logs in and sets what every session needs; this one may change something.
    pub(crate) fn open_writable(config: &Arc<Config>, cancel: &Cancel) -> Result<Session> {
        let deadline = config.connect_timeout.map(|limit| Instant::now() + limit);
        let mut session = Session::log_in(config, deadline, cancel)?;
        session.execute(SETTINGS)?;
        Ok(session)
    }

    /// Connects and logs in, and nothing else.
    pub(crate) fn log_in(config: &Arc<Config>, deadline: Option<Instant>, cancel: &Cancel) -> Result<Session> {
        cancel.check()?;
        let addresses = match &config.place {
            Place::Socket(path) => vec![Address::Unix(path.clone())],
            Place::Tcp(host) => host.addresses(deadline, cancel)?,
        };
        let mut failure = None;
        for address in addresses {
            match Session::connect(config, &address, deadline, cancel) {
                Ok(session) => return Ok(session),
                Err(_) if cancel.is_cancelled() => return Err(Error::cancelled()),
                // Another address may be that of the server; a server that refused us is the last word.
                Err(error) if error.kind() == ErrorKind::Connect => failure = failure.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        Err(failure.unwrap_or_else(|| Error::new(ErrorKind::Connect, format!("{} has no address", config.label()))))
    }

    fn connect(config: &Arc<Config>, address: &Address, deadline: Option<Instant>, cancel: &Cancel) -> Result<Session> {
        let interrupt = Arc::new(Interrupt::default());
        let fire = Arc::clone(&interrupt);
        let registration = cancel.on_cancel(move || fire.fire());
        let socket = Socket::connect(address, Some(&KEEPALIVE), deadline, |socket| interrupt.watch(socket))
            .map_err(|error| unreachable(config, address, error))?;
        // Whoever cancelled before the socket was watched has not ended it.
        cancel.check()?;
        let mut session = Session {
            stream: Some(Transport::Plain(socket)),
            buffer: Buffer::new(),
            sequence: 0,
            server: Server::default(),
            connection: 0,
            warnings: 0,
            round_trip: None,
            config: Arc::clone(config),
            phase: "the login",
            longest: LONGEST_OF_LOGIN,
            broken: false,
            interrupt,
            cancel: cancel.clone(),
            _registration: registration,
        };
        let address: Option<IpAddr> = match address {
            Address::Tcp(address) => Some(address.ip()),
            Address::Unix(_) => None,
        };
        (session.server, session.connection) = login::log_in(&mut session, config, address)?;
        // Queries take as long as they take.
        if let Some(stream) = &mut session.stream {
            stream.socket().set_deadline(None).map_err(|error| session.failed(error))?;
        }
        session.phase = "the query";
        session.longest = LONGEST;
        let target = Target { config: Arc::clone(config), connection: session.connection };
        session.interrupt.logged_in(target);
        session.interrupt.set_busy(false);
        Ok(session)
    }

    /// From now on `cancel` interrupts it, in place of the one that it was opened with.
    pub(crate) fn follow(&mut self, cancel: &Cancel) {
        let interrupt = Arc::clone(&self.interrupt);
        self._registration = cancel.on_cancel(move || interrupt.fire());
        self.cancel = cancel.clone();
    }

    /// Whether what is sent is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.stream.as_ref().is_some_and(Transport::is_encrypted)
    }

    /// The server at the other end.
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// The number that the server has for this connection.
    pub(crate) fn connection_id(&self) -> u64 {
        self.connection
    }

    /// How far away the server is: how long the fastest answer to a small statement took so far.
    pub(crate) fn round_trip(&self) -> Option<Duration> {
        self.round_trip
    }

    /// Runs one small statement; its rows as text, none where it returns no result.
    ///
    /// After an error of the server's the session can be used again.
    pub(crate) fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        self.query_with(sql, &[])
    }

    /// The same with a value for each placeholder.
    pub(crate) fn query_with(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Option<String>>>> {
        let begin = Instant::now();
        let protocol = if values.is_empty() { Protocol::Text } else { Protocol::Binary };
        let (header, handle) = Statement { protocol, sql: sql.to_owned(), values: values.into() }.start(self)?;
        let (mut rows, mut kept) = (Vec::new(), 0);
        if let Header::Rows(columns) = header {
            while let Some(row) = result::row(self, sql)? {
                let row = match protocol {
                    Protocol::Text => text_row(row, columns.len())?,
                    Protocol::Binary => binary_row::text(row, &columns)?,
                };
                kept += row.iter().map(|cell| CELL_BYTES + cell.as_ref().map_or(0, String::len)).sum::<usize>();
                if kept > MOST_KEPT {
                    return Err(self.give_up("it gave an endless answer to a small question"));
                }
                rows.push(row);
            }
        }
        if let Some(handle) = handle {
            handle.close(self)?;
        }
        let took = begin.elapsed();
        self.round_trip = Some(self.round_trip.map_or(took, |fastest| fastest.min(took)));
        Ok(rows)
    }

    /// Runs one statement whose result, if it has one, does not matter.
    pub(crate) fn execute(&mut self, sql: &str) -> Result<()> {
        self.query(sql).map(drop)
    }

    /// Puts something else around the socket, or fails for good.
    pub(crate) fn wrap(&mut self, change: impl FnOnce(Transport) -> Result<Transport>) -> Result<()> {
        match self.stream.take().map(change) {
            Some(Ok(stream)) => self.stream = Some(stream),
            Some(Err(error)) => {
                self.broken = true;
                return Err(if self.cancel.is_cancelled() { Error::cancelled() } else { error });
            }
            None => {}
        }
        Ok(())
    }

    /// Sends a command; from now on the server counts as busy, until its answer was read to the end.
    pub(crate) fn command(&mut self, command: u8, body: &[u8]) -> Result<()> {
        self.sequence = 0;
        let mut message = Vec::with_capacity(1 + body.len());
        message.push(command);
        message.extend_from_slice(body);
        self.interrupt.set_busy(true);
        self.send(&message)
    }

    /// Sends a message with the number that is due.
    pub(crate) fn send(&mut self, body: &[u8]) -> Result<()> {
        // What was cancelled while idle starts nothing more.
        self.cancel.check()?;
        let closed = || Err(io::ErrorKind::NotConnected.into());
        match self.stream.as_mut().map_or_else(closed, |stream| packet::write(stream, body, self.sequence)) {
            Ok(next) => {
                self.sequence = next;
                Ok(())
            }
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Keeps what the server says beside its answers.
    pub(crate) fn said(&self, notice: Notice) {
        self.cancel.notices().add(notice);
    }

    /// The server has answered to the end.
    pub(crate) fn idle(&self) {
        self.interrupt.set_busy(false);
    }

    /// The next message's body.
    pub(crate) fn receive(&mut self) -> Result<&[u8]> {
        let extent = self.whole_message()?;
        Ok(packet::take(&mut self.buffer, extent))
    }

    /// Fills the buffer until it begins with a whole message.
    pub(crate) fn whole_message(&mut self) -> Result<Extent> {
        loop {
            let found = packet::extent(self.buffer.unread(), &mut self.sequence, self.longest);
            match found.inspect_err(|_| self.broken = true)? {
                Ok(extent) => return Ok(extent),
                Err(_missing) => self.fill(ROOM)?,
            };
        }
    }

    /// Reads once into the buffer, with room for `room` bytes; how many came.
    pub(crate) fn fill(&mut self, room: usize) -> Result<usize> {
        let Some(stream) = &mut self.stream else { return Err(self.failed(io::ErrorKind::NotConnected.into())) };
        match self.buffer.fill(stream, room) {
            Ok(0) => Err(self.failed(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => Ok(count),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// Behind a read of a result that brought so many bytes: lets more of them gather.
    pub(crate) fn pause(&mut self, gather: &mut Gather, count: usize) {
        if let Some(stream) = &mut self.stream {
            gather.pause(stream, count);
        }
    }

    /// The error of a session that cannot be used any more, because of what the server sent.
    pub(crate) fn give_up(&mut self, what: &str) -> Error {
        self.broken = true;
        broken(what)
    }

    /// What a failed read or write means.
    pub(crate) fn failed(&mut self, error: io::Error) -> Error {
        self.broken = true;
        if self.cancel.is_cancelled() {
            // The interruption may still need to know that the server is busy.
            return Error::cancelled();
        }
        self.interrupt.set_busy(false);
        bowshot_net::lost(error, self.phase, &self.config.tls.names)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.interrupt.end_query();
        let Some(stream) = self.stream.as_mut().filter(|_| !self.broken) else { return };
        // The server also notices by itself that we are gone.
        let deadline = Some(Instant::now() + GOODBYE);
        if stream.socket().set_deadline(deadline).is_ok() {
            let _ = packet::write(stream, &[command::QUIT], 0);
        }
        stream.close();
    }
}

fn unreachable(config: &Config, address: &Address, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::TimedOut => {
            let limit = config.connect_timeout.unwrap_or_default().as_secs();
            Error::new(ErrorKind::Timeout, format!("the server at {address} did not answer within {limit} s"))
                .with_source(error)
                .with_hint(
                    "is it the right address, and does a firewall let us through? connect_timeout=… sets the limit",
                )
        }
        io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => {
            Error::new(ErrorKind::Connect, format!("no server listens at {address}"))
                .with_source(error)
                .with_hint("is the database running, and is the port or the socket right?")
        }
        _ => {
            let lost = bowshot_net::lost(error, "connecting", &config.tls.names);
            Error::new(ErrorKind::Connect, format!("the server at {address} cannot be reached: {}", lost.message()))
        }
    }
}

/// The values of a row of the text protocol.
fn text_row(body: &[u8], columns: usize) -> Result<Vec<Option<String>>> {
    let mut fields = Fields(body);
    (0..columns)
        .map(|_| {
            let field = fields.nullable_text().ok_or_else(|| broken("a row is cut off"))?;
            let text = field.map(|text| String::from_utf8(text.to_vec()));
            text.transpose().map_err(|_| broken("a name or a setting is not UTF-8"))
        })
        .collect()
}

/// Whether a message is an ERR packet.
pub(crate) fn is_error(body: &[u8]) -> bool {
    body.first() == Some(&ERR)
}
