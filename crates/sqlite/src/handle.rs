//! SQLite's C interface made safe: the only module of this crate with `unsafe` in it.
//!
//! A [`Database`] is a connection and the statement that it runs; both move between threads together, never apart,
//! which is what SQLite asks of a connection without a mutex. [`Row::cell`] compiles to the two or three C calls that a
//! loop written in C would make.
#![expect(unsafe_code, reason = "SQLite is called directly: its rows are read without a wrapper in between")]

use std::cell::Cell as Slot;
use std::ffi::{CStr, CString, c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Registration, Result, Value};
use libsqlite3_sys as ffi;
use parking_lot::Mutex;

use crate::error::{self, Failure};

/// How many virtual machine instructions SQLite runs between two looks at the cancel flag: a few milliseconds at most.
const INSTRUCTIONS_BETWEEN_LOOKS: c_int = 20_000;

/// One value of a row, in one of SQLite's five storage classes. Text is what the database holds: perhaps not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

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

/// Lets other threads interrupt a connection, and waits with the closing until they have.
struct Gate(Mutex<Option<Target>>);

struct Target(NonNull<ffi::sqlite3>);

// SAFETY: `sqlite3_interrupt`, the only use of the pointer, may be called from any thread while the connection is open.
unsafe impl Send for Target {}

impl Gate {
    fn interrupt(&self) {
        if let Some(target) = &*self.0.lock() {
            // SAFETY: the connection is open: `Database::drop` empties the gate under its lock before it closes.
            unsafe { ffi::sqlite3_interrupt(target.0.as_ptr()) };
        }
    }
}

/// What SQLite asks while it works or waits.
struct Watch {
    cancel: Cancel,
    patience: Duration,
    /// When the present wait for a lock began.
    since: Slot<Option<Instant>>,
}

/// Called by SQLite every few thousand instructions; non-zero interrupts the statement.
///
/// `sqlite3_interrupt` alone is not enough: a call just before a statement's first step is forgotten.
unsafe extern "C" fn look(watch: *mut c_void) -> c_int {
    // SAFETY: `Database::watch` passes a `Watch` that lives until the handler is replaced or the connection closed.
    let watch = unsafe { &*watch.cast::<Watch>() };
    c_int::from(watch.cancel.is_cancelled())
}

/// Called by SQLite when a lock is taken; non-zero means "try again".
unsafe extern "C" fn wait(watch: *mut c_void, tries: c_int) -> c_int {
    // SAFETY: as in `look`.
    let watch = unsafe { &*watch.cast::<Watch>() };
    if tries == 0 {
        watch.since.set(Some(Instant::now()));
    }
    let waited = watch.since.get().map_or(Duration::MAX, |since| since.elapsed());
    if watch.cancel.is_cancelled() || waited >= watch.patience {
        return 0;
    }
    let pause = Duration::from_millis(1 << tries.clamp(0, 4));
    std::thread::sleep(pause.min(watch.patience - waited));
    1
}

impl Database {
    /// Opens the file, read only. `name` is a `file:` URI in SQLite's sense; SQLite looks at the file only later.
    pub(crate) fn open(name: &str, path: &Path, patience: Duration) -> Result<Self> {
        let c_name = c_string(name)?;
        let mut raw = ptr::null_mut();
        let flags = ffi::SQLITE_OPEN_READONLY | ffi::SQLITE_OPEN_NOMUTEX | ffi::SQLITE_OPEN_URI;
        // SAFETY: `c_name` is a C string and `raw` a place for the connection; no VFS is named.
        let code = unsafe { ffi::sqlite3_open_v2(c_name.as_ptr(), &raw mut raw, flags, ptr::null()) };
        let Some(raw) = NonNull::new(raw) else {
            return Err(Error::new(ErrorKind::Io, "SQLite had no memory for a connection"));
        };
        let gate = Arc::new(Gate(Mutex::new(Some(Target(raw)))));
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
        let mut watch = Box::new(Watch { cancel, patience, since: Slot::new(None) });
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
            let row = Row { statement: statement.raw, life: PhantomData };
            rows.push((0..statement.columns).map(|index| row.cell(index).to_value()).collect());
        }
        Ok(rows)
    }

    /// The names of a query's columns and their declared types.
    pub(crate) fn columns(&self, sql: &str) -> Result<Vec<(String, Option<String>)>> {
        let text = c_string(sql)?;
        let (Some(statement), _) = self.prepare(&text)? else { return Ok(Vec::new()) };
        Ok((0..statement.columns).map(|index| (statement.name(index), statement.declared_type(index))).collect())
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
            return Ok(Some(Row { statement: statement.raw, life: PhantomData }));
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
        let statement = NonNull::new(raw).map(|raw| Statement {
            raw,
            // SAFETY: the statement was just prepared.
            columns: unsafe { ffi::sqlite3_column_count(raw.as_ptr()) },
            ended: false,
        });
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
        *self.gate.0.lock() = None;
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

/// A prepared statement. It lives inside its [`Database`].
pub(crate) struct Statement {
    raw: NonNull<ffi::sqlite3_stmt>,
    columns: c_int,
    /// The last row was seen.
    ended: bool,
}

/// The table column that a result column shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// `main`, `temp` or the name of an attached database.
    pub(crate) database: String,
    pub(crate) table: String,
    pub(crate) column: String,
}

impl Statement {
    /// How many columns its rows have.
    pub(crate) fn columns(&self) -> c_int {
        self.columns
    }

    /// How many values it needs.
    pub(crate) fn parameters(&self) -> c_int {
        // SAFETY: the statement is prepared.
        unsafe { ffi::sqlite3_bind_parameter_count(self.raw.as_ptr()) }
    }

    /// The name of result column `index`.
    pub(crate) fn name(&self, index: c_int) -> String {
        // SAFETY: the statement is prepared; the name is copied at once.
        unsafe { owned(ffi::sqlite3_column_name(self.raw.as_ptr(), index)) }.unwrap_or_default()
    }

    /// The declared type of the table column that result column `index` shows, where it shows one that has a type.
    pub(crate) fn declared_type(&self, index: c_int) -> Option<String> {
        // SAFETY: the statement is prepared; the text is copied at once.
        unsafe { owned(ffi::sqlite3_column_decltype(self.raw.as_ptr(), index)) }
    }

    /// The table column that result column `index` shows, where it shows one.
    pub(crate) fn origin(&self, index: c_int) -> Option<Origin> {
        // SAFETY: the statement is prepared; the names are copied at once.
        unsafe {
            Some(Origin {
                database: owned(ffi::sqlite3_column_database_name(self.raw.as_ptr(), index))?,
                table: owned(ffi::sqlite3_column_table_name(self.raw.as_ptr(), index))?,
                column: owned(ffi::sqlite3_column_origin_name(self.raw.as_ptr(), index))?,
            })
        }
    }

    fn bind(&mut self, index: c_int, value: &Value) -> c_int {
        let statement = self.raw.as_ptr();
        // SAFETY: the statement is prepared and not running; text and bytes are copied by SQLite (SQLITE_TRANSIENT).
        unsafe {
            match value {
                Value::Null => ffi::sqlite3_bind_null(statement, index),
                Value::Bool(value) => ffi::sqlite3_bind_int64(statement, index, i64::from(*value)),
                Value::Int(value) => ffi::sqlite3_bind_int64(statement, index, *value),
                Value::Float(value) => ffi::sqlite3_bind_double(statement, index, *value),
                Value::Text(text) => ffi::sqlite3_bind_text64(
                    statement,
                    index,
                    text.as_ptr().cast(),
                    text.len() as u64,
                    ffi::SQLITE_TRANSIENT(),
                    ffi::SQLITE_UTF8 as u8,
                ),
                Value::Bytes(bytes) => ffi::sqlite3_bind_blob64(
                    statement,
                    index,
                    bytes.as_ptr().cast(),
                    bytes.len() as u64,
                    ffi::SQLITE_TRANSIENT(),
                ),
            }
        }
    }
}

impl Drop for Statement {
    fn drop(&mut self) {
        // SAFETY: the statement is prepared, and its connection is still open: `Database` drops it first.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

/// The row that a statement stands on, until its next step.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    statement: NonNull<ffi::sqlite3_stmt>,
    life: PhantomData<&'a Statement>,
}

impl<'a> Row<'a> {
    /// The value of column `index`; NULL where there is no such column.
    #[inline(always)]
    pub(crate) fn cell(&self, index: c_int) -> Cell<'a> {
        // SAFETY: the statement stands on a row as long as `'a` lasts, since a step needs the database mutably. SQLite calls
        // a column's value "unprotected", for want of a mutex; this connection has none, and one thread at a time.
        // Each value is only read in its own storage class, so that SQLite never converts it, and what it points to
        // stays where it is until the next step. (Text of a UTF-16 database is converted once, by the first call.)
        // Asking for the value once is measurably faster than asking for its type, its text and its length by column.
        unsafe {
            let value = ffi::sqlite3_column_value(self.statement.as_ptr(), index);
            match ffi::sqlite3_value_type(value) {
                ffi::SQLITE_INTEGER => Cell::Integer(ffi::sqlite3_value_int64(value)),
                ffi::SQLITE_FLOAT => Cell::Real(ffi::sqlite3_value_double(value)),
                ffi::SQLITE_TEXT => {
                    let start = ffi::sqlite3_value_text(value);
                    Cell::Text(bytes(start, ffi::sqlite3_value_bytes(value)))
                }
                ffi::SQLITE_BLOB => {
                    let start = ffi::sqlite3_value_blob(value);
                    Cell::Blob(bytes(start.cast(), ffi::sqlite3_value_bytes(value)))
                }
                _ => Cell::Null,
            }
        }
    }
}

impl Cell<'_> {
    fn to_value(self) -> Value {
        match self {
            Cell::Null => Value::Null,
            Cell::Integer(value) => Value::Int(value),
            Cell::Real(value) => Value::Float(value),
            Cell::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            Cell::Blob(bytes) => Value::Bytes(bytes.to_vec()),
        }
    }
}

/// # Safety
/// `start` is null or points to `length` bytes that live as long as `'a`.
#[inline(always)]
unsafe fn bytes<'a>(start: *const u8, length: c_int) -> &'a [u8] {
    match usize::try_from(length) {
        // An empty BLOB has no address.
        Ok(length) if !start.is_null() => {
            // SAFETY: the caller's promise.
            unsafe { std::slice::from_raw_parts(start, length) }
        }
        _ => &[],
    }
}

/// # Safety
/// `text` is null or a C string.
unsafe fn owned(text: *const std::ffi::c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|error| {
        Error::new(ErrorKind::Config, "the text of the SQL holds a NUL character, where SQLite would stop to read")
            .with_position(error.nul_position() + 1)
    })
}

#[cfg(test)]
mod tests;
