//! Types whose values all have one length.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_schema::DataType;
use bowshot_cells::{collect, with_room};

use super::{Decode, Reject};
use crate::cells::{Cells, NULL, length, load};

/// `N` big-endian bytes a value, turned into a native number by a function that the compiler sees through.
pub(crate) struct Fixed<T, F, const N: usize> {
    convert: F,
    data_type: DataType,
    arrow: PhantomData<fn() -> T>,
}

impl<T, F, const N: usize> Fixed<T, F, N>
where
    T: ArrowPrimitiveType,
    F: Fn([u8; N]) -> Result<T::Native, Reject> + Send + Sync,
{
    /// `data_type` is `T`'s own but for parameters (time zone, precision and scale).
    pub(crate) fn new(data_type: DataType, convert: F) -> Self {
        Fixed { convert, data_type, arrow: PhantomData }
    }
}

impl<T, F, const N: usize> Decode for Fixed<T, F, N>
where
    T: ArrowPrimitiveType,
    F: Fn([u8; N]) -> Result<T::Native, Reject> + Send + Sync,
{
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let bytes = cells.bytes;
        let mut lengths_match = true;
        let mut rejected = None;
        let mut convert = |offset: u32| {
            lengths_match &= length(bytes, offset) == N;
            (self.convert)(load(bytes, offset as usize)).unwrap_or_else(|reject| {
                rejected.get_or_insert(reject);
                T::Native::default()
            })
        };
        // Two loops, so that a column without NULLs is not asked for them value by value.
        let values: Vec<T::Native> = if cells.has_nulls {
            let nullable = |&offset: &u32| if offset == NULL { T::Native::default() } else { convert(offset) };
            collect(cells.offsets.iter().map(nullable))
        } else {
            collect(cells.offsets.iter().map(|&offset| convert(offset)))
        };
        if let Some(reject) = rejected {
            return Err(reject);
        }
        check_lengths(lengths_match, N)?;
        let array = PrimitiveArray::<T>::try_new(values.into(), cells.validity())?;
        Ok(Arc::new(array.with_data_type(self.data_type.clone())))
    }
}

/// One byte a value.
pub(crate) struct Boolean;

impl Decode for Boolean {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut lengths_match = true;
        let values = BooleanBuffer::collect_bool(cells.len(), |row| match cells.offsets.get(row) {
            None | Some(&NULL) => false,
            Some(&offset) => {
                lengths_match &= length(cells.bytes, offset) == 1;
                load::<1>(cells.bytes, offset as usize) != [0]
            }
        });
        check_lengths(lengths_match, 1)?;
        Ok(Arc::new(BooleanArray::new(values, cells.validity())))
    }
}

/// 16 bytes a value, kept as they are.
pub(crate) struct Uuid;

impl Decode for Uuid {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut values = with_room(cells.len() * 16);
        let mut lengths_match = true;
        for &offset in cells.offsets {
            if offset == NULL {
                values.extend_from_slice(&[0; 16]);
            } else {
                lengths_match &= length(cells.bytes, offset) == 16;
                values.extend_from_slice(&load::<16>(cells.bytes, offset as usize));
            }
        }
        check_lengths(lengths_match, 16)?;
        Ok(Arc::new(FixedSizeBinaryArray::try_new(16, Buffer::from_vec(values), cells.validity())?))
    }
}

fn check_lengths(match_all: bool, expected: usize) -> Result<(), Reject> {
    if match_all {
        return Ok(());
    }
    Err(Reject::broken(format!("a value does not have the {expected} bytes of its type")))
}
