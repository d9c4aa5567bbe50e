//! A safe wrapper of the driver manager's statements: what runs, what it is bound to, what it fetches.

#![expect(unsafe_code, reason = "every call of the driver manager is a call of C")]

use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

use crate::abi::{self, Handle, Return};
use crate::block::Slot;
use crate::error::Record;
use crate::handle::{Connection, Records, check, is_good, records, text, wide};
use crate::library::Library;
use crate::parameters::Parameter;
use crate::stop::Stop;

/// Names are cut here; no database allows longer ones.
const LONGEST_NAME: usize = 1024;
/// How much room a long value is given first, and when its driver does not say how long it is.
const PIECE: usize = 16 << 10;
/// Stands where a driver has to write the zero behind a full piece.
const MARK: u8 = 0xff;

/// What a driver says of a column.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Description {
    pub(crate) name: String,
    /// An SQL type of ODBC.
    pub(crate) sql_type: i16,
    /// Characters, bytes or digits; 0 where it is not known.
    pub(crate) size: usize,
    pub(crate) digits: i16,
    pub(crate) no_nulls: bool,
    pub(crate) unsigned: bool,
    /// The driver's own name of the type; may be empty.
    pub(crate) type_name: String,
}

/// A statement with what its driver writes to.
pub(crate) struct Statement<'c> {
    connection: &'c Connection,
    handle: Handle,
    /// Where the driver counts the rows of a fetch.
    fetched: Box<usize>,
    /// Where the driver says how each row went.
    status: Vec<u16>,
    parameters: Vec<Parameter>,
    /// The buffers of a fetch row by row.
    scratch: Vec<Slot>,
    /// Where the rows come by a cursor: how to ask for more.
    portions: Option<Portions>,
    stop: Arc<Stop>,
}

/// A statement that is run again and again, each time for the next rows of a cursor.
struct Portions {
    sql: String,
    /// Rows of a full portion.
    rows: usize,
    /// Rows of the current one that were fetched.
    fetched: usize,
}

impl<'c> Statement<'c> {
    /// Wraps a new handle, which `stop` watches already.
    pub(crate) fn new(connection: &'c Connection, handle: Handle, stop: &Arc<Stop>) -> Self {
        Statement {
            connection,
            handle,
            fetched: Box::new(0),
            status: Vec::new(),
            parameters: Vec::new(),
            scratch: Vec::new(),
            portions: None,
            stop: Arc::clone(stop),
        }
    }
}

impl Statement<'_> {
    pub(crate) fn prepare(&mut self, sql: &str) -> Result<(), Records> {
        let mut sql = wide(sql);
        // SAFETY: the text ends in a zero.
        let code = unsafe { (self.library().prepare)(self.handle, sql.as_mut_ptr(), abi::NTS) };
        self.check(code)
    }

    pub(crate) fn execute(&mut self) -> Result<(), Records> {
        // SAFETY: the bound parameters live in this statement.
        let code = unsafe { (self.library().execute)(self.handle) };
        if code == abi::NO_DATA { Ok(()) } else { self.check(code) }
    }

    pub(crate) fn execute_direct(&mut self, sql: &str) -> Result<(), Records> {
        let mut sql = wide(sql);
        // SAFETY: the text ends in a zero, the bound parameters live in this statement.
        let code = unsafe { (self.library().execute_direct)(self.handle, sql.as_mut_ptr(), abi::NTS) };
        // An UPDATE that found no row.
        if code == abi::NO_DATA { Ok(()) } else { self.check(code) }
    }

    /// Runs a statement whose result is the next `rows` rows of a cursor, or fewer at its end; fetching runs it again.
    pub(crate) fn execute_portions(&mut self, sql: String, rows: usize) -> Result<(), Records> {
        self.execute_direct(&sql)?;
        self.portions = Some(Portions { sql, rows, fetched: 0 });
        Ok(())
    }

    /// Whether the last call succeeded with a warning of this SQLSTATE.
    pub(crate) fn has_warned(&self, state: &str) -> bool {
        self.records().iter().any(|record| record.state == state)
    }

    /// Binds the values of the placeholders.
    pub(crate) fn bind_parameters(&mut self, parameters: Vec<Parameter>) -> Result<(), Records> {
        self.parameters = parameters;
        let library = self.library();
        for (number, parameter) in (1_u16..).zip(&mut self.parameters) {
            let Parameter { c_type, sql_type, size, data, length } = parameter;
            let bytes = isize::try_from(data.len()).unwrap_or(isize::MAX);
            // SAFETY: the data and its length live in this statement, which moves neither until it is freed.
            let code = unsafe {
                (library.bind_parameter)(
                    self.handle,
                    number,
                    abi::PARAM_INPUT,
                    *c_type,
                    *sql_type,
                    *size,
                    0,
                    data.as_mut_ptr().cast(),
                    bytes,
                    &raw mut **length,
                )
            };
            check(library, code, abi::HANDLE_STMT, self.handle)?;
        }
        Ok(())
    }

    /// The columns of the result; none for a statement without one.
    pub(crate) fn columns(&self) -> Result<Vec<Description>, Records> {
        let mut count = 0;
        // SAFETY: the count is written to a local.
        let code = unsafe { (self.library().count_columns)(self.handle, &mut count) };
        self.check(code)?;
        (1..=u16::try_from(count).unwrap_or(0)).map(|number| self.describe(number)).collect()
    }

    fn describe(&self, number: u16) -> Result<Description, Records> {
        let mut name = [0_u16; LONGEST_NAME];
        let (mut length, mut sql_type, mut size, mut digits, mut nullable) = (0, 0, 0, 0, 0);
        // SAFETY: the room for the name is given in characters; the rest is written to locals.
        let code = unsafe {
            (self.library().describe)(
                self.handle,
                number,
                name.as_mut_ptr(),
                1024,
                &mut length,
                &mut sql_type,
                &mut size,
                &mut digits,
                &mut nullable,
            )
        };
        self.check(code)?;
        Ok(Description {
            name: text(&name, length),
            sql_type,
            size,
            digits,
            no_nulls: nullable == abi::NO_NULLS,
            unsigned: self.number_attribute(number, abi::DESC_UNSIGNED) == Some(1),
            type_name: self.text_attribute(number, abi::DESC_TYPE_NAME),
        })
    }

    fn number_attribute(&self, number: u16, attribute: u16) -> Option<isize> {
        let mut value = 0;
        // SAFETY: the number is written to a local.
        let code = unsafe {
            (self.library().attribute)(self.handle, number, attribute, null_mut(), 0, null_mut(), &mut value)
        };
        is_good(code).then_some(value)
    }

    fn text_attribute(&self, number: u16, attribute: u16) -> String {
        let mut buffer = [0_u16; 256];
        let mut length = 0;
        // SAFETY: the buffer's size is given in bytes.
        let code = unsafe {
            (self.library().attribute)(
                self.handle,
                number,
                attribute,
                buffer.as_mut_ptr().cast(),
                512,
                &mut length,
                null_mut(),
            )
        };
        if is_good(code) { text(&buffer, length / 2) } else { String::new() }
    }

    /// Fetches as many rows as the slots have room for; 0 at the end.
    pub(crate) fn fetch_block(&mut self, slots: &mut [Slot], rows: usize) -> Result<usize, Records> {
        if self.status.len() != rows {
            self.set_rows(rows)?;
        }
        slots.iter_mut().for_each(Slot::ready);
        self.bind(slots)?;
        self.fetch()
    }

    /// Keeps slots of one row for [`Statement::fetch_row`]. A slot without a number is not bound.
    pub(crate) fn keep(&mut self, mut slots: Vec<Slot>) -> Result<(), Records> {
        self.set_rows(1)?;
        self.bind(&mut slots)?;
        // Moving the vector moves none of the buffers that the driver was told.
        self.scratch = slots;
        Ok(())
    }

    /// Fetches one row into the kept slots; false at the end.
    pub(crate) fn fetch_row(&mut self) -> Result<bool, Records> {
        self.scratch.iter_mut().for_each(Slot::ready);
        Ok(self.fetch()? > 0)
    }

    /// The kept slots.
    pub(crate) fn row(&self) -> &[Slot] {
        &self.scratch
    }

    fn set_rows(&mut self, rows: usize) -> Result<(), Records> {
        self.status = vec![0; rows];
        let library = self.library();
        let set = |attribute, value: *mut c_void| {
            // SAFETY: the count and the states live in this statement; they are as many as the rows of a fetch.
            let code = unsafe { (library.set_statement)(self.handle, attribute, value, 0) };
            check(library, code, abi::HANDLE_STMT, self.handle)
        };
        set(abi::ATTR_ROW_BIND_TYPE, null_mut())?;
        set(abi::ATTR_ROW_ARRAY_SIZE, rows as *mut c_void)?;
        set(abi::ATTR_ROWS_FETCHED, (&raw mut *self.fetched).cast())?;
        set(abi::ATTR_ROW_STATUS, self.status.as_mut_ptr().cast())
    }

    fn bind(&mut self, slots: &mut [Slot]) -> Result<(), Records> {
        let rows = self.status.len();
        for slot in slots {
            let Some((number, c_type, stride)) = slot.binding(rows) else { continue };
            let (data, lengths) = slot.buffers();
            // SAFETY: the slot was checked to hold `rows` values of `stride` bytes and as many lengths. The driver writes to
            // them only in the fetch that follows, or they are kept in this statement.
            let code = unsafe {
                (self.library().bind)(
                    self.handle,
                    number,
                    c_type,
                    data.as_mut_ptr().cast(),
                    isize::try_from(stride).unwrap_or(0),
                    lengths.as_mut_ptr(),
                )
            };
            self.check(code)?;
        }
        Ok(())
    }

    fn fetch(&mut self) -> Result<usize, Records> {
        loop {
            let rows = self.fetch_from_result()?;
            let Some(portions) = &mut self.portions else { return Ok(rows) };
            portions.fetched += rows;
            if rows > 0 || portions.fetched < portions.rows {
                return Ok(rows);
            }
            portions.fetched = 0;
            let sql = portions.sql.clone();
            // SAFETY: the handle is live; what it is bound to stays.
            unsafe { (self.library().free_statement)(self.handle, abi::CLOSE) };
            self.execute_direct(&sql)?;
        }
    }

    fn fetch_from_result(&mut self) -> Result<usize, Records> {
        *self.fetched = 0;
        // SAFETY: see `bind` and `set_rows`.
        let code = unsafe { (self.library().fetch)(self.handle) };
        match code {
            abi::NO_DATA => return Ok(0),
            abi::SUCCESS => {}
            abi::SUCCESS_WITH_INFO => self.worries()?,
            _ => self.check(code)?,
        }
        let rows = (*self.fetched).min(self.status.len());
        // A driver may count nothing where it fetches row by row.
        let rows = if rows == 0 && self.status.len() == 1 { 1 } else { rows };
        if self.status.iter().take(rows).any(|status| *status == abi::ROW_ERROR) {
            return Err(self.records());
        }
        Ok(rows)
    }

    /// The warnings of a fetch that mean a value is not what it was. Cut text shows in its length instead.
    fn worries(&self) -> Result<(), Records> {
        let records = self.records();
        // 01S01: an error in a row. 01S07: digits were cut.
        let bad =
            |record: &Record| record.state.starts_with("22") || matches!(record.state.as_str(), "01S01" | "01S07");
        if records.iter().any(bad) { Err(records) } else { Ok(()) }
    }

    /// Appends a value of any length to `bytes`, piece by piece; its indicator if it is NULL.
    pub(crate) fn get_long(&mut self, number: u16, c_type: i16, bytes: &mut Vec<u8>) -> Result<bool, Records> {
        // How many bytes of each full piece are a final zero.
        let zero = match c_type {
            abi::c::WCHAR => 2,
            abi::c::CHAR => 1,
            _ => 0,
        };
        let mut room = PIECE;
        loop {
            bytes.reserve(room);
            // All the room there is, in whole UTF-16 units.
            let room_now = (bytes.capacity() - bytes.len()) & !1;
            let full = room_now - zero;
            let mut length = 0;
            // SAFETY: as many bytes behind the vector's end belong to it. The place of the final zero is marked first.
            let code = unsafe {
                let end = bytes.as_mut_ptr().add(bytes.len());
                end.add(full).write_bytes(MARK, zero);
                (self.library().get_data)(
                    self.handle,
                    number,
                    c_type,
                    end.cast(),
                    isize::try_from(room_now).unwrap_or(isize::MAX),
                    &mut length,
                )
            };
            match code {
                // The value ended exactly with the last piece.
                abi::NO_DATA => return Ok(true),
                abi::SUCCESS | abi::SUCCESS_WITH_INFO => {}
                _ => return Err(self.records()),
            }
            if length == abi::NULL_DATA {
                return Ok(false);
            }
            let (got, left) = match usize::try_from(length) {
                Ok(length) if length <= full => (length, None),
                Ok(length) => (full, Some(length - full)),
                // NO_TOTAL: there is more, nobody knows how much.
                Err(_) => (full, Some(room_now * 2)),
            };
            if left.is_some() {
                // SAFETY: these bytes were written above. A driver that cut a piece earlier, before a character that did
                // not fit in whole, has not written as many bytes as are taken here.
                let end = unsafe { std::slice::from_raw_parts(bytes.as_ptr().add(bytes.len() + full), zero) };
                if end.iter().any(|byte| *byte != 0) {
                    let message = "the driver hands out a long value in pieces of unknown lengths".to_owned();
                    return Err(vec![Record { message, ..Record::unknown() }]);
                }
            }
            // SAFETY: the driver wrote these bytes.
            unsafe { bytes.set_len(bytes.len() + got) };
            match left {
                None => return Ok(true),
                Some(left) => room = left + 2,
            }
        }
    }

    /// Gets a value of bounded size into `data`; its indicator.
    pub(crate) fn get_fixed(&mut self, number: u16, c_type: i16, data: &mut [u8]) -> Result<isize, Records> {
        let mut length = 0;
        // SAFETY: the slice is as long as is said.
        let code = unsafe {
            (self.library().get_data)(
                self.handle,
                number,
                c_type,
                data.as_mut_ptr().cast(),
                isize::try_from(data.len()).unwrap_or(0),
                &mut length,
            )
        };
        self.check(code)?;
        Ok(length)
    }

    /// Whether another result follows, which becomes the current one.
    pub(crate) fn more_results(&mut self) -> Result<bool, Records> {
        // SAFETY: the handle is live.
        let code = unsafe { (self.library().more_results)(self.handle) };
        if code == abi::NO_DATA { Ok(false) } else { self.check(code).map(|()| true) }
    }

    fn library(&self) -> &'static Library {
        self.connection.library()
    }

    fn check(&self, code: Return) -> Result<(), Records> {
        check(self.library(), code, abi::HANDLE_STMT, self.handle)
    }

    fn records(&self) -> Records {
        records(self.library(), abi::HANDLE_STMT, self.handle)
    }
}

impl Drop for Statement<'_> {
    fn drop(&mut self) {
        // Nobody may cancel a statement that is being freed.
        self.stop.forget();
        // SAFETY: unbound first, so that no driver remembers a buffer.
        unsafe {
            (self.library().free_statement)(self.handle, abi::UNBIND);
            (self.library().free)(abi::HANDLE_STMT, self.handle);
        }
    }
}
