//! From a request to a plan: describe, choose types, split on one snapshot.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{
    Cancel, Casts, Error, ErrorKind, Options, Origin, Part, Partitioning, Plan, Request, Result, check_names,
};
use bowshot_postgres_values::{Cast, Column, Described, Types, comes_as_text, is_builtin, unconstrained};
use bowshot_sql::{Database, Dialect, Division, Modes, Permit, Prepared, quote_identifier};
use parking_lot::Mutex;

use crate::by_column;
use crate::catalog;
use crate::connect::Session;
use crate::cousin;
use crate::dealt;
use crate::describe::{Description, Source, description, origins, parameter_type};
use crate::family::Family;
use crate::held::Held;
use crate::locks::Locking;
use crate::protocol;
use crate::scale;
use crate::scan::{PostgresScan, Sessions};
use crate::scanned;
use crate::snapshot;
use crate::split;
use crate::statement::{Protocol, Statement};
use crate::uri::Config;

/// Bytes that one fetch of a cursor should bring, by a guess of 64 bytes a row.
const CURSOR_ROWS: i32 = 16_384;

/// Plans the request over a new connection; on a snapshot that somebody holds, if one is named.
pub(crate) fn plan(config: &Arc<Config>, request: &Request, held: Option<&Held>, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    let permit = Permit::new(Dialect::Postgres, Database::Postgres, config.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let Some(first) = queries.first() else {
        return Err(Error::new(ErrorKind::Config, "there is no query"));
    };
    let mut session = match held {
        Some(held) => held.join(config, options, &queries, cancel)?,
        None => snapshot::begin(config, options, None, cancel)?,
    };
    if session.parameter("standard_conforming_strings") == Some("off") {
        // A backslash escapes in every literal then.
        let permit = permit.with_modes(Modes { escaping_literals: true, ..Modes::default() });
        Prepared::all(request, permit)?;
    }
    let Description { columns: described, parameters } = describe_all(&mut session, &queries)?;
    let parameters = match session.family() {
        Family::Postgres => parameters.into_iter().map(parameter_type).collect(),
        // They infer less, and say "text" where they do not know.
        _ => Vec::new(),
    };
    check_names(described.iter().map(|column| column.name.as_str()), &options.types)?;
    let protocol = options.protocol.as_deref().or(config.protocol.as_deref());
    let (chosen, origins) = match session.family() {
        Family::Postgres => choose(&mut session, config, &queries, first, &described, options, protocol)?,
        _ => (cousin::choose(&mut session, &queries, &described, options, protocol)?, Vec::new()),
    };
    let Chosen { columns, division, snapshot, protocol, torn, proven } = chosen;
    let statements = division
        .parts
        .iter()
        .enumerate()
        .map(|(place, part)| {
            // A ticket's part of a list is that of its own query.
            let query = queries.iter().find(|query| query.sql == part.sql).or(queries.get(place));
            statement(part, query.unwrap_or(first), &columns, protocol)
        })
        .collect::<Result<Vec<_>>>()?;
    let proven = if protocol.decodes_here() { &[] } else { proven.as_slice() };
    let read_schema = read_schema(&columns, proven);
    let numbers: Vec<usize> = (0..).zip(&columns).filter(|(_, column)| column.is_number).map(|(at, _)| at).collect();
    let mut casts = Casts::with_decimals(&read_schema, &options.types, &numbers)?;
    for (place, column) in proven.iter().filter_map(|&place| Some((place, columns.get(place)?))) {
        casts = casts.with_column(place, column.field.data_type())?;
    }
    let schema = casts.schema();
    let partitions = division.parts.iter().map(|part| part.partition.clone()).collect();
    let scan = Arc::new_cyclic(|this| PostgresScan {
        this: this.clone(),
        // Other connections must go where this one went: other hosts have other snapshots.
        config: session.same_server(config),
        options: options.clone(),
        queries: queries.iter().map(Locking::of).collect(),
        obstacle: obstacle(&session, protocol, torn),
        prepared: queries,
        snapshot: OnceLock::new(),
        torn,
        sessions: Mutex::new(Sessions { planner: Some(session), ended: Vec::new() }),
        read_schema,
        casts,
        columns,
        statements,
        parts: division.parts,
        parameters,
        origins,
        batch_bytes: options.batch_bytes,
        cursor_rows: CURSOR_ROWS,
    });
    if let Some(name) = &snapshot {
        // It is new, so that nobody was quicker.
        let _ = scan.snapshot.set(name.clone());
    }
    Ok(Plan { schema, snapshot, partitions, reason: division.reason, estimate: division.estimate, scan })
}

/// Why nobody else can join the plan's snapshot, if nobody can.
fn obstacle(session: &Session, protocol: Protocol, torn: bool) -> Option<String> {
    match (session.family(), protocol) {
        (Family::Postgres, Protocol::Dealt) => Some("the server's extension deals each row to one reader, once".into()),
        (Family::Postgres, _) if torn => Some("its partitions share no snapshot, as the user allows".into()),
        (Family::Postgres, _) => None,
        (cousin, _) => Some(format!("{} shares no snapshot between connections", cousin.name())),
    }
}

/// How a result is read.
pub(crate) struct Chosen {
    pub(crate) columns: Vec<Column>,
    pub(crate) division: Division,
    /// The name of the snapshot that all connections see.
    pub(crate) snapshot: Option<String>,
    pub(crate) protocol: Protocol,
    /// Without one, connections may still join: the user allows partitions to see different states.
    pub(crate) torn: bool,
    /// The columns whose scale the query's text and the catalogue prove.
    pub(crate) proven: Vec<usize>,
}

/// What is read: the server's extension sends columns as it describes them, without the proof of a scale.
fn read_schema(columns: &[Column], unproven: &[usize]) -> SchemaRef {
    let field = |(place, column): (usize, &Column)| match unproven.contains(&place) {
        true => Arc::new(column.field.as_ref().clone().with_data_type(unconstrained())),
        false => Arc::clone(&column.field),
    };
    Arc::new(Schema::new(columns.iter().enumerate().map(field).collect::<Vec<_>>()))
}

/// How PostgreSQL's result is read.
fn choose(
    session: &mut Session,
    config: &Config,
    queries: &[Prepared],
    first: &Prepared,
    described: &[Described],
    options: &Options,
    wanted: Option<&str>,
) -> Result<(Chosen, Vec<Option<Origin>>)> {
    let sources = snapshot::planning(session, |session| origins(session, described))?.unwrap_or_default();
    let (typed, proven) = scale::prove(session, queries, described, options)?;
    let columns = columns(session, &typed, &sources, first, options, queries.len() == 1)?;
    let origin = |column: &Described| sources.get(&column.origin?).map(|source| source.origin.clone());
    let origins = described.iter().map(origin).collect();
    let mut division = divide(session, queries, described, options)?;
    let shared = if division.parts.len() > 1 { Some(share(session, queries)?) } else { None };
    let mut snapshot = match shared {
        Some(Ok(name)) => Some(name),
        // One after the other over the one connection, which sees one state of the database anyhow.
        Some(Err(reason)) if queries.len() > 1 => {
            division.reason = format!("they are the given queries, read over one connection: {reason}");
            None
        }
        Some(Err(reason)) => {
            division = Division::whole(first, reason);
            None
        }
        None => None,
    };
    let (mut protocol, extension) = protocol::choose(session, config, wanted, queries, &columns)?;
    if let Some(version) = extension {
        let may_deal = options.deal && options.partitioning == Partitioning::Auto && options.workers() > 1;
        if let ([query], [part], true) = (queries, &*division.parts, may_deal) {
            let whole = statement(part, query, &columns, protocol)?;
            let dealt = match share(session, queries)? {
                Ok(name) => dealt::deal(session, &whole, &division, options)?.map(|dealt| (dealt, name)),
                Err(reason) => Err(reason),
            };
            match dealt {
                Ok((dealt, name)) => (division, snapshot, protocol) = (dealt, Some(name), Protocol::Dealt),
                Err(reason) => division.reason.push_str(&format!("; the server does not deal it: {reason}")),
            }
        }
        division.reason.push_str(&format!("; the server's extension bowshot {version} sends it as Arrow"));
    }
    let chosen = Chosen { columns, division, snapshot, protocol, torn: false, proven };
    Ok((chosen, origins))
}

/// The name of a snapshot on which all connections see the same; or why there is none.
fn share(session: &mut Session, queries: &[Prepared]) -> Result<std::result::Result<String, String>> {
    match snapshot::planning(session, |session| scanned::obstacle(session, queries))? {
        Ok(None) => {}
        Ok(Some(reason)) => return Ok(Err(reason)),
        Err(error) => return Ok(Err(refused(&error))),
    }
    Ok(snapshot::export(session)?.map_err(|error| format!("the server shares no snapshot: {}", error.message())))
}

/// The columns and parameters of the first query; an error where another one has other columns.
fn describe_all(session: &mut Session, queries: &[Prepared]) -> Result<Description> {
    let mut found: Option<Description> = None;
    for (place, query) in queries.iter().enumerate() {
        let described = description(session, &query.sql)?;
        let Some(Description { columns: first, .. }) = &found else {
            found = Some(described);
            continue;
        };
        let described = described.columns;
        let differs =
            |(a, b): &(&Described, &Described)| (a.oid, a.modifier) != (b.oid, b.modifier) || a.name != b.name;
        let different = first.iter().zip(&described).find(differs);
        if first.len() != described.len() || different.is_some() {
            let which = different.map_or("the number of columns".into(), |(a, _)| format!("column \"{}\"", a.name));
            let message = format!("query {} of the list differs from the first one in {which}", place + 1);
            return Err(Error::new(ErrorKind::Config, message)
                .with_hint("queries of a list need the same names and types of columns; cast them in the queries"));
        }
    }
    Ok(found.unwrap_or_else(|| Description { columns: Vec::new(), parameters: Vec::new() }))
}

fn columns(
    session: &mut Session,
    described: &[Described],
    sources: &BTreeMap<(u32, i16), Source>,
    query: &Prepared,
    options: &Options,
    alone: bool,
) -> Result<Vec<Column>> {
    let wish = |column: &Described| options.types.get(&column.name);
    let wants_text = |oid: u32| {
        let as_text = |column: &Described| wish(column).is_some_and(|wanted| comes_as_text(oid, wanted));
        described.iter().any(|column| column.oid == oid && as_text(column))
    };
    // A numeric may be wider than any decimal.
    let falls_to_text =
        |oid: u32| described.iter().any(|column| column.oid == oid && !is_builtin(oid, column.modifier));
    let is_known = |oid: u32| is_builtin(oid, -1) && !wants_text(oid) && !falls_to_text(oid);
    let catalog = catalog::load(session, described.iter().map(|column| column.oid), is_known)?;
    let types = Types { catalog: &catalog, infinity: options.infinity };
    described
        .iter()
        .map(|column| {
            let source = column.origin.and_then(|origin| sources.get(&origin));
            let (not_null, dimensions) = source.map_or((false, 0), |source| (source.not_null, source.dimensions));
            // Only a query that can make no NULL itself keeps its columns' NOT NULL; infinite dates may become NULL.
            let may_null = options.infinity == bowshot_core::Impossible::Null;
            let nullable = !(alone && query.shape.read && query.shape.plain && not_null && !may_null);
            types.column(column, wish(column), dimensions, nullable)
        })
        .collect()
}

fn divide(session: &mut Session, queries: &[Prepared], described: &[Described], options: &Options) -> Result<Division> {
    let query = match (queries, &options.partitioning) {
        (_, Partitioning::Part(part)) => return Ok(Division::of(part)),
        ([query], _) => query,
        _ => return Ok(Division::list(queries)),
    };
    match &options.partitioning {
        Partitioning::Single => Ok(Division::whole(query, "the user asks for one")),
        Partitioning::Part(part) => Ok(Division::of(part)),
        Partitioning::Column { column, count, range } => {
            by_column::divide(session, query, described, column, *count, *range)
        }
        Partitioning::Auto if options.workers() == 1 => Ok(Division::whole(query, "one connection reads it")),
        Partitioning::Auto => {
            let divided = snapshot::planning(session, |session| split::divide(session, query, described, options))?;
            Ok(divided.unwrap_or_else(|error| Division::whole(query, refused(&error))))
        }
    }
}

/// Why there is one partition where the server refuses what only planning asks for.
fn refused(error: &Error) -> String {
    format!("the server refused what planning asked: {}", error.message())
}

fn statement(part: &Part, query: &Prepared, columns: &[Column], protocol: Protocol) -> Result<Statement> {
    let casts = columns.iter().any(|column| column.cast.is_some());
    let mut binary: Vec<bool> = columns.iter().map(|column| !column.text).collect();
    let sql = match (casts, query.shape.read) {
        (false, _) => part.sql.clone(),
        // What was declared has the casts.
        (true, _) if protocol == Protocol::Dealt => part.sql.clone(),
        (true, true) => with_casts(&part.sql, columns),
        (true, false) => {
            // SHOW, EXPLAIN and their like stand in no subquery, but Bind asks for text as well.
            for (binary, column) in binary.iter_mut().zip(columns) {
                match column.cast {
                    None => {}
                    Some(Cast::Output(_)) => *binary = false,
                    Some(Cast::Texts) => {
                        let message = format!("column \"{}\" of this statement cannot be cast", column.field.name());
                        return Err(Error::new(ErrorKind::Unsupported, message).with_column(column.field.name()));
                    }
                }
            }
            part.sql.clone()
        }
    };
    Ok(Statement { protocol, sql, params: Arc::clone(&part.values), binary })
}

/// The query inside another one that casts its columns. Names given by place, since a result may repeat its own.
fn with_casts(sql: &str, columns: &[Column]) -> String {
    let names: Vec<String> = (1..=columns.len()).map(|place| format!("c{place}")).collect();
    let list: Vec<String> = columns
        .iter()
        .zip(&names)
        .map(|(column, name)| column.cast.as_ref().map_or_else(|| name.clone(), |cast| cast.sql(name)))
        .collect();
    let alias = quote_identifier("bowshot", Dialect::Postgres);
    format!("SELECT {} FROM ({sql}\n) AS {alias}({})", list.join(", "), names.join(", "))
}
