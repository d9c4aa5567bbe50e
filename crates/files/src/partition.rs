//! Chunks put together into partitions.

use bowshot_core::{Excerpt, Options};

use crate::chunk::{Chunk, Piece};

/// How many bytes a partition should have: the consumer takes partitions in their order, and what workers are ahead with
/// waits in the buffer. More than 16 MiB would gain nothing, and leave workers without work at the end; who reads partitions one by one
/// says how many they are to have.
pub(crate) fn target(options: &Options) -> u64 {
    if let Some(bytes) = options.partition_bytes {
        return bytes.max(1);
    }
    let share = options.buffer_bytes / options.workers();
    (share as u64).clamp(1 << 20, 16 << 20)
}

/// The same for partitions that are read one by one of `all` bytes: no fewer of them than may be read at once.
pub(crate) fn for_all(options: &Options, target: u64, all: u64) -> u64 {
    target.min(all.div_ceil(options.workers() as u64).max(1 << 20))
}

/// Where row groups are cut.
#[derive(Clone, Copy)]
pub(crate) enum Cut {
    /// Into pieces of about so many bytes in memory.
    Decoded(u64),
    /// Into pieces of about so many bytes as they are stored: they are handed on so. At a cut, pages belong to both pieces.
    Stored(u64),
}

impl Cut {
    /// About how many bytes a piece has.
    pub(crate) fn target(self) -> u64 {
        match self {
            Cut::Decoded(target) | Cut::Stored(target) => target,
        }
    }

    /// Into how many pieces a row group is cut that has so many bytes in memory, and so many stored.
    pub(crate) fn pieces(self, decoded: u64, stored: u64) -> u64 {
        match self {
            Cut::Decoded(target) if decoded <= target + target / 2 => 1,
            Cut::Decoded(target) => decoded.div_ceil(target),
            Cut::Stored(target) if stored <= target.min(Excerpt::LARGEST) => 1,
            // Pages at the cuts come on top of it.
            Cut::Stored(target) => stored.div_ceil(target.min(Excerpt::LARGEST / 2)),
        }
    }
}

/// What one worker may unpack at once before others do the same: a few times of what may wait for the consumer. Of more, one worker reads
/// all, one row group after the other.
pub(crate) fn heavy(options: &Options) -> u64 {
    (options.buffer_bytes as u64).saturating_mul(8)
}

/// Chunks that follow each other, put together up to `target` bytes; those that hold more than `heavy` bytes whatever they have.
pub(crate) fn group(chunks: Vec<Chunk>, target: u64, heavy: u64) -> Vec<Vec<Chunk>> {
    let mut parts: Vec<Vec<Chunk>> = Vec::new();
    let mut bytes = 0_u64;
    for chunk in chunks {
        let more = chunk.bytes;
        let are_heavy = |part: &Vec<Chunk>| chunk.held > heavy && part.last().is_some_and(|last| last.held > heavy);
        match parts.last_mut() {
            Some(part) if are_heavy(part) => {
                bytes = bytes.saturating_add(more);
                add(part, chunk);
            }
            Some(part) if bytes.saturating_add(more) <= target => {
                bytes = bytes.saturating_add(more);
                add(part, chunk);
            }
            _ => {
                bytes = more;
                parts.push(vec![chunk]);
            }
        }
    }
    parts
}

/// Adds a chunk to a partition; one that follows the last one directly becomes part of it.
pub(crate) fn add(part: &mut Vec<Chunk>, chunk: Chunk) {
    if let Some(last) = part.last_mut().filter(|last| last.file == chunk.file) {
        let joined = match (&mut last.piece, &chunk.piece) {
            (Piece::Groups(before), Piece::Groups(after)) | (Piece::Blocks(before), Piece::Blocks(after))
                if before.end == after.start =>
            {
                before.end = after.end;
                true
            }
            (Piece::Text { bytes: before, .. }, Piece::Text { bytes: after, .. }) if before.end == after.start => {
                before.end = after.end;
                true
            }
            _ => false,
        };
        if joined {
            last.rows = last.rows.zip(chunk.rows).map(|(one, other)| one.saturating_add(other));
            last.bytes = last.bytes.saturating_add(chunk.bytes);
            last.held = last.held.max(chunk.held);
            return;
        }
    }
    part.push(chunk);
}

/// About how many bytes the batches of chunks will have.
pub(crate) fn bytes(chunks: &[Chunk]) -> u64 {
    chunks.iter().map(|chunk| chunk.bytes).fold(0, u64::saturating_add)
}

/// The chunks that hold the first `limit` rows, as far as the files say how many rows they have.
pub(crate) fn first(chunks: Vec<Chunk>, limit: Option<u64>) -> Vec<Chunk> {
    let Some(limit) = limit else { return chunks };
    let mut rows = 0_u64;
    let mut taken = Vec::new();
    for chunk in chunks {
        if rows >= limit {
            break;
        }
        rows = rows.saturating_add(chunk.rows.unwrap_or(0));
        taken.push(chunk);
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn row_groups_are_cut_no_more_than_they_have_to() {
        let mebibytes = |count: u64| count << 20;
        for (cut, stored, pieces) in [
            (Cut::Decoded(mebibytes(16)), 1, 7),
            (Cut::Decoded(mebibytes(80)), 1, 1),
            (Cut::Stored(mebibytes(30)), 30, 1),
            (Cut::Stored(mebibytes(30)), 60, 2),
            (Cut::Stored(mebibytes(30)), 61, 3),
            (Cut::Stored(mebibytes(900)), 64, 1),
            (Cut::Stored(mebibytes(900)), 65, 3),
        ] {
            assert_eq!(cut.pieces(mebibytes(100), mebibytes(stored)), pieces, "{stored} MiB stored");
        }
    }
}
