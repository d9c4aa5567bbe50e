//! Which protocol reads a result: the one that was asked for, else the fastest one that serves it.

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_postgres_values::Column;
use bowshot_sql::Prepared;

use crate::connect::Session;
use crate::extension;
use crate::statement::Protocol;
use crate::uri::Config;

/// The protocol for these queries on PostgreSQL itself, and the version of the extension where it is Arrow.
pub(crate) fn choose(
    session: &mut Session,
    config: &Config,
    name: Option<&str>,
    queries: &[Prepared],
    columns: &[Column],
) -> Result<(Protocol, Option<String>)> {
    let copies = queries.iter().all(|query| query.shape.read && query.values.is_empty());
    match name.map(Protocol::parse).transpose()? {
        Some(Protocol::Arrow | Protocol::Copy) if !copies => {
            Err(Error::new(ErrorKind::Config, "COPY takes no parameters, and only SELECT, VALUES, WITH and TABLE")
                .with_hint("leave protocol= out, or use \"extended\""))
        }
        Some(Protocol::Arrow) => demand(session, config, columns),
        Some(protocol) => Ok((protocol, None)),
        None if !copies => Ok((Protocol::Extended, None)),
        None if decoded_here(columns).is_some() => Ok((Protocol::Copy, None)),
        None => Ok(match extension::version(session, config)? {
            Some(version) => (Protocol::Arrow, Some(version)),
            None => (Protocol::Copy, None),
        }),
    }
}

fn demand(session: &mut Session, config: &Config, columns: &[Column]) -> Result<(Protocol, Option<String>)> {
    if let Some(column) = decoded_here(columns) {
        let message = format!("types= asks for column \"{column}\" as a type that FORMAT arrow does not send");
        return Err(Error::new(ErrorKind::Config, message)
            .with_column(column)
            .with_hint("cast it in the query, or leave protocol= out"));
    }
    match extension::version(session, config)? {
        Some(version) => Ok((Protocol::Arrow, Some(version))),
        None => Err(Error::new(ErrorKind::Unsupported, "the database has no extension bowshot, which sends Arrow")
            .with_hint("have its administrator run CREATE EXTENSION bowshot, or leave protocol= out")),
    }
}

/// A column that only Bowshot's own decoder reads as the user wants it.
fn decoded_here(columns: &[Column]) -> Option<&str> {
    columns.iter().find(|column| column.decoded_here).map(|column| column.field.name().as_str())
}
