//! Splits a query by itself: ranges of one table's pages.
//!
//! The candidate table's name in the query is replaced by a subquery over a range of its pages (`ctid`), which
//! PostgreSQL flattens and reads with a TID range scan: each page is read once, whatever the number of ranges. All
//! that could make the parts differ from the whole is looked for first; what cannot be proven is not split.

mod functions;
mod relation;

use std::collections::BTreeSet;
use std::sync::Arc;

use bowshot_core::{Estimate, Options, Part, Partition, Result};
use bowshot_sql::{Candidate, Dialect, Division, Prepared, quote_identifier, splice};

use crate::connect::Session;
use crate::describe::describe;
use crate::explain::{Explained, ScanNode, explain};
use crate::savepoint::attempt;
use crate::scanned::{self, ScannedTable};
use bowshot_postgres_values::Described;
use relation::{Leaf, Relation};

/// Pages of a range: 8 MiB, a fraction of a second of work, so that no connection is left waiting for another one.
const RANGE_PAGES: u64 = 1024;

/// Tables with fewer pages than this are read before a second connection would be ready.
const LEAST_PAGES: u64 = 2 * RANGE_PAGES;

/// More ranges than this would burden the plan; ranges of larger tables are longer.
const MOST_RANGES: u64 = 4096;

/// A table that a part of the query's rows comes from, page by page.
struct Driving<'a> {
    candidate: &'a Candidate,
    relation: Relation,
    /// What the server scans of it, in the server's order.
    leaves: Vec<Leaf>,
    /// Pages of the other tables of the query.
    other_pages: u64,
}

impl Driving<'_> {
    fn pages(&self) -> u64 {
        self.leaves.iter().map(|leaf| leaf.pages).sum()
    }
}

/// Divides the query's result into ranges of pages, or says why it cannot.
pub(crate) fn divide(
    session: &mut Session,
    query: &Prepared,
    described: &[Described],
    options: &Options,
) -> Result<Division> {
    match ranges(session, query, described, options)? {
        Ok(division) => Ok(division),
        Err(reason) => Ok(Division::whole(query, reason)),
    }
}

fn ranges(
    session: &mut Session,
    query: &Prepared,
    described: &[Described],
    options: &Options,
) -> Result<std::result::Result<Division, String>> {
    let candidates = match &query.shape.split {
        Ok(candidates) => candidates,
        Err(reason) => return Ok(Err(reason.clone())),
    };
    if session.version() < 140_000 {
        return Ok(Err("PostgreSQL before version 14 cannot scan a range of pages".into()));
    }
    if !query.values.is_empty() {
        return Ok(Err("it has parameters".into()));
    }
    if let Some(column) = SYSTEM_COLUMNS.iter().find(|column| query.shape.mentions(column)) {
        return Ok(Err(format!("it uses the system column {column}")));
    }
    if let Some(reason) = functions::obstacle(session, query)? {
        return Ok(Err(reason));
    }
    let explained = explain(session, &query.sql)?;
    let tables = scanned::tables(session, &explained.scans)?;
    // Policies are expressions like any other, and nobody has looked for what differs between connections in them.
    if let Some(table) = tables.iter().find(|table| table.is_secured) {
        return Ok(Err(format!("{} has row-level security", table.name)));
    }
    let driving = match largest(session, candidates, &explained, &tables)? {
        Ok(driving) => driving,
        Err(reason) => return Ok(Err(reason)),
    };
    let pages = driving.pages();
    if pages < LEAST_PAGES {
        return Ok(Err(format!("{} has only {pages} pages", driving.relation.name)));
    }
    let joins = explained.scans.len() > driving.leaves.len() || explained.others > 0;
    if joins && driving.other_pages > pages / 4 {
        return Ok(Err("every connection would read the other tables again".into()));
    }
    // Each range of a join prepares the other side anew, so there are as few ranges as connections.
    let bytes = pages.saturating_mul(driving.relation.page_bytes);
    let length = if joins {
        pages.div_ceil(u64::try_from(options.workers()).unwrap_or(1))
    } else if options.partition_bytes.is_some() {
        pages.div_ceil(options.partitions_of(bytes, pages.div_ceil(RANGE_PAGES))).max(pages / MOST_RANGES)
    } else {
        RANGE_PAGES.max(pages / MOST_RANGES)
    };
    let parts = parts(query, &driving, length);
    if let Some(reason) = check(session, described, &driving, &parts)? {
        return Ok(Err(reason));
    }
    let estimate = Estimate { rows: Some(explained.rows), bytes: Some(bytes) };
    let name = &driving.relation.name;
    Ok(Ok(Division { parts, reason: format!("the pages of {name} can be read in ranges"), estimate }))
}

/// Columns that every table has and its subquery has not.
const SYSTEM_COLUMNS: [&str; 6] = ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

/// The candidate with the most pages of those that the server reads from end to end.
fn largest<'a>(
    session: &mut Session,
    candidates: &'a [Candidate],
    explained: &Explained,
    tables: &[ScannedTable],
) -> Result<std::result::Result<Driving<'a>, String>> {
    let mut best: Option<Driving<'a>> = None;
    let mut obstacle = String::from("none of its tables can be split");
    for candidate in candidates {
        let relation = match Relation::find(session, &candidate.name)? {
            Ok(relation) => relation,
            Err(reason) => {
                obstacle = reason;
                continue;
            }
        };
        let reference = candidate.alias.as_ref().map_or_else(|| candidate.name.last(), |alias| &alias.text);
        if candidate.whole_row && !relation.columns.iter().any(|column| column == reference) {
            obstacle = format!("it uses rows of {} as values", relation.name);
            continue;
        }
        match scanned(&relation, explained) {
            Ok(leaves) => {
                let own: BTreeSet<u32> = leaves.iter().map(|leaf| leaf.oid).collect();
                let other_pages =
                    tables.iter().filter(|table| !own.contains(&table.oid)).map(|table| table.pages).sum();
                let driving = Driving { candidate, relation, leaves, other_pages };
                if best.as_ref().is_none_or(|best| best.pages() < driving.pages()) {
                    best = Some(driving);
                }
            }
            Err(reason) => obstacle = reason,
        }
    }
    Ok(best.ok_or(obstacle))
}

/// What the server scans of the relation: itself or its partitions, each once and from end to end.
fn scanned(relation: &Relation, explained: &Explained) -> std::result::Result<Vec<Leaf>, String> {
    let is = |node: &ScanNode, leaf: &Leaf| node.schema == leaf.schema && node.table == leaf.table;
    let mut found: Vec<Leaf> = Vec::new();
    for node in &explained.scans {
        let Some(leaf) = relation.leaves.iter().find(|leaf| is(node, leaf)) else { continue };
        if node.method != "Seq Scan" {
            return Err(format!("the server reads {} by its {}", relation.name, node.method.to_lowercase()));
        }
        if found.iter().any(|known| known.oid == leaf.oid) {
            return Err(format!("it reads {} more than once", relation.name));
        }
        if !leaf.is_heap {
            return Err(format!("{} is not stored in pages of rows", leaf.table));
        }
        found.push(leaf.clone());
    }
    if found.is_empty() { Err(format!("the server does not read {}", relation.name)) } else { Ok(found) }
}

/// The query over each range of pages, the last range of each table open-ended: it may grow, though nobody here sees
/// what is added.
fn parts(query: &Prepared, driving: &Driving<'_>, length: u64) -> Vec<Part> {
    let columns: Vec<String> =
        driving.relation.columns.iter().map(|name| quote_identifier(name, Dialect::Postgres)).collect();
    let columns = columns.join(", ");
    let mut parts = Vec::new();
    for leaf in &driving.leaves {
        let table = leaf.quoted();
        let ranges = leaf.pages.div_ceil(length).max(1);
        for range in 0..ranges {
            let (from, to) = (range * length, (range + 1) * length);
            let last = range + 1 == ranges;
            let end = if last { String::new() } else { format!(" AND ctid < '({to},0)'::pg_catalog.tid") };
            let slice = format!("(SELECT {columns} FROM ONLY {table} WHERE ctid >= '({from},0)'::pg_catalog.tid{end})");
            let until = if last { "the end".to_owned() } else { (to - 1).to_string() };
            let label = format!("pages {from} to {until} of {}", leaf.table);
            let rows = leaf.rows.map(|rows| rows * length.min(leaf.pages) / leaf.pages.max(1));
            let sql = splice(&query.sql, driving.candidate, &slice);
            let partition = Partition { label, rows };
            parts.push(Part { sql, values: Arc::clone(&query.values), partition });
        }
    }
    parts
}

/// Whether the server sees the same columns in the first part and reads it by its range; else why not.
fn check(
    session: &mut Session,
    described: &[Described],
    driving: &Driving<'_>,
    parts: &[Part],
) -> Result<Option<String>> {
    let Some(Part { sql, .. }) = parts.first() else { return Ok(Some("it has no pages".into())) };
    let tried = attempt(session, |session| Ok((describe(session, sql)?, explain(session, sql)?)))?;
    let name = &driving.relation.name;
    let Ok((columns, explained)) = tried else {
        return Ok(Some(format!("it uses {name} in a way that a slice of it cannot stand for")));
    };
    let alike = |(a, b): (&Described, &Described)| (&a.name, a.oid, a.modifier) == (&b.name, b.oid, b.modifier);
    if columns.len() != described.len() || !columns.iter().zip(described).all(alike) {
        return Ok(Some(format!("a slice of {name} would change the types of its columns")));
    }
    let by_range = explained.scans.iter().any(|node| node.method == "Tid Range Scan");
    Ok((!by_range).then(|| format!("the server would not read {name} by ranges of pages")))
}
