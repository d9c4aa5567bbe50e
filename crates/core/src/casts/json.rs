//! Lists, structs and maps as JSON, whose text tells all values apart.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::family::Family;
use super::nested::{as_list, inside, masked};
use super::turn::{Turned, Unfit, Writing, turn as turned};
use super::written::quote;

/// Each value of a nested column as JSON.
pub(super) fn turn(column: &ArrayRef) -> Turned {
    let parts = Parts::of(column)?;
    let mut texts = LargeStringBuilder::with_capacity(column.len(), column.len() * 16);
    let mut text = String::new();
    for row in 0..column.len() {
        if column.is_null(row) {
            texts.append_null();
            continue;
        }
        text.clear();
        parts.write(row, &mut text);
        texts.append_value(&text);
    }
    Ok(Arc::new(texts.finish()))
}

/// A column in the parts that its text is made of.
enum Parts {
    /// Numbers and truth, or what is JSON already.
    Bare(ArrayRef),
    Quoted(ArrayRef),
    /// Where each list begins in its items, and behind the last one.
    List(Vec<usize>, Box<Parts>),
    Struct(Vec<(String, Parts)>),
    /// Where each map begins, its keys and values.
    Map(Vec<usize>, Box<Parts>, Box<Parts>),
    Null,
}

impl Parts {
    fn of(column: &ArrayRef) -> Result<Self, Unfit> {
        let text = || turned(column, &DataType::LargeUtf8, Writing::Text);
        Ok(match Family::of(column.data_type()) {
            Family::Null => Parts::Null,
            Family::Boolean | Family::Integer | Family::Float | Family::Decimal => Parts::Bare(text()?),
            Family::List(..) => {
                let list = as_list(column)?;
                let list = list.as_list::<i64>();
                let starts = list.value_offsets().iter().map(|start| usize::try_from(*start).unwrap_or(0)).collect();
                let items =
                    Parts::of(list.values()).map_err(|unfit| inside(unfit, list.values(), list.value_offsets()))?;
                Parts::List(starts, Box::new(items))
            }
            Family::Struct(fields) => {
                let columns = column.as_struct();
                let member = |(field, child): (&Arc<arrow_schema::Field>, &ArrayRef)| {
                    Ok((field.name().clone(), Parts::of(&masked(child, columns.nulls())?)?))
                };
                Parts::Struct(fields.iter().zip(columns.columns()).map(member).collect::<Result<_, Unfit>>()?)
            }
            Family::Map(_) => {
                let map = column.as_map();
                let starts = map.value_offsets().iter().map(|start| usize::try_from(*start).unwrap_or(0)).collect();
                let part =
                    |child: &ArrayRef| Parts::of(child).map_err(|unfit| inside(unfit, child, map.value_offsets()));
                Parts::Map(starts, Box::new(part(map.keys())?), Box::new(part(map.values())?))
            }
            _ => Parts::Quoted(text()?),
        })
    }

    fn write(&self, row: usize, out: &mut String) {
        match self {
            Parts::Null => out.push_str("null"),
            Parts::Bare(texts) | Parts::Quoted(texts) if texts.is_null(row) => out.push_str("null"),
            Parts::Bare(texts) => match texts.as_string::<i64>().value(row) {
                // JSON has no such numbers.
                text if text.ends_with(['N', 'f']) => quote(out, text),
                text => out.push_str(text),
            },
            Parts::Quoted(texts) => quote(out, texts.as_string::<i64>().value(row)),
            Parts::List(starts, items) => {
                let write = |item: usize, out: &mut String| items.write(item, out);
                between(out, "[", "]", range(starts, row), write);
            }
            Parts::Struct(members) => {
                between(out, "{", "}", 0..members.len(), |member, out| {
                    if let Some((name, part)) = members.get(member) {
                        quote(out, name);
                        out.push_str(": ");
                        part.write(row, out);
                    }
                });
            }
            Parts::Map(starts, keys, values) => between(out, "{", "}", range(starts, row), |entry, out| {
                let mut key = String::new();
                keys.write(entry, &mut key);
                // A key of JSON is text.
                if key.starts_with('"') {
                    out.push_str(&key)
                } else {
                    quote(out, &key)
                }
                out.push_str(": ");
                values.write(entry, out);
            }),
        }
    }
}

fn range(starts: &[usize], row: usize) -> std::ops::Range<usize> {
    starts.get(row).copied().unwrap_or(0)..starts.get(row + 1).copied().unwrap_or(0)
}

fn between(
    out: &mut String,
    open: &str,
    close: &str,
    items: std::ops::Range<usize>,
    write: impl Fn(usize, &mut String),
) {
    out.push_str(open);
    for (place, item) in items.enumerate() {
        if place > 0 {
            out.push_str(", ");
        }
        write(item, out);
    }
    out.push_str(close);
}
