//! Numbers that come in another width than Arrow keeps them in.

use arrow_buffer::{MutableBuffer, i256};
use bowshot_core::{Error, ErrorKind, Result};

use crate::input::{Feed, Input};
use crate::types::Number;

/// Reads `rows` numbers.
pub(super) fn append<F: Feed>(
    number: Number,
    input: &mut Input<F>,
    rows: usize,
    buffer: &mut MutableBuffer,
    is_null: impl Fn(usize) -> bool,
) -> Result<()> {
    match number {
        Number::Day => input.values(rows, |bytes| buffer.push(i32::from(u16::from_le_bytes(bytes)))),
        Number::Moment => input.values(rows, |bytes| buffer.push(i64::from(u32::from_le_bytes(bytes)))),
        Number::Seconds => input.values(rows, |bytes| buffer.push(i64::from(i32::from_le_bytes(bytes)))),
        Number::Small => input.values(rows, |bytes| buffer.push(i128::from(i32::from_le_bytes(bytes)))),
        Number::Middle => input.values(rows, |bytes| buffer.push(i128::from(i64::from_le_bytes(bytes)))),
        Number::Signed => input.values(rows, |bytes| buffer.push(i256::from_i128(i128::from_le_bytes(bytes)))),
        Number::Unsigned => input.values(rows, |bytes| buffer.push(i256::from_parts(u128::from_le_bytes(bytes), 0))),
        Number::Half => {
            input.values(rows, |bytes| buffer.push(f32::from_bits(u32::from(u16::from_le_bytes(bytes)) << 16)))
        }
        Number::Scaled(factor) => {
            let (mut row, mut wrong) = (0, None);
            input.values(rows, |bytes| {
                let value = i64::from_le_bytes(bytes);
                let scaled = value.checked_mul(factor).unwrap_or_else(|| {
                    if !is_null(row) {
                        wrong.get_or_insert(value);
                    }
                    0
                });
                buffer.push(scaled);
                row += 1;
            })?;
            match wrong {
                None => Ok(()),
                Some(value) => Err(Error::new(
                    ErrorKind::Value,
                    format!("{value} ticks are outside of what Arrow can hold in its next finer unit"),
                )
                .with_hint("cast the column to another precision in the query")),
            }
        }
    }
}
