//! A logged-in connection: requests and what they return.

use std::time::Instant;

use bowshot_core::{Cancel, Error, ErrorKind, Result, Value};

use crate::cursor::{Cursor, Stop};
use crate::error::{ServerError, broken};
use crate::packet::{Kind, Packets};
use crate::request;
use crate::rows::{Rows, Walked};
use crate::token::{self, Change, Column, NBC_ROW, ROW, Token};

/// No token but a row is longer.
const LONGEST_TOKEN: usize = 16 << 20;
/// A buffer that became larger is given back.
const LARGE_BUFFER: usize = 16 << 20;
/// How long the server may take to say that it stopped.
const GOODBYE: std::time::Duration = std::time::Duration::from_millis(400);

/// A logged-in connection to SQL Server.
///
/// Cancelling ends a read that waits, and tells the server. So does dropping it while the server works for it.
pub(crate) struct Session {
    packets: Packets,
    /// What came of the response and was not used up.
    buffer: Vec<u8>,
    /// Where the next token begins.
    at: usize,
    /// Whether the response has come to its end.
    ended: bool,
    /// Whether the server works for us.
    busy: bool,
    /// Whether there is nobody any more to say goodbye to.
    lost: bool,
    /// The user's SQL that is running.
    sql: Option<String>,
    /// The first error of the response.
    error: Option<ServerError>,
    /// The transaction that requests belong to; 0: none.
    transaction: u64,
    /// What the login found out.
    route: Option<(String, u16)>,
    logged_in: bool,
}

/// What comes next in a response.
#[derive(Debug)]
pub(crate) enum Event {
    /// A result begins.
    Columns(Vec<Column>),
    /// There are rows in the block.
    Rows,
    /// The response is over, without an error.
    End,
}

/// Where a login ended.
pub(crate) enum Login {
    Done,
    /// It goes on at another server.
    Routed(String, u16),
}

impl Session {
    pub(crate) fn new(packets: Packets) -> Session {
        Session {
            packets,
            buffer: Vec::new(),
            at: 0,
            ended: true,
            busy: false,
            lost: false,
            sql: None,
            error: None,
            transaction: 0,
            route: None,
            logged_in: false,
        }
    }

    /// Reads the answer to LOGIN7.
    pub(crate) fn finish_login(&mut self) -> Result<Login> {
        self.begin();
        while !matches!(self.event(None)?, Event::End) {}
        match self.route.take() {
            Some((host, port)) => Ok(Login::Routed(host, port)),
            None if self.logged_in => Ok(Login::Done),
            None => Err(broken("it neither accepted nor refused the login")),
        }
    }

    /// From now on `cancel` interrupts it, in place of the one that it was opened with.
    pub(crate) fn follow(&mut self, cancel: &Cancel) {
        self.packets.transport.socket().follow(cancel);
    }

    /// Until when answers may come.
    pub(crate) fn set_deadline(&mut self, deadline: Option<Instant>) {
        self.packets.transport.socket().set_deadline(deadline);
    }

    /// Sends a query as its user wrote it: errors may point at places in it. Its response is then read with
    /// [`event`](Self::event).
    pub(crate) fn start(&mut self, sql: &str, values: &[Value]) -> Result<()> {
        self.send(sql, values)?;
        self.sql = Some(sql.to_owned());
        Ok(())
    }

    /// Sends SQL that is not the user's own.
    pub(crate) fn send(&mut self, sql: &str, values: &[Value]) -> Result<()> {
        let socket = self.packets.transport.socket();
        socket.cancel().check()?;
        let (kind, message) = request::query(sql, values, self.transaction);
        self.begin();
        self.packets.send(kind, &message).inspect_err(|_| self.lost = true)
    }

    fn begin(&mut self) {
        self.buffer.clear();
        self.at = 0;
        self.error = None;
        self.sql = None;
        self.ended = false;
        self.busy = true;
        self.packets.begin();
    }

    /// What comes next. Rows are walked over in `rows`, whose bytes stand in [`buffer`](Self::buffer); without it, they
    /// are none of this response.
    ///
    /// An error of the server ends the response; it is told when the response has come whole, so that the session can go
    /// on after it.
    pub(crate) fn event(&mut self, mut rows: Option<&mut Rows>) -> Result<Event> {
        loop {
            match (self.buffer.get(self.at), &mut rows) {
                (Some(&(ROW | NBC_ROW)), Some(rows)) => {
                    let walked = rows.walk(&self.buffer, &mut self.at);
                    match walked.map_err(|what| self.broken(what))? {
                        Walked::Full => return Ok(Event::Rows),
                        Walked::Token => {}
                        Walked::Short => self.more()?,
                    }
                }
                (Some(&(ROW | NBC_ROW)), None) => return Err(self.broken("rows without columns".to_owned())),
                _ => {
                    if rows.as_ref().is_some_and(|rows| rows.count() > 0) {
                        return Ok(Event::Rows);
                    }
                    if let Some(event) = self.token()? {
                        return Ok(event);
                    }
                }
            }
        }
    }

    /// One token, if it is an event.
    fn token(&mut self) -> Result<Option<Event>> {
        let mut cursor = Cursor::at(&self.buffer, self.at);
        let token = match token::read(&mut cursor) {
            Ok(token) => token,
            Err(Stop::Broken(what)) => return Err(self.broken(what)),
            Err(Stop::Short) if self.buffer.len() - self.at > LONGEST_TOKEN => {
                return Err(self.broken("a token without an end".to_owned()));
            }
            Err(Stop::Short) => return self.more().map(|()| None),
        };
        self.at = cursor.position();
        match token {
            Token::Columns(columns) => Ok(Some(Event::Columns(columns))),
            Token::Error(error) => {
                self.error.get_or_insert(error);
                Ok(None)
            }
            Token::Info(info) => {
                if let Some(notice) = info.into_notice() {
                    self.packets.transport.socket().cancel().notices().add(notice);
                }
                Ok(None)
            }
            Token::Change(Change::PacketSize(size)) => {
                self.packets.packet_size = size;
                Ok(None)
            }
            Token::Change(Change::Transaction(number)) => {
                self.transaction = number;
                Ok(None)
            }
            Token::Change(Change::Route { host, port }) => {
                self.route = Some((host, port));
                Ok(None)
            }
            Token::LoggedIn => {
                self.logged_in = true;
                Ok(None)
            }
            Token::Done(done) if done.is_attention() => Err(self.broken("it stopped unasked".to_owned())),
            Token::Done(done) if done.is_error() && self.error.is_none() => {
                // The error came before, in a form that is not read, or not at all.
                Err(self.broken("a statement failed without an error".to_owned()))
            }
            Token::Done(done) if done.is_last() => {
                self.finish()?;
                match self.error.take() {
                    Some(error) => Err(self.refused(error)),
                    None => Ok(Some(Event::End)),
                }
            }
            Token::Done(_) | Token::Other => Ok(None),
        }
    }

    /// Reads the rest of a response that has told all, which is nothing but its end.
    fn finish(&mut self) -> Result<()> {
        while !self.ended && self.at == self.buffer.len() {
            self.more()?;
        }
        if self.at < self.buffer.len() {
            return Err(self.broken("the response goes on after its end".to_owned()));
        }
        self.busy = false;
        Ok(())
    }

    fn refused(&mut self, error: ServerError) -> Error {
        let error = error.into_error(self.sql.as_deref());
        self.lost = error.kind() == ErrorKind::ConnectionLost;
        error
    }

    pub(crate) fn broken(&mut self, what: String) -> Error {
        self.lost = true;
        broken(what)
    }

    /// Waits for more of the response.
    fn more(&mut self) -> Result<()> {
        if self.ended {
            return Err(self.broken("the response ends in the middle of a token".to_owned()));
        }
        match self.packets.receive(&mut self.buffer) {
            Ok(more) => {
                self.ended = !more;
                Ok(())
            }
            Err(error) if error.kind() == ErrorKind::Cancelled => {
                self.stop();
                Err(error)
            }
            // The server may have said why, before it went.
            Err(error) => {
                self.lost = true;
                Err(match self.error.take() {
                    Some(why) => self.refused(why),
                    None => error,
                })
            }
        }
    }

    /// The bytes of the response that rows stand in.
    pub(crate) fn buffer(&self) -> &[u8] {
        &self.buffer
    }

    /// Forgets the rows of the block, which were used.
    pub(crate) fn used(&mut self, rows: &mut Rows) {
        rows.clear(self.at);
        self.buffer.drain(..self.at);
        self.at = 0;
        // One long value need not be remembered for ever.
        if self.buffer.capacity() > LARGE_BUFFER && self.buffer.len() < LARGE_BUFFER / 4 {
            self.buffer.shrink_to(LARGE_BUFFER / 4);
        }
    }

    /// Whether the server still works for us.
    pub(crate) fn is_busy(&self) -> bool {
        self.busy
    }

    /// Tells the server to stop, and waits a moment for its answer: closing the connection at once could overtake it.
    fn stop(&mut self) {
        if self.lost || !self.busy {
            return;
        }
        self.lost = true;
        let socket = self.packets.transport.socket();
        socket.follow(&Cancel::new());
        socket.set_deadline(Some(Instant::now() + GOODBYE));
        if self.packets.send(Kind::Attention, &[]).is_err() {
            return;
        }
        loop {
            self.buffer.clear();
            loop {
                match self.packets.receive(&mut self.buffer) {
                    Ok(true) => {
                        let behind = self.buffer.len().saturating_sub(13);
                        self.buffer.drain(..behind);
                    }
                    Ok(false) => break,
                    Err(_) => return,
                }
                if self.packets.transport.socket().is_late() {
                    return;
                }
            }
            // DONE with the mark of an attention ends the last message.
            if let [0xFD, status, ..] = self.buffer.as_slice()
                && status & 0x20 != 0
            {
                return;
            }
            self.packets.begin();
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.stop();
    }
}
