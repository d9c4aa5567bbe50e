//! A logged-in connection: sockets, TLS and login behind one type.

mod address;
mod attempt;
mod receive;
mod send;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Registration, Result};
use bowshot_net::{Buffer, Transport, read_once};
use bytes::BytesMut;
use postgres_protocol::message::frontend;

use crate::asides::Asides;
use crate::cancel::Interrupt;
use crate::error;
use crate::family::Family;
use crate::message::{Body, tag, unexpected};
use crate::tls;
use crate::uri::{Config, Host};

/// Bytes of an answer that is kept whole; the plan of a query over ten thousand partitions takes about a third.
const MOST_KEPT: usize = 64 << 20;

/// What a cell of an answer takes besides its text, two allocations included.
const CELL_BYTES: usize = 64;

/// How long saying goodbye may take.
const GOODBYE: Duration = Duration::from_millis(100);

/// A logged-in connection to PostgreSQL.
///
/// Cancelling ends a read that waits, and the query in the server. Dropping it while the server works for it ends the
/// query too.
pub(crate) struct Session {
    pub(crate) stream: Transport,
    /// What came and was not taken, for the doors in `receive.rs` alone.
    buffer: Buffer,
    asides: Asides,
    /// Queries take as long as they take, and what is sent may be long.
    is_logged_in: bool,
    /// Whether text that comes belongs to the result, so that it has to stay UTF-8.
    is_reading: bool,
    version: u32,
    family: Family,
    /// What is under way, for the error of a connection that breaks.
    phase: &'static str,
    /// The longest message that is accepted; a login needs little, whoever is on the other side.
    longest: usize,
    /// Whether the connection broke, so that there is nobody to say goodbye to.
    broken: bool,
    interrupt: Arc<Interrupt>,
    cancel: Cancel,
    /// The server that answered, as the only host.
    host: Host,
    _registration: Registration,
}

impl Session {
    /// Connects to the first server of the configuration that answers and is of the wanted kind.
    ///
    /// Every server's failure is in the error; a refused login ends the search, as in libpq.
    pub(crate) fn open(config: &Config, cancel: &Cancel) -> Result<Session> {
        attempt::open(config, cancel)
    }

    /// From now on `cancel` interrupts it, in place of the one that it was opened with.
    pub(crate) fn follow(&mut self, cancel: &Cancel) {
        let interrupt = Arc::clone(&self.interrupt);
        self._registration = cancel.on_cancel(move || interrupt.fire());
        self.cancel = cancel.clone();
        self.asides.follow(cancel);
    }

    /// The configuration with the server that this session found as its only one: other connections have to see the
    /// same data.
    pub(crate) fn same_server(&self, config: &Config) -> Config {
        Config { hosts: vec![self.host.clone()], target: crate::uri::Target::Any, ..config.clone() }
    }

    /// Runs statements with the simple protocol; the rows of the last one that returned any, as text.
    ///
    /// After an error the session can be used again.
    pub(crate) fn query(&mut self, sql: &str) -> Result<Vec<Vec<Option<String>>>> {
        let mut request = BytesMut::new();
        frontend::query(sql, &mut request).map_err(|error| {
            Error::new(ErrorKind::Config, format!("the SQL cannot be sent: {error}"))
                .with_hint("it must not hold a zero character")
        })?;
        self.send(&request)?;
        let mut rows = Vec::new();
        let mut outcome = Ok(());
        let mut kept = 0;
        loop {
            if kept > MOST_KEPT {
                self.broken = true;
                return Err(unexpected("an endless answer to a question about its catalogue"));
            }
            let message = self.receive()?;
            match message.tag {
                tag::ROW_DESCRIPTION => rows.clear(),
                tag::ROW if outcome.is_ok() => match text_row(message.body) {
                    Ok(row) => {
                        kept += message.body.len() + (row.len() + 1) * CELL_BYTES;
                        rows.push(row);
                    }
                    Err(error) => outcome = Err(error),
                },
                tag::ERROR => {
                    let error = error::from_response(message.body);
                    // The first one: what follows is the consequence.
                    outcome = outcome.and(Err(error));
                }
                tag::COPY_IN => {
                    let mut answer = BytesMut::new();
                    frontend::copy_fail("Bowshot only reads", &mut answer)
                        .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
                    self.send(&answer)?;
                }
                tag::READY => return outcome.map(|()| rows),
                tag::ROW
                | tag::COMMAND_COMPLETE
                | tag::EMPTY_QUERY
                | tag::COPY_OUT
                | tag::COPY_DATA
                | tag::COPY_DONE => {}
                _ => return Err(unexpected("a message that is no answer to a query")),
            }
        }
    }

    /// From now on what comes belongs to the result: its text is UTF-8, whatever the user's own statements set before.
    pub(crate) fn begin_reading(&mut self) -> Result<()> {
        if self.asides.check_encoding().is_err() {
            self.query("SET client_encoding TO 'UTF8'")?;
        }
        self.is_reading = true;
        Ok(())
    }

    /// The server's version as one number: 150020 is 15.20, 90603 is 9.6.3; 0 if it does not tell.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    /// What kind of server it is.
    pub(crate) fn family(&self) -> Family {
        self.family
    }

    /// What the server reports of itself: `server_version`, `TimeZone`, `in_hot_standby`.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.asides.parameter(name)
    }

    /// The server that answered.
    pub(crate) fn host(&self) -> &Host {
        &self.host
    }

    /// Whether what is sent is encrypted.
    pub(crate) fn is_encrypted(&self) -> bool {
        self.stream.is_encrypted()
    }

    /// What ties a SCRAM login to this TLS connection.
    pub(crate) fn certificate_hash(&self) -> Option<Vec<u8>> {
        tls::server_end_point(self.stream.certificates().first()?)
    }

    /// Reads once into the buffer, with room for `room` bytes; how many came.
    pub(crate) fn fill(&mut self, room: usize) -> Result<usize> {
        let outcome = self.buffer.fill(&mut self.stream, room);
        self.came(outcome)
    }

    /// Reads at most so many bytes once into the buffer; how many came.
    pub(crate) fn fill_at_most(&mut self, most: usize) -> Result<usize> {
        let outcome = self.buffer.fill_at_most(&mut self.stream, most);
        self.came(outcome)
    }

    /// Reads once past the buffer, which is empty; how many came.
    pub(crate) fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        let outcome = read_once(&mut self.stream, bytes);
        self.came(outcome)
    }

    fn came(&mut self, outcome: io::Result<usize>) -> Result<usize> {
        match outcome {
            Ok(0) => Err(self.failed(io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => Ok(count),
            Err(error) => Err(self.failed(error)),
        }
    }

    /// What a failed read or write of this session means. For who reads from `stream` without [`Session::receive`].
    pub(crate) fn failed(&mut self, error: io::Error) -> Error {
        self.broken = true;
        if self.cancel.is_cancelled() {
            // The interruption may still need to know that the server is busy.
            return Error::cancelled();
        }
        self.interrupt.set_busy(false);
        bowshot_net::lost(error, self.phase, &tls::NAMES)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.interrupt.end_query();
        if self.broken {
            return;
        }
        let mut goodbye = BytesMut::new();
        frontend::terminate(&mut goodbye);
        // The server also notices by itself that we are gone.
        let deadline = Some(Instant::now() + GOODBYE);
        if self.stream.socket().set_deadline(deadline).is_ok() {
            let _ = self.stream.write_all(&goodbye).and_then(|()| self.stream.flush());
        }
        self.stream.close();
    }
}

/// The values of a DataRow in text format.
fn text_row(body: &[u8]) -> Result<Vec<Option<String>>> {
    let mut body = Body(body);
    let torn = || unexpected("a row that ends too early");
    let count = body.i16().ok_or_else(torn)?;
    (0..count)
        .map(|_| {
            let length = body.i32().ok_or_else(torn)?;
            let Ok(length) = usize::try_from(length) else { return Ok(None) };
            let text = str::from_utf8(body.bytes(length).ok_or_else(torn)?).map_err(|_| {
                Error::new(ErrorKind::Value, "the server sent text that is not UTF-8")
                    .with_hint("a database with the encoding SQL_ASCII may hold anything; it must be UTF-8 to be read")
            })?;
            Ok(Some(text.to_owned()))
        })
        .collect()
}

/// A version number as one integer, as libpq counts: "15.3 (Debian)" is 150003, "9.6.3" is 90603.
fn version_number(text: &str) -> u32 {
    let mut numbers = text
        .split(|character: char| !character.is_ascii_digit() && character != '.')
        .next()
        .unwrap_or_default()
        .split('.')
        .map(|number| number.parse::<u32>().unwrap_or(0).min(9999));
    let mut next = || numbers.next().unwrap_or(0);
    match (next(), next(), next()) {
        (major @ 10.., minor, _) => major * 10_000 + minor,
        (major, minor, patch) => major * 10_000 + minor.min(99) * 100 + patch.min(99),
    }
}
