//! Runs of small numbers: levels, and indices of dictionaries. See "Run Length Encoding / Bit-Packing Hybrid" in
//! [Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md) of the Parquet format.

use std::ops::Range;

use bytes::Bytes;
use parquet::errors::ParquetError;

use super::unpack::{GROUP, unpack};
use super::wrong;

/// How many packed numbers are unpacked at once.
const BLOCK: usize = 1024;

/// What takes the numbers.
pub(super) trait Sink {
    /// The same number, so many times.
    fn same(&mut self, number: u32, count: usize) -> Result<(), ParquetError>;
    /// Different numbers, at most 1,024 of them.
    fn many(&mut self, numbers: &[u32]) -> Result<(), ParquetError>;
}

/// The runs of one page, decoded as far as they are asked for.
pub(super) struct Runs {
    bytes: Bytes,
    /// Where the next run begins.
    at: usize,
    /// How many bits a number has.
    width: u32,
    /// How many numbers of the current run are neither handed on nor unpacked.
    left: usize,
    run: Run,
    block: [u32; BLOCK],
    /// The numbers of the block that are not handed on.
    unpacked: Range<usize>,
}

enum Run {
    Same(u32),
    /// Where the packed numbers lie that are not unpacked.
    Packed(Range<usize>),
}

impl Runs {
    pub(super) fn new() -> Self {
        Runs { bytes: Bytes::new(), at: 0, width: 0, left: 0, run: Run::Same(0), block: [0; BLOCK], unpacked: 0..0 }
    }

    /// Begins with the runs of another page, of numbers of `width` bits.
    pub(super) fn start(&mut self, bytes: Bytes, width: u32) -> Result<(), ParquetError> {
        if width > 32 {
            return Err(wrong("numbers of more than 32 bits"));
        }
        (self.bytes, self.at, self.width, self.left, self.unpacked) = (bytes, 0, width, 0, 0..0);
        Ok(())
    }

    /// Hands on exactly the next `count` numbers.
    pub(super) fn read(&mut self, count: usize, sink: &mut impl Sink) -> Result<(), ParquetError> {
        let mut wanted = count;
        while wanted > 0 {
            if !self.unpacked.is_empty() {
                let now = self.unpacked.len().min(wanted);
                let end = self.unpacked.start + now;
                sink.many(self.block.get(self.unpacked.start..end).unwrap_or_default())?;
                self.unpacked.start = end;
                wanted -= now;
            } else if self.left == 0 {
                self.header()?;
            } else {
                match &mut self.run {
                    Run::Same(number) => {
                        let now = self.left.min(wanted);
                        sink.same(*number, now)?;
                        self.left -= now;
                        wanted -= now;
                    }
                    Run::Packed(place) => {
                        let now = self.left.min(BLOCK);
                        unpack(self.bytes.get(place.clone()).unwrap_or_default(), self.width, now, &mut self.block);
                        // A block of numbers has whole bytes.
                        place.start += BLOCK / 8 * self.width as usize;
                        self.left -= now;
                        self.unpacked = 0..now;
                    }
                }
            }
        }
        Ok(())
    }

    /// Passes over the next `count` numbers.
    pub(super) fn skip(&mut self, count: usize) -> Result<(), ParquetError> {
        self.read(count, &mut Nothing)
    }

    fn header(&mut self) -> Result<(), ParquetError> {
        let mut rest = self.bytes.get(self.at..).unwrap_or_default();
        let header = varint(&mut rest)?;
        let length = usize::try_from(header >> 1).map_err(|_| wrong("a run is too long"))?;
        let width = self.width as usize;
        let start = self.bytes.len() - rest.len();
        if header & 1 == 1 {
            // Some writers cut the last group short.
            let stored = length.saturating_mul(width).min(rest.len());
            let numbers = length.saturating_mul(GROUP);
            self.left = stored.saturating_mul(8).checked_div(width).unwrap_or(numbers).min(numbers);
            self.run = Run::Packed(start..start + stored);
            self.at = start + stored;
        } else {
            let value = rest.get(..width.div_ceil(8)).ok_or_else(|| wrong("a run has no value"))?;
            let mut word = [0; 4];
            word.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
            self.left = length;
            self.run = Run::Same(u32::from_le_bytes(word));
            self.at = start + value.len();
        }
        match self.left {
            0 => Err(wrong("a run of no numbers")),
            _ => Ok(()),
        }
    }
}

/// Takes numbers that nobody wants.
struct Nothing;

impl Sink for Nothing {
    fn same(&mut self, _: u32, _: usize) -> Result<(), ParquetError> {
        Ok(())
    }

    fn many(&mut self, _: &[u32]) -> Result<(), ParquetError> {
        Ok(())
    }
}

fn varint(bytes: &mut &[u8]) -> Result<u64, ParquetError> {
    let mut value = 0;
    for shift in (0..63).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or_else(|| wrong("runs end too early"))?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(wrong("a run's length has no end"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    impl Sink for Vec<u32> {
        fn same(&mut self, number: u32, count: usize) -> Result<(), ParquetError> {
            self.extend(std::iter::repeat_n(number, count));
            Ok(())
        }

        fn many(&mut self, numbers: &[u32]) -> Result<(), ParquetError> {
            self.extend_from_slice(numbers);
            Ok(())
        }
    }

    fn pack(numbers: &[u32], width: u32) -> Vec<u8> {
        let groups = numbers.len().div_ceil(8);
        let mut bytes = vec![0_u8; groups * width as usize];
        for (at, number) in numbers.iter().enumerate() {
            for bit in (0..width as usize).filter(|bit| number >> bit & 1 == 1) {
                let place = at * width as usize + bit;
                bytes[place / 8] |= 1 << (place % 8);
            }
        }
        bytes
    }

    fn length(mut value: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value > 127 {
            bytes.push(u8::try_from(value % 128).unwrap() | 0x80);
            value /= 128;
        }
        bytes.push(u8::try_from(value).unwrap());
        bytes
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_back_however_it_is_asked_for(
            width in 0_u32..=32,
            numbers in prop::collection::vec(any::<u32>(), 1..3000),
            again in 1_usize..5000,
            steps in prop::collection::vec((1_usize..2000, any::<bool>()), 1..8),
        ) {
            let mask = u32::try_from((1_u64 << width) - 1).unwrap();
            let numbers: Vec<u32> = numbers.into_iter().map(|number| number & mask).collect();
            let last = *numbers.last().unwrap();
            let mut bytes = length(again << 1);
            bytes.extend(&last.to_le_bytes()[..width.div_ceil(8) as usize]);
            bytes.extend(length(numbers.len().div_ceil(8) << 1 | 1));
            bytes.extend(pack(&numbers, width));
            let mut wanted = vec![last; again];
            wanted.extend(&numbers);
            let mut runs = Runs::new();
            runs.start(bytes.into(), width).unwrap();
            for (step, skipped) in steps.into_iter().cycle() {
                let now = step.min(wanted.len());
                let rest = wanted.split_off(now);
                if skipped {
                    runs.skip(now).unwrap();
                } else {
                    let mut found = Vec::new();
                    runs.read(now, &mut found).unwrap();
                    prop_assert_eq!(found, wanted);
                }
                wanted = rest;
                if wanted.is_empty() {
                    break;
                }
            }
        }

        #[test]
        fn bytes_of_a_stranger_are_numbers_or_an_error(
            bytes in prop::collection::vec(any::<u8>(), 0..200), width in 0_u32..40, count in 0_usize..5000, step in 1_usize..3000,
        ) {
            let (mut found, mut runs) = (Vec::new(), Runs::new());
            let read = runs.start(bytes.into(), width).and_then(|()| {
                (0..count).step_by(step).try_for_each(|from| runs.read(step.min(count - from), &mut found))
            });
            if read.is_ok() {
                prop_assert_eq!(found.len(), count);
            }
            prop_assert!(found.len() <= count);
        }
    }
}
