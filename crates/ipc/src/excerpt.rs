//! Parts of a Parquet file in place of batches: the note that stands beside them.
//!
//! Rows that are stored in Parquet, and that nobody computes with on their way, need not be decoded and encoded in between. A server hands
//! them on as a small Parquet file of their own, in messages of Flight that have a body and no header, one behind the other; each says in
//! its `app_metadata` how many bytes the file has. Behind the last one may follow another file, or a batch.

use crate::note;

/// The word by which a client says that it reads them.
pub(crate) const EXCERPTS: &str = "parquet";

/// What a note begins with.
const MARK: &[u8] = b"bowshot: parquet ";

/// What stands beside a part of a Parquet file.
///
/// ```
/// use bowshot_ipc::ExcerptNote;
///
/// let note = ExcerptNote { bytes: 1_000_000 };
/// assert_eq!(ExcerptNote::read(&note.write()), Some(note));
/// assert_eq!(ExcerptNote::read(b"something else"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExcerptNote {
    /// How many bytes the whole file has.
    pub bytes: u64,
}

impl ExcerptNote {
    /// The note's bytes.
    pub fn write(self) -> Vec<u8> {
        note::write(MARK, self.bytes)
    }

    /// What a note says; `None` of another one.
    pub fn read(note: &[u8]) -> Option<ExcerptNote> {
        note::read(MARK, note).map(|bytes| ExcerptNote { bytes })
    }

    /// Whether this is such a note, or was meant to be one.
    pub fn is_note(note: &[u8]) -> bool {
        note.starts_with(MARK)
    }
}
