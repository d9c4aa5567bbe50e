//! From a request to a plan: the schema, and the partitions on one snapshot.

use std::sync::Arc;

use bowshot_core::{
    Cancel, Error, ErrorKind, Estimate, Options, Partition, Partitioning, Plan, Request, Result, Value,
};
use bowshot_sql::{Dialect, Shape, analyse, bind, strip_end};

use crate::by_column;
use crate::describe::{self, Column, describe};
use crate::handle::Database;
use crate::read::{Job, Shared};
use crate::sample::Sample;
use crate::snapshot::{self, Snapshot};
use crate::split::{self, Goal};
use crate::uri::Location;

/// A smaller file is read by one connection, without a look at its tables.
const LEAST_BYTES: u64 = 1 << 20;

/// A query as SQLite sees it.
pub(crate) struct Bound {
    /// With `?` for every parameter, and without what may follow the statement.
    pub(crate) sql: String,
    /// One for each `?`.
    pub(crate) values: Vec<Value>,
    pub(crate) shape: Shape,
}

/// A partition as it will be read.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) sql: String,
    pub(crate) label: String,
    /// About how many rows it has.
    pub(crate) rows: Option<u64>,
}

/// What planning found out.
struct Draft {
    columns: Vec<Column>,
    /// A part, and the query whose values it takes.
    parts: Vec<(Part, usize)>,
    reason: String,
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
    let queries: Vec<Bound> = request
        .queries
        .iter()
        .map(|query| {
            let (sql, values) = bind(query, Dialect::Sqlite)?;
            let sql = strip_end(&sql, Dialect::Sqlite).to_owned();
            let shape = analyse(&sql, Dialect::Sqlite);
            Ok(Bound { sql, values, shape })
        })
        .collect::<Result<_>>()?;
    let connections = options.workers().min(most_parts(location, &queries, options)?);
    let snapshot = snapshot::open(location, &options.before, connections, cancel)?;
    let Snapshot { mut databases, name, note } = snapshot;
    let Some(first) = databases.first_mut() else {
        return Err(Error::new(ErrorKind::Internal, "a snapshot without a connection"));
    };
    let draft = match queries.as_slice() {
        [query] => draft_one(first, query, options, connections, note.as_deref())?,
        _ => draft_list(first, &queries, options)?,
    };
    let Draft { columns, parts, mut reason, sample } = draft;
    if let Some(note) = note.filter(|note| !reason.contains(note.as_str())) {
        reason = format!("{reason}; they are read over one connection, since {note}");
    }
    // Connections without work need not be kept.
    databases.truncate(parts.len().max(1));
    let rows = parts.iter().map(|(part, _)| part.rows).sum();
    let partitions = parts.iter().map(|(part, _)| Partition { label: part.label.clone(), rows: part.rows }).collect();
    let schema = describe::schema(&columns);
    let values: Vec<Arc<[Value]>> = queries.into_iter().map(|query| query.values.into()).collect();
    let jobs = parts
        .into_iter()
        .map(|(part, query)| Job {
            sql: part.sql,
            label: part.label,
            values: values.get(query).cloned().unwrap_or_default(),
        })
        .collect();
    let scan = Shared::new(Arc::clone(&schema), columns, jobs, options.batch_bytes, databases, sample)?;
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
fn most_parts(location: &Location, queries: &[Bound], options: &Options) -> Result<usize> {
    match (queries, &options.partitioning) {
        ([], _) => Err(Error::new(ErrorKind::Config, "the request holds no query")),
        ([_], Partitioning::Single) => Ok(1),
        ([_], Partitioning::Column { count, .. }) => Ok(count.saturating_add(1)),
        ([query], Partitioning::Auto) if bytes(location) >= LEAST_BYTES && split::candidate(query).is_ok() => {
            Ok(usize::MAX)
        }
        ([_], Partitioning::Auto) => Ok(1),
        (_, Partitioning::Column { column, .. }) => {
            Err(Error::new(ErrorKind::Config, "a list of queries is already split, one partition a query")
                .with_column(column)
                .with_hint("give one query with a column to partition on, or a list of queries without"))
        }
        (list, _) => Ok(list.len()),
    }
}

/// The size of the database and its log.
fn bytes(location: &Location) -> u64 {
    let mut log = location.path.clone().into_os_string();
    log.push("-wal");
    let size = |path: &std::path::Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
    size(&location.path) + size(std::path::Path::new(&log))
}

fn draft_one(
    database: &mut Database,
    query: &Bound,
    options: &Options,
    connections: usize,
    note: Option<&str>,
) -> Result<Draft> {
    let (columns, sample) = describe(database, query, &options.types)?;
    let reason = match &options.partitioning {
        Partitioning::Column { column, count, range } => {
            let parts = by_column::split(database, query, &columns, column, *count, *range)?;
            database.finish();
            let parts = parts.into_iter().map(|part| (part, 0)).collect();
            return Ok(Draft { columns, parts, reason: format!("the user splits it by {column}"), sample: None });
        }
        Partitioning::Single => "the user asks for one".to_owned(),
        Partitioning::Auto => match (note, &sample) {
            (Some(note), _) => note.to_owned(),
            (_, Some(sample)) if sample.whole => {
                let rows = sample.rows();
                format!("planning read all of it ({rows} row{})", if rows == 1 { "" } else { "s" })
            }
            _ => match auto(database, query, options, connections)? {
                Ok(parts) => {
                    database.finish();
                    let reason = format!("its table is split by rowid over {connections} connections");
                    let parts = parts.into_iter().map(|part| (part, 0)).collect();
                    return Ok(Draft { columns, parts, reason, sample: None });
                }
                Err(reason) => reason,
            },
        },
    };
    let part = Part { sql: query.sql.clone(), label: "the whole result".into(), rows: None };
    Ok(Draft { columns, parts: vec![(part, 0)], reason, sample: Some(sample.unwrap_or_default()) })
}

fn auto(
    database: &Database,
    query: &Bound,
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
    split::split(database, query, Goal { connections, buffer_bytes: options.buffer_bytes })
}

/// Each query of a list is a partition.
fn draft_list(database: &mut Database, queries: &[Bound], options: &Options) -> Result<Draft> {
    let mut columns: Option<Vec<Column>> = None;
    for (number, query) in (1..).zip(queries) {
        let (more, _) = describe(database, query, &options.types)?;
        match &mut columns {
            None => columns = Some(more),
            Some(columns) => describe::merge(columns, &more, number)?,
        }
    }
    database.finish();
    let part = |(index, query): (usize, &Bound)| {
        (Part { sql: query.sql.clone(), label: format!("query {}", index + 1), rows: None }, index)
    };
    let parts = queries.iter().enumerate().map(part).collect();
    Ok(Draft {
        columns: columns.unwrap_or_default(),
        parts,
        reason: "the user gives a query for each".into(),
        sample: None,
    })
}
