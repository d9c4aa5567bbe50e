//! The user's choice of types: the one owner of what may become what, for every source.
//!
//! A file a family of types; [`turn`](turn::turn) hands a column to the one that it is to belong to.

mod bytes;
mod decimals;
mod family;
mod floats;
mod integers;
mod json;
mod nested;
mod temporal;
mod text;
mod turn;
mod written;

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};

use self::family::{Family, may_become};
use self::turn::{Unfit, Writing, turn};
use crate::{Error, ErrorKind, Misfit, Result, SOURCE_TYPE, format_type};

/// Turns columns into the types that the user chose: each value exactly, or an error that names the column, the value and
/// the way out.
///
/// - **Integers** are whole numbers within the range, from whatever they are written in: 1.00 fits, 1.5 does not. Truth is
///   0 or 1.
/// - **Floats** are the same number: an integer beyond 2^53 that float64 does not have, or a float64 that float32 does not
///   have, is an error. Decimals alone become the nearest float, since they hardly ever have one of their own; one
///   beyond the largest float is an error. So does text, unless it is a whole number.
/// - **Decimals** keep every digit. A float becomes the shortest decimal that stands for it in its own width: 0.1, not
///   0.10000000149011612.
/// - **Dates and times** are the same moment in another unit. A timestamp is a date at midnight alone, and never a time of
///   day. A timestamp without a zone, and a date, become UTC by declaration: what the clock shows stays. Between zones the
///   moment stays, and no timestamp loses its zone.
/// - **Text** is parsed strictly: numbers with a point and without blanks, ISO 8601, `true` and `false`. Everything becomes
///   text that says all of it: floats in the fewest digits that stand for them, lists, structs and maps as JSON.
/// - **Bytes** and text are the same bytes, where these are UTF-8.
/// - **Lists, structs and maps** follow the rules item by item, and dictionaries those of their values.
///
/// All else is an error before the first row.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{Int64Array, RecordBatch};
/// use arrow_schema::{DataType, Field, Schema};
/// use bowshot_core::Casts;
///
/// let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)]));
/// let casts = Casts::new(&schema, &[("n".to_owned(), DataType::Int8)].into())?;
/// let batch = |n: i64| RecordBatch::try_new(Arc::clone(&schema), vec![Arc::new(Int64Array::from(vec![n]))]).unwrap();
/// assert_eq!(casts.apply(batch(127))?.schema(), casts.schema());
/// assert_eq!(
///     casts.apply(batch(128)).unwrap_err().to_string(),
///     "column \"n\" (int64) holds 128, which int8 cannot; read it as text: types={\"n\": \"utf8\"}",
/// );
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Casts {
    schema: SchemaRef,
    changes: Vec<Change>,
}

/// A column that changes.
#[derive(Clone, Debug)]
struct Change {
    place: usize,
    /// As the database calls its type.
    source_type: String,
    writing: Writing,
}

impl Casts {
    /// The user's `types` for results of `schema`.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): a name that no column has, or a type that the column's cannot become.
    pub fn new(schema: &SchemaRef, types: &BTreeMap<String, DataType>) -> Result<Self> {
        Self::with_decimals(schema, types, &[])
    }

    /// The user's `types`, where the text in the columns at these places is how a database writes its decimals.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_decimals(schema: &SchemaRef, types: &BTreeMap<String, DataType>, decimals: &[usize]) -> Result<Self> {
        check_names(schema.fields().iter().map(|field| field.name().as_str()), types)?;
        let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
        let mut changes = Vec::new();
        for (place, field) in fields.iter_mut().enumerate() {
            let Some(wanted) = types.get(field.name()) else { continue };
            let writing = if decimals.contains(&place) { Writing::Decimal } else { Writing::Text };
            changes.extend(change(place, field, wanted, writing)?);
        }
        Ok(Casts { schema: Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), changes })
    }

    /// The same, where the column at `place`, whatever its name, becomes `wanted` too: the plan promised that type, and what is sent has
    /// another one.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): a type that the column's cannot become.
    pub fn with_column(mut self, place: usize, wanted: &DataType) -> Result<Self> {
        let mut fields: Vec<_> = self.schema.fields().iter().cloned().collect();
        if let Some(field) = fields.get_mut(place) {
            self.changes.extend(change(place, field, wanted, Writing::Text)?);
        }
        self.schema = Arc::new(Schema::new_with_metadata(fields, self.schema.metadata().clone()));
        Ok(self)
    }

    /// Whether values of one type may become those of another, as far as the types say.
    pub fn are_possible(from: &DataType, to: &DataType) -> bool {
        may_become(from, to)
    }

    /// Why no value of one type may become one of another and what to do, where there is more to say than that.
    pub fn why_impossible(column: &str, from: &DataType, to: &DataType) -> Option<String> {
        match (Family::of(from), Family::of(to)) {
            (Family::Timestamp(None) | Family::Date, Family::Timestamp(Some(_))) => Some(format!(
                "nothing says of which zone it is: types={{\"{column}\": \"timestamp[us, UTC]\"}} declares that it is in \
                 UTC, and other zones take a conversion in the query or in the dataframe"
            )),
            (Family::Timestamp(Some(_)), Family::Timestamp(None) | Family::Date | Family::Time) => Some(
                "its zone would be lost: leave the column out of types=, and convert it in the query or in the dataframe"
                    .to_owned(),
            ),
            (Family::Timestamp(None), Family::Time) => {
                Some("its date would be lost: take the time in the query or in the dataframe".to_owned())
            }
            _ => None,
        }
    }

    /// The schema of the batches that [`apply`](Self::apply) returns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The batch with its columns turned; without a copy of those that stay as they are.
    ///
    /// # Errors
    /// Of kind [`Value`](ErrorKind::Value): a value that would change.
    pub fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        if self.changes.is_empty() {
            return Ok(batch);
        }
        let (_, mut columns, rows) = batch.into_parts();
        for change in &self.changes {
            if let (Some(column), Some(field)) = (columns.get_mut(change.place), self.schema.fields().get(change.place))
            {
                let turned = turn(column, field.data_type(), change.writing);
                *column = turned.map_err(|unfit| misfit(unfit, column, field, &change.source_type))?;
            }
        }
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.schema(), columns, &options)?)
    }
}

/// An error where the user's `types` name a column that is not there.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config).
pub fn check_names<'a>(names: impl Iterator<Item = &'a str> + Clone, types: &BTreeMap<String, DataType>) -> Result<()> {
    match types.keys().find(|wish| !names.clone().any(|name| name == wish.as_str())) {
        None => Ok(()),
        Some(unknown) => {
            let names: Vec<&str> = names.collect();
            let message = format!("types= names a column \"{unknown}\" that is not in the result");
            Err(Error::new(ErrorKind::Config, message)
                .with_column(unknown)
                .with_hint(format!("the columns are {}", names.join(", "))))
        }
    }
}

/// Gives a field its new type, unless it has that already, and says how to turn its values.
fn change(place: usize, field: &mut FieldRef, wanted: &DataType, writing: Writing) -> Result<Option<Change>> {
    if field.data_type() == wanted {
        return Ok(None);
    }
    if !may_become(field.data_type(), wanted) {
        return Err(impossible(field, wanted));
    }
    let source_type = field.metadata().get(SOURCE_TYPE).cloned();
    let source_type = source_type.unwrap_or_else(|| format_type(field.data_type()));
    *field = Arc::new(plain(field, wanted));
    Ok(Some(Change { place, source_type, writing }))
}

/// The field in another type, which is no longer the extension type that it was.
fn plain(field: &Field, wanted: &DataType) -> Field {
    let mut metadata = field.metadata().clone();
    metadata.retain(|key, _| !key.starts_with("ARROW:extension:"));
    field.clone().with_data_type(wanted.clone()).with_metadata(metadata)
}

fn impossible(field: &Field, wanted: &DataType) -> Error {
    let (name, from, to) = (field.name(), format_type(field.data_type()), format_type(wanted));
    let hint = Casts::why_impossible(name, field.data_type(), wanted);
    Error::new(ErrorKind::Config, format!("column \"{name}\" is {from}, which cannot become {to}"))
        .with_column(name)
        .with_hint(hint.unwrap_or_else(|| "choose another type, or cast it in the query".to_owned()))
}

#[cold]
fn misfit(unfit: Unfit, column: &ArrayRef, field: &Field, source_type: &str) -> Error {
    let (name, wanted) = (field.name(), field.data_type());
    let value = match unfit {
        Unfit::Row(row) => shorten(&nested::shown(column, row)),
        Unfit::Inside(_, value) => shorten(&value),
        Unfit::Whole(why) => {
            return Error::new(
                ErrorKind::Value,
                format!("column \"{name}\" ({source_type}) cannot be {}: {why}", format_type(wanted)),
            )
            .with_column(name)
            .with_hint("leave the column out of types=, or turn it into another type in the query");
        }
    };
    let misfit = Misfit::new(name, source_type, wanted, value);
    let from = column.data_type();
    let misfit = match (Family::of(from), Family::of(wanted)) {
        (Family::Bytes, Family::Text) => misfit.because("these bytes are not UTF-8").or_as("binary"),
        (Family::Float, Family::Float) => misfit.or(format!(
            "leave it out of types=, and round it in the dataframe: frame[\"{name}\"].astype(\"{}\")",
            format_type(wanted)
        )),
        _ if may_become(from, &DataType::Utf8) => misfit.or_as("utf8"),
        _ => misfit,
    };
    misfit.into()
}

/// The beginning of a value, for a message.
fn shorten(value: &str) -> String {
    const SHOWN: usize = 80;
    match value.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", value.get(..end).unwrap_or_default()),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests;
