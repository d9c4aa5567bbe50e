//! Values in another storage class than their column's own: what may become what, and what may not.

use std::io::Write;

use arrow_schema::{DataType, TimeUnit};
use bowshot_core::parse::{decimal, number, temporal};

use crate::handle::Cell;

/// Whole numbers up to here have a double of their own.
const EXACT: i64 = 1 << 53;

/// Why a value does not fit its column; a clause, empty where its storage class says it all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit(pub(crate) &'static str);

/// The storage class alone is wrong.
pub(crate) const WRONG_CLASS: Misfit = Misfit("");

/// An integer as a double, if the double is exact.
#[inline]
pub(crate) fn exact_double(value: i64) -> Option<f64> {
    #[expect(clippy::cast_precision_loss, reason = "up to 2^53 nothing is lost")]
    (-EXACT..=EXACT).contains(&value).then_some(value as f64)
}

/// For whom doubles are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reals {
    /// The column is one of them by itself.
    Own,
    /// The user asked for float64.
    Double,
    /// The user asked for float32, which numbers in text are the nearest one of.
    Single,
}

/// What float64 makes of a value that is not REAL.
pub(crate) fn double(cell: Cell<'_>, reals: Reals) -> Result<f64, Misfit> {
    match cell {
        Cell::Real(value) => Ok(value),
        Cell::Integer(value) => match exact_double(value) {
            Some(value) => Ok(value),
            #[expect(
                clippy::cast_precision_loss,
                clippy::cast_possible_truncation,
                reason = "what it changes is refused"
            )]
            None if reals != Reals::Own && value as f64 as i128 == i128::from(value) => Ok(value as f64),
            None => Err(Misfit("no double is this integer")),
        },
        Cell::Text(text) if reals != Reals::Own => match reals {
            Reals::Single => number::float::<f32>(text).map(f64::from),
            _ => number::float(text),
        }
        .ok_or(Misfit("it is not a number that a float can be")),
        _ => Err(WRONG_CLASS),
    }
}

/// Appends a number as text: integers in full, reals in the fewest digits that stand for them, always with `.` or `e`.
pub(crate) fn render(cell: Cell<'_>, bytes: &mut Vec<u8>) -> Result<(), Misfit> {
    let written = match cell {
        Cell::Integer(value) => write!(bytes, "{value}"),
        Cell::Real(value) => write!(bytes, "{value:?}"),
        _ => return Err(WRONG_CLASS),
    };
    written.map_err(|_| Misfit("there is no memory for its text"))
}

/// 0 or 1, `false` or `true`.
pub(crate) fn boolean(cell: Cell<'_>) -> Result<bool, Misfit> {
    let truth = match cell {
        Cell::Blob(_) | Cell::Null => return Err(WRONG_CLASS),
        Cell::Integer(0) => Some(false),
        Cell::Integer(1) => Some(true),
        Cell::Real(0.0) => Some(false),
        Cell::Real(1.0) => Some(true),
        Cell::Text(text) => number::truth(text),
        Cell::Integer(_) | Cell::Real(_) => None,
    };
    truth.ok_or(Misfit("it is neither 0, 1, false nor true"))
}

/// The number inside a value of `data_type`, for the types that are whole numbers of at most 64 bits.
pub(crate) fn whole(cell: Cell<'_>, data_type: &DataType) -> Result<i64, Misfit> {
    let (low, high) = match data_type {
        DataType::Int8 => (i64::from(i8::MIN), i64::from(i8::MAX)),
        DataType::Int16 => (i64::from(i16::MIN), i64::from(i16::MAX)),
        DataType::Int32 => (i64::from(i32::MIN), i64::from(i32::MAX)),
        DataType::UInt8 => (0, i64::from(u8::MAX)),
        DataType::UInt16 => (0, i64::from(u16::MAX)),
        DataType::UInt32 => (0, i64::from(u32::MAX)),
        DataType::Date32 => return moment(cell, "it is not a date as YYYY-MM-DD", temporal::day),
        DataType::Time64(_) => {
            return moment(cell, "it is not a time as HH:MM:SS with at most microseconds", temporal::time);
        }
        DataType::Timestamp(_, None) => {
            let what = "it is not a timestamp as YYYY-MM-DD HH:MM:SS, without an offset, with at most microseconds";
            return moment(cell, what, |text| temporal::timestamp(text, false));
        }
        DataType::Timestamp(_, Some(_)) => {
            let what = "it is not a timestamp as YYYY-MM-DD HH:MM:SS with at most microseconds";
            return moment(cell, what, |text| temporal::timestamp(text, true));
        }
        _ => (i64::MIN, i64::MAX),
    };
    let value = i64::try_from(integer(cell)?).map_err(|_| OUT_OF_RANGE)?;
    if (low..=high).contains(&value) { Ok(value) } else { Err(OUT_OF_RANGE) }
}

const OUT_OF_RANGE: Misfit = Misfit("it is out of the type's range");

/// The number inside a value of `data_type`, for uint64 and decimals.
pub(crate) fn big(cell: Cell<'_>, data_type: &DataType) -> Result<i128, Misfit> {
    match (data_type, cell) {
        (DataType::Decimal128(precision, scale), cell) => {
            let value = match cell {
                Cell::Integer(value) => decimal::from_integer(value, *precision, *scale),
                Cell::Real(value) => decimal::from_real(value, *precision, *scale),
                Cell::Text(text) => decimal::from_text(text, *precision, *scale),
                _ => return Err(WRONG_CLASS),
            };
            value.ok_or(Misfit("it is not a number that the digits of the type can hold"))
        }
        _ => integer(cell).and_then(|value| u64::try_from(value).map_err(|_| OUT_OF_RANGE).map(i128::from)),
    }
}

/// What values are read as where the user asks for this type; the rest is a cast of what was read.
pub(crate) fn nearest(wanted: &DataType) -> DataType {
    match wanted {
        DataType::Float16 | DataType::Float32 => DataType::Float64,
        DataType::Decimal32(precision, scale) | DataType::Decimal64(precision, scale) => {
            DataType::Decimal128(*precision, *scale)
        }
        DataType::LargeBinary | DataType::BinaryView => DataType::Binary,
        DataType::Null
        | DataType::Boolean
        | DataType::Float64
        | DataType::Binary
        | DataType::Decimal128(..)
        | DataType::Date32
        | DataType::Time64(TimeUnit::Microsecond) => wanted.clone(),
        DataType::Timestamp(TimeUnit::Microsecond, zone) if zone.as_deref().is_none_or(|zone| zone == "UTC") => {
            wanted.clone()
        }
        wanted if wanted.is_integer() => wanted.clone(),
        // Any value as its text.
        _ => DataType::Utf8,
    }
}

/// A whole number in any storage class.
fn integer(cell: Cell<'_>) -> Result<i128, Misfit> {
    const NOT_WHOLE: Misfit = Misfit("it is not a whole number");
    match cell {
        Cell::Integer(value) => Ok(i128::from(value)),
        Cell::Real(value) if value.fract() == 0.0 && value.abs() < 1e19 =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number of at most 19 digits")]
            Ok(value as i128)
        }
        Cell::Text(text) => number::whole(text).ok_or(NOT_WHOLE),
        Cell::Real(_) => Err(NOT_WHOLE),
        _ => Err(WRONG_CLASS),
    }
}

fn moment(cell: Cell<'_>, what: &'static str, read: impl Fn(&[u8]) -> Option<i64>) -> Result<i64, Misfit> {
    match cell {
        Cell::Text(text) => read(text).ok_or(Misfit(what)),
        _ => Err(Misfit("only ISO 8601 text is read as a date or time")),
    }
}
