//! The error of a value that a column's type cannot hold: one owner of its words, for every source.

use arrow_schema::DataType;

use crate::{Error, ErrorKind, format_type, parse_type};

/// A value that a column's type cannot hold, and the ways out: `column "price" (numeric) holds NaN, which int64 cannot;
/// read it as text: types={"price": "utf8"}`.
///
/// A way out is never the type that was asked for already.
///
/// ```
/// use arrow_schema::DataType;
/// use bowshot_core::{Error, Misfit};
///
/// let misfit = |wanted| Error::from(Misfit::new("at", "date", &wanted, "infinity").or("infinity=\"null\" makes it NULL").or_as("utf8"));
/// assert_eq!(
///     misfit(DataType::Date32).to_string(),
///     "column \"at\" (date) holds infinity, which date32 cannot; infinity=\"null\" makes it NULL; or read it as text: \
///      types={\"at\": \"utf8\"}",
/// );
/// assert!(!misfit(DataType::Utf8).hint().unwrap().contains("types={"));
/// ```
#[derive(Debug)]
#[must_use]
pub struct Misfit<'a> {
    column: &'a str,
    source_type: &'a str,
    wanted: &'a DataType,
    holds: String,
    place: String,
    why: String,
    ways: Vec<String>,
}

impl<'a> Misfit<'a> {
    /// `column`, of the type that its source calls `source_type` (empty where it has no name for it), cannot be `wanted`,
    /// since it holds this.
    pub fn new(column: &'a str, source_type: &'a str, wanted: &'a DataType, holds: impl Into<String>) -> Self {
        let (place, why, ways) = (String::new(), String::new(), Vec::new());
        Misfit { column, source_type, wanted, holds: holds.into(), place, why, ways }
    }

    /// Where it stands: `in row 3 of the whole result`.
    pub fn at(mut self, place: impl Into<String>) -> Self {
        self.place = place.into();
        self
    }

    /// Why the type cannot hold it, where the value alone does not say that.
    pub fn because(mut self, why: impl Into<String>) -> Self {
        self.why = why.into();
        self
    }

    /// A way out, in words.
    pub fn or(mut self, way: impl Into<String>) -> Self {
        self.ways.push(way.into());
        self
    }

    /// A type that can hold it as a way out, unless it is the one that was asked for.
    pub fn or_as(self, name: &str) -> Self {
        let Ok(data_type) = parse_type(name) else { return self };
        if data_type == *self.wanted || is_text(&data_type) && is_text(self.wanted) {
            return self;
        }
        let how = match data_type {
            DataType::Binary => "read its bytes",
            _ if is_text(&data_type) => "read it as text",
            _ => "read it as another type",
        };
        let way = format!("{how}: types={{\"{}\": \"{name}\"}}", self.column);
        self.or(way)
    }
}

fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

impl From<Misfit<'_>> for Error {
    fn from(misfit: Misfit<'_>) -> Self {
        let Misfit { column, source_type, wanted, holds, place, why, ways } = misfit;
        let wanted = format_type(wanted);
        let source_type = if source_type.is_empty() { String::new() } else { format!(" ({source_type})") };
        let place = if place.is_empty() { place } else { format!(" {place}") };
        let why = if why.is_empty() { why } else { format!(": {why}") };
        let message = format!("column \"{column}\"{source_type} holds {holds}{place}, which {wanted} cannot{why}");
        let hint = match ways.is_empty() {
            true => "leave the column out of types=, or turn it into another type in the query".to_owned(),
            false => ways.join("; or "),
        };
        Error::new(ErrorKind::Value, message).with_column(column).with_hint(hint)
    }
}
