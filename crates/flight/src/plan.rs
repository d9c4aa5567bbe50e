//! From a request to a plan: the query is run, and its endpoints are the partitions.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use arrow_flight::FlightInfo;
use arrow_schema::Schema;
use bowshot_core::{
    Cancel, Casts, Error, ErrorKind, Estimate, Params, Part, Partition, Partitioning, Plan, Query, Request, Result,
    TimesOfDay,
};
use bowshot_ipc::ExpectedNote;
use bowshot_sql::{Database, Dialect, Division, Permit, Prepared, divide_as_asked};
use parking_lot::Mutex;

use crate::before;
use crate::channel::Channel;
use crate::connect::connect;
use crate::ends;
use crate::execute::{descriptor, execute, schema_of};
use crate::held;
use crate::lines::Lines;
use crate::login::login;
use crate::open::{Begun, Open};
use crate::read::{Job, Shared, Work};
use crate::release::Executions;
use crate::schema;
use crate::session::Session;
use crate::snapshot;
use crate::types::announced;
use crate::uri::Target;

/// Decides how the request will be read.
pub(crate) fn plan(target: &Arc<Target>, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    if let Some(protocol) = options.protocol.as_deref().filter(|protocol| *protocol != "flight") {
        return Err(Error::new(ErrorKind::Config, format!("Flight SQL has no protocol \"{protocol}\""))
            .with_hint("the only one is \"flight\"; leave protocol out"));
    }
    let dialect = dialect(&request.queries);
    let permit = Permit::new(dialect, Database::FlightSql, target.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let session = Arc::new(Session::new(target, options));
    let channel = connect(target, &session, &target.address, cancel)?;
    login(&channel, target, cancel)?;
    before::run(&channel, target, &options.before, cancel)?;

    let names = match (queries.as_slice(), &options.partitioning) {
        ([query], Partitioning::Column { .. }) => names(&channel, target, query, cancel)?,
        _ => Vec::new(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let before: Arc<[String]> = options.before.as_slice().into();
    let ends = |sql: &str, values: &[_]| ends::ask(target, &session, &before, sql, values, cancel);
    let division = divide_as_asked(&queries, &names, options, dialect, Some(snapshot::OBSTACLE), ends)?;
    let (division, by_itself) = match (division, queries.first()) {
        (Some(division), _) => (division, false),
        (None, Some(query)) => (Division::whole(query, ""), true),
        (None, None) => return Err(Error::new(ErrorKind::Config, "the request holds no query")),
    };
    let draft = Draft { target: Arc::clone(target), before, session, request, division, by_itself };
    draft.run(channel, cancel)
}

/// Whose placeholders the user writes: `$1` of DataFusion, DuckDB and PostgreSQL, or `?` of the others. Flight SQL leaves
/// the language to the server.
fn dialect(queries: &[Query]) -> Dialect {
    let numbered = |query: &Query| !matches!(query.params, Params::None) && query.sql.contains("$1");
    if queries.iter().any(numbered) { Dialect::Postgres } else { Dialect::Standard }
}

/// The names of a query's columns, without running it.
fn names(channel: &Channel, target: &Target, query: &Prepared, cancel: &Cancel) -> Result<Vec<String>> {
    let schema = schema_of(channel, target, &descriptor(&query.sql), cancel)?.ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, "the server does not tell a query's columns before it runs it")
            .with_hint("give a list of queries in place of a column to partition on")
    })?;
    Ok(schema.fields().iter().map(|field| field.name().clone()).collect())
}

/// A plan in the making.
struct Draft<'a> {
    target: Arc<Target>,
    session: Arc<Session>,
    before: Arc<[String]>,
    request: &'a Request,
    division: Division,
    /// Whether the endpoints decide the partitions.
    by_itself: bool,
}

impl Draft<'_> {
    /// Runs the first query; the others run when they are read.
    fn run(self, channel: Channel, cancel: &Cancel) -> Result<Plan> {
        let Draft { target, session, before, request, division, by_itself } = self;
        let Division { parts: all, reason, .. } = division;
        let mut parts = all.iter().cloned();
        let first = parts.next().ok_or_else(|| Error::new(ErrorKind::Internal, "a division without a part"))?;
        let execution = execute(&channel, &target, &first.sql, &first.values, cancel)?;
        let (info, asked) = (execution.info.clone(), execution.descriptor.clone());
        let executions = Arc::new(Executions::new(Arc::clone(&target), Arc::clone(&session)));
        let number = executions.add(execution);
        let mut lines = Lines::new(Arc::clone(&target), Arc::clone(&session), Arc::clone(&before), Some(channel));
        let duds = Mutex::new(BTreeSet::new());
        let columns = columns(&target, &mut lines, &duds, &info, &asked, cancel);
        let (columns, begun) = match columns {
            Ok(columns) => columns,
            Err(error) => {
                if let Some(channel) = lines.take_base() {
                    executions.release(&channel);
                }
                return Err(error);
            }
        };
        let rest: Vec<Part> = parts.collect();
        let (jobs, partitions) = jobs(number, &info, first, rest, by_itself);
        let all = if jobs.len() == all.len() { all } else { Vec::new() };
        let alone = jobs.iter().all(|job| matches!(job, Job::Endpoints { .. }));
        let obstacle = match alone {
            true => held::obstacle(&session, &target, &info, begun.is_some()),
            false => Some(snapshot::OBSTACLE.into()),
        };
        let (idle, begun) = match begun {
            Some(open) => (None, Some(Begun::new(lines, open))),
            None => (lines.take_base(), None),
        };
        let schema = announced(&columns);
        let times = TimesOfDay::new(&schema, &request.options.types);
        let work = Work {
            casts: Casts::new(&times.schema(), times.types())?,
            times,
            schema,
            columns: Arc::new(columns),
            target,
            session,
            before,
            jobs,
            parts: all,
            obstacle,
            joined: false,
            batch_bytes: request.options.batch_bytes,
            executions,
            idle: Mutex::new(idle),
            begun: Mutex::new(begun),
            duds,
            one_by_one: !alone && request.options.one_snapshot,
            taken: AtomicBool::new(false),
        };
        let size = |number: i64| u64::try_from(number).ok().filter(|_| alone);
        let expected = ExpectedNote::read(&info.app_metadata).map(|note| note.rows).filter(|_| alone);
        Ok(Plan {
            schema: work.casts.schema(),
            snapshot: alone.then(|| snapshot::name(&info)),
            partitions,
            reason: if alone { reason_of(&info, &reason) } else { reason },
            estimate: Estimate { rows: size(info.total_records).or(expected), bytes: size(info.total_bytes) },
            scan: Arc::new(Shared(Arc::new(work))),
        })
    }
}

/// The columns of an execution: as its answer says, or another question, or the beginning of its first endpoint, which is
/// kept then.
fn columns(
    target: &Arc<Target>,
    lines: &mut Lines,
    duds: &Mutex<BTreeSet<crate::uri::Address>>,
    info: &FlightInfo,
    asked: &arrow_flight::FlightDescriptor,
    cancel: &Cancel,
) -> Result<(Schema, Option<Open>)> {
    if let Some(schema) = schema::read(&info.schema, &target.address)? {
        return Ok((schema, None));
    }
    let Some(endpoint) = info.endpoint.first() else {
        let schema = schema_of(lines.base(cancel)?, target, asked, cancel)?;
        let none = || {
            Error::new(ErrorKind::Sql, "the statement has no result: the server names neither columns nor endpoints")
                .with_hint("only queries can be read")
        };
        return schema.map(|schema| (schema, None)).ok_or_else(none);
    };
    let open = Open::at_a_place(target, duds, lines, endpoint.clone(), cancel)?;
    Ok((open.stream.schema().as_ref().clone(), Some(open)))
}

/// The partitions: every endpoint of the first query if it is the only one, else a query each.
fn jobs(
    execution: usize,
    info: &FlightInfo,
    first: Part,
    rest: Vec<Part>,
    by_itself: bool,
) -> (Vec<Job>, Vec<Partition>) {
    let count = info.endpoint.len();
    if by_itself {
        let job = |index| Job::Endpoints { execution, endpoints: vec![index] };
        let label = |number| format!("endpoint {number} of {count}");
        return (
            (0..count).map(job).collect(),
            (1..=count).map(|number| Partition { label: label(number), rows: None }).collect(),
        );
    }
    let mut jobs = vec![Job::Endpoints { execution, endpoints: (0..count).collect() }];
    let mut partitions = vec![first.partition];
    for Part { sql, values, partition } in rest {
        jobs.push(Job::Query { sql, values });
        partitions.push(partition);
    }
    (jobs, partitions)
}

/// Why there are as many partitions as there are.
fn reason_of(info: &FlightInfo, asked: &str) -> String {
    let count = info.endpoint.len();
    let order = if info.ordered { ", in this order" } else { "" };
    let endpoints = match count {
        1 => "the server offers the result at one endpoint".to_owned(),
        count => format!("the server offers the result at {count} endpoints{order}"),
    };
    if asked.is_empty() { endpoints } else { format!("{asked}; {endpoints}") }
}
