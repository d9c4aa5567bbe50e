//! The columns of a query, before it runs.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema};
use bowshot_core::{Cancel, Error, ErrorKind, Result, SOURCE_TYPE};

use crate::block;
use crate::connect::Session;
use crate::decode::Column;
use crate::error;
use crate::input::{Feed, Input, broken};
use crate::types;

/// A column of a result: its name, its type as ClickHouse spells it, and how it is read.
#[derive(Clone, Debug)]
pub(crate) struct Described {
    pub(crate) name: String,
    pub(crate) spelling: String,
    pub(crate) column: types::Column,
}

/// What stands before the user's SQL where it is described.
const DESCRIBE: &str = "DESCRIBE TABLE (\n";

/// Asks for the columns of `sql`; `placed` where it is as the user wrote it, so that positions in it mean something.
pub(crate) fn describe(session: &Session, sql: &str, placed: bool, cancel: &Cancel) -> Result<Vec<Described>> {
    let position = |error: Error, before: usize| error::placed(error, if placed { sql } else { "" }, before);
    let columns = if shows(sql) {
        // These cannot be described, and cost nothing: they are run to see.
        let mut input = session.query(sql, &[], None, cancel)?;
        header(&mut input).map_err(|error| position(error, 0))?
    } else {
        let mut input = session.query(&format!("{DESCRIBE}{sql}\n)"), &[], None, cancel)?;
        let rows = blocks(&mut input, "UTC").map_err(|error| position(error, DESCRIBE.len()))?;
        listed(&rows)?
    };
    let zone = &session.facts.zone;
    let column = |(name, spelling): (String, String)| {
        let column = types::column(&name, &spelling, zone)?;
        Ok(Described { name, spelling, column })
    };
    columns.into_iter().map(column).collect()
}

/// Whether it is a statement that only shows something of the server.
fn shows(sql: &str) -> bool {
    let word: String = sql.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    ["SHOW", "DESCRIBE", "DESC", "EXPLAIN", "EXISTS"].iter().any(|known| word.eq_ignore_ascii_case(known))
}

/// The names and types that the first block has.
fn header<F: Feed>(input: &mut Input<F>) -> Result<Vec<(String, String)>> {
    let Some((columns, rows)) = block::begin(input)? else {
        return Err(Error::new(ErrorKind::Unsupported, "the statement shows no rows, and so no columns")
            .with_hint("ask the tables of the database system instead: SELECT … FROM system.tables"));
    };
    let mut found = Vec::new();
    for _ in 0..columns {
        let (name, kind) = (input.text()?, input.text()?);
        if rows > 0 {
            let column = types::column(&name, &kind, "UTC")?;
            let mut values = Column::new(&column.kind);
            values.prefix(input)?;
            values.append(input, rows)?;
        }
        found.push((name, kind));
    }
    Ok(found)
}

/// The names and types that DESCRIBE lists.
fn listed(rows: &[RecordBatch]) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for batch in rows {
        let text = |place: usize| batch.columns().get(place).and_then(|column| column.as_string_opt::<i32>());
        let (Some(names), Some(kinds)) = (text(0), text(1)) else {
            return Err(Error::new(ErrorKind::Protocol, "ClickHouse describes columns otherwise than as text"));
        };
        found.extend(names.iter().flatten().map(str::to_owned).zip(kinds.iter().flatten().map(str::to_owned)));
    }
    Ok(found)
}

/// All blocks of a small answer.
pub(crate) fn blocks<F: Feed>(input: &mut Input<F>, zone: &str) -> Result<Vec<RecordBatch>> {
    let mut batches = Vec::new();
    while let Some((columns, rows)) = block::begin(input)? {
        let (mut fields, mut arrays) = (Vec::new(), Vec::new());
        for _ in 0..columns {
            let (name, kind) = (input.text()?, input.text()?);
            let column = types::column(&name, &kind, zone)?;
            if column.cast.is_some() {
                return Err(broken(&format!("a column of type {kind}")));
            }
            let mut values = Column::new(&column.kind);
            if rows > 0 {
                values.prefix(input)?;
                values.append(input, rows)?;
            }
            fields.push(column.kind.field(&name));
            arrays.push(values.finish()?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        batches.push(RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options)?);
    }
    Ok(batches)
}

/// The field of a column, with ClickHouse's own name of its type.
pub(crate) fn field(described: &Described) -> Field {
    let field = described.column.kind.field(&described.name);
    let mut metadata: HashMap<String, String> = field.metadata().clone();
    metadata.insert(SOURCE_TYPE.to_owned(), described.spelling.clone());
    field.with_metadata(metadata)
}

/// ClickHouse's own name of a field's type.
pub(crate) fn source_type(field: &Field) -> &str {
    field.metadata().get(SOURCE_TYPE).map_or("", String::as_str)
}
