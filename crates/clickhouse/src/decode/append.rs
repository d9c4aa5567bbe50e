//! The rows of a block, behind those of the blocks before it.

use bowshot_core::Result;

use super::{Body, Column, Layout, end, enumeration, low_cardinality, number, text, too_large};
use crate::input::{Feed, Input, broken};

impl Column {
    /// Reads the values of `rows` rows.
    pub(crate) fn append<F: Feed>(&mut self, input: &mut Input<F>, rows: usize) -> Result<()> {
        let before = self.nulls.as_ref().map_or(0, Vec::len);
        if let Some(nulls) = &mut self.nulls {
            input.append(rows, nulls)?;
        }
        let is_null = |row: usize| self.nulls.as_ref().is_some_and(|nulls| nulls.get(before + row) == Some(&1));
        match &mut self.body {
            Body::Plain { buffer, width } => {
                let bytes = rows.checked_mul(*width).ok_or_else(too_large)?;
                input.append_aligned(bytes, buffer)?;
            }
            Body::Uuid(buffer) => input.append_aligned(rows.checked_mul(16).ok_or_else(too_large)?, buffer)?,
            Body::Number { buffer, number } => number::append(*number, input, rows, buffer, is_null)?,
            Body::Bool(values) => input.append(rows, values)?,
            Body::Text(text, Layout::Varied) => text::varied(text, input, rows)?,
            Body::Text(text, Layout::Padded(width)) => text::padded(text, input, rows, *width)?,
            Body::Text(text, Layout::Ipv4) => text::ipv4(text, input, rows)?,
            Body::Text(text, Layout::Ipv6) => text::ipv6(text, input, rows)?,
            Body::Enumeration { keys, enumeration } => enumeration::append(keys, enumeration, input, rows, is_null)?,
            Body::Nothing(width) => input.pass(rows.checked_mul(*width).ok_or_else(too_large)?, |_| ())?,
            Body::List { ends, item } => {
                let items = append_ends(ends, input, rows)?;
                item.append(input, items)?;
            }
            Body::Struct(members) => {
                members.iter_mut().try_for_each(|member| member.append(input, rows))?;
            }
            Body::Map { ends, key, value } => {
                let entries = append_ends(ends, input, rows)?;
                key.append(input, entries)?;
                value.append(input, entries)?;
            }
            Body::LowCardinality { keys, values, nullable } => {
                low_cardinality::append(keys, values, *nullable, input, rows)?;
            }
        }
        self.rows += rows;
        Ok(())
    }
}

/// Where each list ends among the items of the column; how many items the block has.
fn append_ends<F: Feed>(ends: &mut Vec<i32>, input: &mut Input<F>, rows: usize) -> Result<usize> {
    let base = usize::try_from(ends.last().copied().unwrap_or(0)).map_err(|_| too_large())?;
    let (mut last, mut wrong) = (0_u64, false);
    input.values::<8>(rows, |bytes| {
        let place = u64::from_le_bytes(bytes);
        wrong |= place < last;
        last = place;
        let place = usize::try_from(place).ok().and_then(|place| place.checked_add(base)).map(end);
        match place {
            Some(Ok(place)) => ends.push(place),
            _ => wrong = true,
        }
    })?;
    if wrong {
        return Err(match i32::try_from(last) {
            Ok(_) => broken("the ends of lists do not ascend"),
            Err(_) => too_large(),
        });
    }
    usize::try_from(last).map_err(|_| too_large())
}
