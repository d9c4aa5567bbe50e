//! Divides a query by itself: ranges of one table's primary key.
//!
//! The candidate table's name in the query is replaced by a subquery over a range of its key, which the server merges into
//! the query and reads as a range of the table itself, since a table of InnoDB is kept in its key's order. All that could
//! make the parts differ from the whole is looked for first; what cannot be proven is not split.

mod explain;
mod functions;
mod table;

use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{ErrorKind, Estimate, Options, Part, Partition, Result};
use bowshot_sql::{Candidate, Division, Prepared, splice};

use crate::connect::Session;
use crate::keys::{self, Range};
use explain::{Step, explain};
pub(crate) use table::{KeyColumn, Keyed};

/// A table with fewer rows is read by one connection: starting others takes longer.
const LEAST_ROWS: u64 = 50_000;
/// No partition is smaller than this, unless the table is.
const LEAST_ROWS_A_PARTITION: u64 = 8_192;
/// Partitions a connection, so that one that is done early finds more to do.
const PARTITIONS_A_CONNECTION: u64 = 8;
/// More partitions than this only cost.
const MOST_PARTITIONS: u64 = 1_024;
/// A server whose answers take as long is far away.
const FAR: Duration = Duration::from_millis(5);
/// About so many answers are waited for, one after the other, before the parts of a table are read.
const ANSWERS: u32 = 50;
/// What one connection brings, about: a hundred megabytes a second.
const BYTES_A_MICROSECOND: u64 = 100;
/// How many rows of the other tables there may be to one of the table that is split: every part reads them again.
const MOST_OTHERS: u64 = 10;

/// How a query is divided where the user leaves it to us.
pub(crate) fn divide(session: &mut Session, query: &Prepared, options: &Options) -> Result<Division> {
    Ok(match ranges(session, query, options) {
        Ok(Ok(division)) => division,
        Ok(Err(reason)) => Division::whole(query, reason),
        // Whoever may read a view need not be allowed to EXPLAIN it.
        Err(error) if error.is_refusal() => {
            Division::whole(query, format!("the server refused what planning asked: {}", error.message()))
        }
        Err(error) => return Err(error),
    })
}

type Reasoned<T> = std::result::Result<T, String>;

fn ranges(session: &mut Session, query: &Prepared, options: &Options) -> Result<Reasoned<Division>> {
    let candidates = match &query.shape.split {
        Ok(candidates) => candidates,
        Err(reason) => return Ok(Err(reason.clone())),
    };
    if !query.values.is_empty() {
        return Ok(Err("it has parameters".into()));
    }
    if let Some(reason) = functions::obstacle(session, query)? {
        return Ok(Err(reason));
    }
    let steps = explain(session, &query.sql)?;
    let (candidate, step) = match driving(candidates, &steps) {
        Ok(driving) => driving,
        // What the server reads in place of a view has other names.
        Err(reason) => {
            return match candidates.first() {
                Some(candidate) => Ok(Err(Keyed::find(session, candidate)?.err().unwrap_or(reason))),
                None => Ok(Err(reason)),
            };
        }
    };
    let table = match Keyed::find(session, candidate)? {
        Ok(table) => table,
        Err(reason) => return Ok(Err(reason)),
    };
    let name = &table.table.name;
    if candidate.whole_row && !table.has_column(reference(candidate)) {
        return Ok(Err(format!("it uses {} in a way that Bowshot does not know", reference(candidate))));
    }
    if let Some(reason) = unlike_a_scan(step, &table) {
        return Ok(Err(reason));
    }
    // Who asks for a number of connections gets them.
    if let Some(round_trip) = session.round_trip().filter(|_| options.connections.is_none())
        && is_sooner_whole(table.bytes, round_trip)
    {
        let (megabytes, far) = (table.bytes.div_ceil(1 << 20), round_trip.as_millis());
        let reason = format!(
            "{name} has {megabytes} MiB, which are here before a server {far} ms away was asked how to divide them"
        );
        return Ok(Err(reason));
    }
    let count = partitions(&table, options);
    let ranges = match keys::ranges(session, &table, count, LEAST_ROWS_A_PARTITION)? {
        Ok(ranges) => ranges,
        Err(reason) => return Ok(Err(reason)),
    };
    let rows = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.rows));
    // What the ranges seem to hold is a guess from where text lies between others; the server counts pages.
    let rows = if step.method == "ALL" { rows.max(step.rows) } else { rows };
    if rows < LEAST_ROWS {
        return Ok(Err(format!("{name} has only about {rows} rows")));
    }
    if ranges.len() < 2 {
        return Ok(Err(format!("nothing is known of where the keys of {name} lie between its first and its last one")));
    }
    let parts: Vec<Part> = ranges.iter().map(|range| part(query, candidate, &table, range)).collect();
    for place in [0, parts.len() / 2, parts.len() - 1] {
        if let Some(part) = parts.get(place)
            && let Some(reason) = differs(session, &steps, part, candidate, &table)?
        {
            return Ok(Err(reason));
        }
    }
    let estimate = Estimate { rows: (steps.len() == 1).then_some(rows), bytes: Some(table.bytes) };
    let reason = format!("{name} can be read in ranges of its key ({})", table.key_names().join(", "));
    Ok(Ok(Division { parts, reason, estimate }))
}

/// The name by which the query knows the table.
fn reference(candidate: &Candidate) -> &str {
    candidate.alias.as_ref().map_or_else(|| candidate.name.last(), |alias| &alias.text)
}

/// The candidate that the server reads most rows of, with what it does there.
fn driving<'a>(candidates: &'a [Candidate], steps: &'a [Step]) -> Reasoned<(&'a Candidate, &'a Step)> {
    let of = |candidate: &'a Candidate| {
        let mut found = steps.iter().filter(|step| step.table.eq_ignore_ascii_case(reference(candidate)));
        let step = found.next()?;
        found.next().is_none().then_some((candidate, step))
    };
    let best = candidates.iter().filter_map(of).max_by_key(|(_, step)| step.rows);
    let Some((candidate, step)) = best else {
        return Err("the server does not read its table row by row".into());
    };
    let others = steps.iter().filter(|other| !std::ptr::eq(*other, step));
    // What is looked up once a row costs the same however the table is split.
    let others = others.filter(|other| other.method != "eq_ref" && other.method != "const");
    let others: u64 = others.map(|other| other.rows).fold(0, u64::saturating_add);
    if others.saturating_mul(MOST_OTHERS) > step.rows {
        return Err("every connection would read the other tables again".into());
    }
    Ok((candidate, step))
}

/// Why the server reads less of the table than all of it.
fn unlike_a_scan(step: &Step, table: &Keyed) -> Option<String> {
    let name = &table.table.name;
    match step.method.as_str() {
        "ALL" => None,
        "index" | "range" if step.key == table.key => (step.method == "range" && step.rows < LEAST_ROWS)
            .then(|| format!("it reads only about {} rows of {name}", step.rows)),
        _ if !step.key.is_empty() => Some(format!("the server reads {name} by its index {}", step.key)),
        _ => Some(format!("the server does not scan {name}")),
    }
}

/// Whether one connection has read so many bytes before a server so far away has answered what dividing them asks.
fn is_sooner_whole(bytes: u64, round_trip: Duration) -> bool {
    round_trip >= FAR && Duration::from_micros(bytes / BYTES_A_MICROSECOND) < round_trip * ANSWERS
}

/// How many partitions to aim at.
fn partitions(table: &Keyed, options: &Options) -> u64 {
    let connections = u64::try_from(options.workers()).unwrap_or(1).max(1);
    // What connections read ahead of the consumer should not fill the buffer: they would wait for each other then.
    let most_bytes = (u64::try_from(options.buffer_bytes).unwrap_or(u64::MAX) / (2 * connections)).max(1 << 20);
    let side_by_side = (connections * PARTITIONS_A_CONNECTION).max(table.bytes / most_bytes);
    options.partitions_of(table.bytes, side_by_side).min(MOST_PARTITIONS)
}

fn part(query: &Prepared, candidate: &Candidate, table: &Keyed, range: &Range) -> Part {
    let slice = format!(
        "(SELECT * FROM {} FORCE INDEX ({}) WHERE {})",
        table.table.quoted(),
        table.quoted_key(),
        range.condition
    );
    let label = format!("{} of {}", range.label, table.table.name);
    Part {
        sql: splice(&query.sql, candidate, &slice),
        values: Arc::clone(&query.values),
        partition: Partition { label, rows: Some(range.rows) },
    }
}

/// Why the server does not simply read the part as a range of the table.
fn differs(
    session: &mut Session,
    whole: &[Step],
    part: &Part,
    candidate: &Candidate,
    table: &Keyed,
) -> Result<Option<String>> {
    let name = &table.table.name;
    let steps = match explain(session, &part.sql) {
        Ok(steps) => steps,
        Err(error) if error.kind() == ErrorKind::Sql => {
            return Ok(Some(format!("it uses {name} in a way that a slice of it cannot stand for")));
        }
        Err(error) => return Err(error),
    };
    if steps.len() != whole.len() {
        return Ok(Some(format!("the server would copy each slice of {name} first")));
    }
    let step = steps.iter().find(|step| step.table.eq_ignore_ascii_case(reference(candidate)));
    // A range that is known to be empty is not looked at.
    let ranged = step.is_none_or(|step| step.method == "range" && step.key == table.key);
    let by = step.map_or("", |step| step.method.as_str());
    Ok((!ranged).then(|| format!("the server would not read {name} by ranges of its key, but by {by}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_divided_where_that_takes_less_than_to_read_it() {
        let megabytes = |count: u64| count * 1_000_000;
        for (bytes, milliseconds, whole) in [
            (megabytes(1), 0, false),
            (megabytes(1), 4, false),
            (megabytes(24), 5, true),
            (megabytes(26), 5, false),
            (megabytes(100), 50, true),
            (megabytes(1_000), 50, false),
            (u64::MAX, 50, false),
            (0, 50, true),
        ] {
            assert_eq!(is_sooner_whole(bytes, Duration::from_millis(milliseconds)), whole, "{bytes} {milliseconds}");
        }
    }
}
