//! Parameters as literals: ClickHouse's own placeholders need a type, and old versions have none.

use std::fmt::Write;

use bowshot_core::{Error, ErrorKind, Result, Value};

/// The SQL with each `?` replaced by its value.
pub(crate) fn bound(sql: &str, values: &[Value]) -> Result<String> {
    if values.is_empty() {
        return Ok(sql.to_owned());
    }
    let mut text = String::with_capacity(sql.len() + 16 * values.len());
    let (mut begin, mut left) = (0, values.iter());
    for place in placeholders(sql) {
        let value = left.next().ok_or_else(uncounted)?;
        text.push_str(sql.get(begin..place).unwrap_or_default());
        push(&mut text, value);
        begin = place + 1;
    }
    if left.next().is_some() {
        return Err(uncounted());
    }
    text.push_str(sql.get(begin..).unwrap_or_default());
    Ok(text)
}

#[cold]
fn uncounted() -> Error {
    Error::new(ErrorKind::Config, "the query's placeholders cannot be told from its text")
        .with_hint("write comments with a space behind --, and quote with ' and ` only")
}

/// Where each `?` stands that is neither in quotes nor in a comment.
fn placeholders(sql: &str) -> Vec<usize> {
    let bytes = sql.as_bytes();
    let from = |place: usize, end: &str| {
        sql.get(place..).and_then(|rest| rest.find(end)).map(|found| place + found + end.len())
    };
    let (mut found, mut place) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(place) {
        let next = bytes.get(place + 1);
        place = match (byte, next) {
            (b'?', _) => {
                found.push(place);
                place + 1
            }
            (b'\'' | b'"' | b'`', _) => quoted_end(bytes, place),
            (b'-', Some(b'-')) if bytes.get(place + 2).is_none_or(u8::is_ascii_whitespace) => {
                from(place, "\n").unwrap_or(bytes.len())
            }
            (b'#', _) => from(place, "\n").unwrap_or(bytes.len()),
            (b'/', Some(b'*')) => from(place + 2, "*/").unwrap_or(bytes.len()),
            _ => place + 1,
        };
    }
    found
}

/// Behind what is quoted from `begin` on. A doubled quote ends and begins again, which is the same.
fn quoted_end(bytes: &[u8], begin: usize) -> usize {
    let quote = bytes.get(begin);
    let mut place = begin + 1;
    while let Some(byte) = bytes.get(place) {
        if *byte == b'\\' && quote != Some(&b'`') {
            place += 2;
        } else if Some(byte) == quote {
            return place + 1;
        } else {
            place += 1;
        }
    }
    bytes.len()
}

fn push(text: &mut String, value: &Value) {
    // Writing to a string never fails.
    let _ = match value {
        Value::Null => write!(text, "NULL"),
        Value::Bool(value) => write!(text, "{}", u8::from(*value)),
        // In parentheses, since two minus signs would begin a comment.
        Value::Int(value) if *value < 0 => write!(text, "({value})"),
        Value::Int(value) => write!(text, "{value}"),
        Value::Float(value) if value.is_nan() => write!(text, "nan"),
        Value::Float(value) if value.is_infinite() => write!(text, "{}", if *value > 0.0 { "inf" } else { "(-inf)" }),
        Value::Float(value) if value.is_sign_negative() => write!(text, "({value:?})"),
        Value::Float(value) => write!(text, "{value:?}"),
        Value::Text(value) => write!(text, "'{}'", escaped(value, '\'')),
        Value::Bytes(value) => {
            let digits: String = value.iter().map(|byte| format!("{byte:02X}")).collect();
            write!(text, "unhex('{digits}')")
        }
    };
}

/// A name in backticks.
pub(crate) fn name(name: &str) -> String {
    format!("`{}`", escaped(name, '`'))
}

/// Text as it stands between quotes.
pub(crate) fn escaped(text: &str, quote: char) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\\\"),
            '\0' => escaped.push_str("\\0"),
            other if other == quote => escaped.extend(['\\', quote]),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_placeholders_stood() {
        let values = [Value::Int(-5), Value::Text("it's \\ ?".into()), Value::Null, Value::Bytes(vec![0, 255])];
        let sql = "SELECT '?', `a?`, \"?\\\"?\", 1 - ?, ? -- really?\n, ? /* ? */, ?";
        assert_eq!(
            bound(sql, &values).unwrap(),
            "SELECT '?', `a?`, \"?\\\"?\", 1 - (-5), 'it\\'s \\\\ ?' -- really?\n, NULL /* ? */, unhex('00FF')"
        );
    }

    #[test]
    fn floats_are_exact() {
        let mut text = String::new();
        for value in [0.1, 1e300, -0.0, f64::NAN, f64::NEG_INFINITY, 5.0] {
            push(&mut text, &Value::Float(value));
            text.push(' ');
        }
        assert_eq!(text, "0.1 1e300 (-0.0) nan (-inf) 5.0 ");
    }

    #[test]
    fn what_cannot_be_counted_is_refused() {
        assert!(bound("SELECT 1", &[Value::Null]).is_err());
        assert!(bound("SELECT ?, ?", &[Value::Null]).is_err());
        assert_eq!(bound("SELECT a ? 1 : 2", &[]).unwrap(), "SELECT a ? 1 : 2");
    }
}
