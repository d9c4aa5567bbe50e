//! Parameters, as literals of their own types in an `EXECUTE IMMEDIATE`.

use std::borrow::Cow;
use std::fmt::Write;

use bowshot_core::Value;
use bowshot_sql::{Dialect, quote_literal};

/// The text that runs `sql` with its placeholders' values. The server finds the placeholders: no text is put into the query.
pub(crate) fn text<'a>(sql: &'a str, values: &[Value]) -> Cow<'a, str> {
    if values.is_empty() {
        return Cow::Borrowed(sql);
    }
    let values: Vec<String> = values.iter().map(literal).collect();
    Cow::Owned(format!("EXECUTE IMMEDIATE {} USING {}", quote_literal(sql, Dialect::Standard), values.join(", ")))
}

fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Bool(truth) => truth.to_string(),
        // Plain where it is an integer, which every wider type takes; else with its type.
        Value::Int(number) if i32::try_from(*number).is_ok_and(|number| number != i32::MIN) => number.to_string(),
        Value::Int(number) => format!("BIGINT '{number}'"),
        Value::Float(number) if number.is_nan() => "DOUBLE 'NaN'".into(),
        Value::Float(number) if number.is_infinite() => {
            format!("DOUBLE '{}Infinity'", if *number < 0.0 { "-" } else { "" })
        }
        Value::Float(number) => format!("DOUBLE '{number:e}'"),
        Value::Text(text) => quote_literal(text, Dialect::Standard),
        Value::Bytes(bytes) => {
            let mut literal = String::with_capacity(2 * bytes.len() + 3);
            literal.push_str("X'");
            for byte in bytes {
                // Writing to a String cannot fail.
                let _ = write!(literal, "{byte:02X}");
            }
            literal.push('\'');
            literal
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_literals_of_their_types() {
        let values = [
            Value::Null,
            Value::Bool(true),
            Value::Int(-5),
            Value::Int(i64::MIN),
            Value::Float(1.5),
            Value::Float(f64::NEG_INFINITY),
            Value::Float(f64::NAN),
            Value::Text("it's".into()),
            Value::Bytes(vec![0, 255]),
        ];
        assert_eq!(
            text("SELECT '?', ?", &values),
            "EXECUTE IMMEDIATE 'SELECT ''?'', ?' USING NULL, true, -5, BIGINT '-9223372036854775808', DOUBLE '1.5e0', \
             DOUBLE '-Infinity', DOUBLE 'NaN', 'it''s', X'00FF'"
        );
        assert_eq!(text("SELECT '?'", &[]), "SELECT '?'");
    }
}
