//! Results that the server executes once and deals to several connections: its extension's `declare` and `fetch`.
//!
//! This is the server-side partitioning of the paper on ConnectorX (Wang et al., VLDB 2022, section 5). Each connection gets
//! the batches that it asks for first, so that none waits for a slower one; together they get each row once.

use bowshot_core::{Options, Part, Partition, Result};
use bowshot_sql::{Dialect, Division, quote_literal, tables};

use crate::catalog::cell;
use crate::connect::Session;
use crate::savepoint::attempt;
use crate::statement::{Statement, for_extension};

/// As many parts as a result may have.
const MOST_PARTS: usize = 64;

/// Declares the result of `whole` for as many connections as may read it, in place of `division`, whose one part that is. Otherwise says
/// why that cannot be.
///
/// The result lives as long as the session: whoever may read it holds that, and the time limit is only the longest that there is.
pub(crate) fn deal(
    session: &mut Session,
    whole: &Statement,
    division: &Division,
    options: &Options,
) -> Result<std::result::Result<Division, String>> {
    match tables(&whole.sql, Dialect::Postgres) {
        Ok(read) if !read.ordered => {}
        Ok(_) => return Ok(Err("it is ordered".into())),
        Err(why) => return Ok(Err(why.to_string())),
    }
    let count = options.workers().min(MOST_PARTS);
    let (batch_bytes, infinity) = for_extension(options);
    let declare = format!(
        "SELECT name, bowshot.declare(name, {}, {count}, {batch_bytes}, infinity => '{infinity}', timeout => '1 day') \
         FROM (SELECT 'plan of ' || pg_catalog.pg_backend_pid()) AS plan (name)",
        quote_literal(&whole.sql, Dialect::Postgres)
    );
    let rows = match attempt(session, |session| session.query(&declare))? {
        Ok(rows) => rows,
        Err(error) => return Ok(Err(error.message().to_owned())),
    };
    let name = rows.first().map(|row| quote_literal(cell(row, 0), Dialect::Postgres)).unwrap_or_default();
    let part = |number: usize| Part {
        sql: format!("SELECT bowshot.fetch({name}, {number})"),
        values: [].into(),
        partition: Partition { label: format!("part {number} of {count}, dealt by the server"), rows: None },
    };
    Ok(Ok(Division {
        parts: (1..=count).map(part).collect(),
        reason: format!("the server executes it once and deals its rows, since {}", division.reason),
        estimate: division.estimate,
    }))
}
