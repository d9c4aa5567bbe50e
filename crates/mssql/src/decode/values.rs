//! Arrays that are being filled.

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{ArrowNativeType, BooleanBufferBuilder, Buffer, NullBufferBuilder};
use arrow_data::ArrayData;
use arrow_schema::DataType;
use bowshot_core::Result;

/// The values of a column, by how Arrow keeps them.
#[derive(Debug)]
pub(super) enum Values {
    Bool(Fixed<bool>),
    UInt8(Fixed<u8>),
    Int16(Fixed<i16>),
    Int32(Fixed<i32>),
    Int64(Fixed<i64>),
    Float32(Fixed<f32>),
    Float64(Fixed<f64>),
    Int128(Fixed<i128>),
    Uuid(Fixed<[u8; 16]>),
    Bytes(Bytes),
}

/// Values of one length.
#[derive(Debug, Default)]
pub(super) struct Fixed<T> {
    values: Vec<T>,
    nulls: Nulls,
}

/// Text or bytes.
#[derive(Debug, Default)]
pub(super) struct Bytes {
    /// Where each value ends; the first one begins at 0.
    ends: Vec<i32>,
    values: Vec<u8>,
    nulls: Nulls,
}

/// Which values are NULL.
#[derive(Debug)]
struct Nulls {
    bits: NullBufferBuilder,
    count: usize,
}

impl Default for Nulls {
    fn default() -> Self {
        Nulls { bits: NullBufferBuilder::new(0), count: 0 }
    }
}

impl<T: Default> Fixed<T> {
    /// Appends values; the number of the first one that `read` cannot.
    pub(super) fn extend<'a>(
        &mut self,
        values: impl Iterator<Item = Option<&'a [u8]>>,
        read: impl Fn(&'a [u8]) -> Option<T>,
    ) -> Result<(), usize> {
        for (row, value) in values.enumerate() {
            match value {
                Some(bytes) => {
                    self.values.push(read(bytes).ok_or(row)?);
                    self.nulls.bits.append_non_null();
                }
                None => {
                    self.values.push(T::default());
                    self.nulls.bits.append_null();
                    self.nulls.count += 1;
                }
            }
        }
        Ok(())
    }
}

impl Bytes {
    /// Appends values, which `write` appends to the others; the number of the first one that it cannot, or that has no
    /// room.
    pub(super) fn extend<'a, E>(
        &mut self,
        values: impl Iterator<Item = Option<&'a [u8]>>,
        mut write: impl FnMut(&'a [u8], &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), usize> {
        for (row, value) in values.enumerate() {
            match value {
                Some(bytes) => {
                    write(bytes, &mut self.values).map_err(|_| row)?;
                    self.nulls.bits.append_non_null();
                }
                None => {
                    self.nulls.bits.append_null();
                    self.nulls.count += 1;
                }
            }
            self.ends.push(i32::try_from(self.values.len()).map_err(|_| row)?);
        }
        Ok(())
    }
}

impl Values {
    pub(super) fn of(data_type: &DataType) -> Values {
        match data_type {
            DataType::Boolean => Values::Bool(Fixed::default()),
            DataType::UInt8 => Values::UInt8(Fixed::default()),
            DataType::Int16 => Values::Int16(Fixed::default()),
            DataType::Int32 | DataType::Date32 => Values::Int32(Fixed::default()),
            DataType::Int64 | DataType::Time64(_) | DataType::Timestamp(..) => Values::Int64(Fixed::default()),
            DataType::Float32 => Values::Float32(Fixed::default()),
            DataType::Float64 => Values::Float64(Fixed::default()),
            DataType::Decimal128(..) => Values::Int128(Fixed::default()),
            DataType::FixedSizeBinary(_) => Values::Uuid(Fixed::default()),
            _ => Values::Bytes(Bytes::default()),
        }
    }

    fn parts(&self) -> (&Nulls, usize) {
        match self {
            Values::Bool(Fixed { values, nulls }) => (nulls, values.len()),
            Values::UInt8(Fixed { values, nulls }) => (nulls, values.len()),
            Values::Int16(Fixed { values, nulls }) => (nulls, 2 * values.len()),
            Values::Int32(Fixed { values, nulls }) => (nulls, 4 * values.len()),
            Values::Int64(Fixed { values, nulls }) => (nulls, 8 * values.len()),
            Values::Float32(Fixed { values, nulls }) => (nulls, 4 * values.len()),
            Values::Float64(Fixed { values, nulls }) => (nulls, 8 * values.len()),
            Values::Int128(Fixed { values, nulls }) => (nulls, 16 * values.len()),
            Values::Uuid(Fixed { values, nulls }) => (nulls, 16 * values.len()),
            Values::Bytes(Bytes { ends, values, nulls }) => (nulls, 4 * ends.len() + values.len()),
        }
    }

    /// How many of the values are NULL.
    pub(super) fn nulls(&self) -> usize {
        self.parts().0.count
    }

    /// About how large their array would be.
    pub(super) fn bytes(&self) -> usize {
        self.parts().1
    }

    /// The values as an array, after which there are none.
    pub(super) fn finish(&mut self, data_type: &DataType) -> Result<ArrayRef> {
        match std::mem::replace(self, Values::of(data_type)) {
            Values::Bool(Fixed { values, nulls }) => {
                let mut bits = BooleanBufferBuilder::new(values.len());
                values.iter().for_each(|value| bits.append(*value));
                array(data_type, values.len(), vec![bits.finish().into_inner()], nulls)
            }
            Values::UInt8(Fixed { values, nulls }) => fixed(data_type, values, nulls),
            Values::Int16(Fixed { values, nulls }) => fixed(data_type, values, nulls),
            Values::Int32(Fixed { values, nulls }) => fixed(data_type, values, nulls),
            Values::Int64(Fixed { values, nulls }) => fixed(data_type, values, nulls),
            Values::Float32(Fixed { values, nulls }) => fixed(data_type, values, nulls),
            Values::Float64(Fixed { values, nulls }) => fixed(data_type, values, nulls),
            Values::Int128(Fixed { values, nulls }) => fixed(data_type, values, nulls),
            Values::Uuid(Fixed { values, nulls }) => {
                let rows = values.len();
                array(data_type, rows, vec![Buffer::from_vec(values.into_flattened())], nulls)
            }
            Values::Bytes(Bytes { ends, values, nulls }) => {
                let rows = ends.len();
                let mut offsets = Vec::with_capacity(rows + 1);
                offsets.push(0);
                offsets.extend(ends);
                array(data_type, rows, vec![Buffer::from_vec(offsets), Buffer::from_vec(values)], nulls)
            }
        }
    }
}

fn fixed<T: ArrowNativeType>(data_type: &DataType, values: Vec<T>, nulls: Nulls) -> Result<ArrayRef> {
    let rows = values.len();
    array(data_type, rows, vec![Buffer::from_vec(values)], nulls)
}

fn array(data_type: &DataType, rows: usize, buffers: Vec<Buffer>, mut nulls: Nulls) -> Result<ArrayRef> {
    let builder = ArrayData::builder(data_type.clone()).len(rows).buffers(buffers).nulls(nulls.bits.finish());
    Ok(make_array(builder.build()?))
}
