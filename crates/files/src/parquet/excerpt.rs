//! Row groups, or rows of one, as a file of their own: the column chunks that are read, or those of their pages that hold the rows, byte
//! by byte as they are stored, and a footer for them.
//!
//! Who hands them on instead of batches neither decodes nor encodes anything, and sends fewer bytes. Only what [`Direct`](super::direct)
//! reads is handed on so: the reader at the other end is the same.

mod draft;
mod open;
mod pieces;
mod taken;

use std::iter::once;
use std::ops::Range;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bowshot_core::{Excerpt, Result};
use bytes::Bytes;

use super::direct::serves;
use super::{Meta, failed};
use crate::chunk::{Chunk, Piece};
use crate::guard::contained;
use crate::open::Open;

use draft::{Draft, MAGIC};
pub use open::open_excerpt;
use pieces::{Part, Pieces};

/// The footer's word for how many rows each column's pages have before the first one that is sent: numbers with commas between them. It
/// is there where rows of a row group are sent, whose columns' pages do not begin together.
const BEFORE: &str = "bowshot.rows_before";

/// Whether these columns of a piece may be handed on so.
pub(crate) fn may_be_excerpt(meta: &Meta, columns: &[usize], chunk: &Chunk) -> bool {
    let writer = meta.reader.metadata().file_metadata().created_by();
    tells_lengths(writer) && groups(&chunk.piece).is_some_and(|groups| serves(meta, columns, &groups))
}

/// The row groups of a piece, or the one that it is of.
fn groups(piece: &Piece) -> Option<Range<usize>> {
    match piece {
        Piece::Groups(groups) => Some(groups.clone()),
        Piece::Rows { group, .. } => Some(*group..*group + 1),
        Piece::Blocks(_) | Piece::Text { .. } | Piece::Whole => None,
    }
}

/// Whether a writer's column chunks are as long as it says: before version 1.2.9, parquet-mr counted the dictionary without its header
/// ([PARQUET-816](https://issues.apache.org/jira/browse/PARQUET-816)). Who has the file reads on; who has the excerpt cannot.
fn tells_lengths(writer: Option<&str>) -> bool {
    let Some(version) = writer.and_then(|writer| writer.strip_prefix("parquet-mr")) else { return true };
    let version = version.trim_start().trim_start_matches("version ");
    let mut numbers =
        version.split(|letter: char| !letter.is_ascii_digit()).map(|digits| digits.parse().unwrap_or(0_u32));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next()) >= (1, 2, 9)
}

/// A piece as a file with these columns, which are read as those of `schema`, if they are stored in at most the `smaller`th
/// part of the bytes of their batches; `None` where they cannot be handed on.
pub(crate) fn excerpt(
    open: &Arc<Open>,
    meta: &Meta,
    columns: &[usize],
    schema: &SchemaRef,
    chunk: &Chunk,
    smaller: u64,
) -> Result<Option<Excerpt<'static>>> {
    if !open.is_local() || !may_be_excerpt(meta, columns, chunk) {
        return Ok(None);
    }
    let name = &open.file.name;
    contained(
        || name.clone(),
        || {
            let Some(draft) = Draft::new(open, meta, columns, chunk).map_err(|error| failed(name, error))? else {
                return Ok(None);
            };
            if !draft.is_readable(schema) {
                return Ok(None);
            }
            let footer = draft.footer().map_err(|error| failed(name, error))?;
            let bytes = draft.end + footer.len() as u64;
            if bytes > Excerpt::LARGEST || bytes.saturating_mul(smaller) > chunk.bytes {
                return Ok(None);
            }
            let magic = Part::Bytes(Bytes::from_static(MAGIC));
            let parts = once(magic).chain(draft.ranges.into_iter().map(Part::Range)).chain(once(Part::Bytes(footer)));
            let pieces = Pieces::new(open, parts.collect());
            let rows = chunk.rows.unwrap_or(0);
            Ok(Some(Excerpt { rows, bytes, decoded_bytes: chunk.bytes, pieces: Box::new(pieces) }))
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_writer_that_counts_too_little_is_known() {
        for (writer, tells) in [
            (None, true),
            (Some("parquet-cpp-arrow version 26.0.1"), true),
            (Some("parquet-rs version 0.1.0"), true),
            (Some("parquet-mr version 1.2.9"), true),
            (Some("parquet-mr version 1.10.0 (build 031a6654009e3b82020012a18434c582bd74c73a)"), true),
            (Some("parquet-mr version 2.0"), true),
            (Some("parquet-mr version 1.2.8-SNAPSHOT"), false),
            (Some("parquet-mr version 1.1"), false),
            (Some("parquet-mr"), false),
        ] {
            assert_eq!(tells_lengths(writer), tells, "{writer:?}");
        }
    }
}
