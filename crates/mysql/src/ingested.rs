//! Which of MySQL's types holds an Arrow type exactly.

use arrow_schema::{DataType, Field};
use bowshot_core::{Error, ErrorKind, Result, Value, format_type};

use crate::result::Definition;

/// The collation of bytes.
const BINARY: u16 = 63;

/// The digits behind the point of a second that a server keeps.
const MICROSECONDS: u8 = 6;

/// The most digits of a DECIMAL, and of those behind its point; MariaDB's are as many.
const DECIMAL: (u8, i8) = (65, 30);

/// The type that a column is declared with which is made for a field.
pub(crate) fn declared(field: &Field) -> Result<String> {
    let kind = values_of(field.data_type());
    let name = match kind {
        DataType::Boolean => "BOOLEAN",
        DataType::Int8 => "TINYINT",
        DataType::Int16 => "SMALLINT",
        DataType::Int32 => "INT",
        DataType::Int64 => "BIGINT",
        DataType::UInt8 => "TINYINT UNSIGNED",
        DataType::UInt16 => "SMALLINT UNSIGNED",
        DataType::UInt32 => "INT UNSIGNED",
        DataType::UInt64 => "BIGINT UNSIGNED",
        DataType::Float16 | DataType::Float32 => "FLOAT",
        DataType::Float64 => "DOUBLE",
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => "LONGTEXT CHARACTER SET utf8mb4",
        kind if is_binary(kind) => "LONGBLOB",
        DataType::Date32 => "DATE",
        DataType::Time32(_) | DataType::Time64(_) => "TIME(6)",
        DataType::Timestamp(_, None) => "DATETIME(6)",
        // Without NULL, a server may set it to the present time by itself.
        DataType::Timestamp(_, Some(_)) => return Ok("TIMESTAMP(6) NULL".to_owned()),
        kind => match decimal(kind) {
            Some((precision, scale)) if precision <= DECIMAL.0 && (0..=DECIMAL.1).contains(&scale) => {
                return Ok(format!("DECIMAL({precision}, {scale})"));
            }
            _ => {
                let message = format!("MySQL has no type that holds {} exactly", format_type(kind));
                return Err(refused(field, &message).with_hint("cast the column to text before it is ingested"));
            }
        },
    };
    Ok(name.to_owned())
}

/// Refuses a column of the table that would change what it is given without a word. What is out of its range, or too long, is an error
/// of the server's. The types' numbers are those of `enum_field_types` in the protocol.
pub(crate) fn check(field: &Field, column: &Definition) -> Result<()> {
    let wanted = declared(field)?;
    let text = matches!(column.kind, 15 | 249..=254);
    let fits = match values_of(field.data_type()) {
        DataType::Null => true,
        kind if kind.is_integer() || kind == &DataType::Boolean => matches!(column.kind, 1 | 2 | 3 | 8 | 9 | 246),
        DataType::Float16 | DataType::Float32 => matches!(column.kind, 4 | 5),
        DataType::Float64 => column.kind == 5,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => {
            (text && column.charset != BINARY) || column.kind == 245
        }
        kind if is_binary(kind) => text && column.charset == BINARY,
        DataType::Date32 => column.kind == 10,
        DataType::Time32(_) | DataType::Time64(_) => column.kind == 11 && column.decimals == MICROSECONDS,
        DataType::Timestamp(_, None) => column.kind == 12 && column.decimals == MICROSECONDS,
        DataType::Timestamp(_, Some(_)) => column.kind == 7 && column.decimals == MICROSECONDS,
        kind => {
            decimal(kind).is_some_and(|(_, scale)| column.kind == 246 && i16::from(column.decimals) >= i16::from(scale))
        }
    };
    if fits {
        return Ok(());
    }
    let message = format!("the table's column does not hold {} exactly", format_type(field.data_type()));
    Err(refused(field, &message)
        .with_hint(format!("its type would have to be {wanted}: cast the column, or alter the table")))
}

/// A value as it is sent: the session's time zone is UTC.
pub(crate) fn stored(field: &Field, value: Value) -> Result<Value> {
    match value {
        Value::Float(number) if !number.is_finite() => {
            Err(wrong(field, &format!("holds {number}, which MySQL cannot")).with_hint("replace it before, by NULL"))
        }
        Value::Text(text) if matches!(values_of(field.data_type()), DataType::Timestamp(..) | DataType::Time64(_)) => {
            let text = text.strip_suffix('Z').unwrap_or(&text);
            let behind = text.rsplit_once('.').map_or("", |(_, digits)| digits);
            if behind.trim_end_matches('0').len() > usize::from(MICROSECONDS) {
                return Err(wrong(field, "has times that are finer than microseconds")
                    .with_hint("round the column to microseconds before it is ingested"));
            }
            let end = text.len() - behind.len().saturating_sub(usize::from(MICROSECONDS));
            Ok(Value::Text(text.get(..end).unwrap_or(text).to_owned()))
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

/// Precision and scale.
fn decimal(kind: &DataType) -> Option<(u8, i8)> {
    match kind {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => Some((*precision, *scale)),
        _ => None,
    }
}

fn refused(field: &Field, message: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("column \"{}\": {message}", field.name())).with_column(field.name())
}

fn wrong(field: &Field, message: &str) -> Error {
    Error::new(ErrorKind::Value, format!("column \"{}\" {message}", field.name())).with_column(field.name())
}

#[cfg(test)]
mod tests {
    use arrow_schema::TimeUnit;

    use super::*;

    fn field(kind: DataType) -> Field {
        Field::new("c", kind, true)
    }

    #[test]
    fn a_column_takes_what_it_does_not_change() {
        let takes = |kind: DataType, number: u8, decimals: u8| {
            check(&field(kind), &Definition { kind: number, decimals, charset: 45, ..Definition::default() }).is_ok()
        };
        assert!(takes(DataType::Int64, 3, 0) && takes(DataType::UInt64, 246, 0) && !takes(DataType::Int64, 5, 0));
        assert!(takes(DataType::Float32, 5, 31) && !takes(DataType::Float64, 4, 31));
        assert!(takes(DataType::Decimal128(9, 2), 246, 2) && !takes(DataType::Decimal128(9, 3), 246, 2));
        let clock = DataType::Timestamp(TimeUnit::Microsecond, None);
        assert!(takes(clock.clone(), 12, 6) && !takes(clock.clone(), 12, 0) && !takes(clock, 7, 6));
        assert!(takes(DataType::Utf8, 252, 0) && !takes(DataType::Binary, 252, 0));
    }

    #[test]
    fn times_are_cut_only_where_nothing_is_lost() {
        let clock = field(DataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())));
        let stored = |text: &str| stored(&clock, Value::Text(text.into()));
        assert_eq!(stored("2020-09-13T12:26:40.000001000Z").unwrap(), Value::Text("2020-09-13T12:26:40.000001".into()));
        assert_eq!(stored("2020-09-13T12:26:40Z").unwrap(), Value::Text("2020-09-13T12:26:40".into()));
        assert_eq!(stored("2020-09-13T12:26:40.000000001Z").unwrap_err().column(), Some("c"));
    }

    #[test]
    fn what_mysql_has_no_type_for_is_refused_with_its_column() {
        for kind in [DataType::Decimal256(70, 2), DataType::Duration(TimeUnit::Second), DataType::Date64] {
            let error = declared(&field(kind)).unwrap_err();
            assert!(error.column() == Some("c") && error.hint().is_some(), "{error}");
        }
        assert_eq!(stored(&field(DataType::Float64), Value::Float(f64::NAN)).unwrap_err().kind(), ErrorKind::Value);
    }
}
