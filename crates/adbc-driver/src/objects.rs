//! What the database holds, in the nested shape of ADBC's `GetObjects`.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use adbc_core::options::ObjectDepth;
use adbc_core::schemas::{GET_OBJECTS_SCHEMA, GET_TABLE_TYPES_SCHEMA, OBJECTS_DB_SCHEMA_SCHEMA, TABLE_SCHEMA};
use arrow_array::{ArrayRef, RecordBatch, StringArray};
use arrow_schema::{DataType, Schema};
use bowshot_catalog::{Column, Lister, Pattern, Place, Table, TableType, fits};
use bowshot_core::{Cancel, ErrorKind, Result};

use crate::columns::{self, Described};
use crate::constraints::{self, Constraints};
use crate::lists::{field, list, structs};

/// What a caller asks for.
pub(crate) struct Asked {
    depth: ObjectDepth,
    catalog: Option<Pattern>,
    schema: Option<Pattern>,
    table: Option<Pattern>,
    types: Option<Vec<String>>,
    column: Option<Pattern>,
}

impl Asked {
    pub(crate) fn new(
        depth: ObjectDepth,
        catalog: Option<&str>,
        schema: Option<&str>,
        table: Option<&str>,
        types: Option<Vec<&str>>,
        column: Option<&str>,
    ) -> Self {
        let types = types.filter(|types| !types.is_empty());
        Asked {
            depth,
            catalog: catalog.map(Pattern::new),
            schema: schema.map(Pattern::new),
            table: table.map(Pattern::new),
            types: types.map(|types| types.into_iter().map(ToOwned::to_owned).collect()),
            column: column.map(Pattern::new),
        }
    }

    /// Whether schemas, tables and columns are wanted as well.
    fn goes_to(&self, depth: ObjectDepth) -> bool {
        let rank = |depth: &ObjectDepth| match depth {
            ObjectDepth::Catalogs => 1,
            ObjectDepth::Schemas => 2,
            ObjectDepth::Tables => 3,
            ObjectDepth::Columns | ObjectDepth::All => 4,
        };
        rank(&self.depth) >= rank(&depth)
    }

    fn wants_table(&self, table: &Table) -> bool {
        let kind = self.types.as_ref().is_none_or(|types| types.iter().any(|kind| kind == table.kind.name()));
        kind && fits(self.schema.as_ref(), table.schema.as_deref()) && fits(self.table.as_ref(), Some(&table.name))
    }

    fn wants_column(&self, name: &str) -> bool {
        fits(self.column.as_ref(), Some(name))
    }

    /// The tables that are asked for, by their schemas; schemas without tables are among them.
    pub(crate) fn schemas(&self, lister: &Lister, cancel: &Cancel) -> Result<BTreeMap<Option<String>, Vec<Table>>> {
        let mut schemas: BTreeMap<Option<String>, Vec<Table>> = BTreeMap::new();
        for name in lister.schema_names(cancel)? {
            if fits(self.schema.as_ref(), Some(&name)) {
                schemas.entry(Some(name)).or_default();
            }
        }
        for table in lister.tables(cancel)? {
            if fits(self.schema.as_ref(), table.schema.as_deref()) {
                let tables = schemas.entry(table.schema.clone()).or_default();
                if self.wants_table(&table) {
                    tables.push(table);
                }
            }
        }
        for tables in schemas.values_mut() {
            tables.sort_by(|one, other| one.name.cmp(&other.name));
        }
        Ok(schemas)
    }

    /// The catalog's name, if it is asked for.
    pub(crate) fn catalog(&self, lister: &Lister, cancel: &Cancel) -> Result<Option<Option<String>>> {
        let name = lister.catalog_name(cancel)?;
        Ok(fits(self.catalog.as_ref(), name.as_deref()).then_some(name))
    }
}

/// The one column of the table types.
pub(crate) fn table_types() -> Result<RecordBatch> {
    let names = StringArray::from_iter_values(TableType::ALL.map(TableType::name));
    Ok(RecordBatch::try_new(Arc::clone(&GET_TABLE_TYPES_SCHEMA), vec![Arc::new(names)])?)
}

/// The objects: a row for the catalog, or none.
pub(crate) fn objects(lister: &Lister, asked: &Asked, cancel: &Cancel) -> Result<RecordBatch> {
    let schema = &*GET_OBJECTS_SCHEMA;
    let Some(catalog) = asked.catalog(lister, cancel)? else { return Ok(RecordBatch::new_empty(Arc::clone(schema))) };
    let kind = field_of(schema, "catalog_db_schemas")?;
    let found = if asked.goes_to(ObjectDepth::Schemas) { asked.schemas(lister, cancel)? } else { BTreeMap::new() };
    let count = asked.goes_to(ObjectDepth::Schemas).then_some(found.len());
    let inner = schemas(lister, asked, catalog.as_deref(), &found, cancel)?;
    let columns: Vec<ArrayRef> = vec![Arc::new(StringArray::from(vec![catalog])), list(&kind, &[count], inner)?];
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}

fn schemas(
    lister: &Lister,
    asked: &Asked,
    catalog: Option<&str>,
    found: &BTreeMap<Option<String>, Vec<Table>>,
    cancel: &Cancel,
) -> Result<ArrayRef> {
    let kind = &*OBJECTS_DB_SCHEMA_SCHEMA;
    let names: StringArray = found.keys().map(Option::as_deref).collect();
    let with_tables = asked.goes_to(ObjectDepth::Tables);
    let lengths: Vec<Option<usize>> = found.values().map(|tables| with_tables.then_some(tables.len())).collect();
    let all: Vec<&Table> = if with_tables { found.values().flatten().collect() } else { Vec::new() };
    let tables = tables(lister, asked, catalog, &all, cancel)?;
    let tables = list(field(kind, "db_schema_tables")?.data_type(), &lengths, tables)?;
    structs(kind, vec![Arc::new(names), tables], found.len())
}

fn tables(
    lister: &Lister,
    asked: &Asked,
    catalog: Option<&str>,
    found: &[&Table],
    cancel: &Cancel,
) -> Result<ArrayRef> {
    let kind = &*TABLE_SCHEMA;
    let names = StringArray::from_iter_values(found.iter().map(|table| &table.name));
    let kinds = StringArray::from_iter_values(found.iter().map(|table| table.kind.name()));
    let mut arrays: Vec<ArrayRef> = vec![Arc::new(names), Arc::new(kinds)];
    if asked.goes_to(ObjectDepth::Columns) && !found.is_empty() {
        let mut listed = lister.columns(cancel)?;
        let known = Constraints::ask(lister, catalog, cancel)?;
        let (mut columns, mut lengths) = (Vec::new(), Vec::new());
        for table in found {
            let mut of = described(lister, table, &mut listed, cancel)?;
            of.retain(|column| asked.wants_column(&column.column.name));
            lengths.push(Some(of.len()));
            columns.extend(of);
        }
        arrays.push(list(field(kind, "table_columns")?.data_type(), &lengths, columns::array(&columns)?)?);
        arrays.push(constraints::lists(field(kind, "table_constraints")?.data_type(), found, &known)?);
    }
    structs(kind, arrays, found.len())
}

/// The columns of a table: as the catalog lists them, else as a query of the table has them.
fn described(
    lister: &Lister,
    table: &Table,
    listed: &mut HashMap<Place, Vec<Column>>,
    cancel: &Cancel,
) -> Result<Vec<Described>> {
    if let Some(columns) = listed.remove(&(table.schema.clone(), table.name.clone())) {
        return Ok((1..).zip(columns).map(|(place, column)| Described { place, column }).collect());
    }
    match lister.table_schema(table.schema.as_deref(), &table.name, cancel) {
        Ok(schema) => Ok(columns::of_schema(&schema)),
        // A view may be broken, and a table may be nobody's to read: neither hides the others.
        Err(error) if matches!(error.kind(), ErrorKind::Sql | ErrorKind::Config | ErrorKind::Unsupported) => {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
    }
}

/// The type of a column of a schema.
pub(crate) fn field_of(schema: &Schema, name: &str) -> Result<DataType> {
    Ok(schema.field_with_name(name)?.data_type().clone())
}
