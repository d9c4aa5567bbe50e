//! CommandGetImportedKeys, CommandGetExportedKeys, CommandGetCrossReference: foreign keys, from either side or both.

use arrow_array::RecordBatch;
use arrow_flight::sql::{CommandGetCrossReference, CommandGetExportedKeys, CommandGetImportedKeys};
use bowshot_catalog::{End, ForeignKeyColumn, is_asked};
use bowshot_core::{Cancel, Result};

use crate::batch::{batch, bytes, names, numbers, texts};
use crate::catalog::Catalog;
use crate::gather::{Answer, gather};
use crate::schemas::foreign_keys_schema;
use crate::table_path::Visible;

/// The foreign keys of a table, with the columns that they refer to: the answer to CommandGetImportedKeys.
///
/// A key is only shown to who may see the tables at both of its ends.
///
/// # Errors
/// A source's, where no source answers.
pub fn imported_keys(
    catalogs: &[Catalog],
    command: &CommandGetImportedKeys,
    visible: Visible<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let foreign = Asked::new(command.catalog.as_deref(), command.db_schema.as_deref(), &command.table);
    foreign_keys(catalogs, None, Some(foreign), By::Primary, visible, cancel)
}

/// The foreign keys of other tables that refer to a table: the answer to CommandGetExportedKeys.
///
/// # Errors
/// A source's, where no source answers.
pub fn exported_keys(
    catalogs: &[Catalog],
    command: &CommandGetExportedKeys,
    visible: Visible<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let primary = Asked::new(command.catalog.as_deref(), command.db_schema.as_deref(), &command.table);
    foreign_keys(catalogs, Some(primary), None, By::Foreign, visible, cancel)
}

/// The foreign keys of one table that refer to another one: the answer to CommandGetCrossReference.
///
/// # Errors
/// A source's, where no source answers.
pub fn cross_reference(
    catalogs: &[Catalog],
    command: &CommandGetCrossReference,
    visible: Visible<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let primary = Asked::new(command.pk_catalog.as_deref(), command.pk_db_schema.as_deref(), &command.pk_table);
    let foreign = Asked::new(command.fk_catalog.as_deref(), command.fk_db_schema.as_deref(), &command.fk_table);
    foreign_keys(catalogs, Some(primary), Some(foreign), By::Primary, visible, cancel)
}

/// One end of a foreign key, as a command names it.
#[derive(Clone, Copy)]
struct Asked<'a> {
    catalog: Option<&'a str>,
    schema: Option<&'a str>,
    table: &'a str,
}

impl<'a> Asked<'a> {
    fn new(catalog: Option<&'a str>, schema: Option<&'a str>, table: &'a str) -> Self {
        Asked { catalog, schema, table }
    }

    fn is_in(&self, catalog: &Catalog) -> bool {
        is_asked(self.catalog, Some(catalog.name()))
    }

    fn is(&self, end: &End) -> bool {
        self.table == end.table && is_asked(self.schema, end.schema.as_deref())
    }
}

/// The end whose names come first in the order of the rows.
#[derive(Clone, Copy)]
enum By {
    Primary,
    Foreign,
}

fn foreign_keys(
    catalogs: &[Catalog],
    primary: Option<Asked<'_>>,
    foreign: Option<Asked<'_>>,
    by: By,
    visible: Visible<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    // A foreign key never leaves its database.
    let both = |catalog: &&Catalog| [primary, foreign].iter().flatten().all(|end| end.is_in(catalog));
    let gathered = gather(catalogs.iter().filter(both), |catalog| {
        let mut keys = catalog.lister.foreign_keys(cancel)?;
        keys.retain(|key| {
            primary.is_none_or(|end| end.is(&key.primary)) && foreign.is_none_or(|end| end.is(&key.foreign))
        });
        Ok(keys)
    })?;
    let found = &gathered.found;
    let all = found.iter().flat_map(|(catalog, keys)| keys.iter().map(move |key| (*catalog, key)));
    let seen = |catalog: &Catalog, end: &End| visible(&catalog.path(end.schema.as_deref(), &end.table));
    let mut rows: Vec<_> =
        all.filter(|(catalog, key)| seen(catalog, &key.primary) && seen(catalog, &key.foreign)).collect();
    rows.sort_by_key(|(catalog, key)| {
        let (first, second) = match by {
            By::Primary => (&key.primary, &key.foreign),
            By::Foreign => (&key.foreign, &key.primary),
        };
        // The order of the protocol ends with the sequence; what follows makes it the same in every answer.
        let rest = (&second.schema, &second.table, &second.key);
        (catalog.name(), &first.schema, &first.table, &first.key, key.sequence, rest)
    });
    Ok(Answer { batch: key_batch(&rows)?, missing: gathered.missing })
}

fn key_batch(rows: &[(&Catalog, &ForeignKeyColumn)]) -> Result<RecordBatch> {
    let catalog = || texts(rows.iter().map(|(catalog, _)| Some(catalog.name())));
    let columns = vec![
        catalog(),
        texts(rows.iter().map(|(_, key)| key.primary.schema.as_deref())),
        names(rows.iter().map(|(_, key)| key.primary.table.as_str())),
        names(rows.iter().map(|(_, key)| key.primary.column.as_str())),
        catalog(),
        texts(rows.iter().map(|(_, key)| key.foreign.schema.as_deref())),
        names(rows.iter().map(|(_, key)| key.foreign.table.as_str())),
        names(rows.iter().map(|(_, key)| key.foreign.column.as_str())),
        numbers(rows.iter().map(|(_, key)| key.sequence)),
        texts(rows.iter().map(|(_, key)| key.foreign.key.as_deref())),
        texts(rows.iter().map(|(_, key)| key.primary.key.as_deref())),
        bytes(rows.iter().map(|(_, key)| key.update_rule)),
        bytes(rows.iter().map(|(_, key)| key.delete_rule)),
    ];
    batch(foreign_keys_schema(), columns)
}
