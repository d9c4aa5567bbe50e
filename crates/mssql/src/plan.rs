//! From a request to a plan: the schema, and the partitions on one snapshot.

use std::sync::Arc;

use bowshot_core::{Cancel, Casts, Error, ErrorKind, Partitioning, Plan, Request, Result, Value, same_columns};
use bowshot_sql::{Database, Dialect, Division, Permit, Prepared, divide_as_asked};
use parking_lot::Mutex;

use crate::connect::connect;
use crate::describe::{self, describe};
use crate::ends;
use crate::read::{Idle, Shared, Work};
use crate::session::Session;
use crate::snapshot::{self, Snapshot};
use crate::split;
use crate::uri::Config;

/// The only way that SQL Server has to send rows.
const PROTOCOL: &str = "tds";

/// Decides how the request will be read.
pub(crate) fn plan(config: &Config, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    if let Some(protocol) = options.protocol.as_deref().filter(|protocol| *protocol != PROTOCOL) {
        return Err(Error::new(ErrorKind::Config, format!("SQL Server has no protocol \"{protocol}\""))
            .with_hint(format!("the only one is {PROTOCOL}; leave protocol out")));
    }
    let permit = Permit::new(Dialect::SqlServer, Database::SqlServer, config.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let Some(first) = queries.first() else { return Err(Error::new(ErrorKind::Config, "the request holds no query")) };
    let mut session = connect(config, &options.before, cancel)?;
    let described = describe(&mut session, first)?;
    let begun = described.begun;
    let columns = described.columns;
    let schema = describe::schema(&columns, &options.types);
    let casts = Casts::new(&schema, &options.types)?;
    if begun.is_some() && queries.len() == 1 {
        let division = Division::whole(first, "SQL Server can only describe it by running it");
        let idle = vec![Idle { session, begun }];
        return Ok(finish(Draft { config, request, schema, casts, division, idle, snapshot: None, more: false }));
    }
    if begun.is_some() {
        // Several of them, and the first one runs: it will be run again, on another connection.
        session = connect(config, &options.before, cancel)?;
    }
    for (number, query) in (2..).zip(queries.iter().skip(1)) {
        let other = describe(&mut session, query)?;
        same_columns(&schema, &describe::schema(&other.columns, &options.types), number)?;
        if other.begun.is_some() {
            session = connect(config, &options.before, cancel)?;
        }
    }
    // Sessions that share a snapshot are only needed where there may be several partitions.
    let several = match options.partitioning {
        Partitioning::Single => queries.len() > 1,
        Partitioning::Auto => queries.len() > 1 || options.workers() > 1,
        Partitioning::Column { .. } => true,
        Partitioning::Part(_) => false,
    };
    let tables =
        if several && options.one_snapshot { snapshot::tables(&mut session, &queries)? } else { Ok(Vec::new()) };
    let (tables, obstacle) = match tables {
        Ok(tables) => (tables, None),
        Err(obstacle) => (Vec::new(), Some(obstacle)),
    };
    let names = describe::names(&columns);
    let ask = |sql: &str, values: &[Value]| ends::ends(&mut session, sql, values);
    let asked = divide_as_asked(&queries, &names, options, Dialect::SqlServer, obstacle.as_deref(), ask)?;
    let division = match (asked, obstacle) {
        (Some(division), _) => division,
        (None, Some(obstacle)) => Division::whole(first, obstacle),
        (None, None) => split::split(&mut session, first, options, &columns)?,
    };
    let draft = |division, sessions: Vec<Session>, snapshot, more| {
        let idle = sessions.into_iter().map(|session| Idle { session, begun: None }).collect();
        finish(Draft { config, request, schema, casts, division, idle, snapshot, more })
    };
    if division.parts.len() < 2 || !options.one_snapshot {
        return Ok(draft(division, vec![session], None, true));
    }
    if tables.is_empty() {
        // Queries of a list, one after the other: the obstacle stands in the reason.
        return Ok(draft(division, vec![session], None, false));
    }
    let readers = options.workers().min(division.parts.len());
    match snapshot::open(config, options, &mut session, &tables, readers, cancel)? {
        Ok(Snapshot { sessions, name }) => Ok(draft(division, sessions, Some(name), false)),
        Err(obstacle) => Ok(draft(without_snapshot(&queries, division, obstacle), vec![session], None, false)),
    }
}

/// What is left of a division when no snapshot could be had.
fn without_snapshot(queries: &[Prepared], division: Division, obstacle: String) -> Division {
    match queries {
        [query] => Division { estimate: division.estimate, ..Division::whole(query, obstacle) },
        _ => Division {
            reason: format!("{}, read one after the other over one connection: {obstacle}", division.reason),
            ..division
        },
    }
}

/// All that a plan is made of.
struct Draft<'a> {
    config: &'a Config,
    request: &'a Request,
    schema: arrow_schema::SchemaRef,
    casts: Casts,
    division: Division,
    idle: Vec<Idle>,
    snapshot: Option<String>,
    more: bool,
}

fn finish(draft: Draft<'_>) -> Plan {
    let Draft { config, request, schema, casts, division, idle, snapshot, more } = draft;
    let Division { parts, reason, estimate } = division;
    let verbatim = parts.len() == request.queries.len();
    let partitions = parts.iter().map(|part| part.partition.clone()).collect();
    let plan_schema = casts.schema();
    let work = Work {
        config: config.clone(),
        before: request.options.before.clone(),
        schema,
        casts,
        parts,
        verbatim,
        batch_bytes: request.options.batch_bytes,
        idle: Mutex::new(idle),
        more,
    };
    Plan { schema: plan_schema, snapshot, partitions, reason, estimate, scan: Arc::new(Shared(Arc::new(work))) }
}
