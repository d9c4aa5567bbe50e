//! Safe wrappers of the driver manager's handles: an environment and a connection.

#![expect(unsafe_code, reason = "every call of the driver manager is a call of C")]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;
use std::time::Duration;

use crate::abi::{self, Handle, Return};
use crate::error::Record;
use crate::library::Library;
use crate::statement::Statement;
use crate::stop::Stop;

/// What a call failed with; never empty for a failed call of a well-behaved driver.
pub(crate) type Records = Vec<Record>;

/// An environment of the driver manager.
pub(crate) struct Environment {
    library: &'static Library,
    handle: Handle,
}

impl Environment {
    pub(crate) fn new(library: &'static Library) -> Result<Self, Records> {
        let handle = allocate(library, abi::HANDLE_ENV, null_mut(), abi::HANDLE_ENV)?;
        let environment = Environment { library, handle };
        // SAFETY: the handle is live; a number travels in the pointer, as ODBC has it.
        let code =
            unsafe { (library.set_environment)(handle, abi::ATTR_ODBC_VERSION, abi::ODBC_3_80 as *mut c_void, 0) };
        check(library, code, abi::HANDLE_ENV, handle)?;
        Ok(environment)
    }

    /// The names of the installed drivers.
    pub(crate) fn drivers(&self) -> Vec<String> {
        self.list(self.library.drivers)
    }

    /// The names of the data sources in odbc.ini.
    pub(crate) fn data_sources(&self) -> Vec<String> {
        self.list(self.library.data_sources)
    }

    fn list(
        &self,
        next: unsafe extern "system" fn(Handle, u16, *mut u16, i16, *mut i16, *mut u16, i16, *mut i16) -> Return,
    ) -> Vec<String> {
        let mut names = Vec::new();
        let mut direction = abi::FETCH_FIRST;
        loop {
            let (mut name, mut about) = ([0_u16; 256], [0_u16; 256]);
            let (mut length, mut about_length) = (0, 0);
            // SAFETY: the buffers are as long as is said.
            let code = unsafe {
                next(
                    self.handle,
                    direction,
                    name.as_mut_ptr(),
                    256,
                    &mut length,
                    about.as_mut_ptr(),
                    256,
                    &mut about_length,
                )
            };
            if !is_good(code) || names.len() > 1000 {
                return names;
            }
            names.push(text(&name, length));
            direction = abi::FETCH_NEXT;
        }
    }
}

impl Drop for Environment {
    fn drop(&mut self) {
        // SAFETY: connections keep their environment alive, so that none is left.
        unsafe { (self.library.free)(abi::HANDLE_ENV, self.handle) };
    }
}

/// An open connection. It stays on the thread that opened it.
pub(crate) struct Connection {
    environment: Environment,
    handle: Handle,
}

impl Connection {
    /// Logs in; blocks for as long as the driver wants.
    pub(crate) fn open(
        environment: Environment,
        string: &str,
        limit: Duration,
    ) -> Result<Self, (Environment, Records)> {
        let library = environment.library;
        let handle = match allocate(library, abi::HANDLE_DBC, environment.handle, abi::HANDLE_ENV) {
            Ok(handle) => handle,
            Err(records) => return Err((environment, records)),
        };
        let mut string = wide(string);
        // SAFETY: the handle is live and the string ends in a zero. Not every driver knows the time limit: who opens the
        // connection keeps to it besides.
        let code = unsafe {
            let seconds = usize::try_from(limit.as_secs()).unwrap_or(0);
            (library.set_connection)(handle, abi::ATTR_LOGIN_TIMEOUT, seconds as *mut c_void, 0);
            (library.connect)(handle, null_mut(), string.as_mut_ptr(), NTS_SHORT, null_mut(), 0, null_mut(), 0)
        };
        match check(library, code, abi::HANDLE_DBC, handle) {
            Ok(()) => Ok(Connection { environment, handle }),
            Err(records) => {
                // SAFETY: a connection that was not opened is freed without being closed.
                unsafe { (library.free)(abi::HANDLE_DBC, handle) };
                Err((environment, records))
            }
        }
    }

    /// What the driver says of itself in words.
    pub(crate) fn text_information(&self, what: u16) -> String {
        let mut buffer = [0_u16; 256];
        let mut length = 0;
        // SAFETY: the buffer's size is given in bytes.
        let code =
            unsafe { (self.library().information)(self.handle, what, buffer.as_mut_ptr().cast(), 512, &mut length) };
        if is_good(code) { text(&buffer, length / 2) } else { String::new() }
    }

    /// What the driver says of itself in bits.
    pub(crate) fn bits_information(&self, what: u16) -> u32 {
        let mut bits = 0_u32;
        // SAFETY: these answers are 32 bits wide.
        unsafe { (self.library().information)(self.handle, what, (&raw mut bits).cast(), 4, null_mut()) };
        bits
    }

    /// Tells the driver that nothing will be written. Some keep to it, most take note of it, and it is no promise of ODBC's.
    pub(crate) fn only_reads(&self) {
        // SAFETY: the handle is live, and this attribute is a number in the place of the pointer.
        unsafe {
            (self.library().set_connection)(self.handle, abi::ATTR_ACCESS_MODE, abi::MODE_READ_ONLY as *mut c_void, 0)
        };
    }

    /// A statement that `stop` can cancel.
    pub(crate) fn statement(&self, stop: &Arc<Stop>) -> Result<Statement<'_>, Records> {
        let handle = allocate(self.library(), abi::HANDLE_STMT, self.handle, abi::HANDLE_DBC)?;
        stop.watch(self.library(), handle);
        Ok(Statement::new(self, handle, stop))
    }

    pub(crate) fn library(&self) -> &'static Library {
        self.environment.library
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // SAFETY: no statement is left, since each borrows its connection.
        unsafe {
            (self.library().disconnect)(self.handle);
            (self.library().free)(abi::HANDLE_DBC, self.handle);
        }
    }
}

/// Asks the driver to stop what another thread runs on a statement.
pub(crate) fn cancel(library: &Library, statement: usize) {
    // SAFETY: `Stop` holds its lock while it calls this, without which the statement is not freed; SQLCancel is the one
    // function that may be called on a statement that is at work.
    unsafe { (library.cancel)(statement as Handle) };
}

/// `SQL_NTS` where it is given as a short number.
const NTS_SHORT: i16 = -3;

fn allocate(library: &Library, kind: i16, parent: Handle, parent_kind: i16) -> Result<Handle, Records> {
    let mut handle = null_mut();
    // SAFETY: the parent is live, or null for an environment.
    let code = unsafe { (library.allocate)(kind, parent, &mut handle) };
    if is_good(code) && !handle.is_null() {
        return Ok(handle);
    }
    Err(if parent.is_null() { vec![Record::unknown()] } else { records(library, parent_kind, parent) })
}

pub(crate) fn is_good(code: Return) -> bool {
    matches!(code, abi::SUCCESS | abi::SUCCESS_WITH_INFO)
}

pub(crate) fn check(library: &Library, code: Return, kind: i16, handle: Handle) -> Result<(), Records> {
    if is_good(code) { Ok(()) } else { Err(records(library, kind, handle)) }
}

/// The diagnostic records of the last call.
pub(crate) fn records(library: &Library, kind: i16, handle: Handle) -> Records {
    let mut records = Vec::new();
    // A driver that never ends its records shall not keep us.
    for number in 1..=16 {
        let mut state = [0_u16; 6];
        let mut message = [0_u16; 2048];
        let (mut native, mut length) = (0, 0);
        // SAFETY: the room is given in characters; five and a zero for the state.
        let code = unsafe {
            (library.diagnostics)(
                kind,
                handle,
                number,
                state.as_mut_ptr(),
                &mut native,
                message.as_mut_ptr(),
                2048,
                &mut length,
            )
        };
        if !is_good(code) {
            break;
        }
        records.push(Record { state: text(&state, 5), native, message: text(&message, length) });
    }
    if records.is_empty() { vec![Record::unknown()] } else { records }
}

/// UTF-16 with a zero at its end.
pub(crate) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().filter(|unit| *unit != 0).chain([0]).collect()
}

/// The first `length` characters of a buffer, or those before a zero.
pub(crate) fn text(buffer: &[u16], length: i16) -> String {
    let length = usize::try_from(length).unwrap_or(0).min(buffer.len());
    let text = buffer.get(..length).unwrap_or_default();
    let end = text.iter().position(|unit| *unit == 0).unwrap_or(text.len());
    String::from_utf16_lossy(text.get(..end).unwrap_or_default())
}
