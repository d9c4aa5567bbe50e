//! Compressed pages, unpacked to as many bytes as their header says, and no more.
//!
//! See [Compression.md](https://github.com/apache/parquet-format/blob/master/Compression.md) of the Parquet format. A page that
//! claims more than its compression can make of its bytes is refused before memory is taken for it; one that goes on for longer
//! than it claims is not read on.

use std::io::Read;

use bowshot_core::{Error, ErrorKind};
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use parquet::basic::CompressionCodec;
use parquet::errors::ParquetError;

use super::direct::wrong;

/// No compression makes more of a byte: Snappy by copies of 64 bytes that take three, LZ4 by its format, ZSTD by its blocks of 128 KiB that take 4 bytes at least.
pub(super) const SNAPPY_FACTOR: usize = 22;
const LZ4_FACTOR: usize = 255;
const ZSTD_FACTOR: usize = 32 << 10;
/// Where a page is not known to be that long until it was unpacked, memory grows with it from here.
const FIRST: usize = 1 << 20;

/// How the pages of a column chunk are compressed.
pub(super) enum Codec {
    Gzip,
    Brotli,
    /// As Hadoop frames it, or as others took it to be.
    Lz4,
    Lz4Raw,
    Snappy(Box<snap::raw::Decoder>),
    Zstd(Box<zstd::bulk::Decompressor<'static>>),
}

impl Codec {
    /// `None`: the pages are as they are.
    pub(super) fn new(of: CompressionCodec) -> Result<Option<Codec>, ParquetError> {
        Ok(Some(match of {
            CompressionCodec::UNCOMPRESSED => return Ok(None),
            CompressionCodec::SNAPPY => Codec::Snappy(Box::default()),
            CompressionCodec::GZIP => Codec::Gzip,
            CompressionCodec::BROTLI => Codec::Brotli,
            CompressionCodec::LZ4 => Codec::Lz4,
            CompressionCodec::LZ4_RAW => Codec::Lz4Raw,
            CompressionCodec::ZSTD => Codec::Zstd(Box::new(zstd::bulk::Decompressor::new()?)),
            CompressionCodec::LZO => return Err(unknown("LZO")),
        }))
    }

    /// Appends the `length` bytes that were packed.
    pub(super) fn unpack(&mut self, packed: &[u8], length: usize, to: &mut Vec<u8>) -> Result<(), ParquetError> {
        // A page of NULLs may have nothing behind its levels.
        if length == 0 {
            return Ok(());
        }
        let start = to.len();
        match self {
            Codec::Snappy(decoder) => {
                if snap::raw::decompress_len(packed).map_err(failed)? != length {
                    return Err(differs());
                }
                to.resize(start + bounded(packed, length, SNAPPY_FACTOR)?, 0);
                decoder.decompress(packed, to.get_mut(start..).unwrap_or_default()).map_err(failed)?;
            }
            Codec::Zstd(decoder) => {
                let mut page = Vec::with_capacity(bounded(packed, length, ZSTD_FACTOR)?);
                decoder.decompress_to_buffer(packed, &mut page).map_err(failed)?;
                append(to, page);
            }
            Codec::Lz4Raw => lz4_block(packed, length, to)?,
            Codec::Lz4 => match hadoop(packed, length) {
                Some(page) => append(to, page),
                None if packed.starts_with(&LZ4_FRAME) => {
                    grow(lz4_flex::frame::FrameDecoder::new(packed), length, to)?;
                }
                None => lz4_block(packed, length, to)?,
            },
            // Some writers leave gzip's own frame out.
            Codec::Gzip if !packed.starts_with(&GZIP) => grow(ZlibDecoder::new(packed), length, to)?,
            Codec::Gzip => grow(MultiGzDecoder::new(packed), length, to)?,
            Codec::Brotli => grow(brotli::Decompressor::new(packed, 4 << 10), length, to)?,
        }
        if to.len() - start == length { Ok(()) } else { Err(differs()) }
    }
}

const GZIP: [u8; 2] = [0x1f, 0x8b];
const LZ4_FRAME: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// A compression that nobody here unpacks.
pub(super) fn unknown(codec: &str) -> ParquetError {
    let error =
        Error::new(ErrorKind::Unsupported, format!("it is compressed with {codec}, which Bowshot does not read"))
            .with_hint("read the other columns, or write the file again with zstd or snappy where it was written");
    ParquetError::External(Box::new(error))
}

/// A page of nothing else need not be copied.
fn append(to: &mut Vec<u8>, page: Vec<u8>) {
    if to.is_empty() {
        *to = page;
    } else {
        to.extend_from_slice(&page);
    }
}

fn bounded(packed: &[u8], length: usize, factor: usize) -> Result<usize, ParquetError> {
    if length > packed.len().saturating_mul(factor) { Err(differs()) } else { Ok(length) }
}

/// Reads one byte more than there should be, at most.
fn grow(reader: impl Read, length: usize, to: &mut Vec<u8>) -> Result<(), ParquetError> {
    to.reserve(length.min(FIRST));
    let most = (length as u64).saturating_add(1);
    reader.take(most).read_to_end(to).map(drop).map_err(failed)
}

fn lz4_block(packed: &[u8], length: usize, to: &mut Vec<u8>) -> Result<(), ParquetError> {
    let start = to.len();
    to.resize(start + bounded(packed, length, LZ4_FACTOR)?, 0);
    let written = lz4_flex::block::decompress_into(packed, to.get_mut(start..).unwrap_or_default()).map_err(failed)?;
    to.truncate(start + written);
    Ok(())
}

/// Hadoop's frames: each block behind its two lengths, the highest byte first. `None` where they are none.
fn hadoop(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let (mut rest, mut page) = (packed, Vec::new());
    let number = |bytes: &[u8; 4]| usize::try_from(u32::from_be_bytes(*bytes)).ok();
    while let Some((unpacked, behind)) = rest.split_first_chunk() {
        let unpacked = number(unpacked).filter(|unpacked| *unpacked <= length - page.len())?;
        let end = page.len() + unpacked;
        rest = behind;
        // A block may be packed in parts.
        while page.len() < end {
            let (part, behind) = rest.split_first_chunk()?;
            let (part, behind) = behind.split_at_checked(number(part)?)?;
            let left = end - page.len();
            let room = left.min(part.len().saturating_mul(LZ4_FACTOR));
            let start = page.len();
            page.resize(start + room, 0);
            let written = lz4_flex::block::decompress_into(part, page.get_mut(start..)?).ok()?;
            if written == 0 {
                return None;
            }
            page.truncate(start + written);
            rest = behind;
        }
    }
    (rest.is_empty() && page.len() == length).then_some(page)
}

fn differs() -> ParquetError {
    wrong("a compressed page has not the bytes that it says")
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> ParquetError {
    ParquetError::General(format!("a compressed page cannot be unpacked: {error}"))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};
    use proptest::prelude::*;

    use super::*;

    const ALL: [CompressionCodec; 6] = [
        CompressionCodec::SNAPPY,
        CompressionCodec::GZIP,
        CompressionCodec::BROTLI,
        CompressionCodec::LZ4,
        CompressionCodec::LZ4_RAW,
        CompressionCodec::ZSTD,
    ];

    fn unpack(of: CompressionCodec, packed: &[u8], length: usize) -> Result<Vec<u8>, ParquetError> {
        // Levels that stand in front.
        let mut page = b"levels".to_vec();
        Codec::new(of).unwrap().unwrap().unpack(packed, length, &mut page)?;
        Ok(page.split_off(6))
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    /// Hadoop's frame of three blocks.
    fn framed(bytes: &[u8]) -> Vec<u8> {
        let number = |of: usize| u32::try_from(of).unwrap().to_be_bytes().to_vec();
        let block = |bytes: &[u8]| {
            let packed = lz4_flex::block::compress(bytes);
            [number(bytes.len()), number(packed.len()), packed].concat()
        };
        bytes.chunks(bytes.len().div_ceil(3)).map(block).collect::<Vec<_>>().concat()
    }

    /// The ways in which writers pack a page.
    fn packed(bytes: &[u8]) -> Vec<(CompressionCodec, Vec<u8>)> {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(bytes).unwrap();
        let mut brotli = Vec::new();
        brotli::BrotliCompress(&mut &bytes[..], &mut brotli, &Default::default()).unwrap();
        let mut frame = lz4_flex::frame::FrameEncoder::new(Vec::new());
        frame.write_all(bytes).unwrap();
        let (one, other) = bytes.split_at(bytes.len() / 2);
        let zstd = |bytes| zstd::bulk::compress(bytes, 1).unwrap();
        vec![
            (CompressionCodec::SNAPPY, snap::raw::Encoder::new().compress_vec(bytes).unwrap()),
            (CompressionCodec::GZIP, gzip(bytes)),
            (CompressionCodec::GZIP, [gzip(one), gzip(other)].concat()),
            (CompressionCodec::GZIP, zlib.finish().unwrap()),
            (CompressionCodec::BROTLI, brotli),
            (CompressionCodec::LZ4, framed(bytes)),
            (CompressionCodec::LZ4, frame.finish().unwrap()),
            (CompressionCodec::LZ4, lz4_flex::block::compress(bytes)),
            (CompressionCodec::LZ4_RAW, lz4_flex::block::compress(bytes)),
            (CompressionCodec::ZSTD, zstd(bytes)),
            (CompressionCodec::ZSTD, [zstd(one), zstd(other)].concat()),
        ]
    }

    #[test]
    fn a_page_that_claims_more_than_it_can_have_takes_no_memory() {
        for of in ALL {
            assert!(unpack(of, &[0; 10], 1 << 40).is_err(), "{of}");
        }
        assert!(Codec::new(CompressionCodec::UNCOMPRESSED).unwrap().is_none());
        let error = Codec::new(CompressionCodec::LZO).err().unwrap();
        assert!(error.to_string().contains("LZO"), "{error}");
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back(page in prop::collection::vec(0_u8..4, 1..3000)) {
            for (of, packed) in packed(&page) {
                prop_assert_eq!(unpack(of, &packed, page.len()).unwrap(), page.clone(), "{}", of);
                prop_assert!(unpack(of, &packed, page.len() + 1).is_err(), "{of}");
                prop_assert!(unpack(of, &packed, page.len() - 1).is_err() || page.len() == 1, "{of}");
            }
        }

        #[test]
        fn bytes_of_a_stranger_are_a_page_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300), length in 0_usize..9000) {
            for of in ALL {
                if let Ok(page) = unpack(of, &bytes, length) {
                    prop_assert_eq!(page.len(), length);
                }
            }
        }
    }
}
