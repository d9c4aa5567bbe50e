//! Dates and times of the binary protocol as the text that the server would write.

use std::fmt::Write;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringBuilder;

use super::{Decode, Reject};
use crate::cells::{Cells, values_of};
use crate::packet::Fields;

/// Whose text is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Date,
    /// With so many digits of a fraction of a second.
    Moment(u8),
    /// With so many digits of a fraction of a second.
    Duration(u8),
}

/// Dates and times as text.
pub(crate) struct Written(pub(crate) Kind);

impl Decode for Written {
    fn decode(&self, cells: Cells<'_>) -> Result<ArrayRef, Reject> {
        let mut texts = StringBuilder::with_capacity(cells.len(), cells.len() * 20);
        for bytes in values_of(cells) {
            match bytes {
                None => texts.append_null(),
                Some(bytes) => {
                    texts.append_value(self.0.text(bytes).ok_or_else(|| Reject::broken("a date or a time is none"))?);
                }
            }
        }
        Ok(Arc::new(texts.finish()))
    }
}

impl Kind {
    /// The text of a value in binary form.
    pub(crate) fn text(self, bytes: &[u8]) -> Option<String> {
        match self {
            Kind::Date => moment(bytes).map(|text| text.chars().take(10).collect()),
            Kind::Moment(digits) => {
                let (date, clock, fraction) = moment_fields(bytes)?;
                Some(format!("{date} {clock}{}", tail(fraction, digits)))
            }
            Kind::Duration(digits) => {
                let (text, fraction) = duration(bytes)?;
                Some(format!("{text}{}", tail(fraction, digits)))
            }
        }
    }
}

/// A date, and its time of day if it has one.
pub(super) fn moment(bytes: &[u8]) -> Option<String> {
    let (date, clock, fraction) = moment_fields(bytes)?;
    Some(match bytes.len() {
        0 | 4 => date,
        11 => format!("{date} {clock}{}", tail(fraction, 6)),
        _ => format!("{date} {clock}"),
    })
}

fn moment_fields(bytes: &[u8]) -> Option<(String, String, u32)> {
    let mut fields = Fields(bytes);
    let (year, month, day) = match bytes.len() {
        0 => (0, 0, 0),
        4 | 7 | 11 => (fields.u16()?, fields.u8()?, fields.u8()?),
        _ => return None,
    };
    let clock = if bytes.len() > 4 { (fields.u8()?, fields.u8()?, fields.u8()?) } else { (0, 0, 0) };
    let fraction = if bytes.len() > 7 { fields.u32()? } else { 0 };
    let (hours, minutes, seconds) = clock;
    Some((format!("{year:04}-{month:02}-{day:02}"), format!("{hours:02}:{minutes:02}:{seconds:02}"), fraction))
}

fn duration(bytes: &[u8]) -> Option<(String, u32)> {
    let mut fields = Fields(bytes);
    if bytes.is_empty() {
        return Some(("00:00:00".into(), 0));
    }
    let sign = if fields.u8()? == 1 { "-" } else { "" };
    let hours = fields.u32()?.checked_mul(24)?.checked_add(fields.u8()?.into())?;
    let (minutes, seconds) = (fields.u8()?, fields.u8()?);
    let fraction = if bytes.len() > 8 { fields.u32()? } else { 0 };
    Some((format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"), fraction))
}

/// A fraction of a second with its point.
fn tail(fraction: u32, digits: u8) -> String {
    let mut text = String::new();
    if digits > 0 {
        // Writing to a String does not fail.
        let _ = write!(text, ".{fraction:06}");
        text.truncate(1 + usize::from(digits.min(6)));
    }
    text
}
