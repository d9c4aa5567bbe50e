//! Decimals of as many bytes as their precision needs, the highest first. See "DECIMAL" in
//! [LogicalTypes.md](https://github.com/apache/parquet-format/blob/master/LogicalTypes.md) of the Parquet format.

use arrow_array::types::Decimal128Type;
use arrow_schema::DataType;

use super::column::Column;
use super::fixed;
use super::kind::Make;
use super::pages::Pages;

/// How decimals of `length` bytes are read; `None` for more than 16.
pub(super) fn of_length(length: i32) -> Option<Make> {
    // A loop of its own for each length.
    const LENGTHS: [Make; 16] = [
        column::<1>,
        column::<2>,
        column::<3>,
        column::<4>,
        column::<5>,
        column::<6>,
        column::<7>,
        column::<8>,
        column::<9>,
        column::<10>,
        column::<11>,
        column::<12>,
        column::<13>,
        column::<14>,
        column::<15>,
        column::<16>,
    ];
    let place = usize::try_from(length).ok()?.checked_sub(1)?;
    LENGTHS.get(place).copied()
}

fn column<const LENGTH: usize>(pages: Pages, of: &DataType) -> Box<dyn Column> {
    fixed::column::<Decimal128Type, LENGTH>(pages, of, from_highest)
}

fn from_highest<const LENGTH: usize>(bytes: [u8; LENGTH]) -> i128 {
    let is_negative = bytes.first().is_some_and(|highest| *highest >= 0x80);
    let mut wide = [if is_negative { 0xff } else { 0 }; 16];
    if let Some(end) = wide.last_chunk_mut() {
        *end = bytes;
    }
    i128::from_be_bytes(wide)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_is_that_of_the_highest_byte() {
        assert_eq!([[0, 1], [0x7f, 0xff], [0xff, 0xff], [0x80, 0]].map(from_highest), [1, 0x7fff, -1, -0x8000]);
        assert_eq!(from_highest(i128::MIN.to_be_bytes()), i128::MIN);
    }
}
