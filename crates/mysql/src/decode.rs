//! Pass 2 of the decoder: from the bytes of one column in a block of rows to an Arrow array.
//!
//! A [`Decode`] is chosen once a column ([`types`](crate::types)) and called once a block; inside is one tight loop
//! without dispatch.

mod bit;
mod calendar;
mod decimal;
mod geometry;
mod number;
mod primitive;
mod temporal;
mod text;
mod vector;
mod written;

use std::sync::Arc;

use arrow_array::{ArrayRef, NullArray};

pub(crate) use bit::{Bit, Bits};
pub(crate) use decimal::Decimal;
pub(crate) use geometry::Geometry;
pub(crate) use number::{Binary, Text as TextNumber};
pub(crate) use temporal::{Date, Duration, Form, Timestamp};
pub(crate) use text::{Bytes, Text};
pub(crate) use vector::Vector;
pub(crate) use written::{Kind as WrittenKind, Written};

use crate::cells::{Cells, NULL};

/// Turns the values of one column in a block of rows into an Arrow array of as many values.
pub(crate) trait Decode: Send + Sync {
    /// The array, or why a value cannot be in it.
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject>;
}

/// Why a value cannot be in the array.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Reject {
    /// The value is fine, the Arrow type cannot hold it: what it is, and the name of a type that can.
    Value { holds: String, way_out: &'static str },
    /// A date that no calendar has.
    ZeroDate(String),
    /// The bytes are not what the type's form promises.
    Broken(String),
}

impl Reject {
    /// The bytes are not what the type's form promises.
    pub(crate) fn broken(what: impl Into<String>) -> Self {
        Reject::Broken(what.into())
    }

    /// Text that its type does not write.
    pub(crate) fn unreadable(value: &[u8]) -> Self {
        let shown: String = String::from_utf8_lossy(value).chars().take(80).collect();
        Reject::Broken(format!("\"{shown}\" is no value of its type"))
    }
}

impl From<arrow_schema::ArrowError> for Reject {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Reject::Broken(error.to_string())
    }
}

/// NULL and nothing else.
pub(crate) struct Nothing;

impl Decode for Nothing {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        if cells.offsets.iter().any(|offset| *offset != NULL) {
            return Err(Reject::broken("a value came in a column that is always NULL"));
        }
        Ok(Arc::new(NullArray::new(cells.len())))
    }
}

#[cfg(test)]
mod tests;
