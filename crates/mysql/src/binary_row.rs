//! A row of the binary protocol as text, for the small answers that planning needs.

use bowshot_core::Result;

use crate::decode::WrittenKind;
use crate::error::broken;
use crate::packet::Fields;
use crate::result::{Definition, flag};
use crate::types::kind;

/// The row's values.
pub(crate) fn text(body: &[u8], columns: &[Definition]) -> Result<Vec<Option<String>>> {
    let torn = || broken("a row is cut off");
    let mut fields = Fields(body);
    let _mark = fields.u8().ok_or_else(torn)?;
    let nulls = fields.bytes((columns.len() + 2).div_ceil(8)).ok_or_else(torn)?;
    let is_null = |bit: usize| nulls.get(bit / 8).is_some_and(|byte| byte >> (bit % 8) & 1 == 1);
    let cell = |(place, column): (usize, &Definition)| {
        if is_null(place + 2) { Ok(None) } else { value(&mut fields, column).map(Some).ok_or_else(torn) }
    };
    columns.iter().enumerate().map(cell).collect()
}

fn value(fields: &mut Fields<'_>, column: &Definition) -> Option<String> {
    let unsigned = column.flags & flag::UNSIGNED != 0;
    let digits = column.decimals.min(6);
    Some(match column.kind {
        kind::TINY if unsigned => fields.u8()?.to_string(),
        kind::TINY => fields.u8()?.cast_signed().to_string(),
        kind::SHORT | kind::YEAR if unsigned => fields.u16()?.to_string(),
        kind::SHORT | kind::YEAR => fields.u16()?.cast_signed().to_string(),
        kind::LONG | kind::INT24 if unsigned => fields.u32()?.to_string(),
        kind::LONG | kind::INT24 => fields.u32()?.cast_signed().to_string(),
        kind::LONGLONG if unsigned => fields.u64()?.to_string(),
        kind::LONGLONG => fields.u64()?.cast_signed().to_string(),
        kind::FLOAT => f32::from_bits(fields.u32()?).to_string(),
        kind::DOUBLE => f64::from_bits(fields.u64()?).to_string(),
        kind::DATE => WrittenKind::Date.text(fields.text()?)?,
        kind::DATETIME | kind::TIMESTAMP => WrittenKind::Moment(digits).text(fields.text()?)?,
        kind::TIME => WrittenKind::Duration(digits).text(fields.text()?)?,
        _ => String::from_utf8(fields.text()?.to_vec()).ok()?,
    })
}
