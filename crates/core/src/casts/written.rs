//! Values as text that says all of them.

use std::fmt::{Display, Write};
use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal32Type, Decimal64Type, Decimal128Type, Decimal256Type, DecimalType};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::DataType;

use super::decimals;
use super::family::Family;
use super::json;
use super::turn::{Turned, by_arrow};

pub(super) fn turn(column: &ArrayRef, wanted: &DataType) -> Turned {
    match column.data_type() {
        DataType::Decimal32(_, scale) => by_arrow(&digits::<Decimal32Type>(column, *scale)?, wanted),
        DataType::Decimal64(_, scale) => by_arrow(&digits::<Decimal64Type>(column, *scale)?, wanted),
        DataType::Decimal128(_, scale) => by_arrow(&digits::<Decimal128Type>(column, *scale)?, wanted),
        DataType::Decimal256(_, scale) => by_arrow(&digits::<Decimal256Type>(column, *scale)?, wanted),
        // In UTC, since the rules of other zones are not known here: the same moment.
        DataType::Timestamp(unit, Some(_)) => {
            let utc = DataType::Timestamp(*unit, Some("+00:00".into()));
            by_arrow(&make_array(column.to_data().into_builder().data_type(utc).build()?), wanted)
        }
        other if matches!(Family::of(other), Family::List(..) | Family::Struct(_) | Family::Map(_)) => {
            by_arrow(&json::turn(column)?, wanted)
        }
        _ => by_arrow(column, wanted),
    }
}

/// All digits of decimals, also of those that have more than their type allows.
fn digits<T: DecimalType<Native: Display>>(column: &ArrayRef, scale: i8) -> Turned {
    let decimals = column.as_primitive::<T>();
    let mut texts = LargeStringBuilder::with_capacity(decimals.len(), decimals.len() * 8);
    for decimal in decimals {
        let Some(decimal) = decimal else {
            texts.append_null();
            continue;
        };
        // Memory that does not fail.
        let _ = decimals::write(&mut texts, decimal, scale);
        texts.append_value("");
    }
    Ok(Arc::new(texts.finish()))
}

/// Text inside of a value in JSON: quoted.
pub(super) fn quote(out: &mut String, text: &str) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}
