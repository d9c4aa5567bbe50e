//! `money`: a count of the currency's smallest unit, whose scale the server's locale sets.

use arrow_array::ArrayRef;
use arrow_array::types::Decimal128Type;
use arrow_schema::DataType;

use super::{Decode, Fixed, Reject};
use crate::cells::Cells;

/// `money` as decimal128(19, scale).
pub(crate) struct Money {
    /// Digits after the point: 2 for most currencies, 0 for the yen.
    pub(crate) scale: i8,
}

impl Decode for Money {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let data_type = DataType::Decimal128(19, self.scale);
        Fixed::<Decimal128Type, _, 8>::new(data_type, |bytes| Ok(i128::from(i64::from_be_bytes(bytes)))).decode(cells)
    }
}
