//! Statements that change something, in a transaction of their own.

use std::sync::Arc;

use bowshot_core::{Cancel, Params, Query, Result, Value};
use bowshot_sql::{Dialect, bind};

use crate::connect::{Session, command};
use crate::result::{self, Header};
use crate::statement::Handle;
use crate::uri::Config;

/// Runs a statement once for each row of parameters; how many rows it changed.
pub(crate) fn update(
    config: &Arc<Config>,
    sql: &str,
    rows: &mut dyn Iterator<Item = Result<Vec<Value>>>,
    cancel: &Cancel,
) -> Result<u64> {
    let Some(first) = rows.next().transpose()? else { return Ok(0) };
    let second = rows.next().transpose()?;
    let bound = |values| {
        let query = Query { sql: sql.to_owned(), params: Params::Positional(values) };
        bind(&query, Dialect::MySql)
    };
    let (text, first) = bound(first)?;
    let mut session = Session::open_writable(config, cancel)?;
    if first.is_empty() && second.is_none() {
        // There are statements that cannot be prepared.
        session.command(command::QUERY, text.as_bytes())?;
        return changed(&mut session, &text);
    }
    let handle = Handle::prepare(&mut session, &text)?;
    let Some(second) = second else { return execute(&mut session, &handle, &text, &first) };
    session.execute("START TRANSACTION")?;
    let mut count = execute(&mut session, &handle, &text, &first)?;
    count += execute(&mut session, &handle, &text, &bound(second)?.1)?;
    for row in rows {
        count += execute(&mut session, &handle, &text, &bound(row?)?.1)?;
    }
    session.execute("COMMIT")?;
    Ok(count)
}

/// Runs a prepared statement; how many rows it changed.
pub(crate) fn execute(session: &mut Session, handle: &Handle, sql: &str, values: &[Value]) -> Result<u64> {
    session.command(command::EXECUTE, &handle.execution(values))?;
    changed(session, sql)
}

/// Reads an answer to its end.
fn changed(session: &mut Session, sql: &str) -> Result<u64> {
    match result::header(session, sql)? {
        Header::Done(rows) => Ok(rows),
        Header::Rows(_) => {
            while result::row(session, sql)?.is_some() {}
            Ok(0)
        }
    }
}
