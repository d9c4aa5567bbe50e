//! Types that Arrow does not have, written as PostgreSQL writes them in text.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringBuilder;

use super::{Decode, Reject};
use crate::cells::{Cells, load, values_of};

/// Writes each value as text with a function from its bytes; `None` when they make no sense.
pub(crate) struct Formatted(pub(crate) fn(&[u8], &mut String) -> Option<()>);

impl Decode for Formatted {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut array = StringBuilder::new();
        let mut text = String::new();
        for value in values_of(cells) {
            let Some(value) = value else {
                array.append_null();
                continue;
            };
            text.clear();
            (self.0)(value, &mut text).ok_or_else(|| Reject::broken("a value is not in its type's binary form"))?;
            array.append_value(&text);
        }
        Ok(Arc::new(array.finish()))
    }
}

/// `bit` and `bit varying`: a count of bits, then the bits.
pub(crate) fn bit_string(value: &[u8], text: &mut String) -> Option<()> {
    let (count, bytes) = value.split_first_chunk::<4>()?;
    let count = usize::try_from(i32::from_be_bytes(*count)).ok()?;
    if bytes.len() != count.div_ceil(8) {
        return None;
    }
    let bits = bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1));
    text.extend(bits.take(count).map(|bit| if bit == 1 { '1' } else { '0' }));
    Some(())
}

/// `timetz`: microseconds of the day, then seconds west of Greenwich.
pub(crate) fn time_with_zone(value: &[u8], text: &mut String) -> Option<()> {
    let value: &[u8; 12] = value.try_into().ok()?;
    let microseconds = i64::from_be_bytes(load(value, 0));
    let west = i32::from_be_bytes(load(value, 8));
    let (seconds, fraction) = (microseconds.div_euclid(1_000_000), microseconds.rem_euclid(1_000_000));
    write!(text, "{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60).ok()?;
    if fraction != 0 {
        let digits = format!("{fraction:06}");
        write!(text, ".{}", digits.trim_end_matches('0')).ok()?;
    }
    let east = west.unsigned_abs();
    write!(text, "{}{:02}", if west > 0 { '-' } else { '+' }, east / 3600).ok()?;
    if east % 3600 != 0 {
        write!(text, ":{:02}", east / 60 % 60).ok()?;
    }
    if east % 60 != 0 {
        write!(text, ":{:02}", east % 60).ok()?;
    }
    Some(())
}
