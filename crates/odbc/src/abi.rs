//! The part of ODBC's C interface that Bowshot uses: its types and numbers, by their names in `sql.h` and `sqlext.h`.

use std::ffi::c_void;

/// A handle of the driver manager.
pub(crate) type Handle = *mut c_void;
/// SQLRETURN.
pub(crate) type Return = i16;

pub(crate) const SUCCESS: Return = 0;
pub(crate) const SUCCESS_WITH_INFO: Return = 1;
pub(crate) const NO_DATA: Return = 100;

pub(crate) const HANDLE_ENV: i16 = 1;
pub(crate) const HANDLE_DBC: i16 = 2;
pub(crate) const HANDLE_STMT: i16 = 3;

/// The length of a text that ends in a zero.
pub(crate) const NTS: i32 = -3;
/// The indicator in place of a length; -4 stands for "longer, nobody knows how much".
pub(crate) const NULL_DATA: isize = -1;

pub(crate) const ATTR_ODBC_VERSION: i32 = 200;
pub(crate) const ODBC_3_80: usize = 380;
pub(crate) const ATTR_LOGIN_TIMEOUT: i32 = 103;
pub(crate) const ATTR_ACCESS_MODE: i32 = 101;
pub(crate) const MODE_READ_ONLY: usize = 1;
pub(crate) const ATTR_ROW_ARRAY_SIZE: i32 = 27;
pub(crate) const ATTR_ROWS_FETCHED: i32 = 26;
pub(crate) const ATTR_ROW_STATUS: i32 = 25;
pub(crate) const ATTR_ROW_BIND_TYPE: i32 = 5;
/// Options of SQLFreeStmt: the result, the bindings.
pub(crate) const CLOSE: u16 = 0;
pub(crate) const UNBIND: u16 = 2;

pub(crate) const ROW_ERROR: u16 = 5;

pub(crate) const DRIVER_NAME: u16 = 6;
pub(crate) const DRIVER_VERSION: u16 = 7;
pub(crate) const DBMS_NAME: u16 = 17;
pub(crate) const IDENTIFIER_CASE: u16 = 28;
pub(crate) const IDENTIFIER_QUOTE_CHAR: u16 = 29;
pub(crate) const IC_UPPER: u32 = 1;
pub(crate) const IC_LOWER: u32 = 2;
pub(crate) const GETDATA_EXTENSIONS: u16 = 81;
/// SQLGetData serves columns before the last bound one, too.
pub(crate) const GD_ANY_COLUMN: u32 = 1;

pub(crate) const DESC_UNSIGNED: u16 = 8;
pub(crate) const DESC_TYPE_NAME: u16 = 14;
pub(crate) const NO_NULLS: i16 = 0;

pub(crate) const FETCH_NEXT: u16 = 1;
pub(crate) const FETCH_FIRST: u16 = 2;

pub(crate) const PARAM_INPUT: i16 = 1;

/// SQL types, as drivers describe columns.
pub(crate) mod sql {
    pub(crate) const CHAR: i16 = 1;
    pub(crate) const NUMERIC: i16 = 2;
    pub(crate) const DECIMAL: i16 = 3;
    pub(crate) const INTEGER: i16 = 4;
    pub(crate) const SMALLINT: i16 = 5;
    pub(crate) const FLOAT: i16 = 6;
    pub(crate) const REAL: i16 = 7;
    pub(crate) const DOUBLE: i16 = 8;
    /// What ODBC 2 drivers call a date, a time and a timestamp.
    pub(crate) const DATE_2: i16 = 9;
    pub(crate) const TIME_2: i16 = 10;
    pub(crate) const TIMESTAMP_2: i16 = 11;
    pub(crate) const VARCHAR: i16 = 12;
    pub(crate) const DATE: i16 = 91;
    pub(crate) const TIME: i16 = 92;
    pub(crate) const TIMESTAMP: i16 = 93;
    pub(crate) const LONGVARCHAR: i16 = -1;
    pub(crate) const BINARY: i16 = -2;
    pub(crate) const VARBINARY: i16 = -3;
    pub(crate) const LONGVARBINARY: i16 = -4;
    pub(crate) const BIGINT: i16 = -5;
    pub(crate) const TINYINT: i16 = -6;
    pub(crate) const BIT: i16 = -7;
    pub(crate) const WCHAR: i16 = -8;
    pub(crate) const WVARCHAR: i16 = -9;
    pub(crate) const WLONGVARCHAR: i16 = -10;
    pub(crate) const GUID: i16 = -11;
    /// SQL Server's time and datetimeoffset.
    pub(crate) const SS_TIME2: i16 = -154;
    pub(crate) const SS_TIMESTAMPOFFSET: i16 = -155;
}

/// C types, as buffers are bound.
pub(crate) mod c {
    pub(crate) const CHAR: i16 = 1;
    pub(crate) const FLOAT: i16 = 7;
    pub(crate) const DOUBLE: i16 = 8;
    pub(crate) const DATE: i16 = 91;
    pub(crate) const TIMESTAMP: i16 = 93;
    pub(crate) const BINARY: i16 = -2;
    pub(crate) const BIT: i16 = -7;
    pub(crate) const WCHAR: i16 = -8;
    pub(crate) const SSHORT: i16 = -15;
    pub(crate) const SLONG: i16 = -16;
    pub(crate) const USHORT: i16 = -17;
    pub(crate) const ULONG: i16 = -18;
    pub(crate) const SBIGINT: i16 = -25;
    pub(crate) const STINYINT: i16 = -26;
    pub(crate) const UBIGINT: i16 = -27;
    pub(crate) const UTINYINT: i16 = -28;
}
