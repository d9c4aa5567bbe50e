//! Which comparisons a database makes as Spark does, and how they are written.
//!
//! A condition may keep more rows than Spark, which filters what arrives once more, and never fewer. So this is a list of what is known to
//! be right: a database, an Arrow type and the database's own type. The same list, for Polars, is in `python/bowshot/scan/alike.py`.

use arrow_cast::display::FormatOptions;
use arrow_schema::{DataType, Field, TimeUnit};
use bowshot_core::SOURCE_TYPE;

use crate::filter::{Comparison, Filter, Literal};

/// Floats are compared with numbers that every database reads exactly, this far from the value that is meant.
const STEPS: f64 = 1024.0;
const LARGEST: f64 = 4_398_046_511_104.0;

/// Digits behind the point of a decimal that databases keep.
const PLACES: usize = 30;

/// What the values of a column are to a database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Decimal,
    Float,
    /// NaN is the largest float to Spark and PostgreSQL, and the smallest one to some who speak its protocol.
    FloatOrNan,
    Boolean,
    Text,
    Date,
    Timestamp,
    Instant,
}

/// Writes conditions for a kind of database, on columns as it names them.
pub(crate) struct Comparable<'a> {
    pub(crate) scheme: &'a str,
    pub(crate) fields: &'a arrow_schema::Schema,
    /// Columns that are read as another type than the source's are not compared.
    pub(crate) cast: &'a dyn Fn(&str) -> bool,
    pub(crate) written: &'a dyn Fn(&str) -> String,
}

impl Comparable<'_> {
    /// The filter as SQL, if the database leaves out no row that Spark would keep.
    pub(crate) fn condition(&self, filter: &Filter) -> Option<String> {
        match filter {
            // What is not known to be right is left to Spark.
            Filter::And(all) => {
                let known: Vec<String> = all.iter().filter_map(|filter| self.condition(filter)).collect();
                (!known.is_empty()).then(|| format!("({})", known.join(" AND ")))
            }
            Filter::Or(any) => {
                let any: Option<Vec<String>> = any.iter().map(|filter| self.condition(filter)).collect();
                any.filter(|any| !any.is_empty()).map(|any| format!("({})", any.join(" OR ")))
            }
            Filter::Compare(column, comparison, value) => self.compare(column, *comparison, value),
            Filter::In(column, values) => {
                let equal = |value| self.compare(column, Comparison::Equal, value);
                let any: Option<Vec<String>> = values.iter().map(equal).collect();
                any.filter(|any| !any.is_empty()).map(|any| format!("({})", any.join(" OR ")))
            }
            Filter::Null(column) => self.kind(column).map(|_| format!("{} IS NULL", (self.written)(column))),
            Filter::NotNull(column) => self.kind(column).map(|_| format!("{} IS NOT NULL", (self.written)(column))),
        }
    }

    fn kind(&self, column: &str) -> Option<Kind> {
        if (self.cast)(column) {
            return None;
        }
        let field = self.fields.field_with_name(column).ok()?;
        kind(self.scheme, field)
    }

    fn compare(&self, column: &str, comparison: Comparison, value: &Literal) -> Option<String> {
        let kind = self.kind(column)?;
        let sqlite = self.scheme == "sqlite";
        let name = (self.written)(column);
        // The plus takes away the affinity by which SQLite would turn one side of a comparison.
        let operand = if sqlite { format!("+{name}") } else { name.clone() };
        let condition = written(kind, &operand, comparison, value)?;
        if !sqlite {
            return Some(condition);
        }
        // SQLite keeps any value in any column, and Bowshot may read it as one of the column's type.
        let stored = match kind {
            Kind::Integer => "'integer'",
            Kind::Float => "'integer', 'real'",
            Kind::Text => "'text'",
            _ => return None,
        };
        Some(format!("({condition} OR typeof({name}) NOT IN ({stored}, 'null'))"))
    }
}

fn kind(scheme: &str, field: &Field) -> Option<Kind> {
    let own = field.metadata().get(SOURCE_TYPE).map_or("", String::as_str);
    let utc = |zone: &Option<std::sync::Arc<str>>| zone.as_deref() == Some("UTC");
    Some(match (scheme, field.data_type(), own.trim_end_matches(" unsigned")) {
        ("postgresql", DataType::Int16, "int2")
        | ("postgresql", DataType::Int32, "int4")
        | ("postgresql", DataType::Int64, "int8") => Kind::Integer,
        ("postgresql", DataType::Decimal128(..), "numeric") => Kind::Decimal,
        ("postgresql", DataType::Float32, "float4") | ("postgresql", DataType::Float64, "float8") => Kind::FloatOrNan,
        ("postgresql", DataType::Boolean, "bool") => Kind::Boolean,
        ("postgresql", DataType::Utf8, "text" | "varchar") => Kind::Text,
        ("postgresql", DataType::Date32, "date") => Kind::Date,
        ("postgresql", DataType::Timestamp(TimeUnit::Microsecond, None), "timestamp") => Kind::Timestamp,
        ("postgresql", DataType::Timestamp(TimeUnit::Microsecond, zone), "timestamptz") if utc(zone) => Kind::Instant,
        ("mysql", of, "tinyint" | "smallint" | "mediumint" | "int" | "bigint") if of.is_integer() => Kind::Integer,
        ("mysql", DataType::Decimal128(..), "decimal") => Kind::Decimal,
        // FLOAT is left out: what a session shows of it has fewer digits than what it compares.
        ("mysql", DataType::Float64, "double") => Kind::Float,
        ("mysql", DataType::Utf8, "varchar") => Kind::Text,
        ("mysql", DataType::Date32, "date") => Kind::Date,
        ("mysql", DataType::Timestamp(TimeUnit::Microsecond, None), "datetime") => Kind::Timestamp,
        ("sqlite", DataType::Int64, _) => Kind::Integer,
        ("sqlite", DataType::Float64, _) => Kind::Float,
        ("sqlite", DataType::Utf8, _) => Kind::Text,
        _ => return None,
    })
}

fn written(kind: Kind, name: &str, comparison: Comparison, value: &Literal) -> Option<String> {
    let plain = |literal: String| Some(format!("{name} {} {literal}", comparison.sql()));
    match (kind, value) {
        (Kind::Integer | Kind::Decimal, Literal::Integer(value)) => plain(value.to_string()),
        (Kind::Decimal, Literal::Decimal(value)) if is_plain(value) => plain(value.clone()),
        (Kind::Float, Literal::Float(value)) => float(name, comparison, *value),
        (Kind::FloatOrNan, Literal::Float(value)) => {
            let condition = float(name, comparison, *value)?;
            let greater = matches!(comparison, Comparison::Greater | Comparison::GreaterOrEqual);
            Some(if greater { format!("({condition} OR {name} = 'NaN')") } else { condition })
        }
        (Kind::Boolean, Literal::Boolean(value)) if equality(comparison) => plain(value.to_string().to_uppercase()),
        // Collations differ in order, and in what they take for equal: but text is always equal to itself.
        (Kind::Text, Literal::Text(value)) if comparison == Comparison::Equal && is_simple(value) => {
            plain(format!("'{}'", value.replace('\'', "''")))
        }
        (Kind::Date, Literal::Date(days)) => plain(format!("DATE '{}'", date(*days)?)),
        (Kind::Timestamp, Literal::Timestamp(micros)) => plain(format!("TIMESTAMP '{}'", timestamp(*micros)?)),
        (Kind::Instant, Literal::Instant(micros)) => {
            plain(format!("TIMESTAMP WITH TIME ZONE '{}+00:00'", timestamp(*micros)?))
        }
        _ => None,
    }
}

fn equality(comparison: Comparison) -> bool {
    matches!(comparison, Comparison::Equal | Comparison::NotEqual)
}

/// Not every database reads every literal as the nearest float. These numbers all read alike, and a float that is sent as text may lose its
/// last digit.
fn float(name: &str, comparison: Comparison, value: f64) -> Option<String> {
    if !value.is_finite() || value.abs() >= LARGEST {
        return None;
    }
    let below = format!("{name} >= {}", ((value * STEPS).floor() - 1.0) / STEPS);
    let above = format!("{name} <= {}", ((value * STEPS).ceil() + 1.0) / STEPS);
    Some(match comparison {
        Comparison::Equal => format!("({below} AND {above})"),
        Comparison::Greater | Comparison::GreaterOrEqual => below,
        Comparison::Less | Comparison::LessOrEqual => above,
        Comparison::NotEqual => return None,
    })
}

/// Digits with a point, and few behind it: some databases cut longer fractions off.
fn is_plain(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    let fraction = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    fraction <= PLACES && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

/// A backslash may escape, a NUL ends some texts, blanks at the end are not always kept, % is a parameter to some, and a session may read
/// what is not ASCII in another encoding.
fn is_simple(value: &str) -> bool {
    !value.ends_with(' ') && value.bytes().all(|byte| (b' '..=b'~').contains(&byte) && !matches!(byte, b'\\' | b'%'))
}

fn date(days: i32) -> Option<String> {
    shown(&arrow_array::Date32Array::from(vec![days]))
}

fn timestamp(micros: i64) -> Option<String> {
    shown(&arrow_array::TimestampMicrosecondArray::from(vec![micros]))
}

/// A value of the years 1000 to 9999, which all databases write alike.
fn shown(array: &dyn arrow_array::Array) -> Option<String> {
    let options = FormatOptions::default()
        .with_timestamp_format(Some("%Y-%m-%d %H:%M:%S%.6f"))
        .with_date_format(Some("%Y-%m-%d"));
    let text = arrow_cast::display::ArrayFormatter::try_new(array, &options).ok()?.value(0).try_to_string().ok()?;
    let year = text.split('-').next()?;
    (year.len() == 4 && year > "0999").then_some(text)
}

#[cfg(test)]
mod tests {
    use arrow_schema::Schema;

    use super::*;

    fn sql(scheme: &str, field: (DataType, &str), comparison: Comparison, value: Literal) -> Option<String> {
        let metadata = [(SOURCE_TYPE.to_owned(), field.1.to_owned())].into();
        let schema = Schema::new(vec![Field::new("a", field.0, true).with_metadata(metadata)]);
        let comparable =
            Comparable { scheme, fields: &schema, cast: &|_| false, written: &|name| format!("\"{name}\"") };
        comparable.condition(&Filter::Compare("a".into(), comparison, value))
    }

    #[test]
    fn what_is_known_to_be_right_is_written() {
        let pg = |of, own, comparison, value| sql("postgresql", (of, own), comparison, value);
        let found = pg(DataType::Int32, "int4", Comparison::Less, Literal::Integer(-3));
        assert_eq!(found.as_deref(), Some("\"a\" < -3"));
        let found = pg(DataType::Date32, "date", Comparison::GreaterOrEqual, Literal::Date(8766));
        assert_eq!(found.as_deref(), Some("\"a\" >= DATE '1994-01-01'"));
        let found = pg(DataType::Decimal128(15, 2), "numeric", Comparison::Equal, Literal::Decimal("0.05".into()));
        assert_eq!(found.as_deref(), Some("\"a\" = 0.05"));
        let found = pg(DataType::Float64, "float8", Comparison::Greater, Literal::Float(0.5));
        assert_eq!(found.as_deref(), Some("(\"a\" >= 0.4990234375 OR \"a\" = 'NaN')"));
        let micro = DataType::Timestamp(TimeUnit::Microsecond, None);
        let found = pg(micro, "timestamp", Comparison::Less, Literal::Timestamp(-1));
        assert_eq!(found.as_deref(), Some("\"a\" < TIMESTAMP '1969-12-31 23:59:59.999999'"));
        let found = sql("sqlite", (DataType::Utf8, ""), Comparison::Equal, Literal::Text("it's".into()));
        assert_eq!(found.as_deref(), Some("(+\"a\" = 'it''s' OR typeof(\"a\") NOT IN ('text', 'null'))"));
    }

    #[test]
    fn all_else_is_left_to_spark() {
        let text = |value: &str| Literal::Text(value.into());
        for (of, own, comparison, value) in [
            (DataType::Utf8, "text", Comparison::Less, text("a")),
            (DataType::Utf8, "bpchar", Comparison::Equal, text("a")),
            (DataType::Utf8, "text", Comparison::Equal, text("a ")),
            (DataType::Utf8, "text", Comparison::Equal, text("a\\")),
            (DataType::Utf8, "text", Comparison::Equal, text("ä")),
            (DataType::Int32, "int4", Comparison::Equal, Literal::Float(1.0)),
            (DataType::Float64, "float8", Comparison::Equal, Literal::Float(f64::NAN)),
            (DataType::Float64, "float8", Comparison::NotEqual, Literal::Float(1.0)),
            (DataType::Date32, "date", Comparison::Equal, Literal::Date(i32::MAX)),
            (DataType::Date32, "date", Comparison::Equal, Literal::Date(-719_600)),
            (DataType::Decimal128(9, 2), "numeric", Comparison::Equal, Literal::Decimal("1E+3".into())),
        ] {
            assert_eq!(sql("postgresql", (of, own), comparison, value.clone()), None, "{own} {value:?}");
        }
        assert_eq!(sql("oracle", (DataType::Int64, "NUMBER"), Comparison::Equal, Literal::Integer(1)), None);
    }
}
