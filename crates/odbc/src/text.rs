//! Text and bytes into Arrow arrays.

use std::sync::Arc;

use arrow_array::builder::NullBufferBuilder;
use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{ArrayRef, GenericByteArray};
use arrow_buffer::{ArrowNativeType, Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use bowshot_core::{Error, ErrorKind, Result as BowshotResult};

use crate::block::{Cell, Slot};
use crate::decode::{Decoder, Misfit, Place, place};
use crate::types::Form;

/// Text or bytes of any length.
pub(crate) struct Texts<T: ByteArrayType> {
    form: Form,
    bytes: Vec<u8>,
    /// Where each value ends.
    ends: Vec<T::Offset>,
    nulls: NullBufferBuilder,
    /// The bytes that were looked at and are whole UTF-8.
    checked: usize,
}

impl Texts<Utf8Type> {
    /// Whether values of a type are text or bytes.
    pub(crate) fn serves(data_type: &DataType) -> bool {
        matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary)
    }

    pub(crate) fn boxed(data_type: &DataType, form: Form) -> Box<dyn Decoder> {
        match data_type {
            DataType::LargeUtf8 => Box::new(Texts::<LargeUtf8Type>::new(form)),
            DataType::Binary => Box::new(Texts::<BinaryType>::new(form)),
            DataType::LargeBinary => Box::new(Texts::<LargeBinaryType>::new(form)),
            _ => Box::new(Texts::<Utf8Type>::new(form)),
        }
    }
}

impl<T: ByteArrayType> Texts<T> {
    fn new(form: Form) -> Self {
        let nulls = NullBufferBuilder::new(0);
        Texts { form, bytes: Vec::new(), ends: vec![T::Offset::default()], nulls, checked: 0 }
    }

    fn append_as(
        &mut self,
        slot: &Slot,
        rows: usize,
        put: impl Fn(&[u8], &mut Vec<u8>) -> Result<(), Misfit>,
    ) -> Result<(), Place> {
        slot.each(rows, |row, cell| {
            match cell {
                Cell::Value(value) => {
                    put(value, &mut self.bytes).map_err(|misfit| place(row, misfit, b""))?;
                    self.nulls.append_non_null();
                }
                Cell::Null => self.nulls.append_null(),
                Cell::Cut => return Err(place(row, Misfit::Cut, b"")),
            }
            let end = T::Offset::from_usize(self.bytes.len()).ok_or_else(|| place(row, Misfit::Range, b""))?;
            self.ends.push(end);
            Ok(())
        })
    }

    /// The first value from `first` on that is no UTF-8.
    fn check(&mut self, first: usize) -> Result<(), Place> {
        let text = std::str::from_utf8(self.bytes.get(self.checked..).unwrap_or_default());
        let whole = |end: &T::Offset| {
            let at = end.as_usize() - self.checked;
            text.is_ok_and(|text| text.is_char_boundary(at))
        };
        let ends = self.ends.get(first + 1..).unwrap_or_default();
        if text.is_ok() && ends.iter().all(whole) {
            self.checked = self.bytes.len();
            return Ok(());
        }
        let mut start = self.checked;
        for (row, end) in ends.iter().enumerate() {
            let value = self.bytes.get(start..end.as_usize()).unwrap_or_default();
            if std::str::from_utf8(value).is_err() {
                return Err(place(row, Misfit::Encoding, value));
            }
            start = end.as_usize();
        }
        Ok(())
    }
}

impl<T: ByteArrayType> Decoder for Texts<T> {
    fn append(&mut self, slot: &Slot, rows: usize) -> Result<(), Place> {
        let first = self.ends.len() - 1;
        self.ends.reserve(rows);
        let copy = |value: &[u8], bytes: &mut Vec<u8>| {
            bytes.extend_from_slice(value);
            Ok(())
        };
        match self.form {
            Form::Wide => self.append_as(slot, rows, narrow),
            Form::Bytes => self.append_as(slot, rows, copy),
            _ => {
                self.append_as(slot, rows, copy)?;
                self.check(first)
            }
        }
    }

    fn bytes(&self) -> usize {
        self.bytes.len() + size_of_val(self.ends.as_slice())
    }

    fn finish(&mut self) -> BowshotResult<ArrayRef> {
        let ends = std::mem::replace(&mut self.ends, vec![T::Offset::default()]);
        let bytes = std::mem::take(&mut self.bytes);
        self.checked = 0;
        let offsets = OffsetBuffer::new(ScalarBuffer::from(ends));
        let array = GenericByteArray::<T>::try_new(offsets, Buffer::from_vec(bytes), self.nulls.finish());
        let array =
            array.map_err(|error| Error::new(ErrorKind::Internal, format!("text that is no array: {error}")))?;
        Ok(Arc::new(array))
    }
}

/// Appends UTF-16 as UTF-8.
#[inline]
fn narrow(value: &[u8], bytes: &mut Vec<u8>) -> Result<(), Misfit> {
    let (units, rest) = value.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Misfit::Encoding);
    }
    let units = units.iter().map(|unit| u16::from_ne_bytes(*unit));
    // Plain ASCII, in one pass that the compiler turns into vector code.
    let start = bytes.len();
    let mut all = 0;
    bytes.extend(units.clone().map(|unit| {
        all |= unit;
        unit.to_le_bytes()[0]
    }));
    if all < 128 {
        return Ok(());
    }
    bytes.truncate(start);
    for character in char::decode_utf16(units) {
        let character = character.map_err(|_| Misfit::Encoding)?;
        bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;

    use super::*;
    use crate::abi;
    use crate::block::Access;

    fn slot(c_type: i16, values: &[&[u8]]) -> Slot {
        let mut slot = Slot::new(1, Access::Long { c_type }, false, 0);
        for value in values {
            let (bytes, ends) = slot.long();
            bytes.extend_from_slice(value);
            ends.push(isize::try_from(bytes.len()).unwrap());
        }
        slot
    }

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_ne_bytes).collect()
    }

    #[test]
    fn utf16_becomes_utf8() {
        let mut texts = Texts::boxed(&DataType::Utf8, Form::Wide);
        let values = ["plain", "", "ünï🏹", "\u{7f}\u{80}"].map(utf16);
        let values: Vec<&[u8]> = values.iter().map(Vec::as_slice).collect();
        texts.append(&slot(abi::c::WCHAR, &values), 4).unwrap();
        let array = texts.finish().unwrap();
        let array: Vec<_> = array.as_string::<i32>().iter().flatten().collect();
        assert_eq!(array, ["plain", "", "ünï🏹", "\u{7f}\u{80}"]);
        let lone = 0xd800_u16.to_ne_bytes();
        assert_eq!(texts.append(&slot(abi::c::WCHAR, &[&lone]), 1).unwrap_err().misfit, Misfit::Encoding);
    }

    #[test]
    fn halves_of_a_character_are_no_text() {
        let mut texts = Texts::boxed(&DataType::Utf8, Form::Text);
        texts.append(&slot(abi::c::CHAR, &[b"a", "é".as_bytes()]), 2).unwrap();
        // Whole together, but not each.
        let place = texts.append(&slot(abi::c::CHAR, &[b"ok", b"\xc3", b"\xa9"]), 3).unwrap_err();
        assert_eq!((place.row, place.misfit), (1, Misfit::Encoding));
    }
}
