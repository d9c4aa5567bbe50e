//! From a request to a plan: the schema, and mostly one partition.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{Field, Schema, SchemaRef};
use bowshot_core::{
    Cancel, Casts, Error, ErrorKind, Options, Part, Plan, Request, Result, SOURCE_TYPE, Value, check_names,
    same_columns,
};
use bowshot_sql::{Database, Dialect, Division, Modes, Permit, Prepared, depends_on_modes, divide_as_asked};
use parking_lot::Mutex;

use crate::block::Access;
use crate::cursor::Cursor;
use crate::driver::Family;
use crate::fetch::{Column, Job};
use crate::handle::Records;
use crate::moments::Rules;
use crate::parameters::Parameter;
use crate::read::{Shared, Work};
use crate::rewrite::rewrite;
use crate::session::{Desk, Session};
use crate::statement::Description;
use crate::types::{chosen, rule};
use crate::uri::Location;
use crate::zero_dates;

/// Why there is one partition.
pub(crate) const OBSTACLE: &str = "connections of an ODBC driver share no snapshot";

/// Decides how the request will be read.
pub(crate) fn plan(location: &Arc<Location>, request: &Request, cancel: &Cancel) -> Result<Plan> {
    let options = &request.options;
    let by_row = match options.protocol.as_deref() {
        None | Some("block") => false,
        Some("row") => true,
        Some(other) => {
            return Err(Error::new(ErrorKind::Config, format!("ODBC has no protocol \"{other}\"")).with_hint(
                "\"block\" fetches many rows at once, \"row\" one after the other; leave it out to have the faster one",
            ));
        }
    };
    let session = Session::open(location, &options.before, cancel)?;
    let family = session.driver.family;
    let dialect = match family {
        Family::MariaDb => Dialect::MySql,
        _ => Dialect::Standard,
    };
    let permit = Permit::new(dialect, session.driver.database, location.calls.or(options.calls));
    let queries = Prepared::all(request, permit)?;
    check_modes(&session, permit, &queries, cancel)?;
    let mut described: Vec<Arc<[Column]>> = Vec::new();
    let mut schema: Option<SchemaRef> = None;
    for (number, query) in (1..).zip(&queries) {
        let columns = columns(&session, query, options, cancel)?;
        let own = Arc::new(schema_of(&columns));
        match &schema {
            None => schema = Some(own),
            Some(first) => same_columns(first, &own, number)?,
        }
        described.push(columns.into());
    }
    let read_schema = schema.unwrap_or_else(|| Arc::new(Schema::empty()));
    let columns = described.first().map_or(&[][..], |columns| columns);
    let numbers: Vec<usize> = (0..).zip(columns).filter(|(_, column)| column.is_number).map(|(at, _)| at).collect();
    let casts = Casts::with_decimals(&read_schema, &options.types, &numbers)?;
    let schema = casts.schema();
    if options.protocol.as_deref() == Some("block") {
        refuse_long(&described)?;
    }
    let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
    let asked = divide_as_asked(&queries, &names, options, dialect, Some(OBSTACLE), |sql, values| {
        ends(&session, sql, values, cancel)
    })?;
    let division = match (asked, queries.first()) {
        (Some(division), _) => division,
        (None, Some(query)) => Division::whole(query, OBSTACLE),
        (None, None) => return Err(Error::new(ErrorKind::Config, "the request holds no query")),
    };
    let Division { parts, reason, estimate } = division;
    let mut partitions = Vec::new();
    let mut jobs = Vec::new();
    for (index, Part { sql, values, partition }) in parts.iter().cloned().enumerate() {
        // Each query of a list has its own columns, the parts of one query have the same.
        let place = queries.iter().position(|query| query.sql == sql).unwrap_or(index);
        let Some(columns) = described.get(place.min(described.len().saturating_sub(1))).cloned() else { continue };
        let sql = match rewrite(&sql, columns.iter().map(|column| &column.rule)) {
            Some(rewritten) => {
                if index == 0 || described.len() > 1 {
                    try_rewritten(&session, &rewritten, &values, &columns, cancel)?;
                }
                rewritten
            }
            None => sql,
        };
        let label = partition.label.clone();
        jobs.push(Arc::new(Job { sql, values, columns, label, batch_bytes: options.batch_bytes, by_row }));
        partitions.push(partition);
    }
    let rules = Rules { infinity: options.infinity, zero_dates: options.zero_dates };
    let work = Work {
        location: Arc::clone(location),
        before: options.before.clone(),
        read_schema,
        casts,
        jobs,
        parts,
        rules,
        many: !options.one_snapshot,
        idle: Mutex::new(vec![session]),
    };
    let scan = Arc::new(Shared(Arc::new(work)));
    Ok(Plan { schema, snapshot: None, partitions, reason, estimate, scan })
}

/// Checks once more what a session of MySQL with another `sql_mode` than the default reads in another way.
fn check_modes(session: &Session, permit: Permit, queries: &[Prepared], cancel: &Cancel) -> Result<()> {
    if permit.database != Database::MySql || !queries.iter().any(|query| depends_on_modes(&query.sql)) {
        return Ok(());
    }
    let row = session.call(cancel, |desk| desk.first_row("SELECT @@sql_mode", &[]))?;
    let mode = row.into_iter().flatten().next().unwrap_or_default();
    let permit = permit.with_modes(Modes::of_mysql(&mode));
    queries.iter().try_for_each(|query| permit.check(&query.sql))
}

/// The columns of a query, and how each is read.
fn columns(session: &Session, query: &Prepared, options: &Options, cancel: &Cancel) -> Result<Vec<Column>> {
    let (sql, values) = (query.sql.clone(), Arc::clone(&query.values));
    let descriptions = session.call(cancel, move |desk| describe(desk, &sql, &values))?;
    let family = session.driver.family;
    check_names(descriptions.iter().map(|column| column.name.as_str()), &options.types)?;
    let column = |description: Description| {
        let own = rule(&description, family);
        let is_number = own.data_type.is_decimal();
        let rule = match options.types.get(&description.name) {
            Some(wanted) => chosen(&description, own, wanted, family)?,
            None => own,
        };
        let nullable = !(family.knows_nulls() && description.no_nulls);
        Ok(Column { name: description.name, type_name: description.type_name, nullable, rule, is_number })
    };
    let mut columns: Vec<Column> = descriptions.into_iter().map(column).collect::<Result<_>>()?;
    let marked = columns.iter().any(|column| matches!(column.rule.access, Access::Marked { .. }));
    if marked && !session.call(cancel, |desk| Ok(zero_dates::are_written(desk)))? {
        for column in &mut columns {
            column.rule = column.rule.clone().without_marks();
        }
    }
    Ok(columns)
}

/// What the driver says of a query's columns, without running it where it can.
fn describe(desk: &Desk, sql: &str, values: &[Value]) -> Result<Vec<Description>> {
    let columns = match Cursor::open_if_needed(desk, sql, values)? {
        Some(cursor) => {
            let columns = cursor.rows(0).and_then(|rows| rows.columns().map_err(|records| desk.error(&records)));
            cursor.end(columns)?
        }
        None => prepare(desk, sql, values)?,
    };
    if columns.is_empty() {
        return Err(Error::new(ErrorKind::Sql, "the statement returns no result")
            .with_hint("statements that only change something belong into before="));
    }
    Ok(columns)
}

fn prepare(desk: &Desk, sql: &str, values: &[Value]) -> Result<Vec<Description>> {
    let fail = |records: Records| desk.error(&records);
    let mut statement = desk.statement()?;
    statement.prepare(sql).map_err(fail)?;
    statement.bind_parameters(values.iter().map(Parameter::new).collect()).map_err(fail)?;
    if let Ok(columns) = statement.columns()
        && !columns.is_empty()
    {
        return Ok(columns);
    }
    // Some drivers know only what they have run.
    statement.execute().map_err(fail)?;
    statement.columns().map_err(fail)
}

fn schema_of(columns: &[Column]) -> Schema {
    let field = |column: &Column| {
        let metadata: HashMap<String, String> = [(SOURCE_TYPE.to_owned(), column.type_name.clone())].into();
        Field::new(&column.name, column.rule.data_type.clone(), column.nullable).with_metadata(metadata)
    };
    Schema::new(columns.iter().map(field).collect::<Vec<_>>())
}

fn refuse_long(described: &[Arc<[Column]>]) -> Result<()> {
    let mut columns = described.iter().flat_map(|columns| columns.iter());
    match columns.find(|column| column.rule.access.is_long()) {
        None => Ok(()),
        Some(Column { name, .. }) => {
            let message =
                format!("column \"{name}\" may be of any length, and the protocol \"block\" has bounded buffers");
            Err(Error::new(ErrorKind::Unsupported, message)
                .with_column(name)
                .with_hint("leave protocol out, or cast the column to a varchar of a known length"))
        }
    }
}

/// Whether the database takes the query as a subquery.
fn try_rewritten(
    session: &Session,
    sql: &str,
    values: &Arc<[Value]>,
    columns: &Arc<[Column]>,
    cancel: &Cancel,
) -> Result<()> {
    let (text, values, count) = (sql.to_owned(), Arc::clone(values), columns.len());
    let found = session.call(cancel, move |desk| describe(desk, &text, &values));
    let why = match found {
        Ok(found) if found.len() == count => return Ok(()),
        Ok(_) => "it has other columns there".to_owned(),
        Err(error) if error.kind() != ErrorKind::Sql => return Err(error),
        Err(error) => error.message().to_owned(),
    };
    let spoiled = columns.iter().find(|column| column.rule.cast.is_some());
    let (name, type_name) = spoiled.map_or(("", ""), |column| (&column.name, &column.type_name));
    Err(Error::new(
        ErrorKind::Unsupported,
        format!(
            "column \"{name}\" ({type_name}) would be spoiled by {}, and the query cannot stand in a FROM clause, \
             where the database would make it text: {why}",
            session.driver.label
        ),
    )
    .with_column(name)
    .with_hint(format!("cast \"{name}\" to text in the query, or read with postgresql:// instead of odbc:")))
}

/// The lowest and the highest key, rounded outwards.
fn ends(session: &Session, sql: &str, values: &[Value], cancel: &Cancel) -> Result<Option<(i128, i128)>> {
    let (text, values) = (sql.to_owned(), values.to_vec());
    let row = session.call(cancel, move |desk| desk.first_row(&text, &values))?;
    let [Some(low), Some(high)] = row.as_slice() else { return Ok(None) };
    let whole = |text: &str, up: bool| {
        let number = || {
            Error::new(ErrorKind::Unsupported, format!("the keys reach to {text}, which is not a number of 64 bits"))
                .with_hint("partition on a column of whole numbers")
        };
        rounded(text.trim(), up).ok_or_else(number)
    };
    Ok(Some((whole(low, false)?, whole(high, true)?)))
}

/// A number in text as a whole one, rounded up or down.
fn rounded(text: &str, up: bool) -> Option<i128> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let value: i128 = match whole {
        "" | "-" | "+" => 0,
        whole => whole.parse().ok()?,
    };
    if !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let exact = fraction.bytes().all(|byte| byte == b'0');
    Some(match (exact, text.starts_with('-'), up) {
        (true, ..) | (false, false, false) | (false, true, true) => value,
        (false, false, true) => value + 1,
        (false, true, false) => value - 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_rounded_outwards() {
        for (text, down, up) in
            [("5", 5, 5), ("5.0", 5, 5), ("5.5", 5, 6), ("-5.5", -6, -5), ("-.5", -1, 0), (".5", 0, 1)]
        {
            assert_eq!((rounded(text, false), rounded(text, true)), (Some(down), Some(up)), "{text}");
        }
        for text in ["x", "1e5", "1.5e5", ""] {
            assert_eq!(rounded(text, false).filter(|_| !text.is_empty()), None, "{text}");
        }
    }
}
