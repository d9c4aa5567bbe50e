//! From a request to a plan: the schema and the partitions.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Cancel, Casts, Error, ErrorKind, Options, Plan, Request, Result, same_columns};
use bowshot_sql::{Database, Dialect, Division, Permit, Prepared, divide_as_asked};

use crate::connect::Session;
use crate::describe::{self, Described};
use crate::ends::ends;
use crate::literal;
use crate::read::{Shared, Work};
use crate::types::Type;
use crate::uri::Location;

/// Why there is one partition, as the end of a sentence that begins "because".
pub(crate) const OBSTACLE: &str = "ClickHouse has no snapshot that several connections could read";

/// The one way in which results travel.
const PROTOCOL: &str = "native";

/// ClickHouse quotes and escapes as MySQL does.
pub(crate) const DIALECT: Dialect = Dialect::MySql;

/// How a query's columns are read.
pub(crate) struct Columns {
    pub(crate) kinds: Vec<Type>,
    /// The columns as they are asked for, where the server has to cast some; names and types.
    pub(crate) select: Option<String>,
}

/// Decides how the request will be read.
pub(crate) fn plan(location: &Arc<Location>, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    if let Some(protocol) = options.protocol.as_deref().filter(|name| *name != PROTOCOL) {
        return Err(Error::new(ErrorKind::Config, format!("ClickHouse has no protocol \"{protocol}\""))
            .with_hint(format!("the protocol is {PROTOCOL}; leave protocol out")));
    }
    let permit = Permit::new(DIALECT, Database::ClickHouse, location.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    let session = Session::open(location, &options.before, cancel)?;
    let (mut columns, mut own): (Vec<Columns>, Option<SchemaRef>) = (Vec::new(), None);
    for (number, query) in (1..).zip(&queries) {
        let sql = literal::bound(&query.sql, &query.values)?;
        let described = describe::describe(&session, &sql, query.values.is_empty(), cancel)?;
        let (found, schema) = wished(described, options)?;
        match &own {
            None => own = Some(schema),
            Some(first) => same_columns(first, &schema, number)?,
        }
        columns.push(found);
    }
    let own = own.ok_or_else(|| Error::new(ErrorKind::Config, "the request holds no query"))?;
    let casts = Casts::new(&own, &options.types)?;
    let names: Vec<&str> = own.fields().iter().map(|field| field.name().as_str()).collect();
    let key = match &options.partitioning {
        bowshot_core::Partitioning::Column { column, .. } => column.as_str(),
        _ => "",
    };
    let range = |sql: &str, values: &[_]| ends(&session, sql, values, key, cancel);
    let asked = divide_as_asked(&queries, &names, options, DIALECT, Some(OBSTACLE), range)?;
    let division = match (asked, queries.first()) {
        (Some(division), _) => division,
        (None, Some(query)) => Division::whole(query, OBSTACLE),
        (None, None) => return Err(Error::new(ErrorKind::Internal, "a division of no query")),
    };
    let partitions = division.parts.iter().map(|part| part.partition.clone()).collect();
    let schema = casts.schema();
    let work = Work {
        location: Arc::clone(location),
        facts: Arc::clone(&session.facts),
        before: options.before.clone(),
        own,
        casts,
        columns,
        parts: division.parts,
        batch_bytes: options.batch_bytes,
    };
    let (reason, estimate) = (division.reason, division.estimate);
    let scan = Arc::new(Shared::new(work, session));
    Ok(Plan { schema, snapshot: None, partitions, reason, estimate, scan })
}

/// How the columns are read where the user has wishes, and their schema before Arrow's own casts.
fn wished(mut described: Vec<Described>, options: &Options) -> Result<(Columns, SchemaRef)> {
    for column in &mut described {
        if let Some(wanted) = options.types.get(&column.name) {
            column.column.kind = column.column.kind.clone().towards(wanted);
        }
    }
    let select = select(&described)?;
    let schema = Arc::new(Schema::new(described.iter().map(describe::field).collect::<Vec<_>>()));
    let kinds = described.into_iter().map(|column| column.column.kind).collect();
    Ok((Columns { kinds, select }, schema))
}

/// The list of columns with the casts that the server has to make; `None` where there are none.
fn select(described: &[Described]) -> Result<Option<String>> {
    if described.iter().all(|column| column.column.cast.is_none()) {
        return Ok(None);
    }
    let mut list = Vec::new();
    for column in described {
        let name = literal::name(&column.name);
        if described.iter().filter(|other| other.name == column.name).count() > 1 {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("two columns are called \"{}\", and ClickHouse has to cast one by its name", column.name),
            )
            .with_column(&column.name)
            .with_hint("name them in the query: SELECT a AS x, b AS y"));
        }
        list.push(match &column.column.cast {
            Some(kind) => format!("CAST({name}, '{}') AS {name}", literal::escaped(kind, '\'')),
            None => name,
        });
    }
    Ok(Some(list.join(", ")))
}
