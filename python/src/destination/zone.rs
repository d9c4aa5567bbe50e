//! What the name of a time zone means, and what a destination calls it.

use std::str::FromStr;
use std::sync::Arc;

use arrow_array::timezone::Tz;

use super::Destination;

/// The destination's name of a zone; `None` where nobody knows the zone. The instants are the same in each.
pub(super) fn name(zone: &str, destination: Destination) -> Option<Arc<str>> {
    if ["z", "utc", "etc/utc", "zulu"].contains(&zone.to_ascii_lowercase().as_str()) {
        return Some("UTC".into());
    }
    match minutes(zone) {
        Some(minutes) => Some(offset(minutes, destination).into()),
        // What chrono reads beside names are offsets, and those were read here.
        None if zone.starts_with(char::is_alphabetic) && Tz::from_str(zone).is_ok() => Some(zone.into()),
        None => None,
    }
}

/// Minutes east of Greenwich: `+05:30`, `-0330`, `+05`, `UTC+05:30`.
fn minutes(zone: &str) -> Option<i32> {
    let zone = zone.strip_prefix("UTC").unwrap_or(zone);
    let (sign, digits) = match zone.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let (hours, minutes) = match (digits.len(), digits.split_once(':')) {
        (5, Some(parts)) => parts,
        (4, None) => digits.split_at_checked(2)?,
        (1 | 2, None) => (digits, "0"),
        _ => return None,
    };
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<i32>().ok())?;
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn offset(minutes: i32, destination: Destination) -> String {
    if destination == Destination::Polars {
        // Polars wants names of the IANA's database, where POSIX' sign is the other way round. It has none for parts
        // of hours.
        return match (minutes % 60, minutes / 60) {
            (0, hours @ (-12..=-1 | 1..=14)) => format!("Etc/GMT{:+}", -hours),
            _ => "UTC".to_owned(),
        };
    }
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
}
