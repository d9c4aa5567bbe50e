//! Statements that change something, in a transaction of their own.

use bowshot_core::{Cancel, Params, Query, Result, Value};
use bowshot_sql::{Dialect, bind};

use crate::connect::connect_writable;
use crate::uri::Location;

/// Takes the lock before the first statement: two that had begun to read could not both go on.
pub(crate) const BEGIN: &str = "BEGIN IMMEDIATE";

/// Runs a statement once for each row of parameters; how many rows it changed.
pub(crate) fn update(
    location: &Location,
    sql: &str,
    rows: &mut dyn Iterator<Item = Result<Vec<Value>>>,
    cancel: &Cancel,
) -> Result<u64> {
    let Some(first) = rows.next().transpose()? else { return Ok(0) };
    let second = rows.next().transpose()?;
    let bound = |values| {
        let query = Query { sql: sql.to_owned(), params: Params::Positional(values) };
        bind(&query, Dialect::Sqlite)
    };
    let (text, first) = bound(first)?;
    let mut database = connect_writable(location, cancel)?;
    let Some(second) = second else {
        // Alone it is a transaction, and what may not stand in one can run, too.
        database.start(&text)?;
        return database.run_again(&first);
    };
    database.execute(BEGIN)?;
    database.start(&text)?;
    let mut changed = database.run_again(&first)?;
    changed += database.run_again(&bound(second)?.1)?;
    for row in rows {
        changed += database.run_again(&bound(row?)?.1)?;
    }
    database.finish();
    database.execute("COMMIT")?;
    Ok(changed)
}
