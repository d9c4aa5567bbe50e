//! Times of day: what a column counts has to be within one day, wherever Arrow data comes from.
//!
//! Databases and files know 24:00:00, and drivers times below zero. No consumer has them: one makes another time of them, another one
//! NULL. So they are an error, unless the user takes the column as text or as numbers, which hold them.

mod look;
mod written;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_cast::cast;
use arrow_schema::{DataType, Field, Schema, SchemaRef};

use crate::{Error, ErrorKind, Result, format_type};

/// The columns of a source's batches that hold times, and what becomes of them.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Time32SecondArray};
/// use arrow_schema::{DataType, Field, Schema, TimeUnit};
/// use bowshot_core::TimesOfDay;
///
/// let field = Field::new("t", DataType::Time32(TimeUnit::Second), true);
/// let schema = Arc::new(Schema::new(vec![field]));
/// let midnight = || vec![Arc::new(Time32SecondArray::from(vec![86_400])) as ArrayRef];
/// let error = TimesOfDay::new(&schema, &Default::default()).settle(&mut midnight()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "column \"t\" (time32[s]) holds 24:00:00, which is not within one day; \
///      read it as text or as numbers: types={\"t\": \"utf8\"} or types={\"t\": \"int32\"}",
/// );
/// let times = TimesOfDay::new(&schema, &[("t".to_owned(), DataType::Utf8)].into());
/// assert_eq!(times.schema().field(0).data_type(), &DataType::Utf8);
/// assert!(times.settle(&mut midnight()).is_ok());
/// ```
#[derive(Clone, Debug)]
pub struct TimesOfDay {
    schema: SchemaRef,
    /// The user's types that are not reached here.
    types: BTreeMap<String, DataType>,
    columns: Vec<(usize, Become)>,
}

/// What becomes of a column.
#[derive(Clone, Debug, PartialEq)]
enum Become {
    /// Checked.
    Times,
    /// Text, or numbers, of any value.
    Free(DataType),
}

impl TimesOfDay {
    /// For batches of `schema`, and the user's `types`, of which some are reached here.
    pub fn new(schema: &SchemaRef, types: &BTreeMap<String, DataType>) -> Self {
        let (mut columns, mut left) = (Vec::new(), types.clone());
        let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
        for (place, field) in fields.iter_mut().enumerate().filter(|(_, field)| look::holds_times(field.data_type())) {
            let wanted = types.get(field.name());
            match wanted.and_then(|wanted| free(field.data_type(), wanted)) {
                Some(of) => {
                    columns.push((place, Become::Free(of.clone())));
                    left.remove(field.name());
                    *field = Arc::new(field.as_ref().clone().with_data_type(of));
                }
                // Whoever makes something else of it looks at each value.
                None if wanted.is_some_and(|wanted| !look::holds_times(wanted)) => {}
                None => columns.push((place, Become::Times)),
            }
        }
        let schema = match columns.iter().any(|(_, what)| *what != Become::Times) {
            true => Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())),
            false => Arc::clone(schema),
        };
        TimesOfDay { schema, types: left, columns }
    }

    /// The user's types that are not reached here.
    pub fn types(&self) -> &BTreeMap<String, DataType> {
        &self.types
    }

    /// The schema of the columns that are settled.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The batch with its columns [settled](Self::settle).
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        if self.columns.is_empty() {
            return Ok(batch);
        }
        let (_, mut columns, rows) = batch.into_parts();
        self.settle(&mut columns)?;
        let options = RecordBatchOptions::new().with_row_count(Some(rows)).with_match_field_names(false);
        Ok(RecordBatch::try_new_with_options(self.schema(), columns, &options)?)
    }

    /// Checks the columns of a batch, or turns them into what the user takes them as.
    ///
    /// # Errors
    /// Of kind [`Value`](ErrorKind::Value), with the column: a time is not within one day.
    pub fn settle(&self, columns: &mut [ArrayRef]) -> Result<()> {
        for (place, what) in &self.columns {
            let (Some(column), Some(field)) = (columns.get_mut(*place), self.schema.fields().get(*place)) else {
                continue;
            };
            match what {
                Become::Times => check(column, field.name())?,
                Become::Free(wanted) => *column = freed(column, wanted)?,
            }
        }
        Ok(())
    }
}

/// What a column becomes whose values may have any count; `None` where it is not that what is wanted. Where times lie in lists or
/// structs, their numbers are wanted by the name of one.
fn free(of: &DataType, wanted: &DataType) -> Option<DataType> {
    let of = if let DataType::Dictionary(_, values) = of { values } else { of };
    let is_number = matches!(wanted, DataType::Int32 | DataType::Int64);
    match of {
        DataType::Time32(_) | DataType::Time64(_) => {
            let text = matches!(wanted, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
            (text || *wanted == DataType::Int64 || look::numbers(of) == *wanted).then(|| wanted.clone())
        }
        nested if is_number && nested.is_nested() => Some(look::numbers(nested)).filter(|of| !look::holds_times(of)),
        _ => None,
    }
}

fn freed(column: &ArrayRef, wanted: &DataType) -> Result<ArrayRef> {
    if let DataType::Dictionary(_, values) = column.data_type() {
        return freed(&cast(column, values)?, wanted);
    }
    if matches!(wanted, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) {
        return Ok(cast(&written::text(column), wanted)?);
    }
    match column.data_type() {
        // Arrow's casts do not know them; what they hold lies there as it is.
        DataType::ListView(_) | DataType::LargeListView(_) => as_it_lies(column, wanted),
        _ => Ok(cast(column, wanted)?),
    }
}

/// A list whose items have another type and the same bits.
fn as_it_lies(column: &ArrayRef, wanted: &DataType) -> Result<ArrayRef> {
    let data = column.to_data();
    let (DataType::ListView(item) | DataType::LargeListView(item)) = wanted else { return Ok(Arc::clone(column)) };
    let items =
        data.child_data().iter().map(|items| Ok(freed(&make_array(items.clone()), item.data_type())?.to_data()));
    let items = items.collect::<Result<Vec<_>>>()?;
    Ok(make_array(data.into_builder().data_type(wanted.clone()).child_data(items).build()?))
}

/// An error where a time in a column is not within one day.
fn check(column: &ArrayRef, name: &str) -> Result<()> {
    if !look::may_be_outside(column) {
        return Ok(());
    }
    match (0..column.len()).find_map(|row| look::outside(column, row)) {
        Some(value) => Err(refused(column.data_type(), name, &value)),
        None => Ok(()),
    }
}

#[cold]
fn refused(of: &DataType, name: &str, value: &str) -> Error {
    let numbers = look::numbers(of);
    let way = |wanted: &str| format!("types={{\"{name}\": \"{wanted}\"}}");
    let hint = match &numbers {
        DataType::Int32 | DataType::Int64 => {
            format!("read it as text or as numbers: {} or {}", way("utf8"), way(&format_type(&numbers)))
        }
        nested if !look::holds_times(nested) => format!("read its times as numbers: {}", way("int64")),
        _ => "name the other columns in the query, or have the times written again within one day".to_owned(),
    };
    let message = format!("column \"{name}\" ({}) holds {value}, which is not within one day", format_type(of));
    Error::new(ErrorKind::Value, message).with_column(name).with_hint(hint)
}

#[cfg(test)]
mod tests;
