//! An answer as the page gets it: every value as text, so that no digit is lost on the way.

use std::fmt;

use arrow_array::Array;
use arrow_cast::display::{ArrayFormatter, FormatOptions};
use arrow_schema::{DataType, Field};
use bowshot_core::{Result, format_type};
use serde::Serialize;

use crate::{Answer, ConsoleOptions};

/// A table of texts.
#[derive(Debug, Serialize)]
pub(crate) struct Rows {
    columns: Vec<Column>,
    rows: Vec<Vec<Option<String>>>,
    /// Whether rows are missing at the end.
    truncated: bool,
    /// How many values were cut off.
    cut: usize,
}

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Column {
    name: String,
    /// Its Arrow type, as people write it.
    #[serde(rename = "type")]
    data_type: String,
    kind: ColumnKind,
}

/// How the page shows a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ColumnKind {
    Number,
    Boolean,
    Time,
    Bytes,
    Text,
}

/// At most `limit` rows of an answer, within the bytes that the options allow.
pub(crate) fn rows(answer: &Answer, limit: usize, options: &ConsoleOptions) -> Result<Rows> {
    let columns = answer.schema.fields().iter().map(|field| column(field)).collect();
    let mut rows = Rows { columns, rows: Vec::new(), truncated: answer.truncated, cut: 0 };
    let mut room = options.query_bytes;
    for batch in &answer.batches {
        let format = FormatOptions::new();
        let formatters = batch.columns().iter().map(|array| ArrayFormatter::try_new(array, &format));
        let formatters = formatters.collect::<Result<Vec<_>, _>>()?;
        for index in 0..batch.num_rows() {
            if rows.rows.len() >= limit || room == 0 {
                rows.truncated = true;
                return Ok(rows);
            }
            let mut row = Vec::with_capacity(formatters.len());
            for (array, formatter) in batch.columns().iter().zip(&formatters) {
                if array.is_null(index) {
                    row.push(None);
                    continue;
                }
                let mut text = Bounded { text: String::new(), room: options.cell_bytes, cut: false };
                let written = formatter.value(index).write(&mut text);
                if !text.cut {
                    written?;
                }
                room = room.saturating_sub(text.text.len());
                rows.cut += usize::from(text.cut);
                row.push(Some(text.text));
            }
            rows.rows.push(row);
        }
    }
    Ok(rows)
}

fn column(field: &Field) -> Column {
    Column { name: field.name().clone(), data_type: format_type(field.data_type()), kind: kind(field.data_type()) }
}

fn kind(data_type: &DataType) -> ColumnKind {
    match data_type {
        DataType::Dictionary(_, values) => kind(values),
        other if other.is_numeric() => ColumnKind::Number,
        DataType::Boolean => ColumnKind::Boolean,
        other if other.is_temporal() => ColumnKind::Time,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView | DataType::FixedSizeBinary(_) => {
            ColumnKind::Bytes
        }
        _ => ColumnKind::Text,
    }
}

/// A text that takes so much and no more.
struct Bounded {
    text: String,
    room: usize,
    cut: bool,
}

impl fmt::Write for Bounded {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if more.len() <= self.room {
            self.room -= more.len();
            self.text.push_str(more);
            return Ok(());
        }
        let end = (0..=self.room).rev().find(|&end| more.is_char_boundary(end)).unwrap_or(0);
        self.text.push_str(more.get(..end).unwrap_or_default());
        self.text.push('…');
        self.cut = true;
        // Ends the formatting of the rest.
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests;
