//! Pages that Snappy compressed, unpacked over those that were read before them.
//!
//! The crate clears memory of its own for each page. See
//! [format_description.txt](https://github.com/google/snappy/blob/main/format_description.txt) of Snappy.

use std::sync::Arc;

use bowshot_memory::of_result;
use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use parquet::errors::ParquetError;
use snap::raw::{Decoder, decompress_len};

use super::super::codec::SNAPPY_FACTOR;
use super::wrong;

/// The memory that a column leaves to the one that is read next.
pub(super) type Spare = Arc<Mutex<Bytes>>;

/// Unpacks the pages of a column chunk.
pub(super) struct Snappy {
    decoder: Decoder,
    /// The memory of the last page, if it may be written over when that is let go of.
    held: Bytes,
    spare: Spare,
}

impl Snappy {
    pub(super) fn new(spare: &Spare) -> Self {
        Snappy { decoder: Decoder::new(), held: Bytes::new(), spare: Arc::clone(spare) }
    }

    /// A page that stays, in memory of its own.
    pub(super) fn keep(&mut self, compressed: &[u8]) -> Result<Bytes, ParquetError> {
        let memory = BytesMut::zeroed(length(compressed)?);
        self.write(compressed, memory)
    }

    /// A page that is let go of before the next one is asked for; in memory of the one before, unless somebody kept that.
    pub(super) fn unpack(&mut self, compressed: &[u8]) -> Result<Bytes, ParquetError> {
        let length = length(compressed)?;
        let memory = self.memory(length);
        self.held = self.write(compressed, memory)?;
        Ok(self.held.slice(..length))
    }

    /// Leaves the memory of the last page to the next column.
    pub(super) fn leave(&mut self) {
        *self.spare.lock() = std::mem::take(&mut self.held);
    }

    fn memory(&mut self, length: usize) -> BytesMut {
        let held = std::mem::take(&mut self.held);
        let held = if held.is_empty() { std::mem::take(&mut *self.spare.lock()) } else { held };
        // What is empty is nobody's.
        let held = if held.is_empty() { Ok(BytesMut::new()) } else { held.try_into_mut() };
        match held {
            Ok(memory) if memory.len() >= length => memory,
            // Those that follow may be a little larger.
            Ok(_) => BytesMut::zeroed(length.saturating_add(length / 8)),
            // Who keeps pages, as views do, keeps no more than them.
            Err(_) => of_result(|| BytesMut::zeroed(length)),
        }
    }

    fn write(&mut self, compressed: &[u8], mut memory: BytesMut) -> Result<Bytes, ParquetError> {
        // A page of NULLs may have nothing behind its levels.
        if !compressed.is_empty() {
            self.decoder.decompress(compressed, &mut memory).map_err(failed)?;
        }
        Ok(memory.freeze())
    }
}

/// How many bytes a page has, which nobody need believe: more than can be are an error.
fn length(compressed: &[u8]) -> Result<usize, ParquetError> {
    if compressed.is_empty() {
        return Ok(0);
    }
    let length = decompress_len(compressed).map_err(failed)?;
    if length > compressed.len().saturating_mul(SNAPPY_FACTOR) {
        return Err(wrong("a page has fewer bytes than it says"));
    }
    Ok(length)
}

fn failed(error: snap::Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use snap::raw::Encoder;

    use super::*;

    fn pack(page: &[u8]) -> Vec<u8> {
        Encoder::new().compress_vec(page).unwrap()
    }

    #[test]
    fn a_page_is_unpacked_over_one_that_was_let_go_of() {
        let spare = Spare::default();
        let mut snappy = Snappy::new(&spare);
        let first = snappy.unpack(&pack(&[1; 1000])).unwrap();
        let place = first.as_ptr();
        assert_eq!(first, [1; 1000][..]);
        drop(first);
        let kept = snappy.unpack(&pack(&[2; 1100])).unwrap();
        assert!(kept.as_ptr() == place && kept == [2; 1100][..], "a little larger");
        let other = snappy.unpack(&pack(&[3; 10])).unwrap();
        assert!(other.as_ptr() != place && other == [3; 10][..] && kept == [2; 1100][..]);
        let place = other.as_ptr();
        drop(other);
        snappy.leave();
        let mut next = Snappy::new(&spare);
        let dictionary = next.keep(&pack(&[4; 5])).unwrap();
        let page = next.unpack(&pack(&[5; 9])).unwrap();
        assert!(page.as_ptr() == place && page == [5; 9][..] && dictionary == [4; 5][..], "of the column before");
    }

    #[test]
    fn the_most_that_a_byte_stands_for() {
        let page = vec![7; 1 << 24];
        let packed = pack(&page);
        assert!(page.len() / packed.len() >= 21, "{}", packed.len());
        assert!(Snappy::new(&Spare::default()).unpack(&packed).unwrap() == page);
    }

    #[test]
    fn a_page_that_says_more_than_it_has_takes_no_memory() {
        // 2 GiB, says the length in front.
        let error = Snappy::new(&Spare::default()).unpack(&[0xff, 0xff, 0xff, 0xff, 0x07, 0, 0]).unwrap_err();
        assert!(error.to_string().contains("fewer bytes than it says"), "{error}");
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back(pages in prop::collection::vec(prop::collection::vec(0_u8..4, 0..3000), 1..6)) {
            let mut snappy = Snappy::new(&Spare::default());
            for page in pages {
                prop_assert_eq!(&snappy.unpack(&pack(&page)).unwrap()[..], &page[..]);
                prop_assert_eq!(snappy.keep(&pack(&page)).unwrap(), page);
            }
        }

        #[test]
        fn bytes_of_a_stranger_are_a_page_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Ok(page) = Snappy::new(&Spare::default()).unpack(&bytes) {
                prop_assert!(page.len() <= bytes.len() * SNAPPY_FACTOR);
            }
        }
    }
}
