//! `numeric` on the wire, and as text.
//!
//! Four 16-bit words (count of digits, weight, sign, display scale), then digits to the base 10,000, the first of which
//! counts 10,000^weight (`numeric_send` in PostgreSQL's numeric.c).

use std::fmt::Write;

use super::Reject;
use crate::cells::load;

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xC000;
const POSITIVE_INFINITY: u16 = 0xD000;
const NEGATIVE_INFINITY: u16 = 0xF000;

/// One value as it lies on the wire.
pub(crate) struct Numeric<'a> {
    /// What the first digit counts, as a power of 10,000.
    pub(crate) weight: i16,
    /// Positive, negative, or not finite.
    sign: u16,
    /// Digits that PostgreSQL shows after the point.
    display_scale: usize,
    /// Two bytes a digit.
    digits: &'a [u8],
}

impl<'a> Numeric<'a> {
    /// The value of these bytes.
    pub(crate) fn parse(bytes: &'a [u8]) -> Result<Self, Reject> {
        let broken = || Reject::broken("a numeric is not as long as its digits");
        let (header, digits) = bytes.split_first_chunk::<8>().ok_or_else(broken)?;
        let word = |at| u16::from_be_bytes(load(header, at));
        if digits.len() != 2 * usize::from(word(0)) {
            return Err(broken());
        }
        let weight = i16::from_be_bytes(load(header, 2));
        Ok(Numeric { weight, sign: word(4), display_scale: usize::from(word(6)), digits })
    }

    /// Its digits to the base 10,000.
    pub(crate) fn digits(&self) -> impl ExactSizeIterator<Item = u16> + Clone {
        self.digits.chunks_exact(2).map(|digit| u16::from_be_bytes(load(digit, 0)))
    }

    /// Whether it is below zero; an error that names it when it is not finite.
    pub(crate) fn is_negative(&self) -> Result<bool, Reject> {
        match self.sign {
            0 => Ok(false),
            NEGATIVE => Ok(true),
            NAN | POSITIVE_INFINITY | NEGATIVE_INFINITY => {
                Err(Reject::Value { holds: self.text(), way_out: "float64" })
            }
            sign => Err(Reject::broken(format!("a numeric has the sign {sign:#x}"))),
        }
    }

    /// As PostgreSQL writes it.
    pub(crate) fn text(&self) -> String {
        match self.sign {
            NAN => return "NaN".into(),
            POSITIVE_INFINITY => return "Infinity".into(),
            NEGATIVE_INFINITY => return "-Infinity".into(),
            _ => {}
        }
        let mut text = String::new();
        let weight = i64::from(self.weight);
        let digit = |place: i64| usize::try_from(place).ok().and_then(|place| self.digits().nth(place)).unwrap_or(0);
        if self.sign == NEGATIVE {
            text.push('-');
        }
        let _ = write!(text, "{}", if weight < 0 { 0 } else { digit(0) });
        for place in 1..=weight {
            let _ = write!(text, "{:04}", digit(place));
        }
        if self.display_scale > 0 {
            text.push('.');
            let end = text.len() + self.display_scale;
            let mut place = weight + 1;
            while text.len() < end {
                let _ = write!(text, "{:04}", digit(place));
                place += 1;
            }
            text.truncate(end);
        }
        text
    }
}
