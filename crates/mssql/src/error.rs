//! The server's ERROR tokens and broken connections as an [`Error`].

use std::io;

use bowshot_core::{Error, ErrorKind, Notice, Severity};

use crate::cursor::{Cursor, Stop};
use crate::socket::Socket;

/// What an ERROR token says ([MS-TDS] 2.2.7.10).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerError {
    number: u32,
    /// The severity: from 20 on, the server ends the connection.
    class: u8,
    message: String,
    procedure: String,
    line: u32,
}

impl ServerError {
    /// Reads what follows the token's length.
    pub(crate) fn read(bytes: &[u8]) -> Result<ServerError, Stop> {
        let mut cursor = Cursor::new(bytes);
        let number = cursor.u32()?;
        let _state = cursor.u8()?;
        let class = cursor.u8()?;
        let message = cursor.text()?;
        let _server = cursor.short_text()?;
        let procedure = cursor.short_text()?;
        let line = cursor.u32()?;
        Ok(ServerError { number, class, message, procedure, line })
    }

    /// `sql` is the user's own text, if it was sent as it is.
    pub(crate) fn into_error(self, sql: Option<&str>) -> Error {
        let kind = self.kind();
        let what = match kind {
            ErrorKind::Authentication => "the database refused the login",
            ErrorKind::Config => "the database could not be opened",
            ErrorKind::Connect => "the database does not take connections now",
            ErrorKind::ConnectionLimit => "the database has no connection left",
            ErrorKind::ConnectionLost => "the database ended the connection",
            ErrorKind::Timeout => "the database stopped the query at its time limit",
            ErrorKind::Cancelled => "the database cancelled the query",
            _ => "the database refused the query",
        };
        let place = match (self.line, self.procedure.as_str()) {
            (0, "") => String::new(),
            (line, "") => format!(", line {line}"),
            (line, procedure) => format!(", line {line} of {procedure}"),
        };
        let mut error = Error::new(kind, format!("{what}: {} (error {}{place})", self.message, self.number));
        if let Some(state) = self.sqlstate() {
            error = error.with_sqlstate(state);
        }
        if let Some(position) = sql.filter(|_| self.procedure.is_empty()).and_then(|sql| self.position(sql)) {
            error = error.with_position(position);
        }
        match self.hint() {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }

    /// What an INFO token says, such as that of PRINT, which has no number; `None` where each session hears the same: that the database
    /// or the language is the one of the login.
    pub(crate) fn into_notice(self) -> Option<Notice> {
        if matches!(self.number, 5701 | 5703) {
            return None;
        }
        // Its own warnings have the severity of all that is no error, and say what they are.
        let severity = if self.message.starts_with("Warning") { Severity::Warning } else { Severity::Notice };
        let notice = Notice::new(severity, self.message);
        Some(if self.number == 0 { notice } else { notice.with_code(self.number.to_string()) })
    }

    fn kind(&self) -> ErrorKind {
        match self.number {
            // Refused, disabled, locked, expired, to be changed, not from this host.
            18450..=18488 | 40532 | 47073 => ErrorKind::Authentication,
            4060 | 4063 | 911 | 916 => ErrorKind::Config,
            // Starting up, shutting down, single user, paused, not yet recovered, not allowed through the firewall.
            904 | 922 | 927 | 17142 | 17187 | 17197 | 18401 | 40197 | 40501 | 40613 | 40615 => ErrorKind::Connect,
            10928 | 10929 | 17809 | 40544 | 49918..=49920 => ErrorKind::ConnectionLimit,
            // Lock request time-out; a query that waited too long for memory.
            1222 | 8645 => ErrorKind::Timeout,
            // Killed, or the server goes down.
            596 | 6005 | 6006 | 17194 => ErrorKind::ConnectionLost,
            3617 => ErrorKind::Cancelled,
            _ if self.class >= 20 => ErrorKind::ConnectionLost,
            _ => ErrorKind::Sql,
        }
    }

    /// The state that Microsoft's ODBC driver gives to the same error, for those that people meet.
    fn sqlstate(&self) -> Option<&'static str> {
        Some(match self.number {
            18450..=18488 => "28000",
            4060 | 911 => "08004",
            208 | 2812 => "42S02",
            207 => "42S22",
            102 | 105 | 109 | 137 | 156 | 170 | 174 | 195 | 319 | 8120 | 8155 | 8156 | 1033 | 4104 | 209 | 229
            | 230 => "42000",
            220 | 232 | 8115 | 8116 | 248 => "22003",
            241 | 242 | 295 => "22007",
            244 | 245 | 257 | 8114 | 8169 | 9436 | 9455 => "22018",
            8134 => "22012",
            8152 | 2628 => "22001",
            547 | 2601 | 2627 | 515 => "23000",
            1205 | 3960 | 3961 => "40001",
            1222 => "HYT00",
            3906 => "25006",
            _ => return None,
        })
    }

    fn hint(&self) -> Option<&'static str> {
        Some(match self.number {
            18456 => "check user and password; the server's log says which of them is wrong, and why",
            18452 => "Windows logins are not supported: use a login of SQL Server itself",
            4060 => "is it spelled right, and may the login use it?",
            40615 => "add this machine's address to the firewall rules of the server",
            1205 => "another transaction was preferred in a deadlock: try again",
            1222 => "another transaction holds a lock; SET LOCK_TIMEOUT in before=… sets the limit",
            3960 | 3961 => "the table was altered, or a row was, after the read began: try again",
            596 => "somebody ended the session (KILL), or the server failed over: try again",
            9803 => "a date in the table is out of range: check it with DBCC CHECKDB",
            _ => return None,
        })
    }

    /// The character of the SQL that the message points at by its line and the word that it quotes.
    fn position(&self, sql: &str) -> Option<usize> {
        let word = self.message.split('\'').nth(1)?;
        let line = usize::try_from(self.line).ok()?.checked_sub(1)?;
        let begin = match line {
            0 => 0,
            _ => sql.match_indices('\n').nth(line - 1)?.0 + 1,
        };
        let text = sql.get(begin..)?.lines().next()?;
        // Where it stands twice, nobody knows which one is meant.
        let mut found = text.match_indices(word);
        let (at, _) = found.next().filter(|_| !word.is_empty())?;
        if found.next().is_some() {
            return None;
        }
        Some(sql.get(..begin + at)?.chars().count() + 1)
    }
}

/// The error of a server whose answer is not what the protocol allows.
pub(crate) fn broken(what: impl std::fmt::Display) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server broke the protocol: {what}"))
}

/// What a failure of the connection means.
pub(crate) fn lost(socket: &Socket, error: io::Error) -> Error {
    if socket.cancel().is_cancelled() {
        return Error::cancelled();
    }
    if let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        return Error::new(ErrorKind::ConnectionLost, format!("the encrypted connection broke: {inner}"));
    }
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => {
            Error::new(ErrorKind::Timeout, "the server did not answer in time")
                .with_hint("connect_timeout=SECONDS sets the limit of the login")
        }
        io::ErrorKind::UnexpectedEof => {
            Error::new(ErrorKind::ConnectionLost, "the server closed the connection in the middle of the work")
        }
        _ => Error::new(ErrorKind::ConnectionLost, format!("the connection to the server broke: {error}")),
    }
    .with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(number: u32, message: &str, line: u32) -> ServerError {
        ServerError { number, class: 16, message: message.to_owned(), procedure: String::new(), line }
    }

    #[test]
    fn positions_point_at_the_word() {
        let sql = "SELECT a\nFROM t WHER é = 1";
        let of = |line, message: &str| error(102, message, line).position(sql);
        assert_eq!(of(2, "Incorrect syntax near 'WHER'."), Some(17));
        assert_eq!(of(2, "Incorrect syntax near 'é'."), Some(22));
        // Not there, no such line, twice, nothing.
        assert_eq!(of(1, "Incorrect syntax near 'WHER'."), None);
        assert_eq!(of(7, "Incorrect syntax near 'WHER'."), None);
        assert_eq!(error(102, "near 'a'", 1).position("SELECT a, a"), None);
        assert_eq!(of(1, "Incorrect syntax near ''."), None);
    }

    #[test]
    fn kinds_and_states_follow_the_number() {
        for (number, class, kind, state) in [
            (18456, 14, ErrorKind::Authentication, Some("28000")),
            (4060, 11, ErrorKind::Config, Some("08004")),
            (208, 16, ErrorKind::Sql, Some("42S02")),
            (207, 16, ErrorKind::Sql, Some("42S22")),
            (102, 15, ErrorKind::Sql, Some("42000")),
            (1205, 13, ErrorKind::Sql, Some("40001")),
            (1222, 16, ErrorKind::Timeout, Some("HYT00")),
            (10928, 20, ErrorKind::ConnectionLimit, None),
            (596, 21, ErrorKind::ConnectionLost, None),
            (824, 24, ErrorKind::ConnectionLost, None),
            (50000, 16, ErrorKind::Sql, None),
        ] {
            let error = ServerError { class, ..error(number, "m", 1) }.into_error(None);
            assert_eq!((error.kind(), error.sqlstate()), (kind, state), "{number}");
        }
    }
}
