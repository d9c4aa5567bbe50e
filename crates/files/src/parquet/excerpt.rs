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
    // Who has the file knows what its writer did wrong; who has the excerpt may not.
    let plain = meta.writer.tells_lengths() && !meta.writer.always_compresses();
    let stored = meta.stored(columns);
    let whole = stored.len() == columns.len() && !meta.is_any_encrypted(&stored);
    plain && whole && groups(&chunk.piece).is_some_and(|groups| serves(meta, &stored, &groups))
}

/// The row groups of a piece, or the one that it is of.
fn groups(piece: &Piece) -> Option<Range<usize>> {
    match piece {
        Piece::Groups(groups) => Some(groups.clone()),
        Piece::Rows { group, .. } => Some(*group..*group + 1),
        Piece::Blocks(_) | Piece::Text { .. } | Piece::Whole => None,
    }
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
    let (name, columns) = (&open.file.name, &meta.stored(columns));
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
