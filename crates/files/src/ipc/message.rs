//! Messages, looked at before the decoder takes memory for what they ask for.

use arrow_ipc::{CompressionType, Message, RecordBatch, root_as_message};
use bowshot_core::Result;

use crate::error::damaged;

/// The header of a message, behind its length and the marker that older writers leave out.
pub(super) fn parse<'a>(bytes: &'a [u8], name: &str) -> Result<Message<'a>> {
    let prefix = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
    root_as_message(bytes.get(prefix..).unwrap_or_default()).map_err(|error| damaged(name, error))
}

/// No compression makes more of a byte: LZ4 by its format, ZSTD by its blocks of 128 KiB that take 4 bytes at least.
const LZ4_FACTOR: u64 = 256;
const ZSTD_FACTOR: u64 = 32 << 10;
/// Nor is a buffer of one batch longer than this.
const LONGEST: u64 = 8 << 30;

/// Checks the buffers of a message whose header takes `header` bytes: inside of it, and of lengths that can be.
pub(super) fn check(bytes: &[u8], header: u64, name: &str) -> Result<()> {
    let message = parse(bytes, name)?;
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else { return Ok(()) };
    let body = usize::try_from(header).ok().and_then(|header| bytes.get(header..)).unwrap_or_default();
    match buffers(&batch, body) {
        Some(()) => Ok(()),
        None => Err(damaged(name, "a buffer of a batch is not inside of it, or longer than it can be")),
    }
}

fn buffers(batch: &RecordBatch<'_>, body: &[u8]) -> Option<()> {
    let factor = match batch.compression().map(|compression| compression.codec()) {
        None => None,
        Some(CompressionType::ZSTD) => Some(ZSTD_FACTOR),
        Some(_) => Some(LZ4_FACTOR),
    };
    for buffer in batch.buffers().iter().flatten() {
        let start = usize::try_from(buffer.offset()).ok()?;
        let length = usize::try_from(buffer.length()).ok()?;
        let bytes = body.get(start..start.checked_add(length)?)?;
        let (Some(factor), Some((claimed, _))) = (factor, bytes.split_first_chunk::<8>()) else { continue };
        let most = (length as u64).saturating_mul(factor).min(LONGEST);
        // -1 says that it is not compressed.
        if u64::try_from(i64::from_le_bytes(*claimed)).is_ok_and(|claimed| claimed > most) {
            return None;
        }
    }
    Some(())
}
