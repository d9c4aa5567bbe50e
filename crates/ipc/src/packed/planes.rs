//! Whole numbers as planes of their bytes.

use arrow_buffer::{ArrowNativeType, NullBuffer};
use bowshot_cells::with_room;

/// So many numbers at a time stay in the fastest cache.
const CHUNK: usize = 256;

/// In how many planes the numbers of a column are, and what has to be added to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Planes {
    pub(super) count: usize,
    pub(super) base: i128,
}

/// Whole numbers of one width.
pub(super) trait Whole: ArrowNativeType + Ord + Into<i128> + TryFrom<i128> {
    /// How far two of them are apart.
    type Distance: Copy + Default;

    /// How far it is beyond `base`, which is not more than it.
    fn beyond(self, base: Self) -> Self::Distance;

    /// The one that is so far from `base`; numbers without an end go round.
    fn at(base: Self, distance: Self::Distance) -> Self;

    /// How many bytes of a distance are not 0 at most, and 1 at least.
    fn bytes(distance: Self::Distance) -> usize;

    /// A byte of a distance, the lowest one first.
    fn byte(distance: Self::Distance, plane: usize) -> u8;

    /// The distance with a byte that was 0 so far.
    fn with_byte(distance: Self::Distance, plane: usize, byte: u8) -> Self::Distance;
}

macro_rules! whole {
    ($($number:ty, $distance:ty);+) => {$(
        impl Whole for $number {
            type Distance = $distance;

            fn beyond(self, base: Self) -> $distance {
                self.wrapping_sub(base).cast_unsigned()
            }

            fn at(base: Self, distance: $distance) -> Self {
                base.wrapping_add(distance.cast_signed())
            }

            fn bytes(distance: $distance) -> usize {
                (<$distance>::BITS - distance.leading_zeros()).div_ceil(8).max(1).as_usize()
            }

            fn byte(distance: $distance, plane: usize) -> u8 {
                #[expect(clippy::cast_possible_truncation, reason = "one byte is wanted")]
                let byte = (distance >> (8 * plane)) as u8;
                byte
            }

            fn with_byte(distance: $distance, plane: usize, byte: u8) -> $distance {
                distance | <$distance>::from(byte) << (8 * plane)
            }
        }
    )+};
}

whole! { i16, u16; i32, u32; i64, u64; i128, u128 }

/// The planes of `values`, each with a byte a value; 0 in all where a value is not to be kept.
pub(super) fn take_apart<T: Whole>(values: &[T], kept: Option<&NullBuffer>) -> (Planes, Vec<Vec<u8>>) {
    let range = match kept {
        None => range(values.iter()),
        Some(kept) => range(values.iter().zip(kept).filter(|(_, is_kept)| *is_kept).map(|(value, _)| value)),
    };
    let (low, high) = range.unwrap_or_default();
    // Nothing is taken off where that saves no plane.
    let zero = T::default();
    let saves = low < zero || T::bytes(high.beyond(low)) < T::bytes(high.beyond(zero));
    let base = if saves { low } else { zero };
    let count = T::bytes(high.beyond(base));
    let mut planes: Vec<Vec<u8>> = (0..count).map(|_| Vec::with_capacity(values.len())).collect();
    let mut distances = [T::Distance::default(); CHUNK];
    for (number, chunk) in values.chunks(CHUNK).enumerate() {
        for (distance, value) in distances.iter_mut().zip(chunk) {
            *distance = value.beyond(base);
        }
        if let Some(kept) = kept {
            let kept = kept.slice(number * CHUNK, chunk.len());
            for (distance, _) in distances.iter_mut().zip(&kept).filter(|(_, is_kept)| !is_kept) {
                *distance = T::Distance::default();
            }
        }
        for (plane, bytes) in planes.iter_mut().enumerate() {
            bytes.extend(distances.iter().take(chunk.len()).map(|distance| T::byte(*distance, plane)));
        }
    }
    (Planes { count, base: base.into() }, planes)
}

/// The least and the greatest one.
fn range<'a, T: Whole>(mut values: impl Iterator<Item = &'a T>) -> Option<(T, T)> {
    let first = *values.next()?;
    Some(values.fold((first, first), |(low, high), value| (low.min(*value), high.max(*value))))
}

/// The values whose planes these are, all of `rows` bytes; what is too much for a number goes round.
pub(super) fn put_together<T: Whole>(planes: &[&[u8]], rows: usize, base: T) -> Vec<T> {
    let mut values = with_room(rows);
    for begin in (0..rows).step_by(CHUNK) {
        let end = rows.min(begin + CHUNK);
        let mut distances = [T::Distance::default(); CHUNK];
        for (plane, bytes) in planes.iter().enumerate() {
            let bytes = bytes.get(begin..end).unwrap_or_default();
            for (distance, byte) in distances.iter_mut().zip(bytes) {
                *distance = T::with_byte(*distance, plane, *byte);
            }
        }
        values.extend(distances.iter().take(end - begin).map(|distance| T::at(base, *distance)));
    }
    values
}
