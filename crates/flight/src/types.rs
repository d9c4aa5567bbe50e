//! The columns as the server announces them, and what its streams have to make of them.
//!
//! There is no table of types here: Flight SQL speaks Arrow, and every Arrow type is passed on as it is.

use std::sync::Arc;

use arrow_array::{Array, RecordBatch, RecordBatchOptions};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, SOURCE_TYPE, format_type};

/// Where servers put the database's own name of a column's type.
const TYPE_NAME: &str = "ARROW:FLIGHT:SQL:TYPE_NAME";

/// The schema of a plan, from the one that the server announces.
pub(crate) fn announced(schema: &Schema) -> SchemaRef {
    let field = |field: &FieldRef| {
        let mut metadata = field.metadata().clone();
        let name = metadata.get(TYPE_NAME).filter(|name| !name.is_empty()).cloned();
        metadata.insert(SOURCE_TYPE.to_owned(), name.unwrap_or_else(|| format_type(field.data_type())));
        field.as_ref().clone().with_metadata(metadata)
    };
    // What the server says of the table as a whole is about another table than the dataframe that this becomes.
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<Field>>()))
}

/// Makes batches of a stream's schema into batches of the plan's.
pub(crate) struct Fit {
    schema: SchemaRef,
    /// The columns that come in another encoding than announced.
    recoded: Vec<usize>,
    /// The columns that may not hold NULL, while those of the stream may.
    filled: Vec<usize>,
}

impl Fit {
    /// For a stream of `found` in a plan of `schema`; `place` says which stream it is.
    ///
    /// # Errors
    /// Of kind [`Protocol`](ErrorKind::Protocol), naming the column that is another one.
    pub(crate) fn new(schema: &SchemaRef, found: &Schema, place: &str) -> Result<Self> {
        let wrong =
            |what: String| Error::new(ErrorKind::Protocol, format!("{place} has other columns than announced: {what}"));
        let (count, wanted) = (found.fields().len(), schema.fields().len());
        if count != wanted {
            return Err(wrong(format!("it has {count}, not {wanted}")));
        }
        let mut fit = Fit { schema: Arc::clone(schema), recoded: Vec::new(), filled: Vec::new() };
        for (number, (ours, theirs)) in schema.fields().iter().zip(found.fields()).enumerate() {
            let name = ours.name();
            if name != theirs.name() {
                let what = format!("column {} is \"{}\", not \"{name}\"", number + 1, theirs.name());
                return Err(wrong(what).with_column(name));
            }
            if ours.data_type() != theirs.data_type() {
                if !same_values(ours.data_type(), theirs.data_type()) {
                    let [ours, theirs] = [ours, theirs].map(|field| format_type(field.data_type()));
                    return Err(wrong(format!("column \"{name}\" is {theirs}, not {ours}")).with_column(name));
                }
                fit.recoded.push(number);
            }
            if !ours.is_nullable() && theirs.is_nullable() {
                fit.filled.push(number);
            }
        }
        Ok(fit)
    }

    /// The batch with the plan's schema.
    pub(crate) fn apply(&self, batch: RecordBatch) -> Result<RecordBatch> {
        let (_, mut columns, rows) = batch.into_parts();
        let strict = CastOptions { safe: false, ..CastOptions::default() };
        for place in &self.recoded {
            let (Some(column), Some(field)) = (columns.get_mut(*place), self.schema.fields().get(*place)) else {
                continue;
            };
            *column = cast_with_options(column, field.data_type(), &strict).map_err(|error| {
                let [found, wanted] = [column.data_type(), field.data_type()].map(format_type);
                let message =
                    format!("column \"{}\" comes as {found} and cannot become {wanted}: {error}", field.name());
                Error::new(ErrorKind::Protocol, message).with_column(field.name())
            })?;
        }
        for place in &self.filled {
            let (Some(column), Some(field)) = (columns.get(*place), self.schema.fields().get(*place)) else { continue };
            if column.logical_null_count() > 0 {
                let message = format!("column \"{}\" was announced without NULL and holds NULL", field.name());
                return Err(Error::new(ErrorKind::Protocol, message).with_column(field.name()));
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
            .map_err(|error| Error::new(ErrorKind::Protocol, format!("a batch that is not as announced: {error}")))
    }
}

/// Whether two types hold the same values, only written in another way. Servers announce dictionaries and send plain text,
/// or the other way round; fields of lists have various names.
fn same_values(ours: &DataType, theirs: &DataType) -> bool {
    use DataType::*;
    let plain = |of: &FieldRef, other: &FieldRef| same_values(of.data_type(), other.data_type());
    match (ours, theirs) {
        (Dictionary(_, value), other) | (other, Dictionary(_, value)) => same_values(value, other),
        (Utf8 | LargeUtf8 | Utf8View, Utf8 | LargeUtf8 | Utf8View) => true,
        (Binary | LargeBinary | BinaryView, Binary | LargeBinary | BinaryView) => true,
        (List(a) | LargeList(a), List(b) | LargeList(b)) => plain(a, b),
        (FixedSizeList(a, n), FixedSizeList(b, m)) => n == m && plain(a, b),
        (Map(a, _), Map(b, _)) => plain(a, b),
        (Struct(a), Struct(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.name() == b.name() && plain(a, b))
        }
        (ours, theirs) => ours == theirs,
    }
}

#[cfg(test)]
mod tests;
