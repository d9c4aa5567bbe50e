//! Where the text of a file comes from, unpacked.

use std::io::{self, Read};
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind, Result};
use flate2::read::MultiGzDecoder;

use crate::error::damaged;
use crate::format::{Compression, compression};
use crate::open::{Open, Sequence};

/// The text from `start` on, up to `end`; of a compressed file all of it.
pub(crate) fn input(open: &Arc<Open>, start: u64, end: u64) -> Result<Box<dyn Read + Send>> {
    let all = || Sequence::new(Arc::clone(open), 0, open.len());
    Ok(match compression(&open.file.name) {
        None => Box::new(Sequence::new(Arc::clone(open), start, end)),
        Some(Compression::Gzip) => Box::new(MultiGzDecoder::new(all())),
        // Frames that ask for a window of more than 128 MiB are refused by the library.
        Some(Compression::Zstd) => {
            let decoder = zstd::stream::read::Decoder::new(all());
            Box::new(decoder.map_err(|error| failed(&open.file.name, error))?)
        }
    })
}

/// Adds up to `more` bytes; how many came.
pub(crate) fn fill(input: &mut dyn Read, buffer: &mut Vec<u8>, more: usize, name: &str) -> Result<usize> {
    let before = buffer.len();
    match input.take(more as u64).read_to_end(buffer) {
        Ok(_) => Ok(buffer.len() - before),
        Err(error) => Err(failed(name, error)),
    }
}

/// Passes over the beginning of a text.
pub(crate) fn skip(input: &mut dyn Read, bytes: u64, name: &str) -> Result<()> {
    let mut passed = Vec::new();
    let mut left = bytes;
    while left > 0 {
        let step = left.min(1 << 20);
        passed.clear();
        if fill(input, &mut passed, usize::try_from(step).unwrap_or(usize::MAX), name)? == 0 {
            return Err(damaged(name, "it is shorter than it was when the read was planned"));
        }
        left -= passed.len() as u64;
    }
    Ok(())
}

fn failed(name: &str, error: io::Error) -> Error {
    let words = error.to_string();
    match error.into_inner().map(|inner| inner.downcast::<Error>()) {
        Some(Ok(ours)) => *ours,
        _ => damaged(name, words),
    }
}

/// The length of UTF-8's mark; text in UTF-16 is refused, and what is no text at all.
pub(crate) fn byte_order_mark(text: &[u8], name: &str) -> Result<usize> {
    match text {
        [0xef, 0xbb, 0xbf, ..] => Ok(3),
        // With its mark, or without: every other byte is zero.
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [1..=255, 0, 1..=255, 0, ..] | [0, 1..=255, 0, 1..=255, ..] => {
            Err(Error::new(ErrorKind::Unsupported, format!("{name} is UTF-16, and only UTF-8 is read"))
                .with_hint("write it again: iconv -f UTF-16 -t UTF-8"))
        }
        [0x1f, 0x8b, 8, ..] => Err(packed(name, "gzip", "give it a name that ends in .gz, or unpack it: gunzip")),
        [b'P', b'K', 3, 4, ..] => Err(packed(name, "a ZIP archive", "unpack it: unzip")),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            Err(packed(name, "ZSTD", "give it a name that ends in .zst, or unpack it: unzstd"))
        }
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, ..] => Err(packed(name, "bzip2", "unpack it: bunzip2")),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Err(packed(name, "xz", "unpack it: unxz")),
        _ => Ok(0),
    }
}

fn packed(name: &str, how: &str, way: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("{name} is packed ({how}), and not text as its name says"))
        .with_hint(way)
}
