//! Which of PostgreSQL's types holds an Arrow type exactly, and the binary form of its values.

mod cells;
mod numeric;

use arrow_schema::{DataType, Field};
use bowshot_core::{Error, ErrorKind, Result, format_type};
use bowshot_postgres_values::Described;

pub(crate) use cells::Cells;

/// The binary form of a column's values, as the type's `…_recv` function in PostgreSQL's sources reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    Numeric,
    Text,
    /// Text behind the number of the format's version.
    Jsonb,
    Bytea,
    Uuid,
    Date,
    Time,
    Timestamp,
    Interval,
}

impl Form {
    /// The type of a column that is made for a field, as SQL, and its form.
    pub(crate) fn made_for(field: &Field) -> Result<(String, Form)> {
        let kind = values_of(field.data_type());
        let (name, form) = match kind {
            DataType::Boolean => ("boolean", Form::Bool),
            DataType::Int8 | DataType::Int16 | DataType::UInt8 => ("smallint", Form::Int2),
            DataType::Int32 | DataType::UInt16 => ("integer", Form::Int4),
            DataType::Int64 | DataType::UInt32 => ("bigint", Form::Int8),
            DataType::UInt64 => ("numeric(20)", Form::Numeric),
            DataType::Float16 | DataType::Float32 => ("real", Form::Float4),
            DataType::Float64 => ("double precision", Form::Float8),
            kind if decimal(kind).is_some() => return Ok((numeric(kind), Form::Numeric)),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => ("text", Form::Text),
            DataType::FixedSizeBinary(16) if is_uuid(field) => ("uuid", Form::Uuid),
            kind if is_binary(kind) => ("bytea", Form::Bytea),
            DataType::Date32 | DataType::Date64 => ("date", Form::Date),
            DataType::Time32(_) | DataType::Time64(_) => ("time", Form::Time),
            DataType::Timestamp(_, None) => ("timestamp", Form::Timestamp),
            DataType::Timestamp(_, Some(_)) => ("timestamptz", Form::Timestamp),
            DataType::Duration(_) | DataType::Interval(_) => ("interval", Form::Interval),
            kind => {
                return Err(refused(
                    field,
                    format!("PostgreSQL has no type that Bowshot writes {} to", format_type(kind)),
                )
                .with_hint("cast the column before it is ingested, such as to text (JSON)"));
            }
        };
        Ok((name.to_owned(), form))
    }

    /// The form in which a table's column takes all values of a field.
    pub(crate) fn taken_by(field: &Field, column: &Described) -> Result<Form> {
        let kind = values_of(field.data_type());
        let of_table = form(column.oid);
        let fits = of_table.is_some_and(|form| form.holds(kind, column));
        of_table.filter(|_| fits).ok_or_else(|| {
            let message =
                format!("the table's column \"{}\" does not hold {} exactly", field.name(), format_type(kind));
            let hint = match Form::made_for(field) {
                Ok((name, _)) => format!("its type would have to be {name}: cast the column, or alter the table"),
                Err(_) => "cast the column before it is ingested".to_owned(),
            };
            refused(field, message).with_hint(hint)
        })
    }

    /// Whether every value of the type is one of the column's, or an error when it is sent.
    fn holds(self, kind: &DataType, column: &Described) -> bool {
        // A precision of the table's own would round.
        let whole = matches!(column.modifier, -1 | 6);
        match self {
            _ if kind == &DataType::Null => true,
            Form::Bool => kind == &DataType::Boolean,
            Form::Int2 | Form::Int4 | Form::Int8 => kind.is_integer(),
            Form::Float4 => matches!(kind, DataType::Float16 | DataType::Float32),
            Form::Float8 => kind.is_floating(),
            Form::Numeric => {
                let scale = decimal(kind).map_or(0, |(_, scale)| scale);
                (kind.is_integer() || decimal(kind).is_some())
                    && scale_of(column.modifier).is_none_or(|most| most >= scale)
            }
            Form::Text | Form::Jsonb => matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
            Form::Bytea => is_binary(kind),
            Form::Uuid => kind == &DataType::FixedSizeBinary(16),
            Form::Date => matches!(kind, DataType::Date32 | DataType::Date64),
            Form::Time => matches!(kind, DataType::Time32(_) | DataType::Time64(_)) && whole,
            Form::Timestamp => {
                let zoned = column.oid == 1184;
                matches!(kind, DataType::Timestamp(_, zone) if zone.is_some() == zoned) && whole
            }
            Form::Interval => matches!(kind, DataType::Duration(_) | DataType::Interval(_)) && column.modifier == -1,
        }
    }
}

/// The form of a built-in type, by its OID (`src/include/catalog/pg_type.dat`).
fn form(oid: u32) -> Option<Form> {
    Some(match oid {
        16 => Form::Bool,
        17 => Form::Bytea,
        20 => Form::Int8,
        21 => Form::Int2,
        23 => Form::Int4,
        25 | 114 | 1042 | 1043 => Form::Text,
        700 => Form::Float4,
        701 => Form::Float8,
        1082 => Form::Date,
        1083 => Form::Time,
        1114 | 1184 => Form::Timestamp,
        1186 => Form::Interval,
        1700 => Form::Numeric,
        2950 => Form::Uuid,
        3802 => Form::Jsonb,
        _ => return None,
    })
}

/// The type of the values themselves.
fn values_of(kind: &DataType) -> &DataType {
    if let DataType::Dictionary(_, values) = kind { values } else { kind }
}

fn is_binary(kind: &DataType) -> bool {
    matches!(kind, DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_))
}

/// By Arrow's canonical extension types.
fn is_uuid(field: &Field) -> bool {
    field.metadata().get("ARROW:extension:name").is_some_and(|name| name == "arrow.uuid")
}

/// Precision and scale.
fn decimal(kind: &DataType) -> Option<(u8, i32)> {
    match kind {
        DataType::Decimal32(precision, scale)
        | DataType::Decimal64(precision, scale)
        | DataType::Decimal128(precision, scale)
        | DataType::Decimal256(precision, scale) => Some((*precision, i32::from(*scale))),
        _ => None,
    }
}

fn numeric(kind: &DataType) -> String {
    match decimal(kind) {
        Some((precision, scale)) if (0..=i32::from(precision)).contains(&scale) => {
            format!("numeric({precision}, {scale})")
        }
        // Servers before version 15 know no other scales.
        _ => "numeric".to_owned(),
    }
}

/// The digits behind the point that a `numeric` keeps (`numeric_typmod_scale` in `numeric.c`); `None`: as many as there are.
fn scale_of(modifier: i32) -> Option<i32> {
    (modifier >= 4).then(|| (((modifier - 4) & 0x7ff) ^ 0x400) - 0x400)
}

/// The error of a column that is not sent.
pub(crate) fn refused(field: &Field, message: String) -> Error {
    Error::new(ErrorKind::Unsupported, format!("column \"{}\": {message}", field.name())).with_column(field.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(oid: u32, modifier: i32) -> Described {
        Described { name: "c".into(), oid, modifier, origin: None }
    }

    fn takes(kind: DataType, oid: u32, modifier: i32) -> bool {
        Form::taken_by(&Field::new("c", kind, true), &column(oid, modifier)).is_ok()
    }

    #[test]
    fn a_column_takes_what_it_holds_exactly() {
        use arrow_schema::TimeUnit::{Microsecond, Nanosecond};
        // numeric(10, 2)
        let money = 4 + (10 << 16) + 2;
        assert!(takes(DataType::Decimal128(9, 2), 1700, money) && !takes(DataType::Decimal128(9, 3), 1700, money));
        assert!(takes(DataType::UInt64, 1700, money) && takes(DataType::Decimal128(38, 20), 1700, -1));
        assert!(!takes(DataType::Float64, 1700, -1) && !takes(DataType::Float64, 700, -1));
        assert!(takes(DataType::Timestamp(Nanosecond, None), 1114, -1));
        assert!(!takes(DataType::Timestamp(Microsecond, None), 1114, 0), "it would round");
        assert!(!takes(DataType::Timestamp(Microsecond, None), 1184, -1), "a clock's reading is no instant");
        assert!(!takes(DataType::Utf8, 23, -1) && takes(DataType::Null, 23, -1));
    }

    #[test]
    fn what_is_refused_names_the_column_and_the_way_out() {
        let list = DataType::new_list(DataType::Int32, true);
        let error = Form::made_for(&Field::new("tags", list, true)).unwrap_err();
        assert_eq!(error.column(), Some("tags"));
        assert!(error.to_string().contains("cast the column"), "{error}");
        let error = Form::taken_by(&Field::new("n", DataType::Float64, true), &column(23, -1)).unwrap_err();
        assert!(error.to_string().contains("double precision"), "{error}");
    }
}
