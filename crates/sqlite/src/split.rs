//! Whether a query can be split by rowid, and into what.

use std::sync::Arc;

use bowshot_core::{ErrorKind, Options, Part, Partition, Result, Value};
use bowshot_sql::{Candidate, Dialect, KeyRange, Prepared, Probe, balanced_ranges, quote_identifier, splice};

use crate::handle::Database;

/// A table with fewer rows is read by one connection: starting others takes longer.
const LEAST_ROWS: u64 = 50_000;
/// No partition is smaller than this, unless the table is.
const LEAST_ROWS_A_PARTITION: u64 = 8_192;
/// Partitions a connection, so that one that is done early finds more to do.
const PARTITIONS_A_CONNECTION: u64 = 8;
/// More partitions than this only cost.
const MOST_PARTITIONS: u64 = 1_024;

/// The functions that read the clock when they are given 'now', or nothing.
const CLOCK_FUNCTIONS: &[&str] = &["date", "time", "datetime", "julianday", "unixepoch", "timediff"];
/// Words that read the clock without parentheses, and a function whose last argument may be left out.
const CLOCK_WORDS: &[&str] = &["current_date", "current_time", "current_timestamp", "strftime"];
/// SQLite's flag of a function that always returns the same for the same arguments.
const DETERMINISTIC: i64 = 0x800;

/// How much of the database there is to split, and for whom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal<'a> {
    /// Those that there are.
    pub(crate) connections: usize,
    pub(crate) options: &'a Options,
}

/// The partitions of a query, or why there is one, as the end of a sentence that begins with "because".
pub(crate) fn split(database: &Database, bound: &Prepared, goal: Goal<'_>) -> Result<Result<Vec<Part>, String>> {
    let candidate = match candidate(bound) {
        Ok(candidate) => candidate,
        Err(reason) => return Ok(Err(reason)),
    };
    if let Some(reason) = volatile(database, bound)? {
        return Ok(Err(reason));
    }
    let name = candidate.name.last();
    let Some(rowid) = rowid_name(database, candidate)? else {
        return Ok(Err(format!("{name} is not a table with rowids")));
    };
    if database.scalar("PRAGMA reverse_unordered_selects", &[])? != Value::Int(0) {
        return Ok(Err("reverse_unordered_selects turns the order of rows around".into()));
    }
    let steps = explain(database, &bound.sql, bound)?;
    if !matches!(steps.as_slice(), [step] if scans(step, candidate)) {
        return Ok(Err(format!("SQLite does not simply scan {name} for it, but: {}", steps.join(", "))));
    }
    let table = format!("main.{}", quote_identifier(name, Dialect::Sqlite));
    let after = |probe: &Probe| {
        let sql = format!("SELECT {rowid} FROM {table} WHERE {rowid} >= ? ORDER BY {rowid} LIMIT 1 OFFSET ?");
        Ok(match database.scalar(&sql, &[Value::Int(probe.from), Value::Int(probe.offset)])? {
            Value::Int(rowid) => Some(rowid),
            _ => None,
        })
    };
    let highest = match database.scalar(&format!("SELECT max({rowid}) FROM {table}"), &[])? {
        Value::Int(rowid) => rowid,
        _ => i64::MAX,
    };
    let ranges = balanced_ranges(highest, partitions(database, goal)?, LEAST_ROWS_A_PARTITION, |probes| {
        probes.iter().map(after).collect()
    })?;
    let rows = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.rows));
    if rows < LEAST_ROWS || ranges.len() < 2 {
        return Ok(Err(format!("{name} has only about {rows} rows")));
    }
    let parts: Vec<Part> = ranges.iter().map(|range| part(bound, candidate, &table, rowid, *range)).collect();
    for part in parts.first().iter().chain(&parts.last()) {
        if let Some(reason) = differs(database, bound, part)? {
            return Ok(Err(reason));
        }
    }
    Ok(Ok(parts))
}

/// The table to split, as far as the text tells.
pub(crate) fn candidate(bound: &Prepared) -> Result<&Candidate, String> {
    let candidates = bound.shape.split.as_ref().map_err(String::clone)?;
    let Some(candidate) = candidates.first().filter(|_| bound.shape.is_single_table()) else {
        return Err("it reads more than one table".into());
    };
    if ["rowid", "_rowid_", "oid"].into_iter().any(|name| bound.shape.mentions(name)) {
        return Err("it names the rowid, which a slice of the table does not have".into());
    }
    if candidate.name.schema().is_some_and(|schema| !schema.eq_ignore_ascii_case("main")) {
        return Err("its table is in another database than the main one".into());
    }
    Ok(candidate)
}

/// Why the rows depend on more than the table: aggregates, chance or the clock.
fn volatile(database: &Database, bound: &Prepared) -> Result<Option<String>> {
    let is = |known: &[&str], name: &str| known.iter().any(|known| known.eq_ignore_ascii_case(name));
    let reads_now = || {
        let now = |text: &String| text.eq_ignore_ascii_case("now");
        bound.shape.literals.iter().any(now)
            || bound.values.iter().any(|value| matches!(value, Value::Text(text) if now(text)))
    };
    let compact: String = bound.sql.chars().filter(|character| !character.is_whitespace()).collect();
    let compact = compact.to_ascii_lowercase();
    for function in &bound.shape.functions {
        let name = function.last();
        let empty = || compact.contains(&format!("{}()", name.to_ascii_lowercase()));
        if is(CLOCK_WORDS, name) || (is(CLOCK_FUNCTIONS, name) && (reads_now() || empty())) {
            return Ok(Some(format!("{name} may read the clock")));
        }
        let flags = database.rows("SELECT flags FROM pragma_function_list WHERE name = lower(?)", &[text(name)])?;
        if flags.iter().flatten().any(|flags| matches!(flags, Value::Int(flags) if flags & DETERMINISTIC == 0)) {
            return Ok(Some(format!("{name}() does not always return the same")));
        }
    }
    for function in &bound.shape.outer_functions {
        let name = function.last();
        let kinds = "SELECT count(*) FROM pragma_function_list WHERE name = lower(?) AND type <> 's'";
        if database.scalar(kinds, &[text(name)])? != Value::Int(0) {
            return Ok(Some(format!("{name}() aggregates rows")));
        }
    }
    Ok(None)
}

/// The name of the rowid of a table that has rowids, where a column leaves one of its names free.
fn rowid_name(database: &Database, candidate: &Candidate) -> Result<Option<&'static str>> {
    let name = text(candidate.name.last());
    // A temporary table hides one of the main database, unless the query says whose it means.
    let tables =
        "SELECT schema, type, wr FROM pragma_table_list WHERE name = ? COLLATE NOCASE AND schema IN ('main', 'temp')";
    let mut tables = database.rows(tables, std::slice::from_ref(&name))?;
    if candidate.name.schema().is_some() {
        tables.retain(|table| table.first() == Some(&text("main")));
    }
    if tables != [vec![text("main"), text("table"), Value::Int(0)]] {
        return Ok(None);
    }
    let columns = database.rows("SELECT lower(name) FROM pragma_table_xinfo(?, 'main')", &[name])?;
    let taken = |name: &&str| columns.iter().flatten().any(|column| *column == text(name));
    Ok(["rowid", "_rowid_", "oid"].into_iter().find(|name| !taken(name)))
}

/// How many partitions to aim at.
fn partitions(database: &Database, goal: Goal<'_>) -> Result<u64> {
    let bytes = match (database.scalar("PRAGMA page_count", &[])?, database.scalar("PRAGMA page_size", &[])?) {
        (Value::Int(pages), Value::Int(size)) => pages.saturating_mul(size).unsigned_abs(),
        _ => 0,
    };
    let connections = u64::try_from(goal.connections).unwrap_or(1).max(1);
    // What connections read ahead of the consumer should not fill the buffer: they would wait for each other then.
    let most_bytes = (u64::try_from(goal.options.buffer_bytes).unwrap_or(u64::MAX) / (2 * connections)).max(1 << 20);
    let side_by_side = (connections * PARTITIONS_A_CONNECTION).max(bytes / most_bytes);
    Ok(goal.options.partitions_of(bytes, side_by_side).min(MOST_PARTITIONS))
}

fn part(bound: &Prepared, candidate: &Candidate, table: &str, rowid: &str, range: KeyRange) -> Part {
    let KeyRange { first, last, rows } = range;
    let slice = format!("(SELECT * FROM {table} WHERE {rowid} BETWEEN {first} AND {last})");
    let name = candidate.name.last();
    let label = match (first, last) {
        (i64::MIN, last) => format!("rowids up to {last} of {name}"),
        (first, i64::MAX) => format!("rowids from {first} of {name}"),
        _ => format!("rowids {first} to {last} of {name}"),
    };
    Part {
        sql: splice(&bound.sql, candidate, &slice),
        values: Arc::clone(&bound.values),
        partition: Partition { label, rows: Some(rows) },
    }
}

/// Whether a step of SQLite's plan is the scan of the whole table in the order of its rowids.
fn scans(step: &str, candidate: &Candidate) -> bool {
    let name = candidate.alias.as_ref().map_or(candidate.name.last(), |alias| alias.text.as_str());
    let step = step.strip_prefix("SCAN ").unwrap_or_default();
    step.strip_prefix("main.").unwrap_or(step).eq_ignore_ascii_case(name)
}

/// Why a rewritten query is not the same as the query.
fn differs(database: &Database, bound: &Prepared, part: &Part) -> Result<Option<String>> {
    let unlike = |what: &str| Ok(Some(format!("a slice of the table {what}")));
    match (database.columns(&bound.sql), database.columns(&part.sql)) {
        (Ok(whole), Ok(slice)) if whole == slice => {}
        (_, Err(error)) if error.kind() != ErrorKind::Sql => return Err(error),
        (_, Err(error)) => return unlike(&format!("cannot stand for it: {}", error.message())),
        _ => return unlike("has other columns"),
    }
    let steps = explain(database, &part.sql, bound)?;
    match steps.as_slice() {
        [step] if step.starts_with("SEARCH ") && step.contains(" USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)") => {
            Ok(None)
        }
        _ => unlike(&format!("is not simply read by rowid, but: {}", steps.join(", "))),
    }
}

/// The steps of SQLite's own plan.
fn explain(database: &Database, sql: &str, bound: &Prepared) -> Result<Vec<String>> {
    let rows = database.rows(&format!("EXPLAIN QUERY PLAN {sql}"), &bound.values)?;
    let step = |mut row: Vec<Value>| match row.pop() {
        Some(Value::Text(step)) => step,
        _ => String::new(),
    };
    Ok(rows.into_iter().map(step).collect())
}

fn text(name: &str) -> Value {
    Value::Text(name.to_owned())
}
