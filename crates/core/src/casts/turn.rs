//! A whole column in another type, or the first row whose value that type cannot hold.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, new_null_array};
use arrow_cast::{CastOptions, cast, cast_with_options};
use arrow_schema::{ArrowError, DataType};

use super::family::{Family, may_become};
use super::{bytes, decimals, floats, integers, nested, temporal, text, written};

/// Why a column cannot be turned.
#[derive(Debug)]
pub(super) enum Unfit {
    /// The value of this row is none of the type's.
    Row(usize),
    /// A value inside of this row's, which is shown, is none of the type's.
    Inside(usize, String),
    /// The values are fine, and yet no array of the type can hold them.
    Whole(String),
}

impl From<ArrowError> for Unfit {
    fn from(error: ArrowError) -> Self {
        Unfit::Whole(error.to_string())
    }
}

/// A column in another type, without a changed value.
pub(super) type Turned = Result<ArrayRef, Unfit>;

/// What the text of a column is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Writing {
    /// Somebody's, of whatever it says.
    #[default]
    Text,
    /// How a database writes its decimals: each mades the nearest float.
    Decimal,
}

/// The column as `wanted`, if that changes no value.
pub(super) fn turn(column: &ArrayRef, wanted: &DataType, writing: Writing) -> Turned {
    let from = column.data_type();
    if from == wanted {
        return Ok(Arc::clone(column));
    }
    if !may_become(from, wanted) {
        return Err(Unfit::Whole(format!("{from} cannot become {wanted}")));
    }
    match (Family::of(from), Family::of(wanted)) {
        (Family::Null, _) => Ok(new_null_array(wanted, column.len())),
        (Family::Packed(values), _) => turn(&by_arrow(column, values)?, wanted, writing),
        (_, Family::Packed(values)) => by_arrow(&turn(column, values, writing)?, wanted),
        (Family::Text, to) => text::turn(column, wanted, to, writing),
        (Family::Bytes, _) => bytes::turn(column, wanted),
        (_, Family::Text) => written::turn(column, wanted),
        (from, Family::Boolean) => integers::to_boolean(column, from),
        (from, Family::Integer) => integers::turn(column, wanted, from),
        (from, Family::Float) => floats::turn(column, wanted, from),
        (from, Family::Decimal) => decimals::turn(column, wanted, from),
        (from, Family::List(..) | Family::Struct(_) | Family::Map(_)) => nested::turn(column, wanted, from),
        (from, to) => temporal::turn(column, wanted, from, to),
    }
}

/// Arrow's own cast, for pairs of types where that changes nothing or fails.
pub(super) fn by_arrow(column: &ArrayRef, wanted: &DataType) -> Turned {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(column, wanted, &strict).map_err(|error| {
        let lost = |turned: &ArrayRef| (0..column.len()).find(|row| column.is_valid(*row) && turned.is_null(*row));
        cast(column, wanted).ok().as_ref().and_then(lost).map_or_else(|| error.into(), Unfit::Row)
    })
}

/// An array of what `made` makes of each value; a row that it makes nothing of does not fit, unless it is NULL.
pub(super) fn every<F: ArrowPrimitiveType, T: ArrowPrimitiveType>(
    column: &ArrayRef,
    wanted: &DataType,
    made: impl Fn(F::Native) -> Option<T::Native>,
) -> Turned {
    let array = column.as_primitive::<F>();
    let mut all = true;
    // NULLs hide anything, so that they are looked at only where something is wrong.
    let one = |value: &F::Native| {
        made(*value).unwrap_or_else(|| {
            all = false;
            T::Native::default()
        })
    };
    let values: Vec<T::Native> = array.values().iter().map(one).collect();
    if !all {
        let unfit = |row: &usize| array.is_valid(*row) && made(array.value(*row)).is_none();
        if let Some(row) = (0..array.len()).find(unfit) {
            return Err(Unfit::Row(row));
        }
    }
    let turned = PrimitiveArray::<T>::try_new(values.into(), array.nulls().cloned())?;
    Ok(Arc::new(turned.with_data_type(wanted.clone())))
}
