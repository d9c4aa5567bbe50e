//! What is wrong with a line, in words: where, what, and the way out.

use bowshot_core::{Error, ErrorKind};

use super::evidence::{MOST_KEYS, shown};
use super::fault::{Fault, FaultKind};
use super::scan::{DEEPEST, Scanner, Value};
use super::wish::Unfit;

/// So much of a value is shown.
const SHOWN: usize = 60;

/// The error of a fault in a line.
#[cold]
pub(super) fn error(name: &str, line: &[u8], number: u64, fault: &Fault) -> Error {
    let place = format!("line {number} of {name}");
    let path = path(line, fault.at);
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    let column = names.first().copied();
    let (message, hint) = match &fault.kind {
        FaultKind::Misfit { wanted, inferred } => misfit(&names, wanted, *inferred, &place, value(line, fault.at)),
        FaultKind::Unknown(key) => unknown(&names, key, &place),
        kind => {
            let of = if names.is_empty() { String::new() } else { format!(", in column \"{}\"", shown(&names)) };
            let (what, hint) = broken(kind, line, fault.at);
            (format!("{place} {what}{of}"), hint)
        }
    };
    let kind = match fault.kind {
        FaultKind::Deep | FaultKind::Heavy | FaultKind::Wide => ErrorKind::Unsupported,
        _ => ErrorKind::Value,
    };
    let error = Error::new(kind, message).with_hint(hint);
    match column {
        Some(column) => error.with_column(column),
        None => error,
    }
}

/// The error of a value that is none of the user's type.
#[cold]
pub(super) fn unfit(name: &str, column: &str, unfit: Unfit) -> Error {
    match unfit {
        Unfit::Value { line, text, wanted } => {
            let text: String = text.chars().take(SHOWN).collect();
            let message = format!("column \"{column}\" is {wanted}, and line {line} of {name} holds \"{text}\"");
            Error::new(ErrorKind::Value, message)
                .with_column(column)
                .with_hint(format!("settle its type: types={{\"{column}\": \"utf8\"}} reads it as text"))
        }
        Unfit::Other(error) => error.with_column(column),
    }
}

fn misfit(path: &[&str], wanted: &str, inferred: bool, place: &str, found: Found) -> (String, String) {
    let column = path.first().copied().unwrap_or_default();
    let why = if inferred { ", as the records that planning saw" } else { "" };
    let message = format!("column \"{}\" is {wanted}{why}, and {place} holds {}", shown(path), found.shown);
    let advised = if path.len() == 1 { found.advised(wanted) } else { "utf8" };
    let as_json = if advised == "utf8" { ", which keeps what is no text as JSON" } else { "" };
    let mut hint = format!("settle the column's type: types={{\"{column}\": \"{advised}\"}}{as_json}");
    // Then the sample may have shown nothing but NULL, or whole numbers.
    if inferred && (wanted == "utf8" || (wanted == "int64" && found.whole == Some(false))) {
        hint.push_str("; or have all records looked at: ?infer=all");
    }
    (message, hint)
}

fn unknown(path: &[&str], key: &str, place: &str) -> (String, String) {
    let within = if path.is_empty() { String::new() } else { format!(" in column \"{}\"", shown(path)) };
    let message = format!("{place} has the key \"{key}\"{within}, which no record that planning saw has");
    let column = path.first().copied().unwrap_or(key);
    let hint = match path {
        [] => format!(
            "have all records looked at: ?infer=all; or say what it holds: types={{\"{column}\": \"utf8\"}}; or name the \
             columns to read: SELECT … FROM data"
        ),
        _ => format!(
            "have all records looked at: ?infer=all; or read the column as JSON text: types={{\"{column}\": \"utf8\"}}"
        ),
    };
    (message, hint)
}

/// What is wrong with JSON itself, and what to do.
fn broken(kind: &FaultKind, line: &[u8], at: usize) -> (String, String) {
    let position = at + 1;
    let one_per_line = "JSON lines hold one record per line; convert a document with: jq -c . old.json > new.jsonl";
    let written = "have it written again, by a library for JSON";
    match kind {
        FaultKind::Expected(what) => {
            (format!("is no JSON: byte {position} is {}, in the place of {what}", byte(line, at)), written.to_owned())
        }
        FaultKind::Unfinished => {
            ("ends within its record".to_owned(), format!("{one_per_line}; a file of lines that ends so was cut off"))
        }
        FaultKind::Behind => {
            (format!("has something behind its record, from byte {position} on"), one_per_line.to_owned())
        }
        FaultKind::NotObject if line.get(at) == Some(&b'[') => (
            "begins with [: it is an array, such as a JSON document has, and not a record".to_owned(),
            "JSON lines hold one object per line; convert an array with: jq -c '.[]' old.json > new.jsonl".to_owned(),
        ),
        FaultKind::NotObject => {
            ("is no object".to_owned(), "JSON lines hold one object per line: {\"key\": value, …}".to_owned())
        }
        FaultKind::Word => (
            format!("is no JSON: {} from byte {position} on is none of its words", quoted(line, at)),
            "JSON has true, false and null; what is no number (NaN, Infinity) is written as null or as text".to_owned(),
        ),
        FaultKind::Number => (
            format!("is no JSON: {} from byte {position} on is no number of its kind", quoted(line, at)),
            "JSON writes numbers without a plus and without zeros in front, and digits on both sides of a point"
                .to_owned(),
        ),
        FaultKind::Control(found) => (
            format!("is no JSON: byte {position}, within a text, is the control character 0x{found:02x}"),
            "JSON escapes them: \\t, \\u0000".to_owned(),
        ),
        FaultKind::Escape => (
            format!("is no JSON: {} from byte {position} on is no escape", quoted(line, at)),
            "JSON escapes with \\\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX".to_owned(),
        ),
        FaultKind::Surrogate => (
            format!(
                "holds half of a surrogate pair from byte {position} on ({}), which is no character",
                quoted(line, at)
            ),
            "have it written again: a character beyond U+FFFF is two escapes, or itself".to_owned(),
        ),
        FaultKind::Utf8(found) => (
            format!("is not UTF-8 (byte {position} is 0x{found:02x})"),
            "write the file again in UTF-8: iconv -f LATIN1 -t UTF-8".to_owned(),
        ),
        FaultKind::Deep => (
            format!("has values within each other more than {DEEPEST} deep"),
            "flatten them first, for example with jq".to_owned(),
        ),
        FaultKind::Twice(key) => (
            format!("has the key \"{key}\" twice in one object"),
            "only its writer knows which of the two counts".to_owned(),
        ),
        FaultKind::Heavy => (
            "holds a record whose arrays take more than 1 GiB".to_owned(),
            "read the column as JSON text: types={\"…\": \"utf8\"}".to_owned(),
        ),
        FaultKind::Wide => (
            format!("brings the number of different keys above {MOST_KEYS}: they seem to be data"),
            "read the column as JSON text: types={\"…\": \"utf8\"}".to_owned(),
        ),
        FaultKind::Misfit { .. } | FaultKind::Unknown(_) => (String::new(), String::new()),
    }
}

/// A value that does not fit.
struct Found {
    shown: String,
    written: String,
    /// Of a number, whether it is a whole one.
    whole: Option<bool>,
}

impl Found {
    /// A type for a column that was of another one, and has this value too.
    fn advised(&self, wanted: &str) -> &'static str {
        let digits = self.written.trim_start_matches('-').len();
        match (wanted, self.whole) {
            ("int64", Some(true)) if self.written.parse::<u64>().is_ok() => "uint64",
            ("int64", Some(true)) if digits <= 38 => "decimal128(38, 0)",
            ("int64", Some(false)) => "float64",
            ("float64", Some(false))
                if self.written.parse::<f64>().is_ok_and(|value| value.is_finite() && value != 0.0) =>
            {
                "float64"
            }
            _ => "utf8",
        }
    }
}

fn value(line: &[u8], at: usize) -> Found {
    let mut scanner = Scanner::new(line.get(at..).unwrap_or_default());
    let value = scanner.value();
    let written = match value {
        Ok(value) if scanner.pass_rest(value).is_ok() => scanner.written(0),
        _ => line.get(at..).unwrap_or_default(),
    };
    let written = String::from_utf8_lossy(written).into_owned();
    let mut shown: String = written.chars().take(SHOWN).collect();
    if shown.len() < written.len() {
        shown.push('…');
    }
    let whole = if let Ok(Value::Number(_, whole)) = value { Some(whole) } else { None };
    Found { shown, written, whole }
}

/// A word of the line, as far as it is shown.
fn quoted(line: &[u8], at: usize) -> String {
    let rest = line.get(at..).unwrap_or_default();
    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r');
    let length = rest.iter().skip(1).position(ends).map_or(rest.len(), |length| length + 1).min(12);
    format!("{:?}", String::from_utf8_lossy(rest.get(..length).unwrap_or_default()))
}

fn byte(line: &[u8], at: usize) -> String {
    match line.get(at) {
        Some(byte) if byte.is_ascii_graphic() => format!("{:?}", char::from(*byte)),
        Some(byte) => format!("0x{byte:02x}"),
        None => "missing".to_owned(),
    }
}

/// The keys on the way to a place in a line; items of arrays are `[]`.
fn path(line: &[u8], at: usize) -> Vec<String> {
    let mut path = Vec::new();
    let mut scanner = Scanner::new(line);
    if scanner.place() < at {
        descend(&mut scanner, at, &mut path);
    }
    path
}

/// Whether the place is in the next value; then `path` leads to it.
fn descend(scanner: &mut Scanner<'_>, at: usize, path: &mut Vec<String>) -> bool {
    if scanner.place() >= at {
        return true;
    }
    let Ok(value) = scanner.value() else { return true };
    let mut first = true;
    match value {
        Value::Object => loop {
            match scanner.key(&mut first) {
                Ok(Some(key)) if key.at >= at => return true,
                Ok(Some(key)) => {
                    let mut scratch = String::new();
                    path.push(key.said(&mut scratch).map_or_else(|_| key.raw.to_owned(), str::to_owned));
                    if descend(scanner, at, path) {
                        return true;
                    }
                    path.pop();
                }
                Ok(None) => return scanner.place() > at,
                Err(_) => return true,
            }
        },
        Value::Array => loop {
            match scanner.item(&mut first) {
                Ok(true) => {
                    path.push("[]".to_owned());
                    if descend(scanner, at, path) {
                        return true;
                    }
                    path.pop();
                }
                Ok(false) => return scanner.place() > at,
                Err(_) => return true,
            }
        },
        _ => scanner.place() > at,
    }
}
