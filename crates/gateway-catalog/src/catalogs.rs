//! CommandGetCatalogs and CommandGetDbSchemas: what there is above the tables.

use bowshot_catalog::{Pattern, Table, fits};
use std::collections::BTreeSet;

use arrow_flight::sql::CommandGetDbSchemas;
use bowshot_core::{Cancel, Result};

use crate::batch::{batch, names};
use crate::catalog::Catalog;
use crate::gather::{Answer, Gathered, asked, gather};
use crate::schemas::{catalogs_schema, db_schemas_schema};
use crate::table_path::{Reachable, Visible};

/// The catalogs in which the user may see a schema: the answer to CommandGetCatalogs.
///
/// # Errors
/// A source's, where no source answers.
pub fn catalogs(
    catalogs: &[Catalog],
    visible: Visible<'_>,
    reachable: Reachable<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let gathered = gather(catalogs, |catalog| Held::of(catalog, cancel))?;
    let found = seen(&gathered, visible, reachable).into_iter().map(|(catalog, _)| catalog);
    let found: BTreeSet<&str> = found.collect();
    let batch = batch(catalogs_schema(), vec![names(found.into_iter())])?;
    Ok(Answer { batch, missing: gathered.missing })
}

/// The schemas in which the user may see a table, and those without any that he may look into: the answer to
/// CommandGetDbSchemas.
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
    reachable: Reachable<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let pattern = command.db_schema_filter_pattern.as_deref().map(Pattern::new);
    let gathered = gather(asked(catalogs, command.catalog.as_deref()), |catalog| Held::of(catalog, cancel))?;
    let mut found = seen(&gathered, visible, reachable);
    found.retain(|(_, schema)| fits(pattern.as_ref(), Some(schema)));
    let columns =
        vec![names(found.iter().map(|(catalog, _)| *catalog)), names(found.iter().map(|(_, schema)| *schema))];
    Ok(Answer { batch: batch(db_schemas_schema(), columns)?, missing: gathered.missing })
}

/// What a source holds.
struct Held {
    tables: Vec<Table>,
    schemas: Vec<String>,
}

impl Held {
    fn of(catalog: &Catalog, cancel: &Cancel) -> Result<Held> {
        Ok(Held { tables: catalog.lister.tables(cancel)?, schemas: catalog.lister.schema_names(cancel)? })
    }
}

/// The catalogs and schemas that the user may see, in their order. A schema that holds tables, of which the user may see none, is
/// hidden with them.
fn seen<'a>(
    gathered: &'a Gathered<'a, Held>,
    visible: Visible<'_>,
    reachable: Reachable<'_>,
) -> BTreeSet<(&'a str, &'a str)> {
    let mut seen = BTreeSet::new();
    for (catalog, held) in &gathered.found {
        let mut full = BTreeSet::new();
        for table in &held.tables {
            let schema = table.schema.as_deref().unwrap_or_default();
            full.insert(schema);
            if visible(&catalog.path(table.schema.as_deref(), &table.name)) {
                seen.insert((catalog.name(), schema));
            }
        }
        let empty = held.schemas.iter().filter(|schema| !full.contains(schema.as_str()));
        let shown = empty.filter(|schema| reachable(catalog.name(), schema));
        seen.extend(shown.map(|schema| (catalog.name(), schema.as_str())));
    }
    seen
}
