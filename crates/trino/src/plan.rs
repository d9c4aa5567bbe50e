//! How a request will be read.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bowshot_core::{Cancel, Casts, Error, ErrorKind, Options, Partitioning, Plan, Request, Result};
use bowshot_sql::{Database, Dialect, Division, Permit, Prepared, divide_as_asked};
use parking_lot::Mutex;

use crate::before;
use crate::decode::schema;
use crate::ends;
use crate::parameters;
use crate::read::{Begun, Shared, Work};
use crate::session::Session;
use crate::snapshot;
use crate::statement::{Cluster, Statement};
use crate::tls;
use crate::types::columns;
use crate::uri::Target;

/// Why there is one partition where nobody asks for anything else.
const ONE_QUERY: &str = "the server hands out the result of a query page by page, each after the one before";

/// Starts the query and learns its columns; its rows wait on the cluster.
pub(crate) fn plan(target: &Arc<Target>, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    check(options)?;
    let dialect = Dialect::Standard;
    let permit = Permit::new(dialect, Database::Trino, target.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let tls = target.tls.then(|| tls::configure(target)).transpose()?;
    let mut cluster = Cluster { target: Arc::clone(target), tls, session: Session::new(target) };
    before::run(&mut cluster, &options.before, cancel)?;

    let names = match (queries.as_slice(), &options.partitioning) {
        ([query], Partitioning::Column { .. }) => names(&cluster, query, cancel)?,
        _ => Vec::new(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let ends = |sql: &str, values: &[_]| ends::ask(&cluster, sql, values, cancel);
    let division = divide_as_asked(&queries, &names, options, dialect, Some(snapshot::OBSTACLE), ends)?;
    let division = match (division, queries.first()) {
        (Some(division), _) => division,
        (None, Some(query)) => Division::whole(query, ONE_QUERY),
        (None, None) => return Err(Error::new(ErrorKind::Config, "the request holds no query")),
    };
    let asked: Arc<[String]> = request.queries.iter().map(|query| query.sql.clone()).collect();
    draw_up(cluster, division, asked, options, cancel)
}

fn check(options: &Options) -> Result<()> {
    match options.protocol.as_deref() {
        None | Some("json") => Ok(()),
        Some(protocol) => Err(Error::new(ErrorKind::Config, format!("Trino has no protocol \"{protocol}\""))
            .with_hint("the only one is \"json\"; leave protocol out")),
    }
}

/// The names of a query's columns, without its rows.
fn names(cluster: &Cluster, query: &Prepared, cancel: &Cancel) -> Result<Vec<String>> {
    // The line break ends a comment at the end of the query.
    let sql = format!("SELECT * FROM ({}\n) bowshot LIMIT 0", query.sql);
    let mut statement = Statement::start(cluster, &sql, &parameters::text(&sql, &query.values), cancel)?;
    let columns = statement.columns(cancel)?;
    statement.finish(cancel)?;
    Ok(columns.into_iter().map(|column| column.name).collect())
}

/// Runs the first query; the others run when they are read.
fn draw_up(
    cluster: Cluster,
    division: Division,
    asked: Arc<[String]>,
    options: &Options,
    cancel: &Cancel,
) -> Result<Plan> {
    let Division { parts, reason, estimate } = division;
    let first = parts.first().ok_or_else(|| Error::new(ErrorKind::Internal, "a division without a part"))?;
    let text = parameters::text(&first.sql, &first.values);
    let begin = || {
        let mut statement = Statement::start(&cluster, &first.sql, &text, cancel)?;
        let described = statement.columns(cancel)?;
        Ok((statement, described))
    };
    let (statement, described) = begin().map_err(|error| in_the_users_text(error, &first.sql, &asked))?;
    let columns: Arc<[_]> = columns(described, &options.types)?.into();
    let source_schema = Arc::new(schema(&columns));
    let casts = Casts::new(&source_schema, &options.types)?;
    let schema = casts.schema();
    let snapshot = (parts.len() == 1).then(|| snapshot::name(statement.id()));
    let partitions = parts.iter().map(|part| part.partition.clone()).collect();
    let work = Work {
        cluster,
        asked,
        types: options.types.clone(),
        columns,
        source_schema,
        casts,
        one_by_one: options.one_snapshot,
        parts,
        batch_bytes: options.batch_bytes,
        begun: Mutex::new(Some(Begun(statement))),
        taken: AtomicBool::new(false),
    };
    Ok(Plan { schema, snapshot, partitions, reason, estimate, scan: Arc::new(Shared(Arc::new(work))) })
}

/// The error with its position only where the user's own text is the same up to there.
pub(crate) fn in_the_users_text(error: Error, sent: &str, asked: &[String]) -> Error {
    let Some(position) = error.position() else { return error };
    let same = |text: &String| text.chars().take(position).eq(sent.chars().take(position));
    if asked.iter().any(same) {
        return error;
    }
    let plain = Error::new(error.kind(), error.message());
    match error.hint() {
        Some(hint) => plain.with_hint(hint),
        None => plain,
    }
}
