//! The Arrow schema of a table: the one that a query of the whole table has, with what the source says of its columns.

use bowshot_catalog::{Column, Table};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use arrow_schema::{Field, Schema, SchemaRef};
use bowshot_core::{Cancel, Error, ErrorKind, Result, SOURCE_TYPE};
use parking_lot::Mutex;

use crate::catalog::Catalog;
use bowshot_catalog::Place;

/// The key in a schema's metadata under which stands why a table's columns are not known.
pub const UNREADABLE: &str = "bowshot.unreadable";

impl Catalog {
    /// The schemas of these tables, in their order.
    ///
    /// A table that cannot be read (a view of a table that is gone, say) has a schema without columns and its reason
    /// under [`UNREADABLE`]: one bad view must not hide a whole database.
    pub(crate) fn schemas(&self, tables: &[Table], cancel: &Cancel) -> Result<Vec<SchemaRef>> {
        if tables.is_empty() {
            return Ok(Vec::new());
        }
        if tables.len() > self.limits.tables {
            let message = format!("the schemas of {} tables of \"{}\" were asked for", tables.len(), self.name());
            return Err(Error::new(ErrorKind::Unsupported, message).with_hint(format!(
                "ask for {} at most: narrow the pattern of schemas or tables",
                self.limits.tables
            )));
        }
        let columns = self.lister.columns(cancel)?;
        let next = AtomicUsize::new(0);
        let made = Mutex::new(vec![None; tables.len()]);
        let failed = Mutex::new(None);
        let work = || {
            while let Some((index, table)) = claim(&next, tables).filter(|_| failed.lock().is_none()) {
                match self.schema(table, &columns, cancel) {
                    Ok(schema) => {
                        if let Some(slot) = made.lock().get_mut(index) {
                            *slot = Some(schema);
                        }
                    }
                    Err(error) => {
                        failed.lock().get_or_insert(error);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.limits.connections.clamp(1, tables.len()) {
                scope.spawn(work);
            }
        });
        match failed.into_inner() {
            Some(error) => Err(error),
            None => Ok(made.into_inner().into_iter().flatten().collect()),
        }
    }

    fn schema(&self, table: &Table, columns: &HashMap<Place, Vec<Column>>, cancel: &Cancel) -> Result<SchemaRef> {
        let place = (table.schema.clone(), table.name.clone());
        let listed = columns.get(&place).map_or(&[][..], Vec::as_slice);
        if let Some(schema) = self.cache.get(&place, listed, &self.limits) {
            return Ok(schema);
        }
        match self.lister.table_schema(table.schema.as_deref(), &table.name, cancel) {
            Ok(schema) => {
                let schema = self.described(&schema, table, listed);
                self.cache.put(place, listed, SchemaRef::clone(&schema), &self.limits);
                Ok(schema)
            }
            Err(error) if is_about_the_table(&error) => {
                let reason = HashMap::from([(UNREADABLE.to_owned(), error.to_string())]);
                Ok(Arc::new(Schema::empty().with_metadata(reason)))
            }
            Err(error) => Err(error),
        }
    }

    /// The schema of a query with the metadata of `CommandGetTables` in `FlightSql.proto` on its fields.
    fn described(&self, schema: &Schema, table: &Table, columns: &[Column]) -> SchemaRef {
        let describe = |field: &Arc<Field>| {
            let column = columns.iter().find(|column| column.name == *field.name());
            let mut metadata = field.metadata().clone();
            metadata.extend(self.facts(field, table, column));
            field.as_ref().clone().with_metadata(metadata)
        };
        let fields: Vec<Field> = schema.fields().iter().map(describe).collect();
        let mut metadata = schema.metadata().clone();
        metadata.extend(table.remarks.clone().map(|remarks| (key("REMARKS"), remarks)));
        Arc::new(Schema::new_with_metadata(fields, metadata))
    }

    fn facts(&self, field: &Field, table: &Table, column: Option<&Column>) -> Vec<(String, String)> {
        let type_name = column.and_then(|column| column.type_name.clone());
        let number = |number: Option<i32>| number.map(|number| number.to_string());
        let flag = |flag: bool| Some(if flag { "1" } else { "0" }.to_owned());
        let facts = [
            ("CATALOG_NAME", Some(self.name().to_owned())),
            // The protocol's comment says DB_SCHEMA_NAME, all its libraries say SCHEMA_NAME.
            ("DB_SCHEMA_NAME", table.schema.clone()),
            ("SCHEMA_NAME", table.schema.clone()),
            ("TABLE_NAME", Some(table.name.clone())),
            ("TYPE_NAME", type_name.or_else(|| field.metadata().get(SOURCE_TYPE).cloned())),
            ("PRECISION", number(column.and_then(|column| column.precision))),
            ("SCALE", number(column.and_then(|column| column.scale))),
            ("IS_AUTO_INCREMENT", column.and_then(|column| flag(column.auto_increment))),
            ("IS_READ_ONLY", flag(!self.writable)),
            ("REMARKS", column.and_then(|column| column.remarks.clone())),
        ];
        facts.into_iter().filter_map(|(name, value)| Some((key(name), value?))).collect()
    }
}

/// Takes the next table that nobody has.
fn claim<'a>(next: &AtomicUsize, tables: &'a [Table]) -> Option<(usize, &'a Table)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    tables.get(index).map(|table| (index, table))
}

/// Whether it is this table that cannot be read, rather than the whole source.
fn is_about_the_table(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Sql | ErrorKind::Value | ErrorKind::Unsupported | ErrorKind::Config | ErrorKind::Io
    )
}

fn key(name: &str) -> String {
    format!("ARROW:FLIGHT:SQL:{name}")
}
