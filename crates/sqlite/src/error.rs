//! SQLite's result codes as Bowshot's errors.

use std::ffi::c_int;
use std::path::Path;

use bowshot_core::{Error, ErrorKind};
use libsqlite3_sys as ffi;

/// What SQLite says when it fails.
pub(crate) struct Failure<'a> {
    /// The extended result code.
    pub(crate) code: c_int,
    pub(crate) message: &'a str,
    /// The character of the SQL, from 1; 0 where it is not known.
    pub(crate) position: usize,
    pub(crate) path: &'a Path,
}

impl Failure<'_> {
    pub(crate) fn into_error(self) -> Error {
        let Failure { code, message, position, path } = self;
        let path = path.display();
        // The low byte is the primary code, the rest tells more.
        match code & 0xff {
            ffi::SQLITE_INTERRUPT => Error::cancelled(),
            ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => {
                Error::new(ErrorKind::Timeout, format!("another connection keeps {path} locked: {message}"))
                    .with_hint("try again, or wait longer with ?timeout=SECONDS in the URI")
            }
            ffi::SQLITE_NOTADB => Error::new(ErrorKind::Config, format!("{path} is not a SQLite database: {message}"))
                .with_hint("check the path; an encrypted database cannot be read"),
            ffi::SQLITE_CORRUPT => Error::new(ErrorKind::Io, format!("the database {path} is damaged: {message}"))
                .with_hint("PRAGMA integrity_check tells more, the sqlite3 shell's .recover saves what can be saved"),
            ffi::SQLITE_CANTOPEN => Error::new(ErrorKind::Io, format!("cannot open the database {path}: {message}")).with_hint(
                "check its permissions; a WAL database in a folder that cannot be written to needs ?immutable=1 in the URI",
            ),
            ffi::SQLITE_READONLY if code == ffi::SQLITE_READONLY => {
                Error::new(ErrorKind::Sql, format!("the query would write, and this connection only reads: {message}"))
            }
            ffi::SQLITE_READONLY => {
                Error::new(ErrorKind::Io, format!("the database {path} has to be recovered by a writer first: {message}"))
                    .with_hint("open it once with a connection that may write, such as the sqlite3 shell")
            }
            ffi::SQLITE_IOERR | ffi::SQLITE_NOMEM | ffi::SQLITE_FULL | ffi::SQLITE_PERM | ffi::SQLITE_NOLFS => {
                Error::new(ErrorKind::Io, format!("SQLite could not read {path}: {message} (code {code})"))
            }
            ffi::SQLITE_INTERNAL | ffi::SQLITE_MISUSE => {
                Error::new(ErrorKind::Internal, format!("SQLite was misused: {message} (code {code}); please report this"))
            }
            _ if position > 0 => Error::new(ErrorKind::Sql, message).with_position(position),
            _ => Error::new(ErrorKind::Sql, message),
        }
    }
}

/// The character, from 1, at a byte offset of the SQL; 0 where there is no offset.
pub(crate) fn characters(sql: &[u8], offset: Option<usize>) -> usize {
    let Some(before) = offset.and_then(|offset| sql.get(..offset)) else { return 0 };
    1 + before.iter().filter(|byte| (**byte & 0xc0) != 0x80).count()
}
