//! One query over one table, divided by the addresses of its rows, all read as of one SCN.
//!
//! Addresses (ROWIDs) are ordered by object, file and block, so that a range of them is a range of blocks and is read without
//! the rest of the table. The first range of a segment has no lower bound and the last one no upper: whatever the bounds
//! are, every row that the SCN shows is in exactly one range, also rows in blocks that were added later.

mod functions;
mod words;

use bowshot_core::{ErrorKind, Estimate, Options, Part, Partition, Result};
use bowshot_sql::{Candidate, Division, Prepared, splice};

use crate::describe::Description;
use crate::error::code;
use crate::segments::{Segment, Table};
use crate::session::Session;
use crate::snapshot::{Snapshot, now};

/// Fewer blocks are read faster than they are divided: 16 MiB of the usual 8 KiB.
const FEW: u64 = 2048;
/// Bytes of the usual block.
const BLOCK: u64 = 8192;
/// Blocks that a range aims at: 64 MiB.
const RANGE: u64 = 8192;
/// More ranges only cost.
const MOST: u64 = 512;
/// What a query may not name: other connections would see other values, or a slice of the table has no such column.
const OWN: &[&str] = &[
    "ROWID",
    "ROWNUM",
    "ORA_ROWSCN",
    "LEVEL",
    "NEXTVAL",
    "CURRVAL",
    "CONNECT_BY_ROOT",
    "CONNECT_BY_ISLEAF",
    "PRIOR",
    "ORA_ROWID",
    "OBJECT_VALUE",
    "OBJECT_ID",
    "XMLDATA",
    "VERSIONS",
    "SCN",
];

/// Divides a query as the source thinks best.
pub(crate) fn divide(
    session: &mut Session,
    query: &Prepared,
    description: &Description,
    options: &Options,
) -> Result<(Division, Snapshot)> {
    match try_divide(session, query, description, options)? {
        Ok(divided) => Ok(divided),
        Err(reason) => Ok((Division::whole(query, reason), Snapshot::Own)),
    }
}

/// The inner error is why there is one partition.
type Tried = Result<std::result::Result<(Division, Snapshot), String>>;

fn try_divide(session: &mut Session, query: &Prepared, description: &Description, options: &Options) -> Tried {
    let workers = options.workers();
    if workers < 2 {
        return Ok(Err("one connection is allowed".into()));
    }
    let candidate = match candidate(query) {
        Ok(candidate) => candidate,
        Err(reason) => return Ok(Err(reason)),
    };
    let table = match Table::find(session, candidate.name.schema(), candidate.name.last())? {
        Ok(table) => table,
        Err(reason) => return Ok(Err(reason)),
    };
    let blocks = table.blocks();
    if blocks < FEW {
        return Ok(Err(match (table.rows, blocks) {
            (None, 0) => format!("{} has no statistics that tell its size (DBMS_STATS gathers them)", table.name),
            _ => format!("{} is small ({blocks} blocks)", table.name),
        }));
    }
    let all = Segment { clause: String::new(), blocks };
    let columns = match session.describe(&format!("SELECT * FROM {}", table.from(&all))) {
        Ok(columns) => columns.iter().map(|column| column.name().to_owned()).collect(),
        Err(error) => return refusal(error, &table),
    };
    let alias = candidate.alias.as_ref().map_or("", |alias| alias.text.as_str());
    let alias = if candidate.alias.as_ref().is_some_and(|alias| alias.quoted) {
        alias.to_owned()
    } else {
        alias.to_uppercase()
    };
    if let Some(word) = words::stranger(&query.sql, &columns, &[&table.owner, &table.name, &alias]) {
        return Ok(Err(format!("it names {word}, which is no column of {} and may be a function", table.name)));
    }
    let now = match now(session)? {
        Ok(now) => now,
        Err(reason) => return Ok(Err(reason)),
    };
    // Whether the user may read the table so, and whether its state of then can still be had.
    let probe = format!("SELECT COUNT(*) FROM {} AS OF SCN {} WHERE ROWNUM = 1", table.from(&all), now.number);
    if let Err(error) = session.value(&probe) {
        return refusal(error, &table);
    }
    let side_by_side = (blocks / RANGE).max(u64::try_from(workers).unwrap_or(1) * 2);
    let ranges = options.partitions_of(blocks.saturating_mul(BLOCK), side_by_side).min(MOST);
    let slices = match slices(session, &table, &now.number, ranges) {
        Ok(slices) => slices,
        Err(error) => return refusal(error, &table),
    };
    if slices.len() < 2 {
        return Ok(Err(format!("no addresses were found that divide {}", table.name)));
    }
    let parts: Vec<Part> = slices.into_iter().map(|slice| part(query, candidate, slice)).collect();
    // What the text alone does not show (a hidden column, a hint) shows here.
    let first = parts.first().map(|part| session.describe(&description.reading(&part.sql)));
    match first {
        Some(Ok(columns)) if columns == description.layout.described => {}
        Some(Err(error)) => return refusal(error, &table),
        _ => return Ok(Err(format!("a slice of {} does not have the same columns", table.name))),
    }
    let rows = table.rows;
    let division = Division {
        parts,
        reason: format!("{} is split by the addresses of its rows", table.name),
        estimate: Estimate { rows, bytes: blocks.checked_mul(BLOCK) },
    };
    Ok(Ok((division, Snapshot::Named(now.number))))
}

/// The table that a query may be divided over; or why there is none.
fn candidate(query: &Prepared) -> std::result::Result<&Candidate, String> {
    let candidates = query.shape.split.as_ref().map_err(String::clone)?;
    if !query.shape.is_single_table() {
        return Err("it reads more than one table, and only one would be read as of the SCN".into());
    }
    if let Some(name) = OWN.iter().find(|name| query.shape.mentions(name)) {
        return Err(format!("it names {name}, which a slice of the table does not have, or has differently"));
    }
    if let Some(name) = query.shape.functions.iter().find(|name| !functions::is_pure(name)) {
        return Err(format!("it calls {name}, which may return something else on another connection"));
    }
    match candidates.first() {
        Some(candidate) if candidate.name.0.len() <= 2 => Ok(candidate),
        _ => Err("its table is of another database".into()),
    }
}

/// What the database refuses is a reason not to divide; that it is gone, or that somebody cancelled, is an error.
fn refusal(error: bowshot_core::Error, table: &Table) -> Tried {
    if error.kind() != ErrorKind::Sql {
        return Err(error);
    }
    Ok(Err(match code(error.message()) {
        Some(1031) => format!("the user may not read {} AS OF SCN (GRANT FLASHBACK ON it)", table.name),
        Some(1466) => {
            format!("{} was altered a moment ago, and its state before that is not kept (ORA-01466)", table.name)
        }
        _ => format!("{} cannot be read AS OF SCN: {}", table.name, error.message()),
    }))
}

/// A range of addresses of a segment.
struct Slice {
    /// What stands in the table's place.
    sql: String,
    label: String,
}

/// Divides a table's segments, the large ones into several ranges.
fn slices(session: &mut Session, table: &Table, scn: &str, ranges: u64) -> Result<Vec<Slice>> {
    let mut slices = Vec::new();
    let blocks = table.blocks().max(1);
    for segment in &table.segments {
        let share = u64::try_from(u128::from(ranges) * u128::from(segment.blocks) / u128::from(blocks)).unwrap_or(MOST);
        let bounds = table.bounds(session, segment, share)?;
        slices.extend(between(table, segment, scn, &bounds));
    }
    Ok(slices)
}

/// The ranges between addresses, the outer ones open.
fn between(table: &Table, segment: &Segment, scn: &str, bounds: &[String]) -> Vec<Slice> {
    let from = table.from(segment);
    let slice = |(number, (low, high)): (usize, (Option<&String>, Option<&String>))| {
        let conditions: Vec<String> = [
            low.map(|low| format!("ROWID >= CHARTOROWID('{low}')")),
            high.map(|high| format!("ROWID < CHARTOROWID('{high}')")),
        ]
        .into_iter()
        .flatten()
        .collect();
        let condition =
            if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
        Slice {
            sql: format!("(SELECT * FROM {from} AS OF SCN {scn}{condition})"),
            label: format!("range {} of {} of {}{}", number + 1, bounds.len() + 1, table.name, segment.clause),
        }
    };
    let lows = std::iter::once(None).chain(bounds.iter().map(Some));
    let highs = bounds.iter().map(Some).chain(std::iter::once(None));
    lows.zip(highs).enumerate().map(slice).collect()
}

/// The query with a slice in the place of its table.
fn part(query: &Prepared, candidate: &Candidate, slice: Slice) -> Part {
    let sql = splice(&query.sql, candidate, &slice.sql);
    Part { sql, values: std::sync::Arc::clone(&query.values), partition: Partition { label: slice.label, rows: None } }
}

#[cfg(test)]
mod tests;
