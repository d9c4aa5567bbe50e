//! Asks the server what a query returns, without running it (Parse and Describe of the extended protocol).

use std::collections::BTreeMap;

use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{Error, ErrorKind, Origin, Result};
use bytes::BytesMut;
use postgres_protocol::message::frontend;

use crate::catalog::number;
use crate::connect::Session;
use crate::error::{broken, from_response};
use crate::message::{Body, tag};
use bowshot_postgres_values::Described;

/// What the catalogue says of the table columns that a query returns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Source {
    /// Declared NOT NULL.
    pub(crate) not_null: bool,
    /// Declared dimensions of an array; 0 for anything else.
    pub(crate) dimensions: usize,
    /// The table.
    pub(crate) origin: Origin,
}

/// What the server says of a query.
pub(crate) struct Description {
    /// The columns of its result.
    pub(crate) columns: Vec<Described>,
    /// The types of its parameters that the server has inferred, by their OIDs.
    pub(crate) parameters: Vec<u32>,
}

/// The columns of the query's result. An error where it returns no rows at all.
pub(crate) fn describe(session: &mut Session, sql: &str) -> Result<Vec<Described>> {
    description(session, sql).map(|description| description.columns)
}

/// The query's columns and parameters. An error where it returns no rows at all.
pub(crate) fn description(session: &mut Session, sql: &str) -> Result<Description> {
    let Answer { columns, parameters } = ask(session, sql)?;
    match columns {
        Some(columns) => Ok(Description { columns, parameters }),
        None => Err(Error::new(ErrorKind::Unsupported, "the statement returns no rows, so there is nothing to read")
            .with_hint("Bowshot reads results; run statements that change something with the database's own client")),
    }
}

/// The types of a statement's parameters, by their OIDs, whether it returns rows or not.
pub(crate) fn parameters(session: &mut Session, sql: &str) -> Result<Vec<u32>> {
    ask(session, sql).map(|answer| answer.parameters)
}

/// What the server answers about a statement.
struct Answer {
    /// `None` where it returns no rows.
    columns: Option<Vec<Described>>,
    parameters: Vec<u32>,
}

fn ask(session: &mut Session, sql: &str) -> Result<Answer> {
    let mut messages = BytesMut::new();
    let build = |messages: &mut BytesMut| {
        frontend::parse("", sql, std::iter::empty(), messages)?;
        frontend::describe(b'S', "", messages)?;
        if session.family().must_close() { frontend::close(b'S', "", messages) } else { Ok(()) }
    };
    build(&mut messages).map_err(|error| {
        Error::new(ErrorKind::Config, format!("the query cannot be sent: {error}")).with_source(error)
    })?;
    frontend::sync(&mut messages);
    session.send(&messages)?;
    let mut columns = None;
    let mut parameters = Vec::new();
    let mut returns_rows = true;
    let mut failure = None;
    loop {
        let message = session.receive()?;
        match message.tag {
            // ParameterDescription of the protocol's message formats.
            b't' => parameters = parameter_description(message.body)?,
            tag::ROW_DESCRIPTION => columns = Some(row_description(message.body)?),
            b'n' => returns_rows = false,
            // The first one: H2 goes on, and says more of the consequences.
            tag::ERROR => failure = failure.or_else(|| Some(from_response(message.body))),
            tag::READY => break,
            _ => {}
        }
    }
    match (failure, &columns) {
        (Some(error), _) => Err(error),
        (None, None) if returns_rows => Err(broken("it described no result")),
        (None, _) => Ok(Answer { columns, parameters }),
    }
}

/// The columns in a RowDescription message.
fn row_description(body: &[u8]) -> Result<Vec<Described>> {
    let mut body = Body(body);
    let count = body.i16().unwrap_or(0);
    (0..count).map(|_| column(&mut body).ok_or_else(|| broken("a description of a result is cut off"))).collect()
}

/// The types in a ParameterDescription message.
fn parameter_description(body: &[u8]) -> Result<Vec<u32>> {
    let mut body = Body(body);
    // There may be 65,535 of them, which the number's sign does not say.
    let count = body.i16().map_or(0, i16::cast_unsigned);
    let oid = |body: &mut Body<'_>| body.i32().map(i32::cast_unsigned);
    (0..count).map(|_| oid(&mut body).ok_or_else(|| broken("a description of parameters is cut off"))).collect()
}

/// The Arrow type of all values that a parameter of a built-in type can have. `None` where there is none: a `numeric` comes without its
/// scale, and what else is not named here is sent as text.
pub(crate) fn parameter_type(oid: u32) -> Option<DataType> {
    Some(match oid {
        16 => DataType::Boolean,
        17 => DataType::Binary,
        20 => DataType::Int64,
        21 => DataType::Int16,
        23 => DataType::Int32,
        26 => DataType::UInt32,
        25 | 1042 | 1043 => DataType::Utf8,
        700 => DataType::Float32,
        701 => DataType::Float64,
        1082 => DataType::Date32,
        1083 => DataType::Time64(TimeUnit::Microsecond),
        1114 => DataType::Timestamp(TimeUnit::Microsecond, None),
        1184 => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
        _ => return None,
    })
}

/// One column: name, table, number in the table, type, length of the type, type modifier, format.
fn column(body: &mut Body<'_>) -> Option<Described> {
    let name = String::from_utf8_lossy(body.text()?).into_owned();
    let table = body.i32()?.cast_unsigned();
    let number = body.i16()?;
    let oid = body.i32()?.cast_unsigned();
    let _length = body.i16()?;
    let modifier = body.i32()?;
    let _format = body.i16()?;
    Some(Described { name, oid, modifier, origin: (table != 0).then_some((table, number)) })
}

/// What the catalogue says of the columns that come straight from a table.
pub(crate) fn origins(session: &mut Session, columns: &[Described]) -> Result<BTreeMap<(u32, i16), Source>> {
    let pairs: Vec<String> = columns
        .iter()
        .filter_map(|column| column.origin)
        .map(|(table, number)| format!("({table}, {number})"))
        .collect();
    if pairs.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = session.query(&format!(
        "SELECT a.attrelid, a.attnum, a.attnotnull::int, a.attndims, n.nspname, c.relname FROM pg_catalog.pg_attribute a \
         JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
         WHERE (a.attrelid, a.attnum) IN ({})",
        pairs.join(", ")
    ))?;
    let entry = |row: &Vec<Option<String>>| {
        let text = |place: usize| row.get(place).cloned().flatten();
        let origin = Origin { schema: text(4), table: text(5).unwrap_or_default() };
        let source = Source { not_null: number::<u8>(row, 2)? == 1, dimensions: number(row, 3)?, origin };
        Ok(((number(row, 0)?, number(row, 1)?), source))
    };
    rows.iter().map(entry).collect()
}
