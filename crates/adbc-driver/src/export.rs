//! The functions by which driver managers find the driver.
//!
//! They are those of `adbc_ffi`, but what a program binds is looked at before it gets there: `adbc_ffi` panics on a struct array with
//! NULL rows and refuses every later call in the process, and of a stream of such it takes what lies below the NULLs.

use std::os::raw::{c_int, c_void};

use adbc_core::constants::ADBC_STATUS_OK;
use adbc_core::error::{AdbcStatusCode, Error as AdbcError, Result as AdbcResult, Status};
use adbc_core::options::AdbcVersion;
use adbc_ffi::{FFI_AdbcDriver, FFI_AdbcError, FFI_AdbcStatement, FFIDriver, export_error};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;

use crate::BowshotDriver;
use crate::error::guarded;
use crate::foreign::{ForeignBatches, rows};

/// Fills in the functions of the driver.
///
/// # Safety
/// `driver` is null or has room for an `AdbcDriver` of ADBC 1.1, and `error` is null or an `AdbcError`.
#[expect(unsafe_code, reason = "C's interface, and the name that driver managers look for")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn AdbcDriverBowshotInit(
    version: c_int,
    driver: *mut c_void,
    error: *mut FFI_AdbcError,
) -> AdbcStatusCode {
    let driver = driver.cast::<FFI_AdbcDriver>();
    if AdbcVersion::try_from(version).ok() != Some(AdbcVersion::V110) {
        let message = format!("the driver speaks ADBC 1.1.0, and was asked for version {version}");
        return told(Err(AdbcError::with_message_and_status(message, Status::NotImplemented)), error);
    }
    if driver.is_null() {
        return told(Err(null("driver")), error);
    }
    let mut functions = BowshotDriver::ffi_driver();
    functions.StatementBind = Some(bind);
    functions.StatementBindStream = Some(bind_stream);
    // SAFETY: the caller has room for the functions; `write_unaligned` asks for no more.
    unsafe { driver.write_unaligned(functions) };
    ADBC_STATUS_OK
}

/// The name that is looked for where the other is not found.
///
/// # Safety
/// As of [`AdbcDriverBowshotInit`].
#[expect(unsafe_code, reason = "C's interface, and the name that driver managers look for")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn AdbcDriverInit(
    version: c_int,
    driver: *mut c_void,
    error: *mut FFI_AdbcError,
) -> AdbcStatusCode {
    // SAFETY: the caller keeps the same promises.
    unsafe { AdbcDriverBowshotInit(version, driver, error) }
}

#[expect(unsafe_code, reason = "C's interface")]
unsafe extern "C" fn bind(
    statement: *mut FFI_AdbcStatement,
    values: *mut FFI_ArrowArray,
    schema: *mut FFI_ArrowSchema,
    error: *mut FFI_AdbcError,
) -> AdbcStatusCode {
    let Some(go_on) = BowshotDriver::ffi_driver().StatementBind else { return Status::NotImplemented.into() };
    // SAFETY: not null, the pointers are what ADBC's header says: a valid array, which is the driver's from here on, and its schema.
    let Some((array, of)) = (unsafe { values.as_mut().zip(schema.as_ref()) }) else {
        return told(Err(null("values or schema")), error);
    };
    // SAFETY: moved out of the caller's place, which is left released.
    let array = unsafe { FFI_ArrowArray::from_raw(array) };
    let checked = guarded(|| {
        let rows = rows(array, of)?;
        to_ffi(&rows).map_err(crate::foreign::not_arrow)
    });
    match checked {
        // SAFETY: the arrays are valid and this function's own; `statement` and `error` are the caller's.
        Ok((mut array, mut schema)) => unsafe { go_on(statement, &raw mut array, &raw mut schema, error) },
        Err(refused) => told(Err(refused), error),
    }
}

#[expect(unsafe_code, reason = "C's interface")]
unsafe extern "C" fn bind_stream(
    statement: *mut FFI_AdbcStatement,
    stream: *mut FFI_ArrowArrayStream,
    error: *mut FFI_AdbcError,
) -> AdbcStatusCode {
    let Some(go_on) = BowshotDriver::ffi_driver().StatementBindStream else { return Status::NotImplemented.into() };
    if stream.is_null() {
        return told(Err(null("stream")), error);
    }
    // SAFETY: a valid stream, which is the driver's from here on; the caller's place is left released.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(stream) };
    match guarded(|| ForeignBatches::new(stream)) {
        Ok(batches) => {
            let mut stream = FFI_ArrowArrayStream::new(Box::new(batches));
            // SAFETY: the stream is valid and this function's own; `statement` and `error` are the caller's.
            unsafe { go_on(statement, &raw mut stream, error) }
        }
        Err(refused) => told(Err(refused), error),
    }
}

fn null(what: &str) -> AdbcError {
    AdbcError::with_message_and_status(format!("{what} must not be null"), Status::InvalidArguments)
}

/// The status of what was done, and its error where the caller has room for one.
#[expect(unsafe_code, reason = "C's interface")]
fn told(done: AdbcResult<()>, error: *mut FFI_AdbcError) -> AdbcStatusCode {
    match done {
        Ok(()) => ADBC_STATUS_OK,
        Err(reason) => {
            let status = reason.status.into();
            // SAFETY: null, or an error of the caller's, initialized as ADBC's header says.
            unsafe { export_error(error, reason) };
            status
        }
    }
}
