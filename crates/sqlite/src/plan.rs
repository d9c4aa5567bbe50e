//! From a request to a plan: the schema, and the partitions on one snapshot.

use std::sync::Arc;

use bowshot_core::{Cancel, Casts, Error, ErrorKind, Estimate, Options, Part, Partitioning, Plan, Request, Result};
use bowshot_sql::{Dialect, Division, Permit, Prepared, divide_as_asked};

use crate::by_column;
use crate::describe::{self, Column, describe};
use crate::handle::Database;
use crate::held::Ground;
use crate::read::Shared;
use crate::sample::Sample;
use crate::snapshot::{self, Snapshot};
use crate::split::{self, Goal};
use crate::uri::Location;

/// A smaller file is read by one connection, without a look at its tables.
const LEAST_BYTES: u64 = 1 << 20;

/// What planning found out.
struct Draft {
    columns: Vec<Column>,
    division: Division,
    /// The first rows of the only part, whose statement still runs on the first connection.
    sample: Option<Sample>,
}

/// Decides how the request will be read.
pub(crate) fn plan(location: &Location, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    if let Some(protocol) = &options.protocol {
        return Err(Error::new(ErrorKind::Config, format!("SQLite has no protocol \"{protocol}\""))
            .with_hint("SQLite files are read directly; leave protocol out"));
    }
    location.check()?;
    let permit = Permit::new(Dialect::Sqlite, bowshot_sql::Database::Sqlite, location.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let connections = options.workers().min(most_parts(location, &queries, options));
    let number = snapshot::identity(location);
    let snapshot = snapshot::open(location, &options.before, connections, cancel)?;
    let Snapshot { mut databases, name, note } = snapshot;
    let Some(first) = databases.first_mut() else {
        return Err(Error::new(ErrorKind::Internal, "a snapshot without a connection"));
    };
    let ground = Ground::new(location, number, first)?;
    let draft = draft(first, &queries, options, connections, note.as_deref())?;
    let Draft { columns, division: Division { parts, mut reason, .. }, sample } = draft;
    if let Some(note) = note.filter(|note| !reason.contains(note.as_str())) {
        reason = format!("{reason}; they are read over one connection, since {note}");
    }
    // Connections without work need not be kept.
    databases.truncate(parts.len().max(1));
    let rows = parts.iter().map(|part| part.partition.rows).sum();
    let partitions = parts.iter().map(|part| part.partition.clone()).collect();
    let read_schema = describe::schema(&columns);
    let casts = Casts::new(&read_schema, &options.types)?;
    let schema = casts.schema();
    let scan = Shared::new((read_schema, casts), columns, parts, options.batch_bytes, databases, sample, ground)?;
    Ok(Plan {
        schema,
        snapshot: Some(name),
        partitions,
        reason,
        estimate: Estimate { rows, bytes: None },
        scan: Arc::new(scan),
    })
}

/// How many partitions there can be, as far as that can be told without a connection.
fn most_parts(location: &Location, queries: &[Prepared], options: &Options) -> usize {
    match (queries, &options.partitioning) {
        (_, Partitioning::Part(_)) | ([_], Partitioning::Single) => 1,
        ([_], Partitioning::Column { count, .. }) => count.saturating_add(1),
        ([query], Partitioning::Auto) if bytes(location) >= LEAST_BYTES && split::candidate(query).is_ok() => {
            usize::MAX
        }
        ([_], Partitioning::Auto) => 1,
        (list, _) => list.len(),
    }
}

/// The size of the database and its log.
fn bytes(location: &Location) -> u64 {
    let mut log = location.path.clone().into_os_string();
    log.push("-wal");
    let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    size(&location.path) + size(std::path::Path::new(&log))
}

fn draft(
    database: &mut Database,
    queries: &[Prepared],
    options: &Options,
    connections: usize,
    note: Option<&str>,
) -> Result<Draft> {
    let (columns, sample) = describe_all(database, queries, options)?;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let asked = match &options.partitioning {
        Partitioning::Column { column, .. } => column.as_str(),
        _ => "",
    };
    let ends = |sql: &str, values: &[_]| by_column::ends(database, sql, values, asked);
    // All connections share a snapshot, or there is but one.
    let asked = divide_as_asked(queries, &names, options, Dialect::Sqlite, None, ends)?;
    let division = match (asked, queries, &sample) {
        (Some(division), _, _) => division,
        (None, [query, ..], Some(sample)) if note.is_none() && sample.whole => {
            let rows = sample.rows();
            let plural = if rows == 1 { "" } else { "s" };
            Division::whole(query, format!("planning read all of it ({rows} row{plural})"))
        }
        (None, [query, ..], _) if note.is_some() => Division::whole(query, note.unwrap_or_default()),
        (None, [query, ..], _) => match auto(database, query, options, connections)? {
            Err(reason) => Division::whole(query, reason),
            Ok(parts) => {
                let reason = format!("its table is split by rowid over {connections} connections");
                Division { parts, reason, estimate: Estimate::default() }
            }
        },
        (None, [], _) => return Err(Error::new(ErrorKind::Internal, "a division of no query")),
    };
    let alone = matches!((queries, division.parts.as_slice()), ([query], [part]) if part.sql == query.sql);
    if !alone {
        database.finish();
    }
    Ok(Draft { columns, division, sample: alone.then(|| sample.unwrap_or_default()) })
}

fn auto(
    database: &Database,
    query: &Prepared,
    options: &Options,
    connections: usize,
) -> Result<Result<Vec<Part>, String>> {
    if options.workers() < 2 {
        return Ok(Err("only one connection is allowed".into()));
    }
    if let Err(reason) = split::candidate(query) {
        return Ok(Err(reason));
    }
    if connections < 2 {
        return Ok(Err("the database is small".into()));
    }
    split::split(database, query, Goal { connections, options })
}

/// The columns of all queries; and the first rows of the only one.
fn describe_all(
    database: &mut Database,
    queries: &[Prepared],
    options: &Options,
) -> Result<(Vec<Column>, Option<Sample>)> {
    let mut queries = (1..).zip(queries);
    let Some((_, first)) = queries.next() else { return Ok((Vec::new(), None)) };
    let (mut columns, mut sample) = describe(database, first, &options.types)?;
    for (number, query) in queries {
        let (more, _) = describe(database, query, &options.types)?;
        describe::merge(&mut columns, &more, number)?;
        sample = None;
    }
    Ok((columns, sample))
}
