//! Rows of batches into a table, in one transaction with the table's definition.

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Error, ErrorKind, Ingest, IngestMode, Result, RowValues, Value};
use bowshot_sql::{Dialect, quote_identifier};

use crate::connect::connect_writable;
use crate::handle::Database;
use crate::ingested::{check, declared, stored};
use crate::update::BEGIN;
use crate::uri::Location;

/// Puts all rows into a table; how many they were.
pub(crate) fn ingest(
    location: &Location,
    target: &Ingest,
    batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
    cancel: &Cancel,
) -> Result<u64> {
    if target.columns.fields().is_empty() {
        return Err(Error::new(ErrorKind::Config, "rows without a column cannot be ingested"));
    }
    let mut database = connect_writable(location, cancel)?;
    database.execute(BEGIN)?;
    make_table(&database, target)?;
    check_columns(&database, target)?;
    database.start(&insert(target))?;
    let mut count = 0;
    for batch in batches {
        let batch = batch?;
        let rows = RowValues::new(&batch)?;
        for row in 0..batch.num_rows() {
            database.run_again(&values(target, rows.row(row)?)?)?;
            count += 1;
        }
    }
    database.finish();
    database.execute("COMMIT")?;
    Ok(count)
}

fn quoted(name: &str) -> String {
    quote_identifier(name, Dialect::Sqlite)
}

fn table(target: &Ingest) -> String {
    match &target.schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(&target.table)),
        None => quoted(&target.table),
    }
}

fn names(target: &Ingest) -> String {
    target.columns.fields().iter().map(|field| quoted(field.name())).collect::<Vec<_>>().join(", ")
}

fn make_table(database: &Database, target: &Ingest) -> Result<()> {
    let table = table(target);
    let create = match target.mode {
        IngestMode::Append => return Ok(()),
        IngestMode::Create => format!("CREATE TABLE {table}"),
        IngestMode::Replace => format!("DROP TABLE IF EXISTS {table}; CREATE TABLE {table}"),
        IngestMode::CreateAppend => format!("CREATE TABLE IF NOT EXISTS {table}"),
    };
    let columns = target.columns.fields().iter().map(|field| {
        let not_null = if field.is_nullable() { "" } else { " NOT NULL" };
        Ok(format!("{} {}{not_null}", quoted(field.name()), declared(field)?))
    });
    database.execute(&format!("{create} ({})", columns.collect::<Result<Vec<_>>>()?.join(", ")))
}

/// Refuses columns of the table whose affinity would turn values into others.
fn check_columns(database: &Database, target: &Ingest) -> Result<()> {
    let columns = database.columns(&format!("SELECT {} FROM {}", names(target), table(target)))?;
    target.columns.fields().iter().zip(&columns).try_for_each(|(field, (_, kind))| check(field, kind.as_deref()))
}

fn insert(target: &Ingest) -> String {
    let marks = vec!["?"; target.columns.fields().len()].join(", ");
    format!("INSERT INTO {} ({}) VALUES ({marks})", table(target), names(target))
}

/// The values of a row as they are stored.
fn values(target: &Ingest, row: Vec<Value>) -> Result<Vec<Value>> {
    target.columns.fields().iter().zip(row).map(|(field, value)| stored(field, value)).collect()
}
