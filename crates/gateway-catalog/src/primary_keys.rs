//! CommandGetPrimaryKeys.

use arrow_flight::sql::CommandGetPrimaryKeys;
use bowshot_catalog::is_asked;
use bowshot_core::{Cancel, Result};

use crate::batch::{batch, names, numbers, texts};
use crate::catalog::Catalog;
use crate::gather::{Answer, asked, gather};
use crate::schemas::primary_keys_schema;
use crate::table_path::Visible;

/// The columns of a table's primary key: the answer to CommandGetPrimaryKeys. A table without one, or that the user may
/// not see, has none.
///
/// # Errors
/// A source's, where no source answers.
pub fn primary_keys(
    catalogs: &[Catalog],
    command: &CommandGetPrimaryKeys,
    visible: Visible<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let gathered = gather(asked(catalogs, command.catalog.as_deref()), |catalog| {
        let mut keys = catalog.lister.primary_keys(cancel)?;
        keys.retain(|key| key.table == command.table && is_asked(command.db_schema.as_deref(), key.schema.as_deref()));
        Ok(keys)
    })?;
    let found = &gathered.found;
    let all = found.iter().flat_map(|(catalog, keys)| keys.iter().map(move |key| (*catalog, key)));
    let mut rows: Vec<_> =
        all.filter(|(catalog, key)| visible(&catalog.path(key.schema.as_deref(), &key.table))).collect();
    rows.sort_by_key(|(catalog, key)| (catalog.name(), &key.schema, &key.table, &key.key, key.sequence));
    let columns = vec![
        texts(rows.iter().map(|(catalog, _)| Some(catalog.name()))),
        texts(rows.iter().map(|(_, key)| key.schema.as_deref())),
        names(rows.iter().map(|(_, key)| key.table.as_str())),
        names(rows.iter().map(|(_, key)| key.column.as_str())),
        texts(rows.iter().map(|(_, key)| key.key.as_deref())),
        numbers(rows.iter().map(|(_, key)| key.sequence)),
    ];
    Ok(Answer { batch: batch(primary_keys_schema(), columns)?, missing: gathered.missing })
}
