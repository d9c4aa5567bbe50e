//! From what grew to an Arrow array.

use std::sync::Arc;

use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, Decimal256Array, DictionaryArray, Int32Array,
    ListArray, MapArray, NullArray, StringArray, StructArray, UInt32Array, make_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use bowshot_core::{Error, ErrorKind, Result};

use super::{Body, Column, Text};

impl Column {
    /// The array, and the column is empty again.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        let rows = std::mem::take(&mut self.rows);
        let nulls = self.nulls.as_mut().map(std::mem::take).and_then(|nulls| validity(&nulls));
        let data_type = &self.data_type;
        Ok(match &mut self.body {
            Body::Plain { buffer, .. } | Body::Number { buffer, .. } => {
                fixed(data_type, rows, std::mem::take(buffer).into(), nulls)?
            }
            Body::Uuid(buffer) => {
                let mut buffer = std::mem::take(buffer);
                buffer.as_slice_mut().chunks_exact_mut(8).for_each(<[u8]>::reverse);
                fixed(data_type, rows, buffer.into(), nulls)?
            }
            Body::Bool(values) => {
                let values = std::mem::take(values);
                let bits =
                    BooleanBuffer::collect_bool(values.len(), |row| values.get(row).is_some_and(|value| *value != 0));
                Arc::new(BooleanArray::new(bits, nulls))
            }
            Body::Text(text, _) => finish_text(std::mem::take(text), data_type, nulls)?,
            Body::Enumeration { keys, enumeration } => {
                let keys = Int32Array::try_new(std::mem::take(keys).into(), nulls)?;
                Arc::new(DictionaryArray::try_new(keys, Arc::clone(&enumeration.labels) as ArrayRef)?)
            }
            Body::Nothing(_) => Arc::new(NullArray::new(rows)),
            Body::List { ends, item } => {
                let DataType::List(field) = data_type else { return Err(mismatch()) };
                let offsets = offsets(std::mem::take(ends));
                Arc::new(ListArray::try_new(Arc::clone(field), offsets, item.finish()?, nulls)?)
            }
            Body::Struct(members) => {
                let DataType::Struct(fields) = data_type else { return Err(mismatch()) };
                let members = members.iter_mut().map(Column::finish).collect::<Result<Vec<_>>>()?;
                Arc::new(StructArray::try_new(fields.clone(), members, nulls)?)
            }
            Body::Map { ends, key, value } => {
                let DataType::Map(entries, sorted) = data_type else { return Err(mismatch()) };
                let DataType::Struct(fields) = entries.data_type() else { return Err(mismatch()) };
                let members = StructArray::try_new(fields.clone(), vec![key.finish()?, value.finish()?], None)?;
                let offsets = offsets(std::mem::take(ends));
                Arc::new(MapArray::try_new(Arc::clone(entries), offsets, members, nulls, *sorted)?)
            }
            Body::LowCardinality { keys, values, .. } => {
                let keys = UInt32Array::from(std::mem::take(keys));
                arrow_select::take::take(&values.finish()?, &keys, None)?
            }
        })
    }
}

/// From a byte a row, 1 for NULL.
fn validity(nulls: &[u8]) -> Option<NullBuffer> {
    let valid = BooleanBuffer::collect_bool(nulls.len(), |row| nulls.get(row) == Some(&0));
    Some(NullBuffer::new(valid)).filter(|nulls| nulls.null_count() > 0)
}

fn offsets(mut ends: Vec<i32>) -> OffsetBuffer<i32> {
    ends.insert(0, 0);
    // They ascend: each is the length of a buffer that only grows, or was compared with the one before.
    OffsetBuffer::new(ScalarBuffer::from(ends))
}

fn fixed(data_type: &DataType, rows: usize, buffer: Buffer, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let array = make_array(ArrayData::builder(data_type.clone()).len(rows).add_buffer(buffer).nulls(nulls).build()?);
    let checked = match data_type {
        DataType::Decimal128(precision, _) => {
            array.as_any().downcast_ref().map(|array: &Decimal128Array| array.validate_decimal_precision(*precision))
        }
        DataType::Decimal256(precision, _) => {
            array.as_any().downcast_ref().map(|array: &Decimal256Array| array.validate_decimal_precision(*precision))
        }
        _ => None,
    };
    match checked {
        Some(Err(error)) => Err(Error::new(ErrorKind::Value, error.to_string())
            .with_hint("its type in the database holds more than it says: cast it to a wider decimal in the query")
            .with_source(error)),
        _ => Ok(array),
    }
}

fn finish_text(text: Text, data_type: &DataType, nulls: Option<NullBuffer>) -> Result<ArrayRef> {
    let offsets = offsets(text.ends);
    let values = Buffer::from_vec(text.values);
    if data_type == &DataType::Binary {
        return Ok(Arc::new(BinaryArray::try_new(offsets, values, nulls)?));
    }
    match StringArray::try_new(offsets.clone(), values.clone(), nulls) {
        Ok(array) => Ok(Arc::new(array)),
        Err(_) => Err(no_text(&offsets, &values)),
    }
}

/// The first value that is not UTF-8.
#[cold]
fn no_text(offsets: &OffsetBuffer<i32>, values: &[u8]) -> Error {
    let ends = offsets.windows(2).map(|ends| match ends {
        [begin, end] => usize::try_from(*begin).unwrap_or(0)..usize::try_from(*end).unwrap_or(0),
        _ => 0..0,
    });
    let value =
        ends.map(|range| values.get(range).unwrap_or_default()).find(|value| std::str::from_utf8(value).is_err());
    let value = value.unwrap_or_default();
    let shown: String = value.iter().take(20).map(|byte| format!("{byte:02X}")).collect();
    let dots = if value.len() > 20 { "…" } else { "" };
    Error::new(ErrorKind::Value, format!("x'{shown}'{dots} is not text in UTF-8"))
}

#[cold]
fn mismatch() -> Error {
    Error::new(ErrorKind::Internal, "a column's values are not those of its type")
}
