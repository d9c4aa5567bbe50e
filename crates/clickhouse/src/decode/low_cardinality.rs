//! Columns of low cardinality: each value once, then the numbers of the rows' values.

use bowshot_core::Result;

use super::{Column, too_large};
use crate::input::{Feed, Input, broken};

/// The values stand beside their numbers, not in a dictionary of the whole stream.
const OWN_VALUES: u64 = 1 << 9;
const GLOBAL_DICTIONARY: u64 = 1 << 8;

/// Reads the numbers of `rows` values, and the values that are new.
pub(super) fn append<F: Feed>(
    keys: &mut Vec<Option<u32>>,
    values: &mut Column,
    nullable: bool,
    input: &mut Input<F>,
    mut rows: usize,
) -> Result<()> {
    while rows > 0 {
        let flags = input.number()?;
        if flags & GLOBAL_DICTIONARY != 0 || flags & OWN_VALUES == 0 {
            return Err(broken("low cardinality with a dictionary of the whole stream"));
        }
        let base = values.rows();
        let known = usize::try_from(input.number()?).map_err(|_| too_large())?;
        values.append(input, known)?;
        let count = usize::try_from(input.number()?).map_err(|_| too_large())?;
        if count == 0 || count > rows {
            return Err(broken("low cardinality with another number of rows than the block"));
        }
        // Where there are NULLs, the first value stands for them.
        let mut wrong = u32::try_from(base + known).is_err();
        let mut push = |key: u64| {
            let place = usize::try_from(key).ok().filter(|place| *place < known);
            let place = place.and_then(|place| u32::try_from(base + place).ok());
            wrong |= place.is_none();
            keys.push(if nullable && key == 0 { None } else { place });
        };
        match flags & 0xff {
            0 => input.values(count, |bytes| push(u8::from_le_bytes(bytes).into()))?,
            1 => input.values(count, |bytes| push(u16::from_le_bytes(bytes).into()))?,
            2 => input.values(count, |bytes| push(u32::from_le_bytes(bytes).into()))?,
            3 => input.values(count, |bytes| push(u64::from_le_bytes(bytes)))?,
            other => return Err(broken(&format!("low cardinality with keys of kind {other}"))),
        }
        if wrong {
            return Err(broken("low cardinality with a number that has no value"));
        }
        rows -= count;
    }
    Ok(())
}
