//! Prepared statements: what they return, and their parameters.

use std::ffi::{CStr, c_char, c_int};
use std::ptr::NonNull;

use bowshot_core::Value;
use libsqlite3_sys as ffi;

/// SQLITE_UTF8, in the type that binding text asks for.
const UTF8: u8 = 1;

/// A prepared statement. It lives inside its [`Database`](super::Database).
pub(crate) struct Statement {
    pub(super) raw: NonNull<ffi::sqlite3_stmt>,
    columns: c_int,
    /// The last row was seen.
    pub(super) ended: bool,
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
    /// # Safety
    /// `raw` was prepared, is finalized by nobody else, and its connection stays open as long as this lives.
    pub(super) unsafe fn new(raw: NonNull<ffi::sqlite3_stmt>) -> Self {
        // SAFETY: the statement is prepared.
        let columns = unsafe { ffi::sqlite3_column_count(raw.as_ptr()) };
        Statement { raw, columns, ended: false }
    }

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

    /// Gives parameter `index`, counted from 1, its value. Returns SQLite's result code.
    pub(super) fn bind(&mut self, index: c_int, value: &Value) -> c_int {
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
                    UTF8,
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
        // SAFETY: the statement is prepared, and its connection is still open: that was the promise of `new`.
        unsafe { ffi::sqlite3_finalize(self.raw.as_ptr()) };
    }
}

/// # Safety
/// `text` is null or a C string.
unsafe fn owned(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the caller's promise.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}
