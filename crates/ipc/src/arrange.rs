//! The metadata of a batch: where in the body its buffers lie, and where they shall lie in memory.

use arrow_ipc::{Message, RecordBatch, root_as_message};

use crate::MOST_ROWS;

/// Where buffers begin in memory, in bytes: what every Arrow type and every vector instruction is content with.
const ALIGNMENT: usize = 64;

/// A piece of a message's body and its place in memory, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins in the body.
    pub from: usize,
    /// How long it is.
    pub length: usize,
    /// Where it begins in memory.
    pub to: usize,
}

/// Decides where each buffer of a body of `size` bytes goes, and changes the metadata accordingly.
///
/// Servers align buffers to 8 bytes within a body, and the body begins anywhere in a message: decimals would lie where
/// they cannot be read, and would be copied once more. `None` where the body is to be kept as it came, which is also where
/// its sender placed the buffers as they shall lie.
///
/// # Errors
/// The metadata is not what Arrow's format says; why, in words for people.
pub fn arrange(header: &mut [u8], size: usize) -> Result<Option<Vec<Piece>>, String> {
    if header.is_empty() {
        return Ok(None);
    }
    let message = root_as_message(header).map_err(|error| format!("metadata that cannot be read ({error})"))?;
    let Some(batch) = batch_of(&message) else { return Ok(None) };
    if !(0..=MOST_ROWS).contains(&batch.length()) {
        return Err(format!("a batch of {} rows", batch.length()));
    }
    let Some(buffers) = batch.buffers() else { return Ok(None) };
    let mut pieces = Vec::with_capacity(buffers.len());
    let (mut end, mut to) = (0, 0);
    let mut in_order = true;
    for buffer in buffers {
        let outside = || format!("a buffer outside of its message's {size} bytes");
        let from = usize::try_from(buffer.offset()).map_err(|_| outside())?;
        let length = usize::try_from(buffer.length()).map_err(|_| outside())?;
        let after = from.checked_add(length).filter(|after| *after <= size || length == 0).ok_or_else(outside)?;
        in_order &= from >= end || length == 0;
        if length > 0 {
            end = after;
        }
        pieces.push(Piece { from, length, to });
        to = to.checked_add(length.next_multiple_of(ALIGNMENT)).ok_or_else(outside)?;
    }
    if !in_order || pieces.iter().all(|piece| piece.from == piece.to || piece.length == 0) {
        return Ok(None);
    }
    // Each buffer is two 64-bit numbers in the metadata: its offset and its length.
    let bytes = buffers.bytes();
    let place = (bytes.as_ptr() as usize).wrapping_sub(header.as_ptr() as usize);
    let entries = header.get_mut(place..place + 16 * pieces.len()).ok_or("metadata whose buffers lie outside of it")?;
    for (entry, piece) in entries.chunks_exact_mut(16).zip(&pieces) {
        let offset = i64::try_from(piece.to).map_err(|_| "a body that is too large")?;
        if let Some(field) = entry.first_chunk_mut::<8>() {
            *field = offset.to_le_bytes();
        }
    }
    Ok(Some(pieces))
}

/// The batch in a message, also that of a dictionary.
pub(crate) fn batch_of<'a>(message: &Message<'a>) -> Option<RecordBatch<'a>> {
    message.header_as_record_batch().or_else(|| message.header_as_dictionary_batch().and_then(|batch| batch.data()))
}

/// How many bytes of body follow this metadata.
///
/// # Errors
/// It is no metadata of a message; why, in words for people.
pub fn body_length(header: &[u8]) -> Result<usize, String> {
    let message = root_as_message(header).map_err(|error| error.to_string())?;
    usize::try_from(message.bodyLength()).map_err(|_| "a body of negative length".to_owned())
}
