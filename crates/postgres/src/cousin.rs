//! Plans for servers that speak PostgreSQL's protocol and are not PostgreSQL: one query, one connection, no questions
//! to a catalogue that they do not have.

use bowshot_core::parse::decimal;
use bowshot_core::{Error, ErrorKind, Options, Result, Value};
use bowshot_postgres_values::{Catalog, Described, Types};
use bowshot_sql::{Dialect, Division, Prepared, divide_as_asked};

use crate::catalog::cell;
use crate::connect::Session;
use crate::family::Family;
use crate::plan::Chosen;
use crate::statement::Protocol;
use crate::types::CousinTypes;

/// How a cousin's result is read.
pub(crate) fn choose(
    session: &mut Session,
    queries: &[Prepared],
    described: &[Described],
    options: &Options,
    protocol: Option<&str>,
) -> Result<Chosen> {
    let family = session.family();
    let types = CousinTypes {
        types: Types { catalog: &Catalog::default(), infinity: options.infinity },
        family: session.family(),
    };
    let column = |column: &Described| types.column(column, options.types.get(&column.name));
    let columns = described.iter().map(column).collect::<Result<Vec<_>>>()?;
    let protocol = choose_protocol(family, protocol)?;
    let division = divide(session, queries, described, options)?;
    let (snapshot, proven) = (None, Vec::new());
    Ok(Chosen { columns, division, snapshot, protocol, torn: !options.one_snapshot, proven })
}

fn choose_protocol(family: Family, name: Option<&str>) -> Result<Protocol> {
    let Some(name) = name else { return Ok(Protocol::Extended) };
    let protocol = Protocol::parse(name)?;
    if family.speaks(protocol) {
        return Ok(protocol);
    }
    let known = if family.speaks(Protocol::Cursor) { "\"extended\" or \"cursor\"" } else { "\"extended\"" };
    let message = format!("{} cannot be read with protocol=\"{name}\"", family.name());
    Err(Error::new(ErrorKind::Config, message).with_hint(format!("leave protocol= out, or use {known}")))
}

fn divide(session: &mut Session, queries: &[Prepared], described: &[Described], options: &Options) -> Result<Division> {
    let names: Vec<&str> = described.iter().map(|column| column.name.as_str()).collect();
    let obstacle = format!("{} shares no snapshot between connections", session.family().name());
    let ends = |sql: &str, values: &[Value]| ends(session, sql, values);
    let asked = divide_as_asked(queries, &names, options, Dialect::Postgres, Some(&obstacle), ends)?;
    match (asked, queries) {
        (Some(division), _) => Ok(division),
        (None, [query]) if options.workers() == 1 => Ok(Division::whole(query, "one connection reads it")),
        (None, [query, ..]) => Ok(Division::whole(query, obstacle)),
        (None, []) => Err(Error::new(ErrorKind::Config, "there is no query")),
    }
}

/// The lowest and the highest key. The ranges at both ends are open, so that whole numbers near them will do.
fn ends(session: &mut Session, sql: &str, values: &[Value]) -> Result<Option<(i128, i128)>> {
    if !values.is_empty() {
        return Err(Error::new(ErrorKind::Config, "a query with parameters cannot be split by a column here")
            .with_hint("leave partition_on out, or write the values into the query"));
    }
    let rows = session.query(sql)?;
    let row = rows.first().map(Vec::as_slice).unwrap_or_default();
    let (low, high) = (cell(row, 0), cell(row, 1));
    if low.is_empty() || high.is_empty() {
        return Ok(None);
    }
    let whole = |text: &str| {
        decimal::from_text(text.as_bytes(), 38, 0).or_else(|| text.split('.').next()?.parse().ok()).ok_or_else(|| {
            Error::new(ErrorKind::Config, format!("the partition column holds {text}, which is no number"))
                .with_hint("partition_on takes a column of numbers")
        })
    };
    Ok(Some((whole(low)?, whole(high)?)))
}
