//! What sources list, remembered for a while.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch, StringArray};
use arrow_flight::sql::CommandGetTables;
use bowshot_core::{Cancel, Result};
use bowshot_gateway_catalog::{Catalog, TablePath, TableType, tables};
use parking_lot::Mutex;

/// A table of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    /// `None` where the source has no schemas.
    pub(crate) schema: Option<String>,
    pub(crate) table: String,
    /// A part of the source's own catalog.
    pub(crate) system: bool,
}

/// The tables of one source, by their names in small letters.
#[derive(Debug)]
pub(crate) struct Listing {
    tables: HashMap<String, Vec<Listed>>,
    read: Instant,
}

impl Listing {
    fn read(catalog: &Catalog, cancel: &Cancel) -> Result<Listing> {
        let all = |_: &TablePath| true;
        let answer = tables(std::slice::from_ref(catalog), &CommandGetTables::default(), &all, cancel)?;
        let mut listing = Listing { tables: HashMap::new(), read: Instant::now() };
        for listed in rows(&answer.batch) {
            listing.tables.entry(listed.table.to_ascii_lowercase()).or_default().push(listed);
        }
        Ok(listing)
    }

    /// The tables with this name in whatever capital letters.
    pub(crate) fn named(&self, table: &str) -> &[Listed] {
        self.tables.get(&table.to_ascii_lowercase()).map_or(&[], Vec::as_slice)
    }

    /// The one table, if there is just one.
    pub(crate) fn only(&self) -> Option<&Listed> {
        let mut all = self.tables.values().flatten();
        all.next().filter(|_| all.next().is_none())
    }

    pub(crate) fn age(&self) -> Duration {
        self.read.elapsed()
    }
}

/// The rows of CommandGetTables: catalog, schema, table, type.
fn rows(batch: &RecordBatch) -> Vec<Listed> {
    let text = |index: usize| batch.columns().get(index).and_then(|column| column.as_string_opt::<i32>());
    let (Some(schemas), Some(names), Some(types)) = (text(1), text(2), text(3)) else { return Vec::new() };
    let at = |column: &StringArray, row: usize| column.is_valid(row).then(|| column.value(row).to_owned());
    let listed = |row| {
        let system = at(types, row).as_deref() == Some(TableType::SystemTable.name());
        Some(Listed { schema: at(schemas, row), table: at(names, row)?, system })
    };
    (0..batch.num_rows()).filter_map(listed).collect()
}

/// The listings of all sources, by their names.
#[derive(Debug, Default)]
pub(crate) struct Listings(Mutex<HashMap<String, Arc<Listing>>>);

impl Listings {
    /// What a source lists, at most this old.
    pub(crate) fn get(&self, catalog: &Catalog, age: Duration, cancel: &Cancel) -> Result<Arc<Listing>> {
        let known = self.0.lock().get(catalog.name()).cloned();
        if let Some(known) = known.filter(|known| known.age() <= age) {
            return Ok(known);
        }
        let listing = Arc::new(Listing::read(catalog, cancel)?);
        self.0.lock().insert(catalog.name().to_owned(), Arc::clone(&listing));
        Ok(listing)
    }
}
