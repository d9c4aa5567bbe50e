//! Runs of small numbers: levels, and indices of dictionaries. See "Run Length Encoding / Bit-Packing Hybrid" in
//! [Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md) of the Parquet format.

use parquet::errors::ParquetError;

use super::wrong;

/// How many numbers are handed on at once.
const BLOCK: usize = 1024;
/// Packed numbers stand in groups of so many, each of as many bytes as a number has bits.
const GROUP: usize = 8;

/// What takes the numbers.
pub(super) trait Sink {
    /// The same number, so many times.
    fn same(&mut self, number: u32, count: usize) -> Result<(), ParquetError>;
    /// Different numbers.
    fn many(&mut self, numbers: &[u32]) -> Result<(), ParquetError>;
}

/// Decodes exactly `count` numbers of `width` bits.
pub(super) fn decode(mut bytes: &[u8], width: u32, count: usize, sink: &mut impl Sink) -> Result<(), ParquetError> {
    if width > 32 {
        return Err(wrong("numbers of more than 32 bits"));
    }
    let mut left = count;
    while left > 0 {
        let header = varint(&mut bytes)?;
        let length = usize::try_from(header >> 1).map_err(|_| wrong("a run is too long"))?;
        if header & 1 == 1 {
            let numbers = length.saturating_mul(GROUP).min(left);
            // Some writers cut the last group short.
            let stored = length.saturating_mul(width as usize).min(bytes.len());
            let (packed, rest) = bytes.split_at_checked(stored).unwrap_or_default();
            bytes = rest;
            if numbers == 0 || packed.len().saturating_mul(8) < numbers.saturating_mul(width as usize) {
                return Err(wrong("packed numbers end too early"));
            }
            unpack(packed, width, numbers, sink)?;
            left -= numbers;
        } else {
            let (value, rest) =
                bytes.split_at_checked(width.div_ceil(8) as usize).ok_or_else(|| wrong("a run has no value"))?;
            bytes = rest;
            let mut word = [0; 4];
            word.iter_mut().zip(value).for_each(|(to, from)| *to = *from);
            let numbers = length.min(left);
            if numbers == 0 {
                return Err(wrong("a run of no numbers"));
            }
            sink.same(u32::from_le_bytes(word), numbers)?;
            left -= numbers;
        }
    }
    Ok(())
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

fn unpack(packed: &[u8], width: u32, count: usize, sink: &mut impl Sink) -> Result<(), ParquetError> {
    let mut numbers = [0; BLOCK];
    // A block of numbers has whole bytes.
    let step = BLOCK / 8 * width as usize;
    let mut left = count;
    let mut rest = packed;
    while left > 0 {
        let now = left.min(BLOCK);
        let (bytes, after) = rest.split_at(step.min(rest.len()));
        rest = after;
        let room = numbers.get_mut(..now).unwrap_or_default();
        match width {
            0 => room.fill(0),
            1..=8 => groups(bytes, width, room, |group| u64::from_le_bytes(padded(group)).into()),
            9..=16 => groups(bytes, width, room, |group| u128::from_le_bytes(padded(group))),
            _ => wide(bytes, width, room),
        }
        sink.many(room)?;
        left -= now;
    }
    Ok(())
}

/// Numbers of which eight fit a word.
#[inline(always)]
fn groups(bytes: &[u8], width: u32, room: &mut [u32], word: impl Fn(&[u8]) -> u128) {
    let mask = (1_u128 << width) - 1;
    for (at, room) in room.chunks_mut(GROUP).enumerate() {
        let start = at * width as usize;
        let word = word(bytes.get(start..).unwrap_or_default());
        for (number, shift) in room.iter_mut().zip((0..).step_by(width as usize)) {
            *number = low(word >> shift & mask);
        }
    }
}

/// Numbers of which one fits a word, wherever it begins.
fn wide(bytes: &[u8], width: u32, room: &mut [u32]) {
    let mask = (1_u64 << width) - 1;
    for (number, bit) in room.iter_mut().zip((0_usize..).step_by(width as usize)) {
        let word = u64::from_le_bytes(padded(bytes.get(bit / 8..).unwrap_or_default()));
        *number = low((word >> (bit % 8) & mask).into());
    }
}

/// The first bytes, with zeros behind the last one.
#[inline(always)]
fn padded<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.first_chunk().copied().unwrap_or_else(|| {
        let mut word = [0; N];
        word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        word
    })
}

#[inline(always)]
fn low(word: u128) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "the mask leaves at most 32 bits")]
    let low = word as u32;
    low
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
        fn what_is_packed_comes_back(width in 0_u32..=32, numbers in prop::collection::vec(any::<u32>(), 1..3000), again in 1_usize..5000) {
            let mask = u32::try_from((1_u64 << width) - 1).unwrap();
            let numbers: Vec<u32> = numbers.into_iter().map(|number| number & mask).collect();
            let last = *numbers.last().unwrap();
            let mut bytes = length(again << 1);
            bytes.extend(&last.to_le_bytes()[..width.div_ceil(8) as usize]);
            bytes.extend(length(numbers.len().div_ceil(8) << 1 | 1));
            bytes.extend(pack(&numbers, width));
            let mut wanted = vec![last; again];
            wanted.extend(&numbers);
            let mut found = Vec::new();
            decode(&bytes, width, wanted.len(), &mut found).unwrap();
            prop_assert_eq!(found, wanted);
        }

        #[test]
        fn bytes_of_a_stranger_are_numbers_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200), width in 0_u32..40, count in 0_usize..5000) {
            let mut found = Vec::new();
            if decode(&bytes, width, count, &mut found).is_ok() {
                prop_assert_eq!(found.len(), count);
            }
            prop_assert!(found.len() <= count);
        }
    }
}
