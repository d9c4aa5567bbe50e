//! Files mapped into memory, and Arrow data taken at its word: the unsafe code of this crate.
#![expect(
    unsafe_code,
    reason = "mapping a file saves the copy of all its bytes, which is most of what reading an Arrow file costs"
)]

use std::fs::File;
use std::io;

#[expect(clippy::disallowed_types, reason = "the decoder of ipc/decode.rs")]
use arrow_ipc::reader::FileDecoder;
use bytes::Bytes;
use memmap2::Mmap;

/// The bytes of a whole file, without a copy.
pub(crate) fn map(file: &File) -> io::Result<Bytes> {
    // SAFETY: the map is read only and lives as long as the bytes that are handed out. What nobody can promise is that no
    // other process writes to the file meanwhile or cuts it off (the latter ends this process with SIGBUS). The documentation
    // says so, the file's size and time of change are compared before and after it is read, and `mmap=false` reads it instead.
    let map = unsafe { Mmap::map(file) }?;
    Ok(Bytes::from_owner(map))
}

/// A decoder that does not look at offsets and UTF-8 before it hands them out.
#[expect(clippy::disallowed_types, reason = "the decoder of ipc/decode.rs")]
pub(crate) fn trusting(decoder: FileDecoder) -> FileDecoder {
    // SAFETY: called only where the user wrote `trusted=true`, his word that a correct writer made the file.
    unsafe { decoder.with_skip_validation(true) }
}
