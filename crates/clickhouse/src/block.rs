//! A block of the Native format: how many columns and rows, then column by column its name, its type and its values.

use std::sync::Arc;

use arrow_schema::Schema;
use bowshot_core::{Error, ErrorKind, Result};

use crate::decode::Column;
use crate::input::{Feed, Input, broken};
use crate::types::{self, Kind, Number, Type};

/// How many columns and rows a block may say it has; more would be nonsense, not a result.
const MOST: u64 = 1 << 40;

/// How an exception begins where a block should: as versions before 25.11 write it, and those since.
const EXCEPTIONS: [&[u8]; 2] = [b"Code: ", b"\r\n__exception__"];

/// How many columns the next block has and how many rows; `None` at the end.
pub(crate) fn begin<F: Feed>(input: &mut Input<F>) -> Result<Option<(usize, usize)>> {
    if input.is_over()? {
        return Ok(None);
    }
    // Only what may be one is waited for.
    let first = input.peek(1)?.first().copied();
    let start = input.peek(if EXCEPTIONS.iter().any(|begin| begin.first() == first.as_ref()) { 16 } else { 1 })?;
    // A block that begins so would have 67 or 13 columns, and a first name that continues like this.
    if EXCEPTIONS.iter().any(|begin| start.starts_with(begin)) {
        return Err(input.exception());
    }
    let (columns, rows) = (input.varint()?, input.varint()?);
    match (usize::try_from(columns), usize::try_from(rows)) {
        (Ok(number), Ok(many)) if columns < MOST && rows < MOST => Ok(Some((number, many))),
        _ => Err(broken("a block is said to be larger than any memory")),
    }
}

/// What the columns have to be.
pub(crate) struct Expected {
    /// The types as the blocks name them, once they were looked at; all blocks of an answer have the same.
    seen: Vec<Option<String>>,
    /// What is read.
    kinds: Vec<Type>,
    /// The schema, for names.
    schema: Arc<Schema>,
    zone: Arc<str>,
}

impl Expected {
    pub(crate) fn new(kinds: Vec<Type>, schema: Arc<Schema>, zone: Arc<str>) -> Self {
        Expected { seen: vec![None; kinds.len()], kinds, schema, zone }
    }

    /// Appends the next block to the columns; how many rows it had, `None` at the end.
    pub(crate) fn append<F: Feed>(&mut self, input: &mut Input<F>, columns: &mut [Column]) -> Result<Option<usize>> {
        let Some((count, rows)) = begin(input)? else { return Ok(None) };
        if count == 0 && rows == 0 {
            return Ok(Some(0));
        }
        if count != columns.len() {
            return Err(broken(&format!("a block has {count} columns where {} were described", columns.len())));
        }
        for (place, column) in columns.iter_mut().enumerate() {
            let (name, kind) = (input.text()?, input.text()?);
            self.check(place, &name, &kind)?;
            // An empty block ends here.
            if rows > 0 {
                column
                    .prefix(input)
                    .and_then(|()| column.append(input, rows))
                    .map_err(|error| self.named(place, error))?;
            }
        }
        Ok(Some(rows))
    }

    /// Whether a column is the one that was described.
    fn check(&mut self, place: usize, name: &str, text: &str) -> Result<()> {
        let (Some(seen), Some(kind)) = (self.seen.get_mut(place), self.kinds.get(place)) else {
            return Err(broken("a block has more columns than were described"));
        };
        if seen.as_deref() == Some(text) {
            return Ok(());
        }
        let field = self.schema.fields().get(place).map_or("", |field| field.name());
        let found = types::column(name, text, &self.zone)?;
        if name != field || found.cast.is_some() || !same(&found.kind, kind) {
            return Err(Error::new(
                ErrorKind::Protocol,
                format!("column \"{field}\" was described otherwise than it comes: as \"{name}\" of type {text}"),
            )
            .with_column(field)
            .with_hint("the table may have changed meanwhile; try again"));
        }
        *seen = Some(text.to_owned());
        Ok(())
    }

    /// The error with the column's name, its type and the way out.
    pub(crate) fn named(&self, place: usize, error: Error) -> Error {
        let Some(field) = self.schema.fields().get(place) else { return error };
        if error.kind() != ErrorKind::Value || error.column().is_some() {
            return error;
        }
        let name = field.name();
        let message = format!("column \"{name}\" ({}): {}", crate::describe::source_type(field), error.message());
        let hint =
            error.hint().map_or_else(|| format!("read it as bytes: types={{\"{name}\": \"binary\"}}"), str::to_owned);
        Error::new(ErrorKind::Value, message).with_column(name).with_hint(hint)
    }
}

/// Whether values of the type that comes are read as those of the one that was planned: this may be bytes in the place of
/// text by the user's wish, and a block names no time zone of a `DateTime`.
fn same(found: &Type, planned: &Type) -> bool {
    let moments = |kind: &Type| matches!(kind.kind, Kind::Number(Number::Moment, _));
    let nullable = found.nullable == planned.nullable;
    found == planned
        || nullable && moments(found) && moments(planned)
        || found.clone().towards(&planned.arrow()) == *planned
}
