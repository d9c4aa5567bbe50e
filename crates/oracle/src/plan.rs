//! From a request to a plan: the schema, and the partitions on one snapshot.

use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Options, Partitioning, Plan, Request, Result, Value, same_columns};
use bowshot_sql::{Database, Dialect, Division, Permit, Prepared, divide_as_asked};

use crate::connect::connect;
use crate::describe::Description;
use crate::held;
use crate::read::Work;
use crate::session::Session;
use crate::snapshot::{Snapshot, now};
use crate::split;
use crate::uri::Location;

/// The only protocol, by its name.
const PROTOCOL: &str = "tns";

/// Decides how the request will be read; on a state of the database that a ticket names, if there is one.
pub(crate) fn plan(location: &Location, request: &Request, named: Option<Snapshot>, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    if let Some(other) = options.protocol.as_deref().filter(|name| *name != PROTOCOL) {
        return Err(Error::new(ErrorKind::Config, format!("Oracle has no protocol \"{other}\""))
            .with_hint(format!("the only one is {PROTOCOL}")));
    }
    let permit = Permit::new(Dialect::Oracle, Database::Oracle, location.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    for query in &queries {
        // Parsing a statement that creates or drops something runs it already.
        if !query.shape.read {
            return Err(Error::new(ErrorKind::Unsupported, "only queries are read from Oracle: SELECT and WITH")
                .with_hint("statements that prepare the session go to the ones that run before the query"));
        }
    }
    let mut session = connect(location, &options.before, cancel)?;
    let mut descriptions: Vec<Description> = Vec::with_capacity(queries.len());
    for (number, query) in (1..).zip(&queries) {
        let description = Description::ask(&mut session, &query.sql, &options.types)?;
        if let Some(first) = descriptions.first() {
            same_columns(&first.schema(), &description.schema(), number)?;
        }
        descriptions.push(description);
    }
    if let Partitioning::Part(part) = &options.partitioning
        && let Some(place) = queries.iter().position(|query| query.sql == part.sql)
    {
        // The part of a list is read as its own query is.
        descriptions.swap(0, place);
    }
    let (division, mut snapshot) = divide(&mut session, &queries, &descriptions, options)?;
    if let Some(named) = named {
        named.enter(&mut session).map_err(held::lost)?;
        snapshot = named;
    } else if !matches!(snapshot, Snapshot::Session(_)) {
        snapshot.enter(&mut session)?;
    }
    let schema = descriptions.first().map(Description::schema).ok_or_else(no_query)?;
    // Without a shared state, or the user's word that none is needed, one connection reads all.
    let alone = division.parts.len() > 1 && snapshot == Snapshot::Own && options.one_snapshot;
    Ok(Plan {
        schema,
        snapshot: snapshot.label(),
        partitions: division.parts.iter().map(|part| part.partition.clone()).collect(),
        reason: division.reason,
        estimate: division.estimate,
        scan: Arc::new(Work::new(location, options, descriptions, division.parts, snapshot, alone, session)),
    })
}

fn no_query() -> Error {
    Error::new(ErrorKind::Config, "the request holds no query")
}

/// How the result is divided, and the state of the database that all parts see.
fn divide(
    session: &mut Session,
    queries: &[Prepared],
    descriptions: &[Description],
    options: &Options,
) -> Result<(Division, Snapshot)> {
    let description = descriptions.first().ok_or_else(no_query)?;
    let several = queries.len() > 1 || matches!(options.partitioning, Partitioning::Column { count: 2.., .. });
    let mut obstacle = None;
    let mut snapshot = Snapshot::Own;
    if several && options.one_snapshot && options.workers() > 1 {
        match share(session, queries)? {
            Ok(shared) => snapshot = shared,
            Err(reason) => obstacle = Some(reason),
        }
    } else if several && options.one_snapshot {
        // One connection reads all of it in one transaction.
        snapshot.enter(session)?;
    }
    let ends = |sql: &str, values: &[Value]| ends(session, sql, values);
    let asked = divide_as_asked(queries, &description.names(), options, Dialect::Oracle, obstacle.as_deref(), ends)?;
    match (asked, queries) {
        (Some(division), _) => Ok((division, snapshot)),
        (None, [query, ..]) => split::divide(session, query, description, options),
        (None, []) => Err(no_query()),
    }
}

/// Sets the session to a state that other sessions can be set to as well; or why that cannot be.
fn share(session: &mut Session, queries: &[Prepared]) -> Result<std::result::Result<Snapshot, String>> {
    let snapshot = match now(session)? {
        Ok(now) if now.package => Snapshot::Session(now.number),
        Ok(_) => return Ok(Err("the user may not execute DBMS_FLASHBACK, which sets sessions to one SCN".into())),
        Err(reason) => return Ok(Err(reason)),
    };
    let refused = |error: Error| match error.kind() {
        ErrorKind::Sql => Ok(Err(format!("sessions cannot be set to one SCN: {}", error.message()))),
        _ => Err(error),
    };
    if let Err(error) = snapshot.enter(session) {
        return refused(error);
    }
    // Whether the user may read the tables of others as they were.
    for query in queries {
        if let Err(error) = session.describe(&query.sql) {
            snapshot.leave(session)?;
            return refused(error);
        }
    }
    Ok(Ok(snapshot))
}

/// The lowest and the highest key, rounded outwards.
fn ends(session: &mut Session, sql: &str, values: &[Value]) -> Result<Option<(i128, i128)>> {
    let row = session.rows(sql, values)?.into_iter().next().unwrap_or_default();
    let [Some(low), Some(high)] = row.as_slice() else { return Ok(None) };
    let whole = |text: &str, up: bool| {
        rounded(text, up).ok_or_else(|| {
            Error::new(ErrorKind::Config, format!("the column to partition on holds \"{text}\", which is no number"))
                .with_hint("partition on a column of numbers")
        })
    };
    Ok(Some((whole(low, false)?, whole(high, true)?)))
}

/// A number in text, rounded to a whole one.
fn rounded(text: &str, up: bool) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let number: i128 = match whole {
        "" | "-" => 0,
        whole => whole.parse().ok()?,
    };
    let negative = text.starts_with('-');
    let between = fraction.bytes().any(|digit| digit != b'0');
    if !fraction.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    match (between, up, negative) {
        (true, true, false) => number.checked_add(1),
        (true, false, true) => number.checked_sub(1),
        _ => Some(number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_rounded_outwards() {
        for (text, down, up) in [
            ("3", 3, 3),
            ("3.5", 3, 4),
            ("-3.5", -4, -3),
            ("-0.5", -1, 0),
            ("-.5", -1, 0),
            (".5", 0, 1),
            ("7.00", 7, 7),
            ("-7.00", -7, -7),
        ] {
            assert_eq!((rounded(text, false), rounded(text, true)), (Some(down), Some(up)), "{text}");
        }
        for text in ["x", "2024-01-01", "1.x"] {
            assert_eq!(rounded(text, true), None, "{text}");
        }
    }
}
