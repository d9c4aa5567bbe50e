//! What compressed buffers say that they become, looked at before memory is taken for it.
//!
//! Arrow's own reader allocates what the first eight bytes of a buffer say. A number that no memory holds ends the process there,
//! which nothing can catch.

use arrow_ipc::{CompressionType, RecordBatch};

/// No compression makes more of a byte: LZ4 by its format, ZSTD by its blocks of 128 KiB that take 4 bytes at least.
const LZ4_FACTOR: usize = 256;
const ZSTD_FACTOR: usize = 32 << 10;

/// Nor is a buffer of one batch longer than this.
const LONGEST: usize = 8 << 30;

/// The bytes in front of a compressed buffer that say what it becomes.
const PREFIX: usize = 8;

/// Up to this size memory is there without asking.
const SMALL: usize = 16 << 20;

/// How many bytes the compressed buffers of a batch become, as they say; 0 where none is compressed. `body` is where its buffers lie.
///
/// # Errors
/// A buffer lies outside of the body, says less than nothing or more than its compression can make of it, or there is no memory for
/// them; why, in words for people.
pub fn inflated(batch: &RecordBatch<'_>, body: &[u8]) -> Result<usize, String> {
    let Some(compression) = batch.compression() else { return Ok(0) };
    let (name, factor) = match compression.codec() {
        CompressionType::ZSTD => ("ZSTD", ZSTD_FACTOR),
        _ => ("LZ4", LZ4_FACTOR),
    };
    let mut total = 0_usize;
    for buffer in batch.buffers().into_iter().flatten().filter(|buffer| buffer.length() != 0) {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let bytes = place.and_then(|(from, length)| body.get(from..from.checked_add(length)?));
        let bytes = bytes.ok_or("a buffer outside of its message")?;
        let Some((said, rest)) = bytes.split_first_chunk::<PREFIX>() else {
            return Err("a compressed buffer that does not say what it becomes".to_owned());
        };
        let said = match i64::from_le_bytes(*said) {
            // It is not compressed after all.
            -1 => continue,
            said => usize::try_from(said).map_err(|_| "a compressed buffer of negative size")?,
        };
        if said > rest.len().saturating_mul(factor).min(LONGEST) {
            return Err(format!("{} bytes that {name} shall make {said} bytes of, which it cannot", rest.len()));
        }
        // Buffers are taken one after the other, and not all of them where only some columns are read.
        if said > SMALL && Vec::<u8>::new().try_reserve_exact(said).is_err() {
            return Err(format!("a buffer that becomes {said} bytes, for which there is no memory"));
        }
        total = total.saturating_add(said);
    }
    Ok(total)
}
