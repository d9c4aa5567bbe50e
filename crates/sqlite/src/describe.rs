//! What the result of a query looks like.

use std::collections::{BTreeMap, HashMap};
use std::ffi::c_int;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE, Value, check_names, format_type};
use bowshot_sql::Shape;

use crate::convert::nearest;
use crate::handle::{Database, Origin};
use crate::sample::Sample;
use crate::types::{Rule, Seen};
use bowshot_sql::Prepared;

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// As the table declares it.
    pub(crate) declared: Option<String>,
    pub(crate) nullable: bool,
    pub(crate) kind: Kind,
    /// What the user makes of it.
    pub(crate) wanted: Option<DataType>,
}

/// How the type that a column is read as was or will be found.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    /// The user chose it, or what comes nearest to that.
    Chosen(DataType),
    /// Its declared type decides.
    Declared(DataType),
    /// Its values decide; so far, these were seen.
    Values(Seen),
}

/// Makes the bound query the statement that runs on `database`, and looks at its columns and, where values decide, at its
/// first rows.
pub(crate) fn describe(
    database: &mut Database,
    bound: &Prepared,
    types: &BTreeMap<String, DataType>,
) -> Result<(Vec<Column>, Option<Sample>)> {
    database.start(&bound.sql)?;
    let Some(statement) = database.statement() else { return Ok((Vec::new(), None)) };
    if statement.columns() == 0 {
        return Err(Error::new(ErrorKind::Sql, "the statement returns no columns").with_hint(
            "Bowshot reads: write a query that returns rows; settings go into the statements that run before it",
        ));
    }
    let (needed, given) = (statement.parameters(), bound.values.len());
    if usize::try_from(needed) != Ok(given) {
        return Err(Error::new(
            ErrorKind::Config,
            format!("the query has {needed} placeholders, and {given} values were given"),
        )
        .with_hint("write placeholders as ?, $1 or :name, and give one value for each"));
    }
    let mut columns = Vec::new();
    let mut origins = Vec::new();
    for index in 0..statement.columns() {
        let (name, declared) = (statement.name(index), statement.declared_type(index));
        let wanted = types.get(&name).cloned();
        let kind = match &wanted {
            Some(wanted) => Kind::Chosen(nearest(wanted)),
            None => match Rule::of(declared.as_deref()) {
                Rule::Declared(data_type) => Kind::Declared(data_type),
                Rule::Values => Kind::Values(Seen::default()),
            },
        };
        origins.push(statement.origin(index));
        columns.push(Column { name, declared, nullable: true, kind, wanted });
    }
    check_names(columns.iter().map(|column| column.name.as_str()), types)?;
    forbid_nulls(database, &bound.shape, &mut columns, &origins)?;
    for (index, value) in (1 as c_int..).zip(bound.values.iter()) {
        database.bind(index, value)?;
    }
    let unsettled: Vec<bool> = columns.iter().map(|column| matches!(column.kind, Kind::Values(_))).collect();
    if !unsettled.contains(&true) {
        return Ok((columns, None));
    }
    let sample = Sample::take(database, &unsettled)?;
    for (column, seen) in columns.iter_mut().zip(&sample.seen) {
        if let Kind::Values(values) = &mut column.kind {
            *values = *seen;
        }
    }
    Ok((columns, Some(sample)))
}

impl Column {
    /// The Arrow type.
    pub(crate) fn data_type(&self) -> DataType {
        match &self.kind {
            Kind::Chosen(data_type) | Kind::Declared(data_type) => data_type.clone(),
            Kind::Values(seen) => seen.data_type(),
        }
    }

    fn field(&self) -> Field {
        let field = Field::new(&self.name, self.data_type(), self.nullable);
        match &self.declared {
            Some(declared) => field.with_metadata(HashMap::from([(SOURCE_TYPE.to_owned(), declared.clone())])),
            None => field,
        }
    }
}

/// The schema of the columns.
pub(crate) fn schema(columns: &[Column]) -> SchemaRef {
    Arc::new(Schema::new(columns.iter().map(Column::field).collect::<Vec<_>>()))
}

/// The columns of two queries whose results follow each other; `number` is the second's, from 1.
pub(crate) fn merge(first: &mut [Column], second: &[Column], number: usize) -> Result<()> {
    if first.len() != second.len() {
        return Err(Error::new(
            ErrorKind::Config,
            format!("query {number} has {} columns, the first has {}", second.len(), first.len()),
        )
        .with_hint("all queries of a list need the same columns"));
    }
    for (one, other) in first.iter_mut().zip(second) {
        if one.name != other.name {
            return Err(Error::new(
                ErrorKind::Config,
                format!("query {number} calls a column \"{}\" that the first calls \"{}\"", other.name, one.name),
            )
            .with_column(&one.name)
            .with_hint("give it the same name in each: SELECT … AS name"));
        }
        one.nullable |= other.nullable;
        one.declared = one.declared.take().filter(|declared| other.declared.as_ref() == Some(declared));
        one.kind = match (&one.kind, &other.kind) {
            (Kind::Values(one), Kind::Values(other)) => Kind::Values(one.and(*other)),
            // Nothing but NULL fits every type.
            (Kind::Values(seen), kind) | (kind, Kind::Values(seen)) if seen.only_nulls() => kind.clone(),
            (_, _) if one.data_type() == other.data_type() => one.kind.clone(),
            (_, _) => {
                let (a, b) = (format_type(&one.data_type()), format_type(&other.data_type()));
                return Err(Error::new(
                    ErrorKind::Config,
                    format!("column \"{}\" is {a} in the first query and {b} in query {number}", one.name),
                )
                .with_column(&one.name)
                .with_hint(format!("settle its type: types={{\"{}\": \"utf8\"}}", one.name)));
            }
        };
    }
    Ok(())
}

/// Notes which columns are NOT NULL, where the query cannot make them NULL again.
fn forbid_nulls(database: &Database, shape: &Shape, columns: &mut [Column], origins: &[Option<Origin>]) -> Result<()> {
    if !shape.plain || uses_view(database, shape)? {
        return Ok(());
    }
    let mut keys: HashMap<(&str, &str), Option<String>> = HashMap::new();
    for (column, origin) in columns.iter_mut().zip(origins) {
        let Some(origin) = origin else { continue };
        if database.is_not_null(origin) {
            column.nullable = false;
            continue;
        }
        let table = (origin.database.as_str(), origin.table.as_str());
        let key = match keys.get(&table) {
            Some(key) => key.clone(),
            None => {
                let key = rowid_column(database, origin)?;
                keys.insert(table, key.clone());
                key
            }
        };
        column.nullable = key.as_deref() != Some(origin.column.as_str());
    }
    Ok(())
}

/// Whether the query may read a view: what its columns show is no longer the table's own column then.
fn uses_view(database: &Database, shape: &Shape) -> Result<bool> {
    let views = database.rows("SELECT name FROM pragma_table_list WHERE type <> 'table' AND type <> 'shadow'", &[])?;
    Ok(views.iter().flatten().any(|name| matches!(name, Value::Text(name) if shape.mentions(name))))
}

/// The column of a table that is its rowid: the only one that is never NULL without saying so.
fn rowid_column(database: &Database, origin: &Origin) -> Result<Option<String>> {
    let table = [Value::Text(origin.table.clone()), Value::Text(origin.database.clone())];
    let keys = database.rows("SELECT name, upper(type) FROM pragma_table_xinfo(?, ?) WHERE pk > 0", &table)?;
    // An index of its own shows a key that is not the rowid: of a table WITHOUT ROWID, or declared INTEGER … DESC.
    let indexes = "SELECT count(*) FROM pragma_index_list(?, ?) WHERE origin = 'pk'";
    Ok(match keys.as_slice() {
        [key] => match key.as_slice() {
            [Value::Text(name), Value::Text(declared)]
                if declared == "INTEGER" && database.scalar(indexes, &table)? == Value::Int(0) =>
            {
                Some(name.clone())
            }
            _ => None,
        },
        _ => None,
    })
}
