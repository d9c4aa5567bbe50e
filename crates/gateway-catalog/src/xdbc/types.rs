//! One row for each type, by the names that the JDBC driver gives to their Arrow types.

use arrow_flight::sql::metadata::XdbcTypeInfo;
use arrow_flight::sql::{Nullable, Searchable, XdbcDataType, XdbcDatetimeSubcode};

/// The types that columns of a gateway can have.
pub(super) fn types() -> Vec<XdbcTypeInfo> {
    vec![
        XdbcTypeInfo { column_size: Some(1), ..plain("BOOLEAN", XdbcDataType::XdbcBit) },
        whole("TINYINT", XdbcDataType::XdbcTinyint, 3, false),
        whole("TINYINT UNSIGNED", XdbcDataType::XdbcTinyint, 3, true),
        whole("SMALLINT", XdbcDataType::XdbcSmallint, 5, false),
        whole("SMALLINT UNSIGNED", XdbcDataType::XdbcSmallint, 5, true),
        whole("INTEGER", XdbcDataType::XdbcInteger, 10, false),
        whole("INTEGER UNSIGNED", XdbcDataType::XdbcInteger, 10, true),
        whole("BIGINT", XdbcDataType::XdbcBigint, 19, false),
        whole("BIGINT UNSIGNED", XdbcDataType::XdbcBigint, 20, true),
        floating("REAL", XdbcDataType::XdbcReal, 24),
        floating("DOUBLE", XdbcDataType::XdbcDouble, 53),
        decimal(),
        text(),
        // UUIDs and other values of one length.
        bytes("BINARY", XdbcDataType::XdbcBinary),
        bytes("VARBINARY", XdbcDataType::XdbcVarbinary),
        // The enum calls it the year's; in ODBC, 1 is the code of dates.
        moment("DATE", XdbcDataType::XdbcDate, 10, XdbcDatetimeSubcode::XdbcSubcodeYear, None),
        moment("TIME", XdbcDataType::XdbcTime, 18, XdbcDatetimeSubcode::XdbcSubcodeTime, Some(9)),
        moment("TIMESTAMP", XdbcDataType::XdbcTimestamp, 29, XdbcDatetimeSubcode::XdbcSubcodeTimestamp, Some(9)),
        moment(
            "TIMESTAMP WITH TIME ZONE",
            XdbcDataType::XdbcTimestamp,
            35,
            XdbcDatetimeSubcode::XdbcSubcodeTimestampWithTimezone,
            Some(9),
        ),
        interval(),
        unsearchable("ARRAY"),
        unsearchable("MAP"),
        unsearchable("NULL"),
        unsearchable("STRUCT"),
    ]
}

/// What most types have in common.
fn plain(name: &str, data_type: XdbcDataType) -> XdbcTypeInfo {
    XdbcTypeInfo {
        type_name: name.to_owned(),
        data_type,
        nullable: Nullable::NullabilityNullable,
        searchable: Searchable::Full,
        local_type_name: Some(name.to_owned()),
        sql_data_type: data_type,
        ..XdbcTypeInfo::default()
    }
}

fn whole(name: &str, data_type: XdbcDataType, digits: i32, unsigned: bool) -> XdbcTypeInfo {
    XdbcTypeInfo {
        column_size: Some(digits),
        searchable: Searchable::Basic,
        unsigned_attribute: Some(unsigned),
        fixed_prec_scale: true,
        auto_increment: Some(false),
        minimum_scale: Some(0),
        maximum_scale: Some(0),
        num_prec_radix: Some(10),
        ..plain(name, data_type)
    }
}

/// `size` is counted in bits.
fn floating(name: &str, data_type: XdbcDataType, size: i32) -> XdbcTypeInfo {
    XdbcTypeInfo {
        column_size: Some(size),
        searchable: Searchable::Basic,
        unsigned_attribute: Some(false),
        auto_increment: Some(false),
        num_prec_radix: Some(2),
        ..plain(name, data_type)
    }
}

/// As wide as decimal256.
fn decimal() -> XdbcTypeInfo {
    XdbcTypeInfo {
        column_size: Some(76),
        create_params: Some(vec!["precision".to_owned(), "scale".to_owned()]),
        searchable: Searchable::Basic,
        unsigned_attribute: Some(false),
        auto_increment: Some(false),
        minimum_scale: Some(0),
        maximum_scale: Some(76),
        num_prec_radix: Some(10),
        ..plain("DECIMAL", XdbcDataType::XdbcDecimal)
    }
}

fn text() -> XdbcTypeInfo {
    XdbcTypeInfo {
        column_size: Some(i32::MAX),
        create_params: Some(vec!["length".to_owned()]),
        case_sensitive: true,
        ..quoted(plain("VARCHAR", XdbcDataType::XdbcVarchar))
    }
}

/// Every database writes bytes in a way of its own, so there is no prefix.
fn bytes(name: &str, data_type: XdbcDataType) -> XdbcTypeInfo {
    XdbcTypeInfo {
        column_size: Some(i32::MAX),
        create_params: Some(vec!["length".to_owned()]),
        searchable: Searchable::Basic,
        ..plain(name, data_type)
    }
}

/// `size` is counted in characters of the longest text.
fn moment(
    name: &str,
    data_type: XdbcDataType,
    size: i32,
    subcode: XdbcDatetimeSubcode,
    digits: Option<i32>,
) -> XdbcTypeInfo {
    XdbcTypeInfo {
        column_size: Some(size),
        searchable: Searchable::Basic,
        minimum_scale: digits.map(|_| 0),
        maximum_scale: digits,
        sql_data_type: XdbcDataType::XdbcDatetime,
        datetime_subcode: Some(subcode),
        ..quoted(plain(name, data_type))
    }
}

fn interval() -> XdbcTypeInfo {
    XdbcTypeInfo {
        searchable: Searchable::Basic,
        datetime_subcode: Some(XdbcDatetimeSubcode::XdbcSubcodeUnknown),
        ..quoted(plain("INTERVAL", XdbcDataType::XdbcInterval))
    }
}

fn unsearchable(name: &str) -> XdbcTypeInfo {
    XdbcTypeInfo { searchable: Searchable::None, ..plain(name, XdbcDataType::XdbcUnknownType) }
}

fn quoted(info: XdbcTypeInfo) -> XdbcTypeInfo {
    XdbcTypeInfo { literal_prefix: Some("'".to_owned()), literal_suffix: Some("'".to_owned()), ..info }
}
