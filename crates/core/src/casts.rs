//! The user's choice of types for sources whose data is Arrow already.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_cast::display::array_value_to_string;
use arrow_cast::{CastOptions, can_cast_types, cast, cast_with_options};
use arrow_schema::{DataType, Schema, SchemaRef};

use crate::{Error, ErrorKind, Result, format_type};

/// Turns columns into the types that the user chose, exactly: a value that would become another one is an error that names
/// the column, the value and the way out. Only to floating point and to text, everything may be turned: a double is the
/// nearest one, as everywhere.
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
    /// The places of the columns that change.
    places: Vec<usize>,
}

impl Casts {
    /// The user's `types` for results of `schema`.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): a name that no column has, or a type that the column's cannot become.
    pub fn new(schema: &SchemaRef, types: &BTreeMap<String, DataType>) -> Result<Self> {
        let mut fields: Vec<_> = schema.fields().iter().cloned().collect();
        let mut places = Vec::new();
        for (name, wanted) in types {
            let mut known = false;
            for (place, field) in fields.iter_mut().enumerate().filter(|(_, field)| field.name() == name) {
                known = true;
                if field.data_type() == wanted {
                    continue;
                }
                if !can_cast_types(field.data_type(), wanted) {
                    let (from, to) = (format_type(field.data_type()), format_type(wanted));
                    return Err(Error::new(
                        ErrorKind::Config,
                        format!("column \"{name}\" is {from}, which cannot become {to}"),
                    )
                    .with_column(name)
                    .with_hint("choose another type, or cast it in the query"));
                }
                *field = Arc::new(field.as_ref().clone().with_data_type(wanted.clone()));
                places.push(place);
            }
            if !known {
                let names: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
                return Err(Error::new(
                    ErrorKind::Config,
                    format!("types= names a column \"{name}\" that is not in the result"),
                )
                .with_column(name)
                .with_hint(format!("the columns are {}", names.join(", "))));
            }
        }
        Ok(Casts { schema: Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())), places })
    }

    /// The schema of the batches that [`apply`](Self::apply) returns.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The batch with its columns turned; without a copy of those that stay as they are.
    pub fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        if self.places.is_empty() {
            return Ok(batch);
        }
        let (_, mut columns, rows) = batch.into_parts();
        for place in &self.places {
            if let (Some(column), Some(field)) = (columns.get_mut(*place), self.schema.fields().get(*place)) {
                *column = exactly(column, field.data_type(), field.name())?;
            }
        }
        let options = arrow_array::RecordBatchOptions::new().with_row_count(Some(rows));
        Ok(RecordBatch::try_new_with_options(self.schema(), columns, &options)?)
    }
}

/// The column in another type; an error where a value of it would change.
fn exactly(column: &ArrayRef, wanted: &DataType, name: &str) -> Result<ArrayRef> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    let turned = cast_with_options(column, wanted, &strict).map_err(|error| {
        match first_null(column, &cast(column, wanted)) {
            Some(row) => misfit(column, row, wanted, name),
            None => Error::new(ErrorKind::Value, format!("column \"{name}\": {error}")).with_column(name),
        }
    })?;
    let free = matches!(wanted, DataType::Float16 | DataType::Float32 | DataType::Float64)
        || matches!(wanted, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let changed = match column.data_type() {
        _ if free => None,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => rounded(column, wanted),
        from => cast(&turned, from).ok().and_then(|back| first_difference(column, &back)),
    };
    match changed {
        Some(row) => Err(misfit(column, row, wanted, name)),
        None => Ok(turned),
    }
}

/// The first row of text with more digits after the point than the decimal keeps.
fn rounded(column: &ArrayRef, wanted: &DataType) -> Option<usize> {
    let (DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale)) = wanted else { return None };
    let scale = usize::try_from(*scale).unwrap_or(0);
    let text = cast(column, &DataType::LargeUtf8).ok()?;
    let text = text.as_string::<i64>();
    let too_fine = |text: &str| {
        let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction.trim_end_matches('0'));
        // An exponent moves the point: rare enough to be refused.
        fraction.len() > scale || text.contains(['e', 'E'])
    };
    (0..text.len()).find(|row| text.is_valid(*row) && too_fine(text.value(*row)))
}

fn first_null(column: &ArrayRef, turned: &Result<ArrayRef, arrow_schema::ArrowError>) -> Option<usize> {
    let turned = turned.as_ref().ok()?;
    (0..column.len()).find(|row| column.is_valid(*row) && turned.is_null(*row))
}

fn first_difference(column: &ArrayRef, back: &ArrayRef) -> Option<usize> {
    if column == back {
        return None;
    }
    (0..column.len()).find(|row| column.slice(*row, 1) != back.slice(*row, 1))
}

fn misfit(column: &ArrayRef, row: usize, wanted: &DataType, name: &str) -> Error {
    let value = array_value_to_string(column, row).unwrap_or_else(|_| "a value".into());
    let (from, to) = (format_type(column.data_type()), format_type(wanted));
    Error::new(ErrorKind::Value, format!("column \"{name}\" ({from}) holds {value}, which {to} cannot"))
        .with_column(name)
        .with_hint(format!("read it as text: types={{\"{name}\": \"utf8\"}}"))
}

#[cfg(test)]
mod tests;
