//! Functions and words that would not say the same in every partition.

use bowshot_core::Result;
use bowshot_sql::{Dialect, Prepared, quote_literal};

use crate::catalog::cell;
use crate::connect::Session;

/// Built-in functions that are stable within one transaction, but not the same in another one on the same snapshot.
const OF_THE_SESSION: &[&str] = &[
    "age",
    "clock_timestamp",
    "current_catalog",
    "current_date",
    "current_query",
    "current_setting",
    "current_time",
    "current_timestamp",
    "inet_client_port",
    "inet_client_addr",
    "localtime",
    "localtimestamp",
    "now",
    "pg_backend_pid",
    "pg_conf_load_time",
    "pg_current_xact_id",
    "pg_current_xact_id_if_assigned",
    "pg_current_snapshot",
    "pg_export_snapshot",
    "pg_last_xact_replay_timestamp",
    "pg_my_temp_schema",
    "pg_relation_size",
    "pg_table_size",
    "pg_total_relation_size",
    "pg_database_size",
    "pg_is_in_recovery",
    "statement_timestamp",
    "timeofday",
    "transaction_timestamp",
    "txid_current",
    "txid_current_if_assigned",
    "txid_current_snapshot",
];

/// Words that a date or timestamp literal turns into the time of its transaction.
const TIMES: [&str; 4] = ["now", "today", "tomorrow", "yesterday"];

/// Why the query's functions and literals keep it from being split.
pub(super) fn obstacle(session: &mut Session, query: &Prepared) -> Result<Option<String>> {
    let shape = &query.shape;
    for literal in &shape.literals {
        let words = literal.split(|c: char| !c.is_ascii_alphabetic()).map(str::to_ascii_lowercase);
        if let Some(word) = words.into_iter().find(|word| TIMES.contains(&word.as_str())) {
            return Ok(Some(format!("'{word}' may mean another time in every partition")));
        }
    }
    if let Some(name) = shape.functions.iter().find(|name| OF_THE_SESSION.contains(&name.last())) {
        return Ok(Some(format!("{name} may differ between connections")));
    }
    if !shape.is_single_table()
        && let Some(view) = mentioned_view(session, query)?
    {
        return Ok(Some(format!("the view {view} may hide what differs between connections")));
    }
    if shape.functions.is_empty() {
        return Ok(None);
    }
    let literal = |name: &bowshot_sql::Name| quote_literal(name.last(), Dialect::Postgres);
    let names: Vec<String> = shape.functions.iter().map(literal).collect();
    let rows = session.query(&format!(
        "SELECT p.proname, bool_or(p.prokind IN ('a', 'w'))::int, bool_or(p.proretset)::int, \
         bool_or(p.provolatile = 'v' OR p.provolatile = 's' AND n.nspname <> 'pg_catalog')::int \
         FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace \
         WHERE p.proname IN ({}) GROUP BY p.proname",
        names.join(", ")
    ))?;
    for row in &rows {
        let name = cell(row, 0);
        let outer = shape.outer_functions.iter().any(|function| function.last() == name);
        if outer && cell(row, 1) == "1" {
            return Ok(Some(format!("{name} aggregates")));
        }
        if cell(row, 2) == "1" {
            return Ok(Some(format!("{name} returns sets of rows")));
        }
        if cell(row, 3) == "1" {
            return Ok(Some(format!("{name} may return something else in every partition")));
        }
    }
    Ok(None)
}

/// A view that stands in the query, where its text cannot be analysed.
fn mentioned_view(session: &mut Session, query: &Prepared) -> Result<Option<String>> {
    let views = session.query("SELECT DISTINCT relname FROM pg_catalog.pg_class WHERE relkind = 'v'")?;
    let names = views.iter().map(|row| cell(row, 0));
    Ok(names.into_iter().find(|name| query.shape.mentions(name)).map(str::to_owned))
}
