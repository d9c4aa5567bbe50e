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
    pub(crate) fn value(&self, index: c_int) -> RowValue<'a> {
        // SAFETY: the statement stands on a row as long as `'a` lasts: the promise of `new`. Asking for the value once
        // is measurably faster than asking for its type, its text and its length by column.
        unsafe {
            let raw = ffi::sqlite3_column_value(self.statement.as_ptr(), index);
            RowValue { raw, class: ffi::sqlite3_value_type(raw), life: PhantomData }
        }
    }

    /// The value of column `index`, copied out of SQLite's hands as far as it has no length of its own.
    #[inline]
    pub(crate) fn cell(&self, index: c_int) -> Cell<'a> {
        self.value(index).cell()
    }
}

/// A value of a row, still in SQLite's hands.
///
/// SQLite calls a column's value "unprotected", for want of a mutex; this connection has none, and one thread at a time.
/// It is only read in its own storage class, so that SQLite never converts it, and what it points to stays where it is
/// until the next step. (Text of a UTF-16 database is converted once, by the first call.)
#[derive(Clone, Copy)]
pub(crate) struct RowValue<'a> {
    raw: *mut ffi::sqlite3_value,
    class: c_int,
    life: PhantomData<&'a Statement>,
}

/// A value that can be asked for its content class by class, the likeliest first.
pub(crate) trait Content<'a> {
    /// What it is if it is an INTEGER.
    fn integer(&self) -> Option<i64>;
    /// What it is if it is a REAL.
    fn real(&self) -> Option<f64>;
    /// What it is if it is TEXT.
    fn text(&self) -> Option<&'a [u8]>;
    /// What it is if it is a BLOB.
    fn blob(&self) -> Option<&'a [u8]>;
    /// What it is.
    fn cell(&self) -> Cell<'a>;
}

impl<'a> Content<'a> for RowValue<'a> {
    #[inline(always)]
    fn integer(&self) -> Option<i64> {
        // SAFETY: the row is there as long as `'a` lasts; the same in the other functions.
        (self.class == ffi::SQLITE_INTEGER).then(|| unsafe { ffi::sqlite3_value_int64(self.raw) })
    }

    #[inline(always)]
    fn real(&self) -> Option<f64> {
        // SAFETY: see `integer`.
        (self.class == ffi::SQLITE_FLOAT).then(|| unsafe { ffi::sqlite3_value_double(self.raw) })
    }

    #[inline(always)]
    fn text(&self) -> Option<&'a [u8]> {
        // SAFETY: see `integer`; the text comes first, since it may be converted, and then its length.
        (self.class == ffi::SQLITE_TEXT).then(|| unsafe {
            let start = ffi::sqlite3_value_text(self.raw);
            bytes(start, ffi::sqlite3_value_bytes(self.raw))
        })
    }

    #[inline(always)]
    fn blob(&self) -> Option<&'a [u8]> {
        // SAFETY: see `integer`; a BLOB of zeros is written out by the first call.
        (self.class == ffi::SQLITE_BLOB).then(|| unsafe {
            let start = ffi::sqlite3_value_blob(self.raw);
            bytes(start.cast(), ffi::sqlite3_value_bytes(self.raw))
        })
    }

    #[inline]
    fn cell(&self) -> Cell<'a> {
        self.integer()
            .map(Cell::Integer)
            .or_else(|| self.real().map(Cell::Real))
            .or_else(|| self.text().map(Cell::Text))
            .or_else(|| self.blob().map(Cell::Blob))
            .unwrap_or(Cell::Null)
    }
}

impl<'a> Content<'a> for Cell<'a> {
    #[inline]
    fn integer(&self) -> Option<i64> {
        if let Cell::Integer(value) = self { Some(*value) } else { None }
    }

    #[inline]
    fn real(&self) -> Option<f64> {
        if let Cell::Real(value) = self { Some(*value) } else { None }
    }

    #[inline]
    fn text(&self) -> Option<&'a [u8]> {
        if let Cell::Text(value) = self { Some(value) } else { None }
    }

    #[inline]
    fn blob(&self) -> Option<&'a [u8]> {
        if let Cell::Blob(value) = self { Some(value) } else { None }
    }

    #[inline]
    fn cell(&self) -> Cell<'a> {
        *self
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
