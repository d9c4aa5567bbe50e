//! Whether a driver writes the zero dates that it calls NULL: only then are its structures of dates exact.
//!
//! MariaDB Connector/ODBC writes year, month and day, finds them all zero, and says NULL; of a true NULL it writes nothing.
//! A version that does otherwise shows here, and its dates are asked for as text.

use crate::abi::c;
use crate::block::{Access, Cell, Slot};
use crate::handle::Records;
use crate::session::Desk;

/// A zero date and a NULL of both types. A session whose `sql_mode` forbids zero dates computes none, though its tables
/// may hold them: there the answer is no. (`SET STATEMENT … FOR SELECT` would compute them, but ends the process at the
/// driver's next statement.)
const SQL: &str = "SELECT FROM_DAYS(0), CAST(NULL AS DATE), CAST(FROM_DAYS(0) AS DATETIME), CAST(NULL AS DATETIME)";

/// As many as a block has, so that the driver goes the way of blocks.
const ROWS: usize = 2;

/// Whether this connection's driver does so. An answer that is not understood, or none, is no.
pub(crate) fn are_written(desk: &Desk) -> bool {
    // Where columns are asked for one by one, nothing is known.
    desk.driver.any_column && look(desk).unwrap_or(false)
}

fn look(desk: &Desk) -> Result<bool, Records> {
    let Ok(mut statement) = desk.query(SQL, &[]) else { return Ok(false) };
    let date = Access::Marked { c_type: c::DATE, size: 6 };
    let timestamp = Access::Marked { c_type: c::TIMESTAMP, size: 16 };
    let mut slots: Vec<Slot> = (1..)
        .zip([date, date, timestamp, timestamp])
        .map(|(number, access)| Slot::new(number, access, true, ROWS))
        .collect();
    if statement.columns()?.len() != slots.len() || statement.fetch_block(&mut slots, ROWS)? != 1 {
        return Ok(false);
    }
    let as_known = slots.iter().zip([true, false, true, false]).all(|(slot, written)| holds(slot, written));
    // To the end, as every result is read.
    Ok(as_known && statement.fetch_block(&mut slots, ROWS)? == 0)
}

/// Whether a slot's first value was written, all zero, or left alone.
fn holds(slot: &Slot, written: bool) -> bool {
    let expected = |_, cell: Cell<'_>| match cell {
        Cell::Value(bytes) if written && bytes.iter().all(|byte| *byte == 0) => Ok(()),
        Cell::Null if !written => Ok(()),
        _ => Err(()),
    };
    slot.each(1, expected).is_ok()
}
