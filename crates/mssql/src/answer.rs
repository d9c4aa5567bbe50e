//! Short answers that are kept whole: what is asked of the catalogue.

use bowshot_core::{Result, Value};

use crate::error::broken;
use crate::rows::{Chunks, Rows};
use crate::session::{Event, Session};
use crate::text;
use crate::token::Column;
use crate::types::Kind;
use crate::wire_type::Framing;

/// Rows of an answer that is kept whole.
const MOST_KEPT: usize = 100_000;

impl Session {
    /// Runs statements of which no rows are wanted.
    pub(crate) fn execute(&mut self, sql: &str) -> Result<()> {
        self.rows(sql, &[]).map(|_| ())
    }

    /// All rows of the last result of a short query.
    pub(crate) fn rows(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Vec<Value>>> {
        self.send(sql, values)?;
        let mut columns = Vec::new();
        let mut rows: Option<Rows> = None;
        let mut kept = Vec::new();
        loop {
            match self.event(rows.as_mut())? {
                Event::End => return Ok(kept),
                Event::Columns(found) => {
                    rows = Some(Rows::new(found.iter().map(|column| column.wire.framing).collect()));
                    columns = found;
                    kept.clear();
                }
                Event::Rows => {
                    let Some(rows) = &mut rows else { continue };
                    let cells: Vec<Vec<Value>> = columns
                        .iter()
                        .enumerate()
                        .map(|(index, column)| {
                            rows.column(index).map(|cell| plain_value(cell.bytes(self.buffer()), column)).collect()
                        })
                        .collect::<Result<_>>()?;
                    let mut cells: Vec<_> = cells.into_iter().map(Vec::into_iter).collect();
                    for _ in 0..rows.count() {
                        kept.push(cells.iter_mut().filter_map(Iterator::next).collect());
                    }
                    if kept.len() > MOST_KEPT {
                        return Err(self.broken("an endless answer to a question about its catalogue".to_owned()));
                    }
                    self.used(rows);
                }
            }
        }
    }

    /// The only value of a short query.
    pub(crate) fn value(&mut self, sql: &str, values: &[Value]) -> Result<Value> {
        Ok(self.rows(sql, values)?.into_iter().flatten().next().unwrap_or(Value::Null))
    }
}

/// A value of a question about the catalogue: a whole number, or text.
fn plain_value(bytes: Option<&[u8]>, column: &Column) -> Result<Value> {
    let Some(bytes) = bytes else { return Ok(Value::Null) };
    let mut shown = Vec::new();
    let whole: Vec<u8>;
    let bytes = match column.wire.framing {
        Framing::Chunks => {
            whole = Chunks(bytes).flatten().copied().collect();
            whole.as_slice()
        }
        _ => bytes,
    };
    text::append(bytes, &column.wire, &mut shown)
        .map_err(|_| broken(format_args!("column \"{}\" holds what is no {}", column.name, column.wire.kind)))?;
    let text = String::from_utf8_lossy(&shown).into_owned();
    Ok(match column.wire.kind {
        Kind::Bit | Kind::TinyInt | Kind::SmallInt | Kind::Int | Kind::BigInt => {
            text.parse().map_or(Value::Null, Value::Int)
        }
        _ => Value::Text(text),
    })
}
