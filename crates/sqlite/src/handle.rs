//! SQLite's C interface made safe: the only part of this crate with `unsafe` in it.
//!
//! A [`Database`] is a connection and the statement that it runs; both move between threads together, never apart,
//! which is what SQLite asks of a connection without a mutex. [`Row::value`] compiles to the two or three C calls that a
//! loop written in C would make.
#![expect(unsafe_code, reason = "SQLite is called directly: its rows are read without a wrapper in between")]

mod row;
mod statement;
mod watch;
mod write;

use std::ffi::{CStr, CString, c_int, c_void};
use std::fmt;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, Error, ErrorKind, Registration, Result, Value};
use libsqlite3_sys as ffi;

use self::statement::Statement;
use self::watch::{Gate, INSTRUCTIONS_BETWEEN_LOOKS, Watch, look, wait};
use crate::error::{self, Failure};

pub(crate) use self::row::{Cell, Content, Row};
pub(crate) use self::statement::Origin;

/// A connection and the statement that it runs.
pub(crate) struct Database {
    /// Finalized before the connection is closed.
    statement: Option<Statement>,
    raw: NonNull<ffi::sqlite3>,
    /// Where the connection is interrupted from other threads, as long as it is open.
    gate: Arc<Gate>,
    /// What SQLite's callbacks look at; boxed, since SQLite keeps its address.
    watch: Option<Box<Watch>>,
    /// Keeps the interrupt known to the present work.
    registration: Option<Registration>,
    /// How long to wait for a lock.
    patience: Duration,
    /// For messages.
    path: PathBuf,
}

// SAFETY: SQLite was opened with SQLITE_OPEN_NOMUTEX in a library compiled to be thread-safe: a connection and its
// statements may be used from any thread, by one at a time. `Database` owns both and is not `Sync`.
unsafe impl Send for Database {}

impl Database {
    /// Opens the file, read only. `name` is a `file:` URI in SQLite's sense; SQLite looks at the file only later.
    pub(crate) fn open(name: &str, path: &Path, patience: Duration) -> Result<Self> {
        Self::open_as(name, path, patience, ffi::SQLITE_OPEN_READONLY)
    }

    /// Opens the file; `access` is one of SQLite's flags.
    fn open_as(name: &str, path: &Path, patience: Duration, access: c_int) -> Result<Self> {
        let c_name = c_string(name)?;
        let mut raw = ptr::null_mut();
        let flags = access | ffi::SQLITE_OPEN_NOMUTEX | ffi::SQLITE_OPEN_URI;
        // SAFETY: `c_name` is a C string and `raw` a place for the connection; no VFS is named.
        let code = unsafe { ffi::sqlite3_open_v2(c_name.as_ptr(), &raw mut raw, flags, ptr::null()) };
        let Some(raw) = NonNull::new(raw) else {
            return Err(Error::new(ErrorKind::Io, "SQLite had no memory for a connection"));
        };
        let gate = Arc::new(Gate::new(raw));
        let database =
            Database { statement: None, raw, gate, watch: None, registration: None, patience, path: path.into() };
        // A connection that failed to open still has to be closed: `database` is dropped then.
        database.check(code)?;
        // SAFETY: the connection is open.
        unsafe { ffi::sqlite3_extended_result_codes(raw.as_ptr(), 1) };
        Ok(database)
    }

    /// Lets `cancel` stop what this connection does from now on.
    pub(crate) fn watch(&mut self, cancel: &Cancel) {
        self.listen(cancel.clone(), self.patience);
        let gate = Arc::clone(&self.gate);
        self.registration = Some(cancel.on_cancel(move || gate.interrupt()));
    }

    /// How long to wait for a lock from now on; `None`: as long as the URI says.
    pub(crate) fn set_patience(&mut self, patience: Option<Duration>) {
        let cancel = self.watch.as_ref().map_or_else(Cancel::new, |watch| watch.cancel.clone());
        self.listen(cancel, patience.unwrap_or(self.patience));
    }

    fn listen(&mut self, cancel: Cancel, patience: Duration) {
        let mut watch = Box::new(Watch::new(cancel, patience));
        let address: *mut c_void = (&raw mut *watch).cast();
        // SAFETY: the connection is open, and the box lives in `self` until it is replaced here or the connection closed.
        unsafe {
            ffi::sqlite3_progress_handler(self.raw.as_ptr(), INSTRUCTIONS_BETWEEN_LOOKS, Some(look), address);
            ffi::sqlite3_busy_handler(self.raw.as_ptr(), Some(wait), address);
        }
        self.watch = Some(watch);
    }

    /// Runs every statement of `sql` and ignores their rows.
    pub(crate) fn execute(&self, sql: &str) -> Result<()> {
        let text = c_string(sql)?;
        let mut rest: &CStr = &text;
        loop {
            let (statement, tail) = self.prepare(rest)?;
            if let Some(mut statement) = statement {
                while self.step_of(&mut statement)? {}
            } else if tail.is_empty() {
                return Ok(());
            }
            rest = tail;
        }
    }

    /// All rows of a small query about the database itself.
    pub(crate) fn rows(&self, sql: &str, params: &[Value]) -> Result<Vec<Vec<Value>>> {
        let text = c_string(sql)?;
        let (Some(mut statement), _) = self.prepare(&text)? else { return Ok(Vec::new()) };
        for (index, value) in (1..).zip(params) {
            self.check(statement.bind(index, value))?;
        }
        let mut rows = Vec::new();
        while self.step_of(&mut statement)? {
            // SAFETY: the statement stands on a row, and is stepped only after `row` was used.
            let row = unsafe { Row::new(statement.raw) };
            rows.push((0..statement.columns()).map(|index| row.cell(index).to_value()).collect());
        }
        Ok(rows)
    }

    /// The names of a query's columns and their declared types.
    pub(crate) fn columns(&self, sql: &str) -> Result<Vec<(String, Option<String>)>> {
        let text = c_string(sql)?;
        let (Some(statement), _) = self.prepare(&text)? else { return Ok(Vec::new()) };
        Ok((0..statement.columns()).map(|index| (statement.name(index), statement.declared_type(index))).collect())
    }

    /// The first cell of a small query's first row; NULL where there is none.
    pub(crate) fn scalar(&self, sql: &str, params: &[Value]) -> Result<Value> {
        let first = self.rows(sql, params)?.into_iter().next();
        Ok(first.and_then(|row| row.into_iter().next()).unwrap_or(Value::Null))
    }

    /// Makes `sql`, a single statement, the one that this connection runs. Returns the statement's own text.
    pub(crate) fn start<'a>(&mut self, sql: &'a str) -> Result<&'a str> {
        self.statement = None;
        let text = c_string(sql)?;
        let (statement, tail) = self.prepare(&text)?;
        let Some(statement) = statement else {
            return Err(Error::new(ErrorKind::Sql, "the query is empty").with_hint("write a SELECT statement"));
        };
        let end = sql.len() - tail.count_bytes();
        let mut rest = tail;
        while !rest.is_empty() {
            let (more, tail) = self.prepare(rest)?;
            if more.is_some() {
                return Err(Error::new(ErrorKind::Sql, "the query has more than one statement")
                    .with_hint("run one query at a time; settings go into the statements that run before it"));
            }
            rest = tail;
        }
        self.statement = Some(statement);
        Ok(sql.get(..end).unwrap_or(sql))
    }

    /// The statement that runs.
    pub(crate) fn statement(&mut self) -> Option<&mut Statement> {
        self.statement.as_mut()
    }

    /// Ends the statement that runs.
    pub(crate) fn finish(&mut self) {
        self.statement = None;
    }

    /// The next row of the statement that runs; `None` after the last one, however often it is asked.
    #[inline]
    pub(crate) fn step(&mut self) -> Result<Option<Row<'_>>> {
        let Some(statement) = &mut self.statement else { return Ok(None) };
        if statement.ended {
            return Ok(None);
        }
        // SAFETY: the statement is prepared and belongs to this connection.
        let code = unsafe { ffi::sqlite3_step(statement.raw.as_ptr()) };
        if code == ffi::SQLITE_ROW {
            // SAFETY: the statement stands on a row; to step or finalize it takes `&mut self`, which the row borrows.
            return Ok(Some(unsafe { Row::new(statement.raw) }));
        }
        // SQLite would begin again with the first row.
        statement.ended = true;
        if code == ffi::SQLITE_DONE { Ok(None) } else { Err(self.failure(code, 0)) }
    }

    /// Binds a parameter of the statement that runs, counted from 1.
    pub(crate) fn bind(&mut self, index: c_int, value: &Value) -> Result<()> {
        let code = self.statement.as_mut().map_or(ffi::SQLITE_OK, |statement| statement.bind(index, value));
        self.check(code)
    }

    /// Whether the schema forbids NULL in a table's column.
    pub(crate) fn is_not_null(&self, origin: &Origin) -> bool {
        let (Ok(database), Ok(table), Ok(column)) =
            (c_string(&origin.database), c_string(&origin.table), c_string(&origin.column))
        else {
            return false;
        };
        let mut not_null: c_int = 0;
        // SAFETY: the connection is open, the names are C strings, and SQLite skips results whose place is null.
        let code = unsafe {
            ffi::sqlite3_table_column_metadata(
                self.raw.as_ptr(),
                database.as_ptr(),
                table.as_ptr(),
                column.as_ptr(),
                ptr::null_mut(),
                ptr::null_mut(),
                &raw mut not_null,
                ptr::null_mut(),
                ptr::null_mut(),
            )
        };
        code == ffi::SQLITE_OK && not_null != 0
    }

    /// Compiles the first statement of `sql`; `None` where there is only white space and comments. Also what follows it.
    fn prepare<'a>(&self, sql: &'a CStr) -> Result<(Option<Statement>, &'a CStr)> {
        let mut raw = ptr::null_mut();
        let mut tail = ptr::null();
        // SAFETY: the connection is open, `sql` ends with a NUL, and the two places receive the results.
        let code = unsafe { ffi::sqlite3_prepare_v2(self.raw.as_ptr(), sql.as_ptr(), -1, &raw mut raw, &raw mut tail) };
        if code != ffi::SQLITE_OK {
            return Err(self.failure(code, error::characters(sql.to_bytes(), self.error_offset())));
        }
        // SAFETY: SQLite sets `tail` to a place inside `sql`, at the latest to its NUL.
        let tail = unsafe { CStr::from_ptr(tail) };
        // SAFETY: the statement was just prepared, and is kept in `self` or dropped while this is borrowed.
        let statement = NonNull::new(raw).map(|raw| unsafe { Statement::new(raw) });
        Ok((statement, tail))
    }

    fn step_of(&self, statement: &mut Statement) -> Result<bool> {
        // SAFETY: the statement was prepared by this connection.
        match unsafe { ffi::sqlite3_step(statement.raw.as_ptr()) } {
            ffi::SQLITE_ROW => Ok(true),
            ffi::SQLITE_DONE => Ok(false),
            code => Err(self.failure(code, 0)),
        }
    }

    fn check(&self, code: c_int) -> Result<()> {
        if code == ffi::SQLITE_OK { Ok(()) } else { Err(self.failure(code, 0)) }
    }

    /// Where the last error lies in its SQL, in bytes.
    fn error_offset(&self) -> Option<usize> {
        // SAFETY: the connection is open.
        usize::try_from(unsafe { ffi::sqlite3_error_offset(self.raw.as_ptr()) }).ok()
    }

    /// The last error; `position` counts characters from 1, 0 stands for unknown.
    #[cold]
    fn failure(&self, code: c_int, position: usize) -> Error {
        // SAFETY: the connection is open; the message is a C string that lives until the next call on it.
        let message = unsafe { CStr::from_ptr(ffi::sqlite3_errmsg(self.raw.as_ptr())) };
        let message = message.to_string_lossy();
        Failure { code, message: &message, position, path: &self.path }.into_error()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.registration = None;
        self.statement = None;
        self.gate.close();
        // SAFETY: the connection is open, its statements are finalized and nobody can interrupt it any more. The
        // callbacks' `watch` is dropped after this.
        unsafe { ffi::sqlite3_close(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Database").field("path", &self.path).finish_non_exhaustive()
    }
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| {
        Error::new(ErrorKind::Config, "the text of the SQL holds a NUL character, where SQLite would stop to read")
            .with_position(error.nul_position() + 1)
    })
}

#[cfg(test)]
mod tests;
