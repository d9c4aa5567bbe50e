//! Which Arrow type a column is read as, and how its values come: one table by ODBC's type and the driver's own name.

use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{Casts, Error, ErrorKind, Result, format_type};

use crate::abi::{c, sql};
use crate::block::Access;
use crate::driver::{Family, UNKNOWN_VARCHAR};
use crate::statement::Description;

/// A bound value has at most so many bytes; longer ones are asked for one by one.
const MOST_BOUND: usize = 8192;

/// What the driver's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// The value itself, as C has it.
    Native,
    /// Text: digits and names in ASCII, or UTF-8.
    Text,
    /// UTF-16.
    Wide,
    Bytes,
    /// ODBC's structures of dates and timestamps.
    Structure,
    /// Days since 1970-01-01 as a number; its ends stand for the infinite dates.
    Days,
}

/// What the server has to turn a value into first, since the driver would spoil it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cast {
    Text,
    /// A date, as [`Form::Days`].
    Days,
    /// An instant, as text in UTC.
    Utc,
}

/// How a column is read.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    pub(crate) data_type: DataType,
    pub(crate) access: Access,
    pub(crate) form: Form,
    pub(crate) cast: Option<Cast>,
}

impl Rule {
    fn native(data_type: DataType, c_type: i16, size: usize) -> Self {
        Rule { data_type, access: Access::Fixed { c_type, size }, form: Form::Native, cast: None }
    }

    /// Text of at most `size` bytes.
    fn text(data_type: DataType, size: usize) -> Self {
        Rule { data_type, access: Access::Bounded { c_type: c::CHAR, size: size + 1 }, form: Form::Text, cast: None }
    }

    fn cast(data_type: DataType, size: usize, cast: Cast) -> Self {
        Rule { cast: Some(cast), ..Rule::text(data_type, size) }
    }

    fn structure(data_type: DataType, c_type: i16, size: usize) -> Self {
        Rule { data_type, access: Access::Fixed { c_type, size }, form: Form::Structure, cast: None }
    }

    /// The structure of a driver that calls `0000-00-00` NULL, though it writes it.
    fn marked(data_type: DataType, c_type: i16, size: usize) -> Self {
        Rule { access: Access::Marked { c_type, size }, ..Rule::structure(data_type, c_type, size) }
    }

    /// The same column as text, where the driver does not write what it calls NULL.
    pub(crate) fn without_marks(self) -> Self {
        match self.access {
            Access::Marked { .. } => Rule::text(self.data_type, 47),
            _ => self,
        }
    }

    fn bytes(size: usize) -> Self {
        let access = match size {
            1..=MOST_BOUND => Access::Bounded { c_type: c::BINARY, size },
            _ => Access::Long { c_type: c::BINARY },
        };
        Rule { data_type: DataType::Binary, access, form: Form::Bytes, cast: None }
    }

    /// Text as the bytes that psqlODBC got, which are UTF-8: as characters it would convert them to UTF-16 or to the
    /// encoding of the process's locale. `None` for longer ones, of which it gives no pieces.
    fn verbatim(characters: usize) -> Option<Self> {
        let rule = Rule::bytes(characters.saturating_mul(4));
        (!rule.access.is_long()).then_some(Rule { data_type: DataType::Utf8, form: Form::Text, ..rule })
    }

    fn narrow(characters: usize) -> Self {
        let access = match characters.saturating_mul(4) + 1 {
            2..=MOST_BOUND => Access::Bounded { c_type: c::CHAR, size: characters * 4 + 1 },
            _ => Access::Long { c_type: c::CHAR },
        };
        Rule { data_type: DataType::Utf8, access, form: Form::Text, cast: None }
    }

    /// Two units a character, for those outside the first 65,536.
    fn wide(characters: usize) -> Self {
        let access = match characters.saturating_mul(4) + 2 {
            3..=MOST_BOUND => Access::Bounded { c_type: c::WCHAR, size: characters * 4 + 2 },
            _ => Access::Long { c_type: c::WCHAR },
        };
        Rule { data_type: DataType::Utf8, access, form: Form::Wide, cast: None }
    }
}

/// How a column is read if the user does not settle it.
pub(crate) fn rule(column: &Description, family: Family) -> Rule {
    match family {
        Family::Postgres | Family::PostgresAnsi => postgres(column, words(family)),
        Family::MariaDb => mariadb(column),
        Family::FreeTds | Family::Other => standard(column),
    }
}

/// How the driver gives text of so many characters; of any length, if they are 0.
fn words(family: Family) -> fn(usize) -> Rule {
    match family {
        Family::Postgres | Family::FreeTds | Family::Other => Rule::wide,
        Family::PostgresAnsi | Family::MariaDb => Rule::narrow,
    }
}

/// psqlODBC has every value as text. Whole numbers it converts without fault and for less than a copy of their digits
/// costs; all else that is no text it may convert wrongly, and text is what is asked for.
fn postgres(column: &Description, words: fn(usize) -> Rule) -> Rule {
    let micros = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    match column.type_name.as_str() {
        "bool" => Rule::text(DataType::Boolean, 7),
        "int2" => Rule::native(DataType::Int16, c::SSHORT, 2),
        "int4" => Rule::native(DataType::Int32, c::SLONG, 4),
        "int8" => Rule::native(DataType::Int64, c::SBIGINT, 8),
        "oid" => Rule::native(DataType::UInt32, c::ULONG, 4),
        "float4" => Rule::text(DataType::Float32, 31),
        "float8" => Rule::text(DataType::Float64, 31),
        "numeric" => match column.sql_type {
            sql::NUMERIC | sql::DECIMAL => decimal(column.size, column.digits),
            // Without precision: the widest decimal, and room for what it can hold.
            _ => Rule::text(DataType::Decimal256(76, 38), 159),
        },
        "date" => Rule { form: Form::Days, cast: Some(Cast::Days), ..Rule::native(DataType::Date32, c::SLONG, 4) },
        "time" => Rule::text(DataType::Time64(TimeUnit::Microsecond), 31),
        "timestamp" | "timestamp without time zone" => Rule::cast(micros(None), 47, Cast::Text),
        "timestamptz" | "timestamp with time zone" => Rule::cast(micros(Some("UTC")), 47, Cast::Utc),
        "uuid" => Rule::text(DataType::FixedSizeBinary(16), 47),
        "bytea" => Rule { access: Access::Long { c_type: c::BINARY }, ..Rule::bytes(0) },
        "money" | "name" => words(64),
        "varchar" | "char" | "bpchar"
            if matches!(column.sql_type, sql::CHAR | sql::VARCHAR | sql::WCHAR | sql::WVARCHAR)
                && column.size != UNKNOWN_VARCHAR =>
        {
            Rule::verbatim(column.size).unwrap_or_else(|| words(column.size))
        }
        // What the driver says of the length of all others is a guess.
        _ => words(0),
    }
}

/// MariaDB's driver converts text without fault, and binary values of integers and doubles. Of dates it would print
/// text with printf, which costs more than all else; its structures are as exact, once `0000-00-00` is told from NULL.
fn mariadb(column: &Description) -> Rule {
    let micros = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
    match (column.sql_type, column.type_name.as_str()) {
        (_, "null") => Rule::text(DataType::Null, 7),
        (sql::BIT, _) => Rule { data_type: DataType::Boolean, ..Rule::bytes(8) },
        (_, "bit") => Rule::bytes(16),
        // Bound as a float, blocks of rows have every second value wrong.
        (sql::REAL, _) => Rule::native(DataType::Float32, c::DOUBLE, 8),
        (sql::TIMESTAMP, "timestamp") => Rule::marked(micros(Some("UTC")), c::TIMESTAMP, 16),
        (sql::TIMESTAMP, _) => Rule::marked(micros(None), c::TIMESTAMP, 16),
        (sql::DATE, _) => Rule::marked(DataType::Date32, c::DATE, 6),
        (sql::TIME, _) => Rule::text(DataType::Duration(TimeUnit::Microsecond), 31),
        (sql::CHAR | sql::VARCHAR | sql::WCHAR | sql::WVARCHAR, _) => Rule::narrow(column.size),
        (sql::LONGVARCHAR | sql::WLONGVARCHAR, _) => Rule::narrow(0),
        (sql::LONGVARBINARY, _) => Rule::bytes(0),
        _ => standard(column),
    }
}

/// What ODBC says of every driver.
fn standard(column: &Description) -> Rule {
    let fraction = |most: i16| if column.digits > most { TimeUnit::Nanosecond } else { TimeUnit::Microsecond };
    match (column.sql_type, column.unsigned) {
        (sql::TINYINT, true) => Rule::native(DataType::UInt8, c::UTINYINT, 1),
        (sql::TINYINT, false) => Rule::native(DataType::Int8, c::STINYINT, 1),
        (sql::SMALLINT, true) => Rule::native(DataType::UInt16, c::USHORT, 2),
        (sql::SMALLINT, false) => Rule::native(DataType::Int16, c::SSHORT, 2),
        (sql::INTEGER, true) => Rule::native(DataType::UInt32, c::ULONG, 4),
        (sql::INTEGER, false) => Rule::native(DataType::Int32, c::SLONG, 4),
        (sql::BIGINT, true) => Rule::native(DataType::UInt64, c::UBIGINT, 8),
        (sql::BIGINT, false) => Rule::native(DataType::Int64, c::SBIGINT, 8),
        (sql::REAL, _) => Rule::native(DataType::Float32, c::FLOAT, 4),
        // By the real size: FLOAT is what most databases call a double.
        (sql::FLOAT | sql::DOUBLE, _) => Rule::native(DataType::Float64, c::DOUBLE, 8),
        (sql::NUMERIC | sql::DECIMAL, _) => decimal(column.size, column.digits),
        (sql::BIT, _) => Rule::native(DataType::Boolean, c::BIT, 1),
        (sql::CHAR | sql::VARCHAR | sql::WCHAR | sql::WVARCHAR, _) => Rule::wide(column.size),
        (sql::BINARY | sql::VARBINARY, _) => Rule::bytes(column.size),
        (sql::LONGVARBINARY, _) => Rule::bytes(0),
        (sql::DATE | sql::DATE_2, _) => Rule::structure(DataType::Date32, c::DATE, 6),
        // The structure of a time has no fraction.
        (sql::TIME | sql::TIME_2 | sql::SS_TIME2, _) => Rule::text(DataType::Time64(fraction(6)), 31),
        (sql::TIMESTAMP | sql::TIMESTAMP_2, _) => {
            Rule::structure(DataType::Timestamp(fraction(6), None), c::TIMESTAMP, 16)
        }
        (sql::SS_TIMESTAMPOFFSET, _) => Rule::text(DataType::Timestamp(fraction(6), Some("UTC".into())), 63),
        (sql::GUID, _) => Rule::text(DataType::FixedSizeBinary(16), 47),
        _ => Rule::wide(0),
    }
}

/// A number of `precision` digits, `scale` of them behind the point.
fn decimal(precision: usize, scale: i16) -> Rule {
    // More digits behind the point than there are digits: leading zeros behind it.
    let digits = usize::try_from(scale).unwrap_or(0).max(precision);
    let room = digits + 4;
    match (u8::try_from(digits), i8::try_from(scale)) {
        (Ok(digits @ 1..=38), Ok(scale @ 0..)) => Rule::text(DataType::Decimal128(digits, scale), room),
        (Ok(digits @ 39..=76), Ok(scale @ 0..)) => Rule::text(DataType::Decimal256(digits, scale), room),
        // No Arrow decimal is wide enough.
        _ => Rule { access: Access::Long { c_type: c::CHAR }, ..Rule::text(DataType::Utf8, 1) },
    }
}

/// How a column is read that the user wants as this type: what is read is turned into it afterwards.
pub(crate) fn chosen(column: &Description, own: Rule, wanted: &DataType, family: Family) -> Result<Rule> {
    let wants_text = matches!(wanted, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let is_bytes = matches!(own.form, Form::Bytes);
    if !Casts::are_possible(&own.data_type, wanted) && (is_bytes || !wants_text) {
        let (name, from, to) = (&column.name, format_type(&own.data_type), format_type(wanted));
        let hint = Casts::why_impossible(name, &own.data_type, wanted);
        let message = format!("column \"{name}\" is {from}, which cannot be read as {to}");
        return Err(Error::new(ErrorKind::Config, message)
            .with_column(name)
            .with_hint(hint.unwrap_or_else(|| "choose another type, or cast it in the query".to_owned())));
    }
    let is_text = matches!(own.data_type, DataType::Utf8) && matches!(own.form, Form::Text | Form::Wide);
    Ok(match (&own.data_type, wanted) {
        (own_type, wanted) if own_type == wanted => own,
        // Whatever the driver says of its length, the value is read to its end.
        (_, DataType::LargeUtf8) if is_text => {
            let rule = if own.access.is_long() { own } else { words(family)(0) };
            Rule { data_type: DataType::LargeUtf8, ..rule }
        }
        (DataType::Binary, DataType::LargeBinary) => {
            Rule { data_type: DataType::LargeBinary, access: Access::Long { c_type: c::BINARY }, ..own }
        }
        _ if is_text || is_bytes => own,
        // Numbers as they are written, whatever their decimals hold; times that are none of a day.
        (DataType::Decimal128(..) | DataType::Decimal256(..), _) | (DataType::Duration(_), DataType::Time64(_)) => {
            written(own)
        }
        _ if wants_text => written(own),
        _ => own,
    })
}

/// A column as its text.
fn written(own: Rule) -> Rule {
    let data_type = DataType::Utf8;
    let cast = own.cast.map(|_| Cast::Text);
    match own.access {
        // Digits beyond what any decimal holds.
        Access::Bounded { size: 100.., .. } if own.form == Form::Text => {
            Rule { data_type, access: Access::Long { c_type: c::CHAR }, form: Form::Text, cast }
        }
        _ if own.access.is_long() => Rule { data_type, cast, ..own },
        _ => Rule { cast, ..Rule::text(data_type, own.access.size().max(63)) },
    }
}

#[cfg(test)]
mod tests;
