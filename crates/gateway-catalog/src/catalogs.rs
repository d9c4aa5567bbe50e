//! CommandGetCatalogs and CommandGetDbSchemas: what there is above the tables.

use std::collections::BTreeSet;

use arrow_flight::sql::CommandGetDbSchemas;
use bowshot_core::{Cancel, Result};

use crate::batch::{batch, names};
use crate::catalog::Catalog;
use crate::filter::{Pattern, fits};
use crate::gather::{Answer, Gathered, asked, gather};
use crate::listed::Table;
use crate::schemas::{catalogs_schema, db_schemas_schema};
use crate::table_path::Visible;

/// The catalogs in which the user may see a table: the answer to CommandGetCatalogs.
///
/// # Errors
/// A source's, where no source answers.
pub fn catalogs(catalogs: &[Catalog], visible: Visible<'_>, cancel: &Cancel) -> Result<Answer> {
    let gathered = gather(catalogs, |catalog| catalog.tables(cancel))?;
    let found: BTreeSet<&str> = seen(&gathered, visible).map(|(catalog, _)| catalog.name()).collect();
    let batch = batch(catalogs_schema(), vec![names(found.into_iter())])?;
    Ok(Answer { batch, missing: gathered.missing })
}

/// The schemas in which the user may see a table: the answer to CommandGetDbSchemas.
///
/// A source without schemas has one with an empty name, which stands for "no schema" in the protocol: clients that
/// browse from schema to table would not find its tables otherwise.
///
/// # Errors
/// A source's, where no source answers.
pub fn db_schemas(
    catalogs: &[Catalog],
    command: &CommandGetDbSchemas,
    visible: Visible<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let pattern = command.db_schema_filter_pattern.as_deref().map(Pattern::new);
    let gathered = gather(asked(catalogs, command.catalog.as_deref()), |catalog| catalog.tables(cancel))?;
    let found: BTreeSet<(&str, &str)> = seen(&gathered, visible)
        .filter(|(_, table)| fits(pattern.as_ref(), table.schema.as_deref()))
        .map(|(catalog, table)| (catalog.name(), table.schema.as_deref().unwrap_or_default()))
        .collect();
    let columns =
        vec![names(found.iter().map(|(catalog, _)| *catalog)), names(found.iter().map(|(_, schema)| *schema))];
    Ok(Answer { batch: batch(db_schemas_schema(), columns)?, missing: gathered.missing })
}

/// The tables that the user may see.
fn seen<'a>(
    gathered: &'a Gathered<'a, Vec<Table>>,
    visible: Visible<'a>,
) -> impl Iterator<Item = (&'a Catalog, &'a Table)> {
    let all = gathered.found.iter().flat_map(|(catalog, tables)| tables.iter().map(move |table| (*catalog, table)));
    all.filter(move |(catalog, table)| visible(&catalog.path(table.schema.as_deref(), &table.name)))
}
