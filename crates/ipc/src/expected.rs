//! How many rows a server expects of a result, beside what Flight says of it.
//!
//! `FlightInfo.total_records` is a promise, which clients hand on as the number of rows; what a database expects of a query before it
//! runs is none. A client that makes room for a result, or shows how far it has come, is better off with it all the same.

use crate::note;

/// What a note begins with.
const MARK: &[u8] = b"bowshot: rows ";

/// What stands beside an answer, in its `app_metadata`.
///
/// ```
/// use bowshot_ipc::ExpectedNote;
///
/// let note = ExpectedNote { rows: 6_000_000 };
/// assert_eq!(ExpectedNote::read(&note.write()), Some(note));
/// assert_eq!(ExpectedNote::read(b"what another server says"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExpectedNote {
    /// About how many rows the result has.
    pub rows: u64,
}

impl ExpectedNote {
    /// The note's bytes.
    pub fn write(self) -> Vec<u8> {
        note::write(MARK, self.rows)
    }

    /// What a note says; `None` of another one.
    pub fn read(note: &[u8]) -> Option<ExpectedNote> {
        note::read(MARK, note).map(|rows| ExpectedNote { rows })
    }
}
