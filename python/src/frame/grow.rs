//! A column that grows batch by batch in memory that becomes the final array.
//!
//! A column begins with room for the rows that the result is expected to have, since growing may copy what is there: only for the
//! largest blocks the allocator remaps pages instead. Pages that are not written yet cost nothing, and those that are written next are
//! mapped at once. What is left over at the end is given back.

use std::mem::size_of;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_buffer::{BooleanBuffer, NullBuffer, NullBufferBuilder};
use arrow_schema::{DataType, Field, FieldRef};
use bowshot_cells::{Appended, expecting, make_room};
use bowshot_core::{Error, ErrorKind, Result};

use super::layout::Kind;

/// The values of a column so far. What stands in the place of a NULL means nothing.
pub(crate) enum Data {
    /// Integers and instants; unsigned ones bit by bit.
    Words(Vec<i64>),
    Floats(Vec<f64>),
    /// One byte a truth value, as NumPy has it.
    Truths(Vec<u8>),
    Days(Vec<i32>),
    Text(Appended),
    Arrays(Vec<ArrayRef>),
}

/// A growing column.
pub(crate) struct Growing {
    pub(crate) field: FieldRef,
    pub(crate) kind: Kind,
    pub(crate) data: Data,
    nulls: NullBufferBuilder,
    pub(crate) null_count: usize,
    pub(crate) length: usize,
}

impl Growing {
    /// For about `rows` rows: those that the result is expected to have.
    pub(crate) fn new(field: FieldRef, kind: Kind, rows: usize) -> Self {
        let data = match kind {
            Kind::Int | Kind::Unsigned | Kind::Instant => Data::Words(expecting(rows)),
            Kind::Float => Data::Floats(expecting(rows)),
            Kind::Bool => Data::Truths(expecting(rows)),
            Kind::Day => Data::Days(expecting(rows)),
            Kind::Text => Data::Text(Appended::expecting(rows)),
            Kind::Object => Data::Arrays(Vec::new()),
        };
        Growing { field, kind, data, nulls: NullBufferBuilder::new(0), null_count: 0, length: 0 }
    }

    /// Adds the column of one batch.
    pub(crate) fn append(&mut self, array: &ArrayRef) -> Result<()> {
        match array.logical_nulls() {
            Some(nulls) => self.nulls.append_buffer(&nulls),
            None => self.nulls.append_n_non_nulls(array.len()),
        }
        self.null_count += array.logical_null_count();
        self.length += array.len();
        match (&mut self.data, array.data_type()) {
            (Data::Words(words), DataType::Int8) => widen::<Int8Type>(words, array),
            (Data::Words(words), DataType::Int16) => widen::<Int16Type>(words, array),
            (Data::Words(words), DataType::Int32) => widen::<Int32Type>(words, array),
            (Data::Words(words), DataType::UInt8) => widen::<UInt8Type>(words, array),
            (Data::Words(words), DataType::UInt16) => widen::<UInt16Type>(words, array),
            (Data::Words(words), DataType::UInt32) => widen::<UInt32Type>(words, array),
            (Data::Words(words), DataType::Int64) => append(words, array.as_primitive::<Int64Type>().values()),
            (Data::Words(words), DataType::UInt64) => {
                make_room(words, array.len());
                words.extend(array.as_primitive::<UInt64Type>().values().iter().map(|value| value.cast_signed()));
            }
            (Data::Words(words), DataType::Timestamp(..) | DataType::Duration(_)) => {
                // Every unit counts in 64 bits.
                let data = array.to_data();
                let values = data.buffers().first().map(|buffer| buffer.typed_data::<i64>()).unwrap_or_default();
                append(words, values.get(data.offset()..data.offset() + data.len()).unwrap_or_default());
            }
            (Data::Floats(floats), DataType::Float64) => {
                append(floats, array.as_primitive::<Float64Type>().values());
            }
            (Data::Truths(truths), DataType::Boolean) => {
                truths.extend(array.as_boolean().values().iter().map(u8::from))
            }
            (Data::Days(days), DataType::Date32) => append(days, array.as_primitive::<Date32Type>().values()),
            (Data::Text(texts), DataType::Utf8) => texts.append(array.as_string::<i32>()),
            (Data::Text(texts), DataType::LargeUtf8) => texts.append(array.as_string::<i64>()),
            (Data::Arrays(arrays), _) => arrays.push(array.clone()),
            (_, other) => {
                let what = format!("column \"{}\" came as {other}, not as planned", self.field.name());
                return Err(Error::new(ErrorKind::Internal, what).with_column(self.field.name()));
            }
        }
        Ok(())
    }

    /// Where the NULLs are, if there are any.
    pub(crate) fn nulls(&mut self) -> Option<NullBuffer> {
        self.nulls.finish()
    }

    /// Gives back the memory that was reserved in vain.
    pub(crate) fn shrink(&mut self) {
        match &mut self.data {
            Data::Words(values) => values.shrink_to_fit(),
            Data::Floats(values) => values.shrink_to_fit(),
            Data::Truths(values) => values.shrink_to_fit(),
            Data::Days(values) => values.shrink_to_fit(),
            Data::Text(texts) => texts.shrink(),
            Data::Arrays(_) => {}
        }
    }

    /// The field with the type that the arrays of this column really have.
    pub(crate) fn final_field(&self) -> Field {
        let data_type = match self.kind {
            Kind::Text => DataType::LargeUtf8,
            _ => self.field.data_type().clone(),
        };
        Field::new(self.field.name(), data_type, true).with_metadata(self.field.metadata().clone())
    }
}

fn append<T: Copy>(all: &mut Vec<T>, values: &[T]) {
    make_room(all, values.len());
    all.extend_from_slice(values);
}

fn widen<T: ArrowPrimitiveType<Native: Into<i64>>>(words: &mut Vec<i64>, array: &ArrayRef) {
    make_room(words, array.len());
    words.extend(array.as_primitive::<T>().values().iter().map(|value| -> i64 { (*value).into() }));
}

/// One byte a row, 1 where it is NULL: the mask of pandas' masked arrays.
pub(crate) fn mask(nulls: Option<&NullBuffer>, length: usize) -> Vec<u8> {
    match nulls.map(NullBuffer::inner) {
        Some(valid) => truths(valid).map(|valid| 1 - valid).collect(),
        None => vec![0; length],
    }
}

fn truths(bits: &BooleanBuffer) -> impl Iterator<Item = u8> + '_ {
    bits.iter().map(u8::from)
}

const _: () = assert!(size_of::<i64>() == size_of::<f64>(), "integers become floats in place");
