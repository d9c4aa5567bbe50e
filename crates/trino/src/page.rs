//! One answer of the server, taken apart as far as its rows.

use std::ops::Range;

use bowshot_core::{Error, ErrorKind, Notice, Result, Severity};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::signature::Signature;

/// A column, as the server describes it.
pub(crate) struct Described {
    pub(crate) name: String,
    /// The type as people write it: `decimal(15,2)`.
    pub(crate) type_name: String,
    pub(crate) signature: Signature,
}

/// An answer.
pub(crate) struct Page {
    /// The query's number on the cluster.
    pub(crate) id: String,
    /// Where the next answer is; `None` after the last one.
    pub(crate) next: Option<String>,
    pub(crate) columns: Option<Vec<Described>>,
    pub(crate) failure: Option<Failure>,
    /// What the server has said of the query so far.
    pub(crate) warnings: Vec<Notice>,
    body: String,
    rows: Range<usize>,
}

/// What the server says of a query that failed.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    #[serde(default)]
    pub(crate) message: Option<String>,
    #[serde(default)]
    pub(crate) error_name: Option<String>,
    #[serde(default)]
    pub(crate) error_type: Option<String>,
    #[serde(default)]
    pub(crate) error_location: Option<Location>,
}

/// A place in the query, both counted from 1.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    pub(crate) line_number: usize,
    pub(crate) column_number: usize,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope<'a> {
    #[serde(default)]
    id: String,
    #[serde(default)]
    next_uri: Option<String>,
    #[serde(borrow, default)]
    columns: Option<Vec<Column<'a>>>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<Failure>,
    #[serde(borrow, default)]
    warnings: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Warning {
    message: String,
    #[serde(default)]
    warning_code: Option<WarningCode>,
}

#[derive(Deserialize)]
struct WarningCode {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Column<'a> {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
    #[serde(borrow)]
    type_signature: &'a RawValue,
}

impl Page {
    /// Checks that the answer is JSON from its first byte to its last.
    pub(crate) fn parse(body: Vec<u8>, with_columns: bool) -> Result<Self> {
        let body = String::from_utf8(body).map_err(|_| protocol("the answer is not UTF-8"))?;
        let other = |why: &dyn std::fmt::Display| {
            protocol(&format!("the answer is not what Trino's protocol prescribes: {why}"))
                .with_hint("check that the URI leads to a Trino cluster")
        };
        // serde takes a list for a structure, too.
        if !body.trim_start().starts_with('{') {
            return Err(other(&"it is no JSON object"));
        }
        let envelope: Envelope = serde_json::from_str(&body).map_err(|error| other(&error).with_source(error))?;
        let columns = envelope.columns.filter(|_| with_columns).map(|columns| {
            let described = |column: Column<'_>| {
                let signature = Signature::parse(column.type_signature.get())
                    .map_err(|error| error.with_column(column.name.as_str()))?;
                Ok(Described { name: column.name, type_name: column.type_name, signature })
            };
            columns.into_iter().map(described).collect::<Result<Vec<_>>>()
        });
        let rows = match envelope.data {
            None => 0..0,
            Some(rows) if rows.get().starts_with('[') => {
                let start = rows.get().as_ptr().addr() - body.as_ptr().addr();
                start..start + rows.get().len()
            }
            Some(_) => {
                return Err(protocol("the rows are not in the answer, although nobody asked for them elsewhere"));
            }
        };
        let next = envelope.next_uri.as_deref().map(path).transpose()?;
        let warnings = warnings(envelope.warnings);
        Ok(Page { id: envelope.id, next, columns: columns.transpose()?, failure: envelope.error, warnings, rows, body })
    }

    /// The rows, a list of lists; empty where there are none.
    pub(crate) fn rows(&self) -> &str {
        self.body.get(self.rows.clone()).unwrap_or_default()
    }
}

/// What the server says beside its rows; in another form it is no reason to lose these.
fn warnings(list: Option<&RawValue>) -> Vec<Notice> {
    let list: Vec<Warning> = list.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default();
    let notice = |Warning { message, warning_code }: Warning| {
        let notice = Notice::new(Severity::Warning, message);
        match warning_code {
            Some(WarningCode { name }) => notice.with_code(name),
            None => notice,
        }
    };
    list.into_iter().map(notice).collect()
}

/// The path and query of an absolute URI. The host is the one that the user named, always: secrets go nowhere else, and
/// clusters behind a proxy that do not know their own name are reached all the same.
fn path(uri: &str) -> Result<String> {
    let strange = || protocol("the next answer is at a place that HTTP cannot ask for");
    let parsed: http::Uri = uri.parse().map_err(|_| strange())?;
    let path = parsed.path_and_query().filter(|path| path.path().starts_with("/v1/")).ok_or_else(strange)?;
    Ok(path.as_str().to_owned())
}

fn protocol(message: &str) -> Error {
    Error::new(ErrorKind::Protocol, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_apart() {
        let body = br#"{"id":"q","nextUri":"http://inner:1/v1/statement/x/1?a=b","data": [[1],[2]] ,"columns":
            [{"name":"n","type":"row(a bigint)","typeSignature":{"rawType":"row","arguments":[{"kind":"NAMED_TYPE","value":
            {"fieldName":{"name":"a"},"typeSignature":{"rawType":"decimal","arguments":[{"kind":"LONG","value":7}]}}}]}}]}"#;
        let page = Page::parse(body.to_vec(), true).unwrap();
        assert_eq!(page.next.as_deref(), Some("/v1/statement/x/1?a=b"));
        assert_eq!(page.rows(), "[[1],[2]]");
        assert!(page.warnings.is_empty());
        for (warnings, expected) in [
            (
                r#"[{"warningCode":{"code":1,"name":"TOO_MANY_STAGES"},"message":"many"}]"#,
                vec!["WARNING: many (code TOO_MANY_STAGES)"],
            ),
            (r#"[{"message":"plain"},{"message":"more"}]"#, vec!["WARNING: plain", "WARNING: more"]),
            ("[]", vec![]),
            ("{\"other\":[1]}", vec![]),
            ("null", vec![]),
        ] {
            let page = Page::parse(format!(r#"{{"id":"q","warnings":{warnings}}}"#).into_bytes(), false).unwrap();
            let texts: Vec<_> = page.warnings.iter().map(Notice::to_string).collect();
            assert_eq!(texts, expected);
        }
        let columns = page.columns.unwrap();
        let (name, part) = &columns[0].signature.parts[0];
        assert_eq!((name.as_deref(), part.name.as_str(), part.numbers.as_slice()), (Some("a"), "decimal", &[7][..]));
    }

    #[test]
    fn other_answers_are_refused() {
        let deep = format!(r#"{{"columns":[{{"name":"n","type":"t","typeSignature":{}}}]}}"#, {
            let (open, close) = (r#"{"rawType":"array","arguments":[{"kind":"TYPE","value":"#, "}]}");
            format!("{}{}{}", open.repeat(40), r#"{"rawType":"bigint"}"#, close.repeat(40))
        });
        for body in [
            "",
            "<html>",
            "[]",
            "{\"data\":[[1}",
            "{\"data\":{\"encoding\":\"json\",\"segments\":[]}}",
            "{\"nextUri\":\"http://x/evil\"}",
            "{\"nextUri\":\"\"}",
            "{\"columns\":[{\"name\":1}]}",
            "{\"id\":\"q\"} trailing",
            deep.as_str(),
            &format!("{{\"columns\":{}", "[".repeat(100_000)),
        ] {
            assert!(Page::parse(body.as_bytes().to_vec(), true).is_err(), "{body}");
        }
        assert!(Page::parse(b"{\"id\":\"\xff\"}".to_vec(), true).is_err());
        // What is ignored may be as deep as it likes.
        let deep = format!("{{\"stats\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Page::parse(deep.into_bytes(), true).is_ok());
    }
}
