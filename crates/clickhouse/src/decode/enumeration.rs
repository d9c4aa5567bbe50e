//! Values of enumerations as places of their labels.

use bowshot_core::{Error, ErrorKind, Result};

use crate::input::{Feed, Input};
use crate::types::Enumeration;

/// Reads `rows` values.
pub(super) fn append<F: Feed>(
    keys: &mut Vec<i32>,
    enumeration: &Enumeration,
    input: &mut Input<F>,
    rows: usize,
    is_null: impl Fn(usize) -> bool,
) -> Result<()> {
    let (mut row, mut unknown) = (0, None);
    let mut push = |value: i16| {
        let found = enumeration.values.binary_search_by_key(&value, |(value, _)| *value);
        let key = found.ok().and_then(|place| enumeration.values.get(place)).map(|(_, key)| *key);
        if key.is_none() && !is_null(row) {
            unknown.get_or_insert(value);
        }
        keys.push(key.unwrap_or(0));
        row += 1;
    };
    if enumeration.width == 1 {
        input.values(rows, |bytes| push(i16::from(i8::from_le_bytes(bytes))))?;
    } else {
        input.values(rows, |bytes| push(i16::from_le_bytes(bytes)))?;
    }
    match unknown {
        None => Ok(()),
        Some(value) => Err(Error::new(ErrorKind::Value, format!("the enumeration has no label for {value}"))
            .with_hint("read it as a number: CAST(… AS Int16) in the query")),
    }
}
