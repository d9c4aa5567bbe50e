//! Between which numbers the values of a column lie.

use bowshot_core::{Error, ErrorKind, Result, Value};

use crate::error::broken;
use crate::session::Session;

/// The lowest and the highest value of a column, rounded outwards to whole numbers; `None` where there is but NULL.
pub(crate) fn ends(session: &mut Session, sql: &str, values: &[Value]) -> Result<Option<(i128, i128)>> {
    let rows = session.rows(sql, values)?;
    match rows.first().map(Vec::as_slice) {
        Some([Value::Null, _] | [_, Value::Null]) | None => Ok(None),
        Some([low, high]) => match (whole(low, false), whole(high, true)) {
            (Some(low), Some(high)) => Ok(Some((low, high))),
            _ => Err(Error::new(
                ErrorKind::Unsupported,
                "the column to partition on holds no numbers, or too great ones",
            )
            .with_hint("partition on a column of whole numbers")),
        },
        Some(_) => Err(broken("the ends of a column are not two values")),
    }
}

/// A number, rounded to a whole one.
fn whole(value: &Value, up: bool) -> Option<i128> {
    let text = match value {
        Value::Int(number) => return Some(i128::from(*number)),
        Value::Text(text) => text,
        _ => return None,
    };
    if text.contains(['e', 'E']) {
        let number: f64 = text.parse().ok()?;
        let rounded = if up { number.ceil() } else { number.floor() };
        // 2^63 itself is the first double that is too large.
        let limit = 2_f64.powi(63);
        #[expect(clippy::cast_possible_truncation, reason = "a whole number within the range")]
        return (-limit..limit).contains(&rounded).then_some(rounded as i128);
    }
    let (digits, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number: i128 = digits.parse().ok()?;
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exact = fraction.bytes().all(|byte| byte == b'0');
    let negative = digits.starts_with('-');
    Some(match (exact, negative, up) {
        (false, true, false) => number - 1,
        (false, false, true) => number + 1,
        _ => number,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded_outwards() {
        let text = |text: &str| Value::Text(text.to_owned());
        for (value, low, high) in [
            (Value::Int(7), Some(7), Some(7)),
            (text("1.50"), Some(1), Some(2)),
            (text("-1.50"), Some(-2), Some(-1)),
            (text("-0.5"), Some(-1), Some(0)),
            (text("3.00"), Some(3), Some(3)),
            (text("1e3"), Some(1000), Some(1000)),
            (text("1e300"), None, None),
            (text("2024-01-01"), None, None),
            (text("inf"), None, None),
        ] {
            assert_eq!((whole(&value, false), whole(&value, true)), (low, high), "{value:?}");
        }
    }
}
