//! A column's type, as the server describes it.

use bowshot_core::{Error, ErrorKind, Result};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Deeper than anybody's types; serde_json itself stops at 128 levels of JSON, a few to a type.
const MOST_LEVELS: usize = 32;

/// A type and what it is made of.
#[derive(Debug, Default)]
pub(crate) struct Signature {
    /// Without its parameters: `decimal`, `timestamp with time zone`.
    pub(crate) name: String,
    /// Lengths, precision and scale.
    pub(crate) numbers: Vec<i64>,
    /// The types of its parts, and their names where they have one.
    pub(crate) parts: Vec<(Option<String>, Signature)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Described<'a> {
    raw_type: String,
    #[serde(borrow, default)]
    arguments: Vec<Argument<'a>>,
}

#[derive(Deserialize)]
struct Argument<'a> {
    kind: String,
    #[serde(borrow)]
    value: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named<'a> {
    #[serde(default)]
    field_name: Option<FieldName>,
    #[serde(borrow)]
    type_signature: &'a RawValue,
}

#[derive(Deserialize)]
struct FieldName {
    name: String,
}

impl Signature {
    /// From a column's `typeSignature`.
    pub(crate) fn parse(json: &str) -> Result<Self> {
        Signature::at_level(json, 0)
    }

    fn at_level(json: &str, level: usize) -> Result<Self> {
        if level > MOST_LEVELS {
            return Err(Error::new(ErrorKind::Unsupported, format!("a type nests deeper than {MOST_LEVELS} levels"))
                .with_hint("cast the column to json or varchar in the query"));
        }
        let described: Described = serde_json::from_str(json).map_err(malformed)?;
        let mut signature = Signature { name: described.raw_type, ..Signature::default() };
        for argument in described.arguments {
            let json = argument.value.get();
            match argument.kind.as_str() {
                "LONG" => signature.numbers.push(serde_json::from_str(json).map_err(malformed)?),
                "TYPE" => signature.parts.push((None, Signature::at_level(json, level + 1)?)),
                "NAMED_TYPE" => {
                    let named: Named = serde_json::from_str(json).map_err(malformed)?;
                    let part = Signature::at_level(named.type_signature.get(), level + 1)?;
                    signature.parts.push((named.field_name.map(|name| name.name), part));
                }
                // What only types have that are read as text.
                _ => {}
            }
        }
        Ok(signature)
    }
}

fn malformed(error: serde_json::Error) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server describes a column's type in a way that is not known: {error}"))
        .with_source(error)
}
