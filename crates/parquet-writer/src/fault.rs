//! A value that a file cannot hold.

use arrow_schema::DataType;
use bowshot_core::{Error, ErrorKind, format_type};

/// What is wrong with one value, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    /// The row, counted from the first of the array that was looked at.
    pub(crate) row: usize,
    column: String,
    data_type: DataType,
    holds: String,
    hint: String,
}

impl Fault {
    /// The column of this path and type `holds` in that row what it must not.
    pub(crate) fn new(
        row: usize,
        column: &str,
        data_type: &DataType,
        holds: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        let (column, data_type) = (column.to_owned(), data_type.clone());
        Fault { row, column, data_type, holds: holds.into(), hint: hint.into() }
    }

    /// The same fault of a row further up.
    pub(crate) fn at(self, row: usize) -> Self {
        Fault { row, ..self }
    }

    /// The error, where this many rows stand before the array's first.
    pub(crate) fn into_error(self, rows_before: u64) -> Error {
        let Fault { row, column, data_type, holds, hint } = self;
        let row = rows_before.saturating_add(u64::try_from(row).unwrap_or(u64::MAX));
        let data_type = format_type(&data_type);
        let message = format!("column \"{column}\" ({data_type}) holds {holds} in row {row}, counted from 0");
        Error::new(ErrorKind::Value, message).with_column(column).with_hint(hint)
    }
}
