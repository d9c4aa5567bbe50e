//! What a query returns, before it is read.

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_sql::Prepared;

use crate::connect::Session;
use crate::result::{self, Definition, Header};
use crate::statement::{Handle, Statement};
use crate::uri::Protocol;

/// Statements that return rows but may show only when they run which ones.
const RETURN_ROWS: [&str; 12] = [
    "call", "show", "explain", "describe", "desc", "analyze", "check", "checksum", "help", "execute", "select", "with",
];

/// What a query returns.
pub(crate) struct Described {
    pub(crate) columns: Vec<Definition>,
    /// It could only be run: its rows are on their way, over the connection that was asked.
    pub(crate) started: bool,
}

/// Asks the server what the query returns. An error where it returns no rows at all.
pub(crate) fn describe(session: &mut Session, query: &Prepared) -> Result<Described> {
    let found = match Handle::prepare(session, &query.sql) {
        Ok(handle) => {
            let columns = handle.columns.clone();
            handle.close(session)?;
            columns
        }
        // A statement that cannot be prepared.
        Err(error) if error.message().ends_with("(error 1295)") && query.values.is_empty() => Vec::new(),
        Err(error) => return Err(error),
    };
    if found.is_empty() {
        return start(session, query);
    }
    let depends = !query.values.is_empty() || query.sql.contains('@');
    let columns = if depends { execute_for_nothing(session, query)? } else { found };
    Ok(Described { columns, started: false })
}

/// The columns of a query whose types depend on its parameters or on variables: it is run, but returns no row, unless
/// it says itself how many.
fn execute_for_nothing(session: &mut Session, query: &Prepared) -> Result<Vec<Definition>> {
    let limit = session.query("SELECT @@sql_select_limit")?.into_iter().flatten().flatten().next();
    session.execute("SET sql_select_limit = 0")?;
    let outcome = columns_of(session, query);
    let limit =
        limit.filter(|limit| limit.bytes().all(|byte| byte.is_ascii_digit())).unwrap_or_else(|| "DEFAULT".into());
    session.execute(&format!("SET sql_select_limit = {limit}"))?;
    outcome
}

fn columns_of(session: &mut Session, query: &Prepared) -> Result<Vec<Definition>> {
    let statement = Statement { protocol: Protocol::Binary, sql: query.sql.clone(), values: query.values.clone() };
    let (header, handle) = statement.start(session)?;
    let columns = match header {
        Header::Done(_) => return Err(no_rows()),
        Header::Rows(columns) => columns,
    };
    while result::row(session, &query.sql)?.is_some() {}
    if let Some(handle) = handle {
        handle.close(session)?;
    }
    Ok(columns)
}

/// Runs a statement that only shows then what it returns. Its rows stay with the connection.
fn start(session: &mut Session, query: &Prepared) -> Result<Described> {
    let word: String = query.sql.trim_start().chars().take_while(char::is_ascii_alphabetic).collect();
    if !query.values.is_empty() || !RETURN_ROWS.contains(&word.to_ascii_lowercase().as_str()) {
        return Err(no_rows());
    }
    let statement = Statement { protocol: Protocol::Text, sql: query.sql.clone(), values: query.values.clone() };
    match statement.start(session)?.0 {
        Header::Done(_) => Err(no_rows()),
        Header::Rows(columns) => Ok(Described { columns, started: true }),
    }
}

fn no_rows() -> Error {
    Error::new(ErrorKind::Unsupported, "the statement returns no rows, so there is nothing to read")
        .with_hint("Bowshot reads results; run statements that change something with the database's own client")
}
