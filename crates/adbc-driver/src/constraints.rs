//! Keys, in the shape of ADBC's `GetObjects`.

use std::collections::BTreeMap;
use std::sync::Arc;

use adbc_core::schemas::{CONSTRAINT_SCHEMA, USAGE_SCHEMA};
use arrow_array::{ArrayRef, StringArray};
use arrow_schema::DataType;
use bowshot_catalog::{End, ForeignKeyColumn, Lister, Place, PrimaryKeyColumn, Table};
use bowshot_core::{Cancel, ErrorKind, Result};

use crate::lists::{field, list, structs};

/// The keys of all tables.
pub(crate) struct Constraints {
    /// Keys do not leave the catalog.
    catalog: Option<String>,
    of: BTreeMap<Place, Vec<Constraint>>,
}

struct Constraint {
    name: Option<String>,
    kind: &'static str,
    columns: Vec<String>,
    /// What a foreign key refers to, a column each.
    usage: Vec<End>,
}

impl Constraints {
    /// Asks for them; a catalog that does not know the question has none to tell.
    pub(crate) fn ask(lister: &Lister, catalog: Option<&str>, cancel: &Cancel) -> Result<Self> {
        let mut primary = known(lister.primary_keys(cancel))?;
        let mut foreign = known(lister.foreign_keys(cancel))?;
        primary.sort_by_key(|column| column.sequence);
        foreign.sort_by_key(|column| column.sequence);
        let mut of: BTreeMap<Place, Vec<Constraint>> = BTreeMap::new();
        for PrimaryKeyColumn { schema, table, column, key, .. } in primary {
            let constraints = of.entry((schema, table)).or_default();
            named(constraints, key, "PRIMARY KEY").columns.push(column);
        }
        for ForeignKeyColumn { primary, foreign, .. } in foreign {
            let constraints = of.entry((foreign.schema, foreign.table)).or_default();
            let constraint = named(constraints, foreign.key, "FOREIGN KEY");
            constraint.columns.push(foreign.column);
            constraint.usage.push(primary);
        }
        Ok(Constraints { catalog: catalog.map(ToOwned::to_owned), of })
    }
}

fn known<T>(answer: Result<Vec<T>>) -> Result<Vec<T>> {
    match answer {
        Err(error) if error.kind() == ErrorKind::Sql => Ok(Vec::new()),
        answer => answer,
    }
}

/// The constraint of this name, which may be new.
fn named<'a>(all: &'a mut Vec<Constraint>, name: Option<String>, kind: &'static str) -> &'a mut Constraint {
    let place = all.iter().position(|known| known.kind == kind && known.name == name).unwrap_or_else(|| {
        all.push(Constraint { name, kind, columns: Vec::new(), usage: Vec::new() });
        all.len() - 1
    });
    &mut all[place]
}

/// For each table, the list of its constraints.
pub(crate) fn lists(kind: &DataType, tables: &[&Table], known: &Constraints) -> Result<ArrayRef> {
    let of = |table: &&Table| known.of.get(&(table.schema.clone(), table.name.clone())).map_or(&[][..], Vec::as_slice);
    let lengths: Vec<Option<usize>> = tables.iter().map(|table| Some(of(table).len())).collect();
    let all: Vec<&Constraint> = tables.iter().flat_map(of).collect();
    list(kind, &lengths, array(&all, known.catalog.as_deref())?)
}

fn array(all: &[&Constraint], catalog: Option<&str>) -> Result<ArrayRef> {
    let kind = &*CONSTRAINT_SCHEMA;
    let names: StringArray = all.iter().map(|constraint| constraint.name.as_deref()).collect();
    let kinds = StringArray::from_iter_values(all.iter().map(|constraint| constraint.kind));
    let lengths: Vec<Option<usize>> = all.iter().map(|constraint| Some(constraint.columns.len())).collect();
    let columns: Vec<&str> = all.iter().flat_map(|constraint| constraint.columns.iter().map(String::as_str)).collect();
    let columns = StringArray::from(columns);
    let columns = list(field(kind, "constraint_column_names")?.data_type(), &lengths, Arc::new(columns))?;
    // Only foreign keys refer to something.
    let refers = |constraint: &&Constraint| (!constraint.usage.is_empty()).then_some(constraint.usage.len());
    let lengths: Vec<Option<usize>> = all.iter().map(refers).collect();
    let ends: Vec<&End> = all.iter().flat_map(|constraint| &constraint.usage).collect();
    let usage = list(field(kind, "constraint_column_usage")?.data_type(), &lengths, usage(&ends, catalog)?)?;
    structs(kind, vec![Arc::new(names), Arc::new(kinds), columns, usage], all.len())
}

fn usage(ends: &[&End], catalog: Option<&str>) -> Result<ArrayRef> {
    let schemas: StringArray = ends.iter().map(|end| end.schema.as_deref()).collect();
    let tables = StringArray::from_iter_values(ends.iter().map(|end| &end.table));
    let columns = StringArray::from_iter_values(ends.iter().map(|end| &end.column));
    let catalogs: StringArray = ends.iter().map(|_| catalog).collect();
    structs(&USAGE_SCHEMA, vec![Arc::new(catalogs), Arc::new(schemas), Arc::new(tables), Arc::new(columns)], ends.len())
}
