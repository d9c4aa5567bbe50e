//! The values of a row, read as a loop in C would read them.

use std::ffi::c_int;
use std::marker::PhantomData;
use std::ptr::NonNull;

use bowshot_core::Value;
use libsqlite3_sys as ffi;

use super::statement::Statement;

/// One value of a row, in one of SQLite's five storage classes. Text is what the database holds: perhaps not UTF-8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cell<'a> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'a [u8]),
    Blob(&'a [u8]),
}

/// The row that a statement stands on, until its next step.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    statement: NonNull<ffi::sqlite3_stmt>,
    life: PhantomData<&'a Statement>,
}

impl<'a> Row<'a> {
    /// # Safety
    /// The statement stands on a row, and does so until `'a` ends: it is neither stepped nor finalized before.
    pub(super) unsafe fn new(statement: NonNull<ffi::sqlite3_stmt>) -> Self {
        Row { statement, life: PhantomData }
    }

    /// The value of column `index`; NULL where there is no such column.
    #[inline(always)]
    pub(crate) fn cell(&self, index: c_int) -> Cell<'a> {
        // SAFETY: the statement stands on a row as long as `'a` lasts: the promise of `new`. SQLite calls a column's value "unprotected", for want of a mutex; this connection has none, and one thread at a time.
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
    pub(super) fn to_value(self) -> Value {
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
