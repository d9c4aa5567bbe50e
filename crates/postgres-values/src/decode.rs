//! Pass 2 of the decoder: from the bytes of one column in a block of rows to an Arrow array.
//!
//! A [`Decode`] is chosen once a column ([`Types`](crate::Types)) and called once a block; inside is one tight loop
//! without dispatch. Nested types collect the places of their children and call the children's decoders on those.

mod array;
mod composite;
mod decimal;
mod enumeration;
mod fixed;
mod formatted;
mod hstore;
mod money;
mod network;
mod numeric;
mod range;
pub mod temporal;
mod text;

use arrow_array::ArrayRef;

pub(crate) use array::List;
pub(crate) use composite::Composite;
pub use decimal::Decimal;
pub(crate) use enumeration::Enumeration;
pub(crate) use fixed::{Boolean, Fixed, Uuid};
pub(crate) use formatted::{Formatted, bit_string, time_with_zone};
pub(crate) use hstore::Hstore;
pub(crate) use money::Money;
pub(crate) use network::{address, hardware_address};
pub(crate) use range::{Multirange, Range};
pub(crate) use temporal::{Date, Interval, Time, Timestamp};
pub use text::{Binary, Text};

use crate::cells::Cells;

/// Turns the values of one column in a block of rows into an Arrow array of as many values.
pub trait Decode: Send + Sync {
    /// The array, or why a value cannot be in it.
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject>;
}

/// Why a value cannot be in the array.
#[derive(Debug, PartialEq, Eq)]
pub enum Reject {
    /// The value is fine, the Arrow type cannot hold it: what it is, and the name of a type that can.
    Value {
        /// What the value is, for people.
        holds: String,
        /// The name of a type that can hold it.
        way_out: &'static str,
    },
    /// The bytes are not what the type's binary form promises.
    Broken(String),
}

impl Reject {
    /// The value is fine, but only text can hold it.
    pub fn value(holds: impl Into<String>) -> Self {
        Reject::Value { holds: holds.into(), way_out: "utf8" }
    }

    /// The bytes are not what the type's binary form promises.
    pub fn broken(what: impl Into<String>) -> Self {
        Reject::Broken(what.into())
    }
}

impl From<arrow_schema::ArrowError> for Reject {
    fn from(error: arrow_schema::ArrowError) -> Self {
        Reject::Broken(error.to_string())
    }
}

/// A length or an offset of a child array.
pub(crate) fn child_offset(count: usize) -> Result<i32, Reject> {
    i32::try_from(count).map_err(|_| Reject::broken("a batch holds more than 2^31 child values"))
}

#[cfg(test)]
mod tests;
