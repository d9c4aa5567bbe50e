//! From a request to a plan: the schema, and the partitions.

use std::sync::Arc;

use adbc_core::error::{Error as AdbcError, Status};
use adbc_core::{PartitionedResult, Statement};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use bowshot_core::{
    Cancel, Casts, Error, ErrorKind, Estimate, Options, Part, Partition, Partitioning, Plan, Request, Result,
    SOURCE_TYPE, TimesOfDay, Value,
};
use bowshot_sql::{Division, Permit, Prepared, divide_as_asked};

use crate::batches::{Finish, fetch};
use crate::connect::{connect, prepare};
use crate::error::{Phase, from_driver};
use crate::family::Family;
use crate::read::{Job, Scanning, Work, start};
use crate::session::Session;
use crate::snapshot::{self, Snapshot};
use crate::types::{Described, fields};
use crate::uri::Location;
use crate::{describe, duckdb, ends};

/// Why connections cannot share a snapshot.
pub(crate) const OBSTACLE: &str = "ADBC has no way for connections to see one state of a database";

/// What planning knows of the first query.
struct Draft {
    /// As the driver says it.
    raw: SchemaRef,
    /// As the database describes the columns, where it does.
    columns: Option<Vec<Described>>,
    /// Which columns the database writes as text; empty: none.
    text: Vec<bool>,
    /// The partitions that the driver made.
    tokens: Option<(Vec<Vec<u8>>, Option<u64>)>,
    /// The query already runs on the session.
    begun: bool,
}

/// Decides how the request will be read.
pub(crate) fn plan(location: &Arc<Location>, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    if let Some(protocol) = &options.protocol {
        return Err(Error::new(ErrorKind::Config, format!("ADBC has no protocol \"{protocol}\""))
            .with_hint("the driver decides what it speaks; leave protocol out"));
    }
    let permit = Permit::new(location.dialect, location.statements, location.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let Some(first) = queries.first() else {
        return Err(Error::new(ErrorKind::Config, "the request holds no query"));
    };
    let (session, database) = connect(location, &options.before, cancel)?;
    let draft = draft(&session, location, first, queries.len() == 1, options, cancel)?;
    let columns = draft.columns.as_deref().filter(|columns| columns.len() == draft.raw.fields().len());
    let (schema, finish) = finish(location, &draft.raw, columns, options)?;
    let mut begun = draft.begun;
    let (jobs, parts, partitions, reason, estimate) = match &draft.tokens {
        Some((tokens, rows)) => {
            let count = tokens.len();
            let label = |number: usize| Partition { label: format!("the driver's partition {number}"), rows: None };
            let jobs = tokens.iter().map(|token| Job::Token(token.clone())).collect::<Vec<_>>();
            let estimate = Estimate { rows: *rows, bytes: None };
            let reason = match count {
                1 => "the driver made one of it".to_owned(),
                _ => "the driver divided the result".to_owned(),
            };
            (jobs, Vec::new(), (1..=count).map(label).collect::<Vec<_>>(), reason, estimate)
        }
        None => {
            let division = divide(&session, location, &queries, &schema, options, cancel, &mut begun)?;
            let Division { parts, reason, estimate } = division;
            begun &= parts.first().is_some_and(|part| part.sql == first.sql);
            let job = |part: &Part| job(&part.sql, &part.values, &part.partition.label, &draft.text);
            let jobs = parts.iter().map(job).collect::<Vec<_>>();
            let partitions = parts.iter().map(|part| part.partition.clone()).collect();
            (jobs, parts, partitions, reason, estimate)
        }
    };
    let Snapshot { name, connections, bound } =
        snapshot::settle(&session, location, jobs.len(), draft.tokens.is_some(), options, cancel, &mut begun)?;
    let schema = finish.casts.schema();
    let work = Work {
        location: Arc::clone(location),
        database,
        before: options.before.clone(),
        raw: draft.raw,
        finish,
        jobs,
        parts,
        joined: false,
        most: connections,
        bound,
    };
    let scan = Arc::new(Scanning::new(work, session, begun));
    Ok(Plan { schema, snapshot: name, partitions, reason, estimate, scan })
}

/// The columns as the database tells of them, and what becomes of the driver's batches.
pub(crate) fn finish(
    location: &Location,
    raw: &Schema,
    columns: Option<&[Described]>,
    options: &Options,
) -> Result<(SchemaRef, Finish)> {
    let schema = fields(raw, columns, &options.types)?;
    let times = TimesOfDay::new(&schema, &options.types);
    // The driver of PostgreSQL writes its decimals as text.
    let is_number = |field: &Field| {
        *field.data_type() == DataType::Utf8 && field.metadata().get(SOURCE_TYPE).is_some_and(|name| name == "numeric")
    };
    let numbers: Vec<usize> =
        (0..).zip(schema.fields()).filter(|(_, field)| is_number(field)).map(|(at, _)| at).collect();
    let casts = Casts::with_decimals(&times.schema(), times.types(), &numbers)?;
    let finish = Finish {
        schema: Arc::clone(&schema),
        times,
        casts,
        validate: location.validate,
        infinity: options.infinity,
        batch_bytes: options.batch_bytes,
    };
    Ok((schema, finish))
}

/// Asks the driver what the first query's result looks like, in the cheapest way that it has.
fn draft(
    session: &Session,
    location: &Arc<Location>,
    first: &Prepared,
    alone: bool,
    options: &Options,
    cancel: &Cancel,
) -> Result<Draft> {
    let columns = match location.family {
        Family::DuckDb => describe::columns(session, location, first, cancel)?,
        _ => None,
    };
    let text: Vec<bool> = columns.iter().flatten().map(|column| written_as_text(column, options)).collect();
    let text = if text.contains(&true) { text } else { Vec::new() };
    let automatic = alone && options.partitioning == Partitioning::Auto && options.workers() > 1;
    if automatic
        && matches!(location.family, Family::FlightSql | Family::Other)
        && let Some(result) = partitions(session, location, first, cancel)?
    {
        let rows = u64::try_from(result.rows_affected).ok();
        return Ok(Draft {
            raw: Arc::new(result.schema),
            columns,
            text,
            tokens: Some((result.partitions, rows)),
            begun: false,
        });
    }
    if location.family.describes()
        && let Some(raw) = schema(session, location, first, cancel)?
    {
        return Ok(Draft { raw: Arc::new(raw), columns, text, tokens: None, begun: false });
    }
    let raw = start(session, location, &job(&first.sql, &first.values, "", &text), cancel)?;
    if raw.fields().is_empty() {
        return Err(Error::new(ErrorKind::Sql, "the statement returns no columns").with_hint("write a query"));
    }
    Ok(Draft { raw, columns, text, tokens: None, begun: true })
}

/// Whether the database has to write the column, because the driver would lose something or the user wants text.
fn written_as_text(column: &Described, options: &Options) -> bool {
    let wish = options.types.get(&column.name);
    // 39 digits, one more than the driver's decimal has.
    let wide = column.type_name == "HUGEINT" && matches!(wish, Some(DataType::Decimal256(..)));
    let is_text = column.type_name == "VARCHAR" || column.type_name.starts_with("ENUM(") || column.type_name == "BLOB";
    wide || duckdb::is_lossy(&column.type_name) || (matches!(wish, Some(DataType::Utf8)) && !is_text)
}

/// What to run for a part of the result, of which some columns have to come as text.
fn job(sql: &str, values: &Arc<[Value]>, label: &str, text: &[bool]) -> Job {
    let (sql, before) = if text.is_empty() { (sql.to_owned(), 0) } else { duckdb::as_text(sql, text) };
    Job::Sql { sql, before, values: Arc::clone(values), label: label.to_owned() }
}

/// Has the driver divide the result; `None` where it cannot.
fn partitions(
    session: &Session,
    location: &Arc<Location>,
    query: &Prepared,
    cancel: &Cancel,
) -> Result<Option<PartitionedResult>> {
    let (told, sql, values) = (Arc::clone(location), query.sql.clone(), Arc::clone(&query.values));
    session.call(cancel, None, move |objects| {
        let mut statement = prepare(objects, &told, &sql, &values)?;
        match statement.execute_partitions() {
            // A server may leave the schema to its data, and then the first stream tells it.
            Ok(result) if result.schema.fields().is_empty() || result.partitions.is_empty() => Ok(None),
            Ok(result) => Ok(Some(result)),
            Err(error) => unsupported(error, &told),
        }
    })
}

/// Has the driver describe the result; `None` where it cannot.
fn schema(session: &Session, location: &Arc<Location>, query: &Prepared, cancel: &Cancel) -> Result<Option<Schema>> {
    let (told, sql, values) = (Arc::clone(location), query.sql.clone(), Arc::clone(&query.values));
    session.call(cancel, None, move |objects| {
        let mut statement = prepare(objects, &told, &sql, &values)?;
        let described = match statement.execute_schema() {
            Ok(schema) if schema.fields().is_empty() => Ok(None),
            Ok(schema) => Ok(Some(schema)),
            Err(error) => unsupported(error, &told),
        };
        objects.finish();
        described
    })
}

fn unsupported<T>(error: AdbcError, location: &Location) -> Result<Option<T>> {
    match error.status {
        Status::NotImplemented => Ok(None),
        _ => Err(from_driver(&error, Phase::Query, &location.secrets)),
    }
}

/// How the request is divided by what its user says; else it is one partition.
fn divide(
    session: &Session,
    location: &Arc<Location>,
    queries: &[Prepared],
    schema: &Schema,
    options: &Options,
    cancel: &Cancel,
    begun: &mut bool,
) -> Result<Division> {
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let ask = |sql: &str, values: &[Value]| {
        // The session has one statement at a time.
        *begun = false;
        start(session, location, &job(sql, &values.into(), "", &[]), cancel)?;
        let told = Arc::clone(location);
        let batch = session.call(cancel, None, move |objects| {
            let batch = fetch(objects, &told, 1);
            objects.finish();
            batch
        })?;
        batch.map_or(Ok(None), |batch| ends::read(&batch))
    };
    let asked = divide_as_asked(queries, &names, options, location.dialect, Some(OBSTACLE), ask)?;
    Ok(match (asked, queries) {
        (Some(division), _) => division,
        (None, [query, ..]) => Division::whole(query, reason(location.family, options)),
        (None, []) => return Err(Error::new(ErrorKind::Config, "the request holds no query")),
    })
}

/// Why a query is one partition.
fn reason(family: Family, options: &Options) -> &'static str {
    match family {
        Family::DuckDb => "DuckDB works in parallel by itself",
        _ if options.workers() == 1 => "one connection is allowed",
        Family::Postgres | Family::Sqlite => "the driver does not divide results",
        Family::FlightSql | Family::Other => "the driver did not divide the result",
    }
}
