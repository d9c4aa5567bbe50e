//! Offsets and texts, checked whole: Arrow's own constructors look at one value after the other, and at the offsets twice.
//! Of a table with 52 columns of short texts that was a sixth of the server's instructions (callgrind).
#![expect(unsafe_code, reason = "what Arrow would check once more was checked here, many values at a time")]

use arrow_array::StringArray;
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

/// The offsets of values that fill `used` bytes one after the other; `None` where they are no such offsets.
pub(crate) fn ordered(offsets: ScalarBuffer<i32>, used: usize) -> Option<OffsetBuffer<i32>> {
    let ends = offsets.iter().skip(1);
    // Without a way out in between, so that many are compared at once.
    let sorted = offsets.iter().zip(ends).fold(true, |sorted, (start, end)| sorted & (start <= end));
    let whole =
        offsets.first() == Some(&0) && offsets.last().and_then(|&last| usize::try_from(last).ok()) == Some(used);
    // SAFETY: there is one at least, the first is 0, none is less than the one before.
    (sorted && whole).then(|| unsafe { OffsetBuffer::new_unchecked(offsets) })
}

/// The texts between those offsets, which end where `bytes` end.
///
/// # Errors
/// They are not UTF-8, or one ends within a character.
pub(crate) fn texts(
    offsets: OffsetBuffer<i32>,
    bytes: Buffer,
    validity: Option<NullBuffer>,
) -> Result<StringArray, ArrowError> {
    let end = offsets.last().and_then(|&last| usize::try_from(last).ok());
    let fits = end == Some(bytes.len()) && validity.as_ref().is_none_or(|nulls| nulls.len() + 1 == offsets.len());
    if fits && bytes.is_ascii() {
        // SAFETY: the offsets are ordered and end with the bytes, each of which is a character; a bit a value.
        return Ok(unsafe { StringArray::new_unchecked(offsets, bytes, validity) });
    }
    StringArray::try_new(offsets, bytes, validity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ordered_offsets_pass() {
        let check = |offsets: &[i32], used| ordered(offsets.to_vec().into(), used).is_some();
        assert!(check(&[0], 0) && check(&[0, 3, 3, 5], 5));
        for (offsets, used) in
            [(&[][..], 0), (&[1, 3], 3), (&[0, 3, 2, 5], 5), (&[0, 3], 4), (&[0, -1], 0), (&[-1, 0], 0)]
        {
            assert!(!check(offsets, used), "{offsets:?} {used}");
        }
    }

    #[test]
    fn texts_are_checked_as_arrow_does() {
        let array = |offsets: &[i32], bytes: &[u8], nulls: Option<Vec<bool>>| {
            let offsets = ordered(offsets.to_vec().into(), bytes.len()).unwrap();
            texts(offsets, Buffer::from(bytes), nulls.map(NullBuffer::from))
        };
        let read = |array: StringArray| array.iter().map(|text| text.map(str::to_owned)).collect::<Vec<_>>();
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read(array(&[0, 1, 1, 3], b"abc", None).unwrap()), [some("a"), some(""), some("bc")]);
        assert_eq!(read(array(&[0, 1, 1], b"a", Some(vec![true, false])).unwrap()), [some("a"), None]);
        assert_eq!(read(array(&[0, 2], "ü".as_bytes(), None).unwrap()), [some("ü")]);
        // Within a character, no UTF-8, validity of another length.
        assert!(array(&[0, 1, 2], "ü".as_bytes(), None).is_err());
        assert!(array(&[0, 1], b"\xff", None).is_err());
        assert!(array(&[0, 1], b"a", Some(vec![true, false])).is_err());
    }
}
