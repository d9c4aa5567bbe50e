//! Texts of many arrays, one after the other in memory that becomes the final array.
#![expect(
    unsafe_code,
    reason = "texts that were checked when they came need not be once more, in the one thread that waits for the last of them"
)]

use arrow_array::{Array, GenericStringArray, LargeStringArray, OffsetSizeTrait};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use crate::{expecting, make_room};

/// Guesses do not reserve more.
const MOST_BYTES: usize = 1 << 30;

/// The texts of all arrays so far.
///
/// ```
/// use arrow_array::{LargeStringArray, StringArray};
/// use bowshot_cells::Appended;
///
/// let mut texts = Appended::expecting(3);
/// texts.append(&StringArray::from(vec!["ash", "birch"]));
/// texts.append(&LargeStringArray::from(vec!["cedar"]));
/// assert_eq!(texts.finish(None)?, LargeStringArray::from(vec!["ash", "birch", "cedar"]));
/// # Ok::<(), arrow_schema::ArrowError>(())
/// ```
#[derive(Debug)]
pub struct Appended {
    /// 0, and where each text ends.
    offsets: Vec<i64>,
    /// Whole texts, as arrays had them.
    bytes: Vec<u8>,
}

impl Appended {
    /// For about `count` texts.
    pub fn expecting(count: usize) -> Self {
        let mut offsets = expecting(count.saturating_add(1));
        offsets.push(0);
        Appended { offsets, bytes: Vec::new() }
    }

    /// Adds the texts of an array; what stands in the place of a NULL comes along.
    pub fn append<O: OffsetSizeTrait>(&mut self, array: &GenericStringArray<O>) {
        let starts = array.value_offsets();
        let (Some(first), Some(last)) = (starts.first(), starts.last()) else { return };
        // An array's offsets lie within its bytes.
        let Some(texts) = array.value_data().get(first.as_usize()..last.as_usize()) else { return };
        let there = self.bytes.len();
        make_room(&mut self.offsets, array.len());
        self.expect(texts.len(), self.offsets.len() + array.len());
        make_room(&mut self.bytes, texts.len());
        self.bytes.extend_from_slice(texts);
        // Memory has fewer than 2^63 bytes.
        let end = |offset: &O| i64::try_from(offset.as_usize() - first.as_usize() + there).unwrap_or(i64::MAX);
        self.offsets.extend(starts.iter().skip(1).map(end));
    }

    /// Makes room for `more` bytes, with which there will be `count` texts; if there is too little, at once for as many texts as there
    /// is room for, if they are as long as those so far.
    fn expect(&mut self, more: usize, count: usize) {
        let needed = self.bytes.len() + more;
        if needed > self.bytes.capacity() && count > 0 {
            let all = needed as u128 * self.offsets.capacity() as u128 / count as u128;
            let all = usize::try_from(all + all / 32).unwrap_or(usize::MAX).min(MOST_BYTES);
            let _ = self.bytes.try_reserve_exact(all.saturating_sub(self.bytes.len()));
        }
    }

    /// Gives back the memory that was reserved in vain.
    pub fn shrink(&mut self) {
        self.offsets.shrink_to_fit();
        self.bytes.shrink_to_fit();
    }

    /// All texts as one array.
    ///
    /// # Errors
    /// There is not a bit of `validity` for each text.
    pub fn finish(self, validity: Option<NullBuffer>) -> Result<LargeStringArray, ArrowError> {
        let Appended { offsets, bytes } = self;
        if validity.as_ref().is_some_and(|validity| validity.len() + 1 != offsets.len()) {
            return Err(ArrowError::InvalidArgumentError("not a bit for each text".to_owned()));
        }
        // SAFETY: the first is 0, and each array's follow in its own order, from where the ones before ended.
        let offsets = unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets)) };
        // SAFETY: the offsets are ordered and end with the bytes; between two of them are those of one text of an array, which are
        // UTF-8; a bit a text.
        Ok(unsafe { LargeStringArray::new_unchecked(offsets, Buffer::from_vec(bytes), validity) })
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::StringArray;

    use super::*;

    #[test]
    fn slices_nulls_and_empty_arrays_are_appended() {
        let mut texts = Appended::expecting(2);
        let some = StringArray::from(vec![Some("täxt"), None, Some(""), Some("ende")]);
        texts.append(&some.slice(1, 3));
        texts.append(&LargeStringArray::from(Vec::<&str>::new()));
        texts.append(&some);
        texts.append(&LargeStringArray::from(vec!["x"; 100_000]));
        texts.shrink();
        let nulls: NullBuffer = (0..100_007).map(|row| row != 0 && row != 4).collect();
        let all = texts.finish(Some(nulls)).unwrap();
        all.to_data().validate_full().unwrap();
        let found: Vec<_> = all.iter().take(8).collect();
        assert_eq!(found, [None, Some(""), Some("ende"), Some("täxt"), None, Some(""), Some("ende"), Some("x")]);
        assert_eq!((all.len(), all.null_count()), (100_007, 2));
    }

    #[test]
    fn each_text_has_a_bit() {
        let mut texts = Appended::expecting(0);
        texts.append(&StringArray::from(vec!["a", "b"]));
        assert!(texts.finish(Some(NullBuffer::new_null(3))).is_err());
        assert_eq!(Appended::expecting(5).finish(None).unwrap().len(), 0);
    }
}
