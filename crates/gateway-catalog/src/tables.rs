//! CommandGetTables and CommandGetTableTypes.

use arrow_array::RecordBatch;
use arrow_flight::sql::CommandGetTables;
use arrow_schema::SchemaRef;
use bowshot_catalog::{Pattern, Table, TableType, fits};
use bowshot_core::{Cancel, Result};

use crate::batch::{batch, names, schemas, texts};
use crate::catalog::Catalog;
use crate::gather::{Answer, asked, gather};
use crate::schemas::{table_types_schema, tables_schema};
use crate::table_path::Visible;

/// The tables that the user may see and the command asks for, with their Arrow schemas if it does: the answer to
/// CommandGetTables.
///
/// A table's schema is the one of a query of the whole table, with `ARROW:FLIGHT:SQL:…` metadata on its fields.
///
/// # Errors
/// A source's, where no source answers, and kind [`Unsupported`](bowshot_core::ErrorKind::Unsupported) where the
/// schemas of more tables are asked for than [`Limits`](crate::Limits) allow.
pub fn tables(
    catalogs: &[Catalog],
    command: &CommandGetTables,
    visible: Visible<'_>,
    cancel: &Cancel,
) -> Result<Answer> {
    let schema_pattern = command.db_schema_filter_pattern.as_deref().map(Pattern::new);
    let table_pattern = command.table_name_filter_pattern.as_deref().map(Pattern::new);
    let wanted = |table: &Table| {
        let kind = table.kind.name();
        (command.table_types.is_empty() || command.table_types.iter().any(|asked| asked == kind))
            && fits(schema_pattern.as_ref(), table.schema.as_deref())
            && fits(table_pattern.as_ref(), Some(&table.name))
    };
    let gathered = gather(asked(catalogs, command.catalog.as_deref()), |catalog| {
        let mut tables = catalog.lister.tables(cancel)?;
        tables.retain(wanted);
        Ok(tables)
    })?;
    let (mut missing, mut found) = (gathered.missing, gathered.found);
    for (catalog, tables) in &mut found {
        tables.retain(|table| visible(&catalog.path(table.schema.as_deref(), &table.name)));
    }
    let mut rows = Vec::new();
    if command.include_schema {
        let tables_of = |catalog: &Catalog| {
            let of = found.iter().find(|(other, _)| std::ptr::eq(*other, catalog));
            of.map_or(&[][..], |(_, tables)| tables.as_slice())
        };
        let described =
            gather(found.iter().map(|(catalog, _)| *catalog), |catalog| catalog.schemas(tables_of(catalog), cancel))?;
        missing.extend(described.missing);
        for (catalog, schemas) in described.found {
            let schemas = schemas.into_iter().map(Some);
            rows.extend(
                tables_of(catalog).iter().zip(schemas).map(|(table, schema)| TableRow::new(catalog, table, schema)),
            );
        }
    } else {
        for (catalog, tables) in &found {
            rows.extend(tables.iter().map(|table| TableRow::new(catalog, table, None)));
        }
    }
    rows.sort_by_key(TableRow::order);
    Ok(Answer { batch: table_batch(&rows, command.include_schema)?, missing })
}

/// One row of the answer.
struct TableRow<'a> {
    catalog: &'a str,
    table: &'a Table,
    schema: Option<SchemaRef>,
}

impl<'a> TableRow<'a> {
    fn new(catalog: &'a Catalog, table: &'a Table, schema: Option<SchemaRef>) -> Self {
        TableRow { catalog: catalog.name(), table, schema }
    }

    /// By catalog, schema, table, type.
    fn order(&self) -> (&'a str, Option<&'a str>, &'a str, &'static str) {
        (self.catalog, self.table.schema.as_deref(), &self.table.name, self.table.kind.name())
    }
}

fn table_batch(rows: &[TableRow<'_>], include_schema: bool) -> Result<RecordBatch> {
    let mut columns = vec![
        texts(rows.iter().map(|row| Some(row.catalog))),
        texts(rows.iter().map(|row| row.table.schema.as_deref())),
        names(rows.iter().map(|row| row.table.name.as_str())),
        names(rows.iter().map(|row| row.table.kind.name())),
    ];
    if include_schema {
        columns.push(schemas(rows.iter().filter_map(|row| row.schema.as_deref()))?);
    }
    batch(tables_schema(include_schema), columns)
}

/// The types that tables can have: the answer to CommandGetTableTypes.
///
/// # Errors
/// None that can be caused from outside.
///
/// ```
/// assert_eq!(bowshot_gateway_catalog::table_types()?.num_rows(), 5);
/// # Ok::<(), bowshot_core::Error>(())
/// ```
pub fn table_types() -> Result<RecordBatch> {
    batch(table_types_schema(), vec![names(TableType::ALL.into_iter().map(TableType::name))])
}
