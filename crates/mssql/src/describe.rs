//! The columns of a query, before it is run.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE, Value};
use bowshot_sql::Prepared;

use crate::error::broken;
use crate::session::{Event, Session};
use crate::token::Column;
use crate::types::Kind;

/// The columns of a result, one row each.
const DESCRIBE: &str = "EXEC sys.sp_describe_first_result_set @P1, @P2";

/// A column of a result.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Described {
    name: String,
    /// SQL Server's own name of its type.
    source_type: String,
    nullable: bool,
    kind: Kind,
}

/// What is known of a query before its rows.
pub(crate) struct Description {
    pub(crate) columns: Vec<Described>,
    /// The columns of the query that already runs on the session, where only running it told them.
    pub(crate) begun: Option<Vec<Column>>,
}

/// Asks the server for the columns of a query. Where it cannot tell, because the query uses a temporary table or dynamic
/// SQL, the query is started.
pub(crate) fn describe(session: &mut Session, query: &Prepared) -> Result<Description> {
    match ask(session, &query.sql, &query.values) {
        // It is not run: it would only do what it does, such as to write.
        Ok(columns) if columns.is_empty() => Err(no_result()),
        Ok(columns) => Ok(Description { columns, begun: None }),
        // What is wrong with the query, running it tells best: with its line, and without the words of the procedure.
        Err(error) if error.kind() == ErrorKind::Sql && !error.is_temporary() => {
            session.start(&query.sql, &query.values)?;
            match session.event(None)? {
                Event::Columns(found) => {
                    let described = |found: &Column| Described {
                        name: found.name.clone(),
                        source_type: found.wire.kind.to_string(),
                        nullable: found.nullable,
                        kind: found.wire.kind,
                    };
                    Ok(Description { columns: found.iter().map(described).collect(), begun: Some(found) })
                }
                _ => Err(no_result()),
            }
        }
        Err(error) => Err(error),
    }
}

/// The columns of a query as the server describes them, without running it; none of a statement that returns nothing.
pub(crate) fn ask(session: &mut Session, sql: &str, values: &[Value]) -> Result<Vec<Described>> {
    let parameters: Vec<String> =
        (1..).zip(values).map(|(number, value)| format!("@P{number} {}", declared(value))).collect();
    let parameters = if parameters.is_empty() { Value::Null } else { Value::Text(parameters.join(", ")) };
    let rows = session.rows(DESCRIBE, &[Value::Text(sql.to_owned()), parameters])?;
    rows.iter().filter_map(|row| described(row).transpose()).collect()
}

/// A column out of a row of the procedure's result, whose columns are documented in this order.
fn described(row: &[Value]) -> Result<Option<Described>> {
    let [hidden, _ordinal, name, nullable, id, type_name, _length, precision, scale, ..] = row else {
        return Err(broken("the description of a query has too few columns"));
    };
    if *hidden == Value::Int(1) {
        return Ok(None);
    }
    let text = |value: &Value| match value {
        Value::Text(text) => Some(text.clone()),
        _ => None,
    };
    let small = |value: &Value| match value {
        Value::Int(number) => u8::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    let name = text(name).unwrap_or_default();
    let source_type = match text(type_name) {
        Some(known) if known == "timestamp" => "rowversion".to_owned(),
        Some(known) => known,
        // The name of a type of the CLR stands in `user_type_name`.
        None => row.get(13).and_then(text).unwrap_or_else(|| "a type without a name".to_owned()),
    };
    let id = if let Value::Int(id) = id { *id } else { 0 };
    // Two types that are kept as another one, and sent as text to who does not ask for more.
    let as_text = source_type == "json" || source_type.starts_with("vector");
    let known = Kind::of_system_type(id, small(precision), small(scale));
    let Some(kind) = as_text.then_some(Kind::Text).or(known) else {
        let message = format!("column \"{name}\" is of type {source_type} (number {id}), which Bowshot does not know");
        return Err(Error::new(ErrorKind::Unsupported, message)
            .with_column(name)
            .with_hint("cast it in the query: CAST(… AS nvarchar(max))"));
    };
    Ok(Some(Described { name, source_type, nullable: *nullable != Value::Int(0), kind }))
}

/// The type of a parameter, as it will be sent.
fn declared(value: &Value) -> &'static str {
    match value {
        Value::Null => "nvarchar(1)",
        Value::Bool(_) => "bit",
        Value::Int(_) => "bigint",
        Value::Float(_) => "float",
        Value::Text(_) => "nvarchar(max)",
        Value::Bytes(_) => "varbinary(max)",
    }
}

/// The schema that the columns are decoded into: the user's types where they decide how bytes are read.
pub(crate) fn schema(columns: &[Described], types: &BTreeMap<String, DataType>) -> SchemaRef {
    let field = |column: &Described| {
        let data_type = column.kind.data_type(types.get(&column.name));
        let metadata = HashMap::from([(SOURCE_TYPE.to_owned(), column.source_type.clone())]);
        Field::new(&column.name, data_type, column.nullable).with_metadata(metadata)
    };
    Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()))
}

pub(crate) fn names(columns: &[Described]) -> Vec<&str> {
    columns.iter().map(|column| column.name.as_str()).collect()
}

fn no_result() -> Error {
    Error::new(ErrorKind::Sql, "the query returns no rows, not even none")
        .with_hint("only queries can be read, such as SELECT")
}
