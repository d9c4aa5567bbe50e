//! Which of SQLite's types holds an Arrow type exactly.

use arrow_schema::{DataType, Field};
use bowshot_core::{Error, ErrorKind, Result, Value, format_type};

/// What SQLite does to a value that goes into a column: section 3.1 of <https://www.sqlite.org/datatype3.html>.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Affinity {
    Integer,
    Text,
    Blob,
    Real,
    Numeric,
}

impl Affinity {
    fn of(declared: Option<&str>) -> Self {
        let upper = declared.unwrap_or_default().to_ascii_uppercase();
        let holds = |words: &[&str]| words.iter().any(|word| upper.contains(word));
        if holds(&["INT"]) {
            Affinity::Integer
        } else if holds(&["CHAR", "CLOB", "TEXT"]) {
            Affinity::Text
        } else if upper.is_empty() || holds(&["BLOB"]) {
            Affinity::Blob
        } else if holds(&["REAL", "FLOA", "DOUB"]) {
            Affinity::Real
        } else {
            Affinity::Numeric
        }
    }
}

/// The type that a column is declared with which is made for a field.
pub(crate) fn declared(field: &Field) -> Result<&'static str> {
    Ok(match values_of(field.data_type()) {
        DataType::Boolean => "BOOLEAN",
        DataType::UInt64 => return Err(refused(field, "SQLite's integers end at 2^63 - 1", "int64 or text")),
        kind if kind.is_integer() => "INTEGER",
        kind if kind.is_floating() => "REAL",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => "TEXT",
        kind if is_binary(kind) => "BLOB",
        DataType::Date32 => "DATE",
        DataType::Time32(_) | DataType::Time64(_) => "TIME",
        DataType::Timestamp(..) => "TIMESTAMP",
        kind => {
            let message = format!("SQLite has no type that holds {} exactly", format_type(kind));
            return Err(refused(field, &message, "text or float64"));
        }
    })
}

/// Refuses a column of the table that would change what it is given.
pub(crate) fn check(field: &Field, of_table: Option<&str>) -> Result<()> {
    let wanted = declared(field)?;
    let affinity = Affinity::of(of_table);
    let fits = match values_of(field.data_type()) {
        DataType::Null => true,
        kind if is_binary(kind) => true,
        kind if kind.is_integer() || kind == &DataType::Boolean => {
            matches!(affinity, Affinity::Integer | Affinity::Numeric | Affinity::Blob)
        }
        kind if kind.is_floating() => matches!(affinity, Affinity::Real | Affinity::Numeric | Affinity::Blob),
        // Their text looks like no number, which NUMERIC would turn into one.
        kind if kind.is_temporal() => !matches!(affinity, Affinity::Integer | Affinity::Real),
        _ => matches!(affinity, Affinity::Text | Affinity::Blob),
    };
    if fits {
        return Ok(());
    }
    let found = of_table.unwrap_or_default();
    Err(refused(field, &format!("the table's type {found} would change its values"), &format!("what fits {found}"))
        .with_hint(format!("cast the column, or declare the table's column as {wanted}")))
}

/// A value as SQLite keeps it.
pub(crate) fn stored(field: &Field, value: Value) -> Result<Value> {
    match value {
        // SQLite keeps NULL in its place.
        Value::Float(number) if number.is_nan() => {
            let message = format!("column \"{}\" holds NaN, for which SQLite would keep NULL", field.name());
            Err(Error::new(ErrorKind::Value, message).with_column(field.name()).with_hint("replace it before, by NULL"))
        }
        // As SQLite's own functions write it.
        Value::Text(text) if matches!(values_of(field.data_type()), DataType::Timestamp(..)) => {
            Ok(Value::Text(text.replacen('T', " ", 1)))
        }
        value => Ok(value),
    }
}

/// The type of the values themselves.
fn values_of(kind: &DataType) -> &DataType {
    if let DataType::Dictionary(_, values) = kind { values } else { kind }
}

fn is_binary(kind: &DataType) -> bool {
    matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_))
}

fn refused(field: &Field, message: &str, cast: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("column \"{}\": {message}", field.name()))
        .with_column(field.name())
        .with_hint(format!("cast the column to {cast} before it is ingested"))
}

#[cfg(test)]
mod tests {
    use arrow_schema::TimeUnit;

    use super::*;

    fn takes(kind: DataType, declared: &str) -> bool {
        check(&Field::new("c", kind, true), Some(declared)).is_ok()
    }

    #[test]
    fn a_column_takes_what_it_does_not_change() {
        assert!(takes(DataType::Int64, "BIGINT") && takes(DataType::Int64, "DECIMAL(9, 2)"));
        assert!(!takes(DataType::Int64, "REAL") && !takes(DataType::Int64, "TEXT"));
        assert!(takes(DataType::Float32, "DOUBLE") && !takes(DataType::Float64, "INTEGER"));
        assert!(takes(DataType::Utf8, "VARCHAR(9)") && !takes(DataType::Utf8, "NUMERIC"), "'007' would be 7");
        assert!(takes(DataType::Date32, "DATE") && takes(DataType::Timestamp(TimeUnit::Microsecond, None), "TEXT"));
        assert!(takes(DataType::Binary, "INTEGER"));
    }

    #[test]
    fn what_sqlite_has_no_place_for_is_refused_with_its_column() {
        for kind in [DataType::UInt64, DataType::Decimal128(9, 2), DataType::new_list(DataType::Int8, true)] {
            let error = declared(&Field::new("c", kind, true)).unwrap_err();
            assert!(error.column() == Some("c") && error.hint().is_some(), "{error}");
        }
        let nan = stored(&Field::new("c", DataType::Float64, true), Value::Float(f64::NAN)).unwrap_err();
        assert_eq!((nan.kind(), nan.column()), (ErrorKind::Value, Some("c")));
    }
}
