//! From a request to a plan: the schema, and the partitions on one snapshot.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Cancel, Casts, Error, ErrorKind, Impossible, Options, Part, Plan, Request, Result, same_columns};
use bowshot_sql::{Database, Dialect, Division, Permit, Prepared, divide_as_asked};
use parking_lot::Mutex;

use crate::connect::Session;
use crate::describe::{Described, describe};
use crate::modes;
use crate::result::{Definition, flag};
use crate::scan::MySqlScan;
use crate::snapshot::{self, Snapshot};
use crate::split;
use crate::statement::Statement;
use crate::types::{Column, Types, is_rounded_as_text};
use crate::uri::{Config, Protocol};

/// The largest block of rows; a row that is larger is a block of its own.
const MOST_BATCH_BYTES: usize = 256 << 20;

/// Decides how the request will be read, over a new connection.
pub(crate) fn plan(config: &Arc<Config>, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    let permit = Permit::new(Dialect::MySql, Database::MySql, config.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let Some(first) = queries.first() else {
        return Err(Error::new(ErrorKind::Config, "there is no query"));
    };
    let asked = asked_protocol(config, options, &queries)?;
    let mut session = Session::open(config, options, cancel)?;
    modes::check(&mut session, permit, &queries)?;
    let described = describe(&mut session, first)?;
    if described.started && queries.len() > 1 {
        return Err(Error::new(ErrorKind::Unsupported, "a list of queries takes SELECTs only")
            .with_hint("read the results of procedures and of SHOW one by one"));
    }
    let Described { columns: definitions, started } = described;
    let protocol = protocol(asked, &definitions, &queries, started)?;
    let columns = columns(&definitions, &queries, protocol, options)?;
    let read_schema = schema(&columns);
    for (place, query) in queries.iter().enumerate().skip(1) {
        let other = describe(&mut session, query)?.columns;
        same_columns(&read_schema, &schema(&self::columns(&other, &queries, protocol, options)?), place + 1)?;
        if let Some((other, _)) = other.iter().zip(&definitions).find(|(other, first)| !other.reads_like(first)) {
            let message =
                format!("query {} of the list differs from the first one in column \"{}\"", place + 1, other.name);
            return Err(Error::new(ErrorKind::Config, message)
                .with_column(&other.name)
                .with_hint("queries of a list need the same names and types of columns; cast them in the queries"));
        }
    }
    let casts = Casts::new(&read_schema, &options.types)?;
    let mut division = if started {
        Division::whole(first, "the statement is no SELECT")
    } else {
        divide(&mut session, &queries, &definitions, options, None)?
    };
    let (sessions, name) = if division.parts.len() > 1 {
        let count = options.workers().min(division.parts.len());
        let Snapshot { mut sessions, name, note } = snapshot::open(session, config, options, count, &queries, cancel)?;
        if let (Some(note), Some(session)) = (note, sessions.first_mut()) {
            division = divide(session, &queries, &definitions, options, Some(&note))?;
        }
        (sessions, name)
    } else {
        (vec![session], None)
    };
    let statement = |part: &Part| Statement { protocol, sql: part.sql.clone(), values: Arc::clone(&part.values) };
    let statements = division.parts.iter().map(statement).collect();
    let partitions = division.parts.iter().map(|part| part.partition.clone()).collect();
    let schema = casts.schema();
    let scan = Arc::new_cyclic(|this| MySqlScan {
        this: this.clone(),
        protocol,
        sessions: Mutex::new(sessions),
        started: Mutex::new(started),
        definitions,
        columns,
        read_schema,
        casts,
        statements,
        parts: division.parts,
        batch_bytes: options.batch_bytes.clamp(1, MOST_BATCH_BYTES),
    });
    Ok(Plan { schema, snapshot: name, partitions, reason: division.reason, estimate: division.estimate, scan })
}

fn schema(columns: &[Column]) -> SchemaRef {
    let fields: Vec<_> = columns.iter().map(|column| Arc::clone(&column.field)).collect();
    Arc::new(Schema::new(fields))
}

/// How every column is read.
fn columns(
    definitions: &[Definition],
    queries: &[Prepared],
    protocol: Protocol,
    options: &Options,
) -> Result<Vec<Column>> {
    let types = Types { protocol, zero_dates: options.zero_dates, wanted: &options.types };
    // Only a query that can make no NULL itself keeps its columns' NOT NULL; dates that are none may become NULL.
    let strict = match queries {
        [query] => query.shape.read && query.shape.plain && options.zero_dates == Impossible::Error,
        _ => false,
    };
    let nullable =
        |definition: &Definition| !(strict && definition.table.is_some() && definition.flags & flag::NOT_NULL != 0);
    definitions.iter().map(|definition| types.column(definition, nullable(definition))).collect()
}

fn divide(
    session: &mut Session,
    queries: &[Prepared],
    definitions: &[Definition],
    options: &Options,
    obstacle: Option<&str>,
) -> Result<Division> {
    let names: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    let ends = |sql: &str, values: &[bowshot_core::Value]| {
        let row = session.query_with(sql, values)?.into_iter().next().unwrap_or_default();
        let number = |place: usize| row.get(place).cloned().flatten().and_then(|text| text.parse::<i128>().ok());
        Ok(number(0).zip(number(1)))
    };
    if let Some(division) = divide_as_asked(queries, &names, options, Dialect::MySql, obstacle, ends)? {
        return Ok(division);
    }
    match queries.first() {
        Some(query) if obstacle.is_some() => Ok(Division::whole(query, obstacle.unwrap_or_default())),
        Some(query) if options.workers() > 1 => split::divide(session, query, options),
        Some(query) => Ok(Division::whole(query, "one connection reads it")),
        None => Err(Error::new(ErrorKind::Config, "there is no query")),
    }
}

/// The protocol that the user asks for.
fn asked_protocol(config: &Config, options: &Options, queries: &[Prepared]) -> Result<Option<Protocol>> {
    let asked = match options.protocol.as_deref() {
        Some(name) => Some(Protocol::parse(name)?),
        None => config.protocol,
    };
    if asked == Some(Protocol::Text) && queries.iter().any(|query| !query.values.is_empty()) {
        return Err(Error::new(ErrorKind::Config, "the text protocol takes no parameters")
            .with_hint("leave protocol= out, or use \"binary\""));
    }
    Ok(asked)
}

/// The protocol that was asked for, else the cheaper one that serves the queries.
fn protocol(
    asked: Option<Protocol>,
    definitions: &[Definition],
    queries: &[Prepared],
    started: bool,
) -> Result<Protocol> {
    match asked {
        // It runs already, and cannot be prepared.
        Some(Protocol::Binary) if started => {
            Err(Error::new(ErrorKind::Unsupported, "the statement cannot be prepared, which the binary protocol needs")
                .with_hint("leave protocol= out, or use \"text\""))
        }
        Some(protocol) => Ok(protocol),
        None if started => Ok(Protocol::Text),
        None if queries.iter().any(|query| !query.values.is_empty()) || definitions.iter().any(is_rounded_as_text) => {
            Ok(Protocol::Binary)
        }
        None => Ok(Protocol::Binary),
    }
}
