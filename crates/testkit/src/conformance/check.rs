//! Reads a case and compares.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{
    Cancel, Error, ErrorKind, Holder, Lease, Options, Plan, Query, Request, SOURCE_TYPE, Source, Stream, Ticket,
    format_type,
};

use super::{Case, Column, Failing, Value, display};

/// A result, read to its end.
pub struct Table {
    /// Its columns.
    pub schema: SchemaRef,
    /// Its rows.
    pub batches: Vec<RecordBatch>,
    /// How many partitions it came in.
    pub partitions: usize,
}

/// Reads the case's query.
///
/// # Errors
/// The case itself makes no sense; what the source says is inside.
pub fn read(source: &dyn Source, case: &Case, options: Options) -> crate::Result<Result<Table, Error>> {
    let (request, cancel) = (Request { queries: case.queries()?, options }, Cancel::new());
    Ok(planned(source, case, request, &cancel).and_then(|(plan, request)| {
        let (schema, partitions) = (SchemaRef::clone(&plan.schema), plan.partitions.len());
        let batches = Stream::start(plan, &request.options, cancel).collect::<Result<_, _>>()?;
        Ok(Table { schema, batches, partitions })
    }))
}

/// Reads the case's query partition by partition, each by its ticket as another process would; `None` where the plan does not travel.
///
/// # Errors
/// The case itself makes no sense; what the source says is inside.
pub fn read_by_tickets(
    source: &dyn Source,
    case: &Case,
    options: Options,
) -> crate::Result<Option<Result<Table, Error>>> {
    let (request, cancel) = (Request { queries: case.queries()?, options }, Cancel::new());
    let (plan, request) = match planned(source, case, request, &cancel) {
        Ok(planned) => planned,
        Err(error) => return Ok(Some(Err(error))),
    };
    if plan.travels(&request.options).is_err() {
        return Ok(None);
    }
    let joined = || {
        let holder = Holder::new(&plan, &request, Lease::default(), &cancel)?;
        let (schema, mut batches) = (SchemaRef::clone(&plan.schema), Vec::new());
        let tickets = holder.tickets()?;
        for ticket in &tickets {
            let ticket = Ticket::from_bytes(&ticket.to_bytes()?)?;
            let joined = source.join(&ticket, &Cancel::new())?;
            if joined.schema != schema {
                let message = format!("a ticket's schema is {:?}, not {schema:?}", joined.schema);
                return Err(Error::new(ErrorKind::Internal, message));
            }
            for batch in Stream::start(joined, &ticket.options(), Cancel::new()) {
                batches.push(batch?);
            }
        }
        Ok(Table { schema, batches, partitions: tickets.len() })
    };
    Ok(Some(joined()))
}

/// The case's plan, and what was planned.
fn planned(source: &dyn Source, case: &Case, mut request: Request, cancel: &Cancel) -> Result<(Plan, Request), Error> {
    if let Some(table) = &case.table {
        request.queries = vec![Query::new(format!("SELECT * FROM {}", source.naming(cancel)?.quote(table)))];
    }
    Ok((source.plan(&request, cancel)?, request))
}

/// Whether the outcome is what the case says; if not, what is different. With `any_order`, rows may come in any.
pub fn check(case: &Case, outcome: &Result<Table, Error>, any_order: bool) -> Result<(), String> {
    match (outcome, case.columns(), &case.error) {
        (Ok(table), Some(columns), None) => check_table(case, table, &columns, any_order),
        (Err(error), None, Some(expected)) => check_error(error, expected),
        (Ok(table), None, _) => Err(format!("no error, but the columns {:?}", table.schema.fields())),
        (Err(error), _, None) => Err(format!("the error {error:?}")),
        (_, Some(_), Some(_)) => Err("the case has both columns and an error".into()),
    }
}

fn check_error(error: &Error, expected: &Failing) -> Result<(), String> {
    let contains = |text: Option<&str>, part: &str| text.unwrap_or_default().contains(part);
    let same = format!("{:?}", error.kind()) == expected.kind
        && (expected.column.is_none() || error.column() == expected.column.as_deref())
        && (expected.sqlstate.is_none() || error.sqlstate() == expected.sqlstate.as_deref())
        && (expected.position.is_none() || error.position() == expected.position)
        && error.message().contains(&expected.message)
        && expected.hint.as_ref().is_none_or(|hint| contains(error.hint(), hint));
    if same { Ok(()) } else { Err(format!("another error: {error:?}, of column {:?}", error.column())) }
}

fn check_table(case: &Case, table: &Table, columns: &[Column], any_order: bool) -> Result<(), String> {
    let fields = table.schema.fields();
    if fields.len() != columns.len() {
        return Err(format!("{} columns, not {}", fields.len(), columns.len()));
    }
    for (place, (field, column)) in fields.iter().zip(columns).enumerate() {
        let has =
            (format_type(field.data_type()), field.name(), field.is_nullable(), field.metadata().get(SOURCE_TYPE));
        let (type_name, name) = (&column.type_name, column.name.as_ref().unwrap_or(has.1));
        let wanted = (type_name.clone(), name, column.nullable.unwrap_or(has.2), column.source.as_ref().or(has.3));
        if has != wanted {
            return Err(format!("column {}: {has:?}, not {wanted:?}", place + 1));
        }
        let mut expected = Vec::with_capacity(column.values.len() * case.times);
        for _ in 0..case.times {
            expected.extend(column.values.iter().map(|value| text(value, place + 1)));
        }
        let mut values = values(table, place)?;
        if any_order {
            expected.sort_unstable();
            values.sort_unstable();
        }
        check_values(&values, &expected)
            .map_err(|difference| format!("column {} ({}): {difference}", place + 1, has.1))?;
    }
    Ok(())
}

/// Every value of a column; an error where a batch is not of the schema.
fn values(table: &Table, place: usize) -> Result<Vec<String>, String> {
    let mut values = Vec::new();
    for batch in &table.batches {
        if batch.schema() != table.schema {
            return Err(format!("a batch has the schema {:?}", batch.schema()));
        }
        let array = batch.column(place);
        values.extend((0..batch.num_rows()).map(|row| display(array, row)));
    }
    Ok(values)
}

fn check_values(values: &[String], expected: &[String]) -> Result<(), String> {
    // The start of a value tells enough.
    let start = |text: &str| text.chars().take(200).collect::<String>();
    if let Some((row, (value, expected))) = (1..).zip(values.iter().zip(expected)).find(|(_, (a, b))| a != b) {
        return Err(format!("row {row} is {}, not {}", start(value), start(expected)));
    }
    if values.len() != expected.len() {
        return Err(format!("{} rows, not {}", values.len(), expected.len()));
    }
    Ok(())
}

fn text(value: &Value, column: usize) -> String {
    match value {
        Value::Text(text) => text.replace("{n}", &column.to_string()),
        Value::Repeated { repeat, times } => repeat.repeat(*times),
    }
}
