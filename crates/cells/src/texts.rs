//! Offsets and texts, checked whole: Arrow's own constructors look at one value after the other, and at the offsets twice.
//! Of a table with 52 columns of short texts that was a sixth of the instructions of who sent it (callgrind).
#![expect(unsafe_code, reason = "what Arrow would check once more was checked here, many values at a time")]

use arrow_array::types::ByteArrayType;
use arrow_array::{GenericByteArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType};

/// The offsets of values that fill `used` bytes one after the other; `None` where they are no such offsets.
pub fn ordered<O: OffsetSizeTrait>(offsets: ScalarBuffer<O>, used: usize) -> Option<OffsetBuffer<O>> {
    let ends = offsets.iter().skip(1);
    // Without a way out in between, so that many are compared at once.
    let sorted = offsets.iter().zip(ends).fold(true, |sorted, (start, end)| sorted & (start <= end));
    let whole = offsets.first() == Some(&O::default()) && offsets.last().and_then(|end| end.to_usize()) == Some(used);
    // SAFETY: there is one at least, the first is 0, none is less than the one before.
    (sorted && whole).then(|| unsafe { OffsetBuffer::new_unchecked(offsets) })
}

/// The texts, or the bytes, between those offsets, which end where `bytes` end.
///
/// # Errors
/// Texts are not UTF-8, or one ends within a character.
pub fn texts<T: ByteArrayType>(
    offsets: OffsetBuffer<T::Offset>,
    bytes: Buffer,
    validity: Option<NullBuffer>,
) -> Result<GenericByteArray<T>, ArrowError> {
    let end = offsets.last().and_then(|last| last.to_usize());
    let fits = end == Some(bytes.len()) && validity.as_ref().is_none_or(|nulls| nulls.len() + 1 == offsets.len());
    let anything = matches!(T::DATA_TYPE, DataType::Binary | DataType::LargeBinary);
    if fits && (anything || are_texts(&offsets, &bytes)) {
        // SAFETY: the offsets are ordered and end with the bytes, which are whole characters between any two of them where they
        // are text; a bit a value.
        return Ok(unsafe { GenericByteArray::new_unchecked(offsets, bytes, validity) });
    }
    GenericByteArray::try_new(offsets, bytes, validity)
}

/// Whether what lies between the offsets are characters, all of them whole.
fn are_texts<O: OffsetSizeTrait>(offsets: &[O], bytes: &[u8]) -> bool {
    // A byte that goes on with a character has the bits 10 in front.
    let begins = |offset: &O| bytes.get(offset.as_usize()).is_none_or(|byte| byte & 0xC0 != 0x80);
    // Without a way out in between, as above.
    bytes.is_ascii()
        || (std::str::from_utf8(bytes).is_ok() && offsets.iter().fold(true, |whole, offset| whole & begins(offset)))
}

#[cfg(test)]
mod tests {
    use arrow_array::types::{BinaryType, LargeUtf8Type, Utf8Type};
    use arrow_array::{Array, StringArray};

    use super::*;

    #[test]
    fn only_ordered_offsets_pass() {
        let check = |offsets: &[i32], used| ordered::<i32>(offsets.to_vec().into(), used).is_some();
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
            let offsets = ordered::<i32>(offsets.to_vec().into(), bytes.len()).unwrap();
            texts::<Utf8Type>(offsets, Buffer::from(bytes), nulls.map(NullBuffer::from))
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

    #[test]
    fn bytes_may_be_any() {
        let offsets = || ordered::<i32>(vec![0, 1, 2].into(), 2).unwrap();
        let array = texts::<BinaryType>(offsets(), Buffer::from(b"\xff\x00"), None).unwrap();
        assert_eq!(array.iter().collect::<Vec<_>>(), [Some(&b"\xff"[..]), Some(&b"\x00"[..])]);
        assert!(texts::<BinaryType>(offsets(), Buffer::from(b"a"), None).is_err());
        assert!(texts::<BinaryType>(offsets(), Buffer::from(b"ab"), Some(NullBuffer::new_null(3))).is_err());
        let long = ordered::<i64>(vec![0, 1, 3].into(), 3).unwrap();
        let array =
            texts::<LargeUtf8Type>(long, Buffer::from("aü".as_bytes()), Some(NullBuffer::from(vec![true, false])))
                .unwrap();
        assert_eq!((array.value(0), array.null_count()), ("a", 1));
    }
}
