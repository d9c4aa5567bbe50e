//! The errors of columns and values that a destination cannot hold.

use std::collections::HashSet;

use arrow_array::ArrayRef;
use arrow_cast::display::array_value_to_string;
use arrow_schema::{DataType, Field, Fields, Schema};
use bowshot_core::{Error, ErrorKind, Result, format_type};

use super::Destination;

/// A column of the result, as errors name it.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) destination: Destination,
    name: String,
    data_type: DataType,
}

impl Column {
    pub(super) fn new(field: &Field, destination: Destination) -> Self {
        Column { destination, name: field.name().clone(), data_type: field.data_type().clone() }
    }

    fn shown(&self) -> String {
        format!("column \"{}\" ({})", self.name, format_type(&self.data_type))
    }

    /// The column's type is none of the destination's; `why` ends the sentence "Polars …".
    pub(super) fn refuse(&self, why: &str) -> Error {
        let what = format!("{} is of a type that {} cannot hold: {why}", self.shown(), self.destination.name());
        Error::new(ErrorKind::Unsupported, what)
            .with_column(&self.name)
            .with_hint("read it as Arrow: return_type=\"arrow\"")
    }

    /// A value is none of the destination's type.
    pub(super) fn misfit(&self, value: &str, elsewhere: bool) -> Error {
        let what = format!("{} holds {value}, which {} cannot", self.shown(), self.destination.name());
        let hint = if elsewhere { "dtype_backend=\"pyarrow\"" } else { "return_type=\"arrow\"" };
        Error::new(ErrorKind::Value, what).with_column(&self.name).with_hint(format!("read it as Arrow: {hint}"))
    }

    /// Arrow could not convert a value, and says why.
    pub(super) fn unconverted(&self, error: &arrow_schema::ArrowError) -> Error {
        let what = format!("{} holds a value that {} cannot: {error}", self.shown(), self.destination.name());
        Error::new(ErrorKind::Value, what).with_column(&self.name).with_hint("read it as Arrow: return_type=\"arrow\"")
    }

    /// Structs become rows of names, of which each is one.
    pub(super) fn distinct(&self, fields: &Fields) -> Result<()> {
        let mut names = HashSet::new();
        match fields.iter().find(|field| !names.insert(field.name())) {
            None => Ok(()),
            Some(twice) => Err(self.refuse(&format!("two fields of a struct are called \"{}\"", twice.name()))),
        }
    }
}

impl Destination {
    fn name(self) -> &'static str {
        match self {
            Destination::Arrow => "Arrow",
            Destination::Polars => "Polars",
            Destination::Numpy | Destination::PandasArrow => "pandas",
        }
    }
}

/// The value as text; the number behind it where it means nothing.
pub(super) fn shown(array: &ArrayRef, row: usize, number: i64) -> String {
    // Arrow writes what it cannot show in a way of its own.
    let text = array_value_to_string(array, row).ok().filter(|text| !text.starts_with(['E', '<']));
    text.unwrap_or_else(|| format!("{number} as {}", format_type(array.data_type())))
}

/// Polars' columns have a name each.
pub(super) fn distinct(schema: &Schema) -> Result<()> {
    let mut names = HashSet::new();
    let Some(twice) = schema.fields().iter().find(|field| !names.insert(field.name())) else { return Ok(()) };
    let what = format!("two columns are called \"{}\", which Polars cannot hold", twice.name());
    Err(Error::new(ErrorKind::Unsupported, what)
        .with_column(twice.name())
        .with_hint("give each a name of its own: SELECT … AS …"))
}
