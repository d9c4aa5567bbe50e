//! Single values from their text, exact or refused.

use std::str::FromStr;

use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::TimeUnit;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bowshot_core::parse;

use super::Fault;
use crate::moments::{self, NoInstant};

fn misfit(text: &str, what: &'static str) -> Fault {
    // Enough to know it again.
    let value: String = text.chars().take(100).collect();
    Fault::Misfit { value, what }
}

pub(super) fn integer<T: FromStr>(text: &str) -> Result<T, Fault> {
    text.parse().map_err(|_| misfit(text, "it is no whole number of that size"))
}

pub(super) fn double(text: &str) -> Result<f64, Fault> {
    match text {
        "NaN" => Ok(f64::NAN),
        "Infinity" => Ok(f64::INFINITY),
        "-Infinity" => Ok(f64::NEG_INFINITY),
        // Rust reads more words than Trino writes.
        _ => finite(text, text.parse().ok().filter(|value: &f64| value.is_finite())),
    }
}

pub(super) fn real(text: &str) -> Result<f32, Fault> {
    match text {
        "NaN" => Ok(f32::NAN),
        "Infinity" => Ok(f32::INFINITY),
        "-Infinity" => Ok(f32::NEG_INFINITY),
        _ => finite(text, text.parse().ok().filter(|value: &f32| value.is_finite())),
    }
}

fn finite<T>(text: &str, value: Option<T>) -> Result<T, Fault> {
    value.ok_or_else(|| misfit(text, "it is no number of that size"))
}

pub(super) fn decimal(text: &str, precision: u8, scale: i8) -> Result<i128, Fault> {
    parse::decimal::from_text(text.as_bytes(), precision, scale)
        .ok_or_else(|| misfit(text, "it is no number of so many digits"))
}

pub(super) fn binary<'a>(text: &str, bytes: &'a mut Vec<u8>) -> Result<&'a [u8], Fault> {
    bytes.clear();
    STANDARD.decode_vec(text, bytes).map_err(|_| Fault::Shape("bytes that are not base64"))?;
    Ok(bytes)
}

pub(super) fn uuid(text: &str) -> Result<[u8; 16], Fault> {
    let wrong = || misfit(text, "it is no UUID");
    let [_, _, _, _, _, _, _, _, b'-', _, _, _, _, b'-', _, _, _, _, b'-', _, _, _, _, b'-', rest @ ..] =
        text.as_bytes()
    else {
        return Err(wrong());
    };
    if rest.len() != 12 {
        return Err(wrong());
    }
    let mut digits = text.chars().filter(|character| *character != '-');
    let mut uuid = [0; 16];
    for byte in &mut uuid {
        let mut digit = || digits.next().and_then(|digit| u8::try_from(digit.to_digit(16)?).ok()).ok_or_else(wrong);
        *byte = digit()? << 4 | digit()?;
    }
    if digits.next().is_some() { Err(wrong()) } else { Ok(uuid) }
}

pub(super) fn date(text: &str) -> Result<i32, Fault> {
    let days = moments::date(text.as_bytes()).and_then(|days| i32::try_from(days).ok());
    days.ok_or_else(|| misfit(text, "it is no date that has room"))
}

const NO_ROOM: &str = "it has more digits than the unit, or lies beyond its years";

pub(super) fn time(text: &str, unit: TimeUnit) -> Result<i64, Fault> {
    let (seconds, picos) = moments::clock(text.as_bytes()).ok_or_else(|| misfit(text, "it is no time"))?;
    moments::in_unit(seconds, picos, unit).ok_or_else(|| misfit(text, NO_ROOM))
}

pub(super) fn timestamp(text: &str, unit: TimeUnit) -> Result<i64, Fault> {
    let (seconds, picos) = moments::timestamp(text).ok_or_else(|| misfit(text, "it is no moment"))?;
    moments::in_unit(seconds, picos, unit).ok_or_else(|| misfit(text, NO_ROOM))
}

pub(super) fn instant(text: &str, unit: TimeUnit) -> Result<i64, Fault> {
    let (seconds, picos) = moments::instant(text).map_err(|why| {
        let what = match why {
            NoInstant::Malformed => "it is no moment with a zone",
            NoInstant::Twice => {
                "clocks there showed it twice, and the server does not say which of the two moments it is; AT TIME ZONE 'UTC' in \
                 the query settles that"
            }
            NoInstant::Unknown => {
                "the rules of its zone are not known, or differ from the server's; AT TIME ZONE 'UTC' in the query settles that"
            }
        };
        misfit(text, what)
    })?;
    moments::in_unit(seconds, picos, unit).ok_or_else(|| misfit(text, NO_ROOM))
}

pub(super) fn year_to_month(text: &str) -> Result<IntervalMonthDayNano, Fault> {
    let months = moments::months(text).ok_or_else(|| misfit(text, "it is no interval of months that has room"))?;
    Ok(IntervalMonthDayNano::new(months, 0, 0))
}

pub(super) fn day_to_second(text: &str) -> Result<IntervalMonthDayNano, Fault> {
    let (days, nanos) = moments::days(text).ok_or_else(|| misfit(text, "it is no interval of days that has room"))?;
    Ok(IntervalMonthDayNano::new(0, days, nanos))
}
