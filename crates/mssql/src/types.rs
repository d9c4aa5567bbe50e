//! The one table of types: from SQL Server's types to Arrow's.

use std::fmt;

use arrow_schema::{DataType, TimeUnit};

/// A type of SQL Server, as far as its values differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bit,
    TinyInt,
    SmallInt,
    Int,
    BigInt,
    Real,
    Float,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Money,
    SmallMoney,
    Date,
    Time(u8),
    SmallDateTime,
    DateTime,
    DateTime2(u8),
    DateTimeOffset(u8),
    /// char, varchar, text, nchar, nvarchar, ntext; json and vector, which the server sends as text to who does not ask
    /// for more.
    Text,
    Xml,
    /// binary, varbinary, image, rowversion, and types of the CLR: hierarchyid, geometry, geography and the user's own.
    Binary,
    Uuid,
    Variant,
}

/// The time zone of instants.
const UTC: &str = "UTC";

impl Kind {
    /// The type by its number in `sys.types`; `None` for one that came after this was written.
    pub(crate) fn of_system_type(id: i64, precision: u8, scale: u8) -> Option<Kind> {
        Some(match id {
            104 => Kind::Bit,
            48 => Kind::TinyInt,
            52 => Kind::SmallInt,
            56 => Kind::Int,
            127 => Kind::BigInt,
            59 => Kind::Real,
            62 => Kind::Float,
            106 | 108 => Kind::Decimal { precision, scale },
            60 => Kind::Money,
            122 => Kind::SmallMoney,
            40 => Kind::Date,
            41 => Kind::Time(scale),
            58 => Kind::SmallDateTime,
            61 => Kind::DateTime,
            42 => Kind::DateTime2(scale),
            43 => Kind::DateTimeOffset(scale),
            // text, ntext, varchar, char, nvarchar and sysname, nchar, json, vector.
            35 | 99 | 167 | 175 | 231 | 239 | 244 | 255 => Kind::Text,
            241 => Kind::Xml,
            // image, varbinary, binary, rowversion, CLR.
            34 | 165 | 173 | 189 | 240 => Kind::Binary,
            36 => Kind::Uuid,
            98 => Kind::Variant,
            _ => return None,
        })
    }

    /// The Arrow type that it is read as: its own, or the user's choice where that decides how the bytes are read. All
    /// other choices are casts of the finished array.
    pub(crate) fn data_type(self, wanted: Option<&DataType>) -> DataType {
        match (self, wanted) {
            (kind, Some(DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)) if kind.has_text() => {
                DataType::Utf8
            }
            (Kind::DateTimeOffset(_), Some(DataType::Timestamp(unit, Some(_)))) => {
                DataType::Timestamp(*unit, Some(UTC.into()))
            }
            (Kind::SmallDateTime | Kind::DateTime | Kind::DateTime2(_), Some(DataType::Timestamp(unit, None))) => {
                DataType::Timestamp(*unit, None)
            }
            _ => self.natural(),
        }
    }

    fn natural(self) -> DataType {
        match self {
            Kind::Bit => DataType::Boolean,
            Kind::TinyInt => DataType::UInt8,
            Kind::SmallInt => DataType::Int16,
            Kind::Int => DataType::Int32,
            Kind::BigInt => DataType::Int64,
            Kind::Real => DataType::Float32,
            Kind::Float => DataType::Float64,
            Kind::Decimal { precision, scale } => DataType::Decimal128(precision, scale.cast_signed()),
            Kind::Money => DataType::Decimal128(19, 4),
            Kind::SmallMoney => DataType::Decimal128(10, 4),
            Kind::Date => DataType::Date32,
            Kind::Time(_) => DataType::Time64(TimeUnit::Nanosecond),
            Kind::SmallDateTime => DataType::Timestamp(TimeUnit::Second, None),
            Kind::DateTime => DataType::Timestamp(TimeUnit::Millisecond, None),
            Kind::DateTime2(scale) => DataType::Timestamp(unit(scale), None),
            Kind::DateTimeOffset(scale) => DataType::Timestamp(unit(scale), Some(UTC.into())),
            Kind::Text | Kind::Xml | Kind::Variant => DataType::Utf8,
            Kind::Binary => DataType::Binary,
            Kind::Uuid => DataType::FixedSizeBinary(16),
        }
    }

    /// Whether text says more than, or something else than, a cast of the array would.
    fn has_text(self) -> bool {
        matches!(
            self,
            Kind::Time(_)
                | Kind::SmallDateTime
                | Kind::DateTime
                | Kind::DateTime2(_)
                | Kind::DateTimeOffset(_)
                | Kind::Text
                | Kind::Xml
                | Kind::Variant
                | Kind::Uuid
        )
    }
}

/// Six digits are microseconds; seven, which are 100 ns, only fit nanoseconds.
fn unit(scale: u8) -> TimeUnit {
    if scale <= 6 { TimeUnit::Microsecond } else { TimeUnit::Nanosecond }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self {
            Kind::Decimal { precision, scale } => return write!(f, "decimal({precision},{scale})"),
            Kind::Time(scale) => return write!(f, "time({scale})"),
            Kind::DateTime2(scale) => return write!(f, "datetime2({scale})"),
            Kind::DateTimeOffset(scale) => return write!(f, "datetimeoffset({scale})"),
            Kind::Bit => "bit",
            Kind::TinyInt => "tinyint",
            Kind::SmallInt => "smallint",
            Kind::Int => "int",
            Kind::BigInt => "bigint",
            Kind::Real => "real",
            Kind::Float => "float",
            Kind::Money => "money",
            Kind::SmallMoney => "smallmoney",
            Kind::Date => "date",
            Kind::SmallDateTime => "smalldatetime",
            Kind::DateTime => "datetime",
            Kind::Text => "nvarchar",
            Kind::Xml => "xml",
            Kind::Binary => "varbinary",
            Kind::Uuid => "uniqueidentifier",
            Kind::Variant => "sql_variant",
        };
        f.write_str(name)
    }
}
