//! The driver manager, opened at run time: a program with this source in it starts where there is none.

#![expect(unsafe_code, reason = "functions of a C library are found by name and called through pointers")]

use std::ffi::c_void;
use std::sync::OnceLock;

use bowshot_core::{Error, ErrorKind, Result};

use crate::abi::{Handle, Return};

/// The names that driver managers go by, the usual one of each system first.
#[cfg(target_os = "linux")]
const NAMES: &[&str] = &["libodbc.so.2", "libodbc.so.1", "libodbc.so"];
#[cfg(target_os = "macos")]
const NAMES: &[&str] = &["libodbc.2.dylib", "/opt/homebrew/lib/libodbc.2.dylib", "/usr/local/lib/libodbc.2.dylib"];
#[cfg(windows)]
const NAMES: &[&str] = &["odbc32.dll"];
#[cfg(not(any(target_os = "linux", target_os = "macos", windows)))]
const NAMES: &[&str] = &["libodbc.so", "libodbc.so.2"];

/// Declares the functions once: their fields, their types and their names in the library.
macro_rules! functions {
    ($($field:ident = $name:literal ($($argument:ty),*);)*) => {
        /// The functions that Bowshot calls. W functions take and give UTF-16, so that no locale has a say in it.
        pub(crate) struct Library {
            $(pub(crate) $field: unsafe extern "system" fn($($argument),*) -> Return,)*
        }

        impl Library {
            fn load(library: &'static libloading::Library) -> Result<Self, libloading::Error> {
                Ok(Library {
                    // SAFETY: the signatures are those of ODBC 3.80 (sql.h, sqlext.h, sqlucode.h); the library is never
                    // unloaded, so that the pointers stay valid.
                    $($field: *unsafe { library.get(concat!($name, "\0").as_bytes()) }?,)*
                })
            }
        }
    };
}

functions! {
    allocate = "SQLAllocHandle" (i16, Handle, *mut Handle);
    free = "SQLFreeHandle" (i16, Handle);
    set_environment = "SQLSetEnvAttr" (Handle, i32, *mut c_void, i32);
    set_connection = "SQLSetConnectAttrW" (Handle, i32, *mut c_void, i32);
    set_statement = "SQLSetStmtAttrW" (Handle, i32, *mut c_void, i32);
    drivers = "SQLDriversW" (Handle, u16, *mut u16, i16, *mut i16, *mut u16, i16, *mut i16);
    data_sources = "SQLDataSourcesW" (Handle, u16, *mut u16, i16, *mut i16, *mut u16, i16, *mut i16);
    connect = "SQLDriverConnectW" (Handle, *mut c_void, *mut u16, i16, *mut u16, i16, *mut i16, u16);
    disconnect = "SQLDisconnect" (Handle);
    information = "SQLGetInfoW" (Handle, u16, *mut c_void, i16, *mut i16);
    prepare = "SQLPrepareW" (Handle, *mut u16, i32);
    execute = "SQLExecute" (Handle);
    execute_direct = "SQLExecDirectW" (Handle, *mut u16, i32);
    count_columns = "SQLNumResultCols" (Handle, *mut i16);
    describe = "SQLDescribeColW" (Handle, u16, *mut u16, i16, *mut i16, *mut i16, *mut usize, *mut i16, *mut i16);
    attribute = "SQLColAttributeW" (Handle, u16, u16, *mut c_void, i16, *mut i16, *mut isize);
    bind = "SQLBindCol" (Handle, u16, i16, *mut c_void, isize, *mut isize);
    bind_parameter = "SQLBindParameter" (Handle, u16, i16, i16, i16, usize, i16, *mut c_void, isize, *mut isize);
    fetch = "SQLFetch" (Handle);
    get_data = "SQLGetData" (Handle, u16, i16, *mut c_void, isize, *mut isize);
    more_results = "SQLMoreResults" (Handle);
    free_statement = "SQLFreeStmt" (Handle, u16);
    cancel = "SQLCancel" (Handle);
    diagnostics = "SQLGetDiagRecW" (i16, Handle, i16, *mut u16, *mut i32, *mut u16, i16, *mut i16);
}

/// The driver manager of this machine, loaded once.
pub(crate) fn library() -> Result<&'static Library> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(|| open(NAMES)).as_ref().map_err(|why| missing(why))
}

fn open(names: &[&str]) -> Result<Library, String> {
    let mut first = None;
    for name in names {
        // SAFETY: loading runs the library's initialisers, as linking to it would.
        match unsafe { libloading::Library::new(name) } {
            Ok(library) => {
                // Never unloaded: drivers leave threads and exit handlers behind.
                return Library::load(Box::leak(Box::new(library))).map_err(|error| error.to_string());
            }
            Err(error) => _ = first.get_or_insert_with(|| error.to_string()),
        }
    }
    Err(first.unwrap_or_default())
}

fn missing(why: &str) -> Error {
    let (name, way) = if cfg!(windows) {
        ("ODBC", "odbc32.dll is a part of Windows")
    } else if cfg!(target_os = "macos") {
        ("unixODBC", "brew install unixodbc, and the driver of your database")
    } else {
        ("unixODBC", "apt-get install unixodbc, and the driver of your database")
    };
    Error::new(ErrorKind::Unsupported, format!("{name} is not installed: {why}")).with_hint(way)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_the_way_to_get_it() {
        let error = open(&["libno_driver_manager.so.2", "libnone.so"]).err().map(|why| missing(&why)).unwrap();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        assert!(error.message().contains("is not installed: libno_driver_manager.so.2"), "{error}");
        assert!(error.hint().is_some());
    }
}
