//! What the server's catalogue says of the tables that queries name.

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_sql::{Dialect, Prepared, quote_identifier, quote_literal};

use crate::connect::Session;

/// A row of a small answer.
pub(crate) type Row = [Option<String>];

/// A cell; empty where it is NULL or missing.
pub(crate) fn cell(row: &Row, place: usize) -> &str {
    row.get(place).and_then(Option::as_deref).unwrap_or_default()
}

/// The first cell of an answer.
pub(crate) fn scalar(session: &mut Session, sql: &str) -> Result<Option<String>> {
    Ok(session.query(sql)?.into_iter().next().and_then(|row| row.into_iter().next()).flatten())
}

/// The value of one of the server's status variables.
pub(crate) fn status(session: &mut Session, name: &str) -> Result<String> {
    let rows = session.query(&format!("SHOW STATUS LIKE {}", literal(name)))?;
    Ok(rows.first().map(|row| cell(row, 1).to_owned()).unwrap_or_default())
}

/// A name as SQL writes it.
pub(crate) fn identifier(name: &str) -> String {
    quote_identifier(name, Dialect::MySql)
}

/// A text as SQL writes it.
pub(crate) fn literal(text: &str) -> String {
    quote_literal(text, Dialect::MySql)
}

/// The schemas that belong to the server; what they show is of no snapshot.
const OF_THE_SERVER: [&str; 4] = ["information_schema", "performance_schema", "mysql", "sys"];

/// Tables with transactions, of which a connection sees one state.
const TRANSACTIONAL: &str = "InnoDB";

/// A table with a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Table {
    pub(crate) schema: String,
    pub(crate) name: String,
}

impl Table {
    /// Its whole name as SQL writes it.
    pub(crate) fn quoted(&self) -> String {
        format!("{}.{}", identifier(&self.schema), identifier(&self.name))
    }
}

/// All tables that the queries may read; or why several connections cannot be sure to read the same from them, as the
/// end of a sentence that begins with "because".
///
/// A query reads no table that it does not name, views and functions apart. What is named in it and is no table of it
/// (a column that is called like one) only makes us more careful.
pub(crate) fn tables(session: &mut Session, queries: &[Prepared]) -> Result<std::result::Result<Vec<Table>, String>> {
    if queries.iter().any(|query| !query.shape.read) {
        return Ok(Err("what it reads cannot be told from its text".into()));
    }
    let mentions = |name: &str| queries.iter().any(|query| query.shape.mentions(name));
    if let Some(schema) = OF_THE_SERVER.into_iter().find(|schema| mentions(schema)) {
        return Ok(Err(format!("{schema} is the server's own, and no snapshot shows it")));
    }
    if let Some(function) = stored_function(session, queries)? {
        return Ok(Err(format!("the function {function} may read other tables")));
    }
    let current = scalar(session, "SELECT DATABASE()")?;
    let schemas = session.query("SHOW DATABASES")?;
    let schemas = schemas.iter().map(|row| cell(row, 0));
    let schemas = schemas.filter(|name| current.as_deref() == Some(*name) || mentions(name)).map(str::to_owned);
    let mut tables = Vec::new();
    for schema in schemas.collect::<Vec<_>>() {
        for row in session.query(&format!("SHOW FULL TABLES FROM {}", identifier(&schema)))? {
            if !mentions(cell(&row, 0)) {
                continue;
            }
            let table = Table { schema: schema.clone(), name: cell(&row, 0).to_owned() };
            if let Some(reason) = obstacle(session, &table, cell(&row, 1))? {
                return Ok(Err(reason));
            }
            tables.push(table);
        }
    }
    Ok(Ok(tables))
}

fn obstacle(session: &mut Session, table: &Table, kind: &str) -> Result<Option<String>> {
    let name = &table.name;
    match kind {
        "BASE TABLE" | "SYSTEM VERSIONED" => {}
        "VIEW" => return Ok(Some(format!("the view {name} may hide tables that no snapshot shows"))),
        "TEMPORARY" | "TEMPORARY TABLE" => {
            return Ok(Some(format!("{name} is temporary, so other connections cannot see it")));
        }
        _ => return Ok(Some(format!("{name} is no table"))),
    }
    let made = match session.query(&format!("SHOW CREATE TABLE {}", table.quoted())) {
        Ok(rows) => rows,
        Err(error) if error.kind() == ErrorKind::Sql => {
            return Ok(Some(format!("the catalogue does not show {name}: {}", error.message())));
        }
        Err(error) => return Err(error),
    };
    // A temporary table hides one with transactions.
    if made.first().is_none_or(|row| cell(row, 1).starts_with("CREATE TEMPORARY")) {
        return Ok(Some(format!("{name} is temporary, so other connections cannot see it")));
    }
    let engine = scalar(
        session,
        &format!(
            "SELECT ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND BINARY TABLE_NAME = {}",
            literal(&table.schema),
            literal(name)
        ),
    )?;
    Ok(match engine.as_deref() {
        Some(TRANSACTIONAL) => None,
        Some(engine) => Some(format!("{name} is stored by {engine}, which has no snapshots")),
        None => Some(format!("{name} is not in the catalogue")),
    })
}

/// A function among the queries' that somebody wrote.
pub(crate) fn stored_function(session: &mut Session, queries: &[Prepared]) -> Result<Option<String>> {
    let mut names: Vec<String> = Vec::new();
    for function in queries.iter().flat_map(|query| &query.shape.functions) {
        names.push(literal(function.last()));
    }
    if names.is_empty() {
        return Ok(None);
    }
    let among = names.join(", ");
    // Those of which nothing may be known are not shown to everybody: a name with a schema counts as one.
    if let Some(name) = queries.iter().flat_map(|query| &query.shape.functions).find(|name| name.schema().is_some()) {
        return Ok(Some(name.to_string()));
    }
    scalar(session, &format!("SELECT ROUTINE_NAME FROM information_schema.ROUTINES WHERE ROUTINE_NAME IN ({among})"))
}

/// An answer that the catalogue cannot have given.
pub(crate) fn unknown_answer(what: &str) -> Error {
    Error::new(ErrorKind::Protocol, format!("the server answers in an unknown form: {what}"))
}
