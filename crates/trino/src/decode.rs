//! Cells into the builders of their columns.

mod builder;
mod value;

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Misfit, Result};

pub(crate) use builder::Builder;

use crate::json::{Cursor, Token};
use crate::types::Column;

/// Arrays with 32-bit offsets end at 2 GB; a batch ends long before, whatever the user wants.
const MOST_BYTES: usize = 1 << 30;

/// What is wrong with a cell.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The answer does not have the shape of its columns.
    Shape(&'static str),
    /// The value has no place in the Arrow type.
    Misfit {
        /// The value, or what of it matters.
        value: String,
        /// What it cannot be.
        what: &'static str,
    },
}

impl From<&'static str> for Fault {
    fn from(what: &'static str) -> Self {
        Fault::Shape(what)
    }
}

/// Rows into batches.
pub(crate) struct Decoder {
    columns: Arc<[Column]>,
    schema: SchemaRef,
    builders: Vec<Builder>,
    rows: usize,
    bytes: usize,
    limit: usize,
}

/// Where reading stands in a page.
pub(crate) struct Place {
    cursor: Cursor,
    /// Nothing was read yet.
    begun: bool,
    first: bool,
}

impl Default for Place {
    fn default() -> Self {
        Place { cursor: Cursor::default(), begun: false, first: true }
    }
}

impl Decoder {
    /// For batches of about `limit` bytes.
    pub(crate) fn new(columns: Arc<[Column]>, limit: usize) -> Self {
        let schema = Arc::new(schema(&columns));
        let builders = columns.iter().map(|column| Builder::new(&column.kind)).collect();
        Decoder { columns, schema, builders, rows: 0, bytes: 0, limit: limit.min(MOST_BYTES) }
    }

    /// Reads rows until the batch is full (`true`) or the page is read.
    pub(crate) fn read(&mut self, text: &str, place: &mut Place) -> Result<bool> {
        if text.is_empty() {
            return Ok(false);
        }
        if !place.begun {
            place.begun = true;
            self.expect_list(&mut place.cursor, text)?;
        }
        while self.bytes < self.limit {
            if !place.cursor.item(text, &mut place.first).map_err(|what| shape(what, None))? {
                return Ok(false);
            }
            self.row(&mut place.cursor, text)?;
        }
        Ok(true)
    }

    fn row(&mut self, cursor: &mut Cursor, text: &str) -> Result<()> {
        let start = cursor.position();
        self.expect_list(cursor, text)?;
        let mut first = true;
        for (builder, column) in self.builders.iter_mut().zip(self.columns.iter()) {
            if !cursor.item(text, &mut first).map_err(|what| shape(what, Some(column)))? {
                return Err(shape("a row with too few values", Some(column)));
            }
            builder.cell(cursor, text).map_err(|fault| failed(fault, column))?;
        }
        if cursor.item(text, &mut first).map_err(|what| shape(what, None))? {
            return Err(shape("a row with too many values", None));
        }
        self.rows += 1;
        // The text of numbers is about as long as what they become.
        self.bytes += (cursor.position() - start).max(8 * self.builders.len());
        Ok(())
    }

    fn expect_list(&self, cursor: &mut Cursor, text: &str) -> Result<()> {
        match cursor.token(text) {
            Ok(Token::List) => Ok(()),
            _ => Err(shape("rows that are no lists", None)),
        }
    }

    /// The batch; `None` where it has no rows.
    pub(crate) fn finish(&mut self) -> Result<Option<RecordBatch>> {
        if self.rows == 0 {
            return Ok(None);
        }
        let columns = self.builders.iter_mut().map(Builder::finish).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        Ok(Some(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?))
    }
}

/// The schema of the columns, before the user's choice of types.
pub(crate) fn schema(columns: &[Column]) -> Schema {
    Schema::new(columns.iter().map(|column| Arc::clone(&column.field)).collect::<Vec<_>>())
}

fn shape(what: &str, column: Option<&Column>) -> Error {
    match column {
        None => Error::new(ErrorKind::Protocol, format!("the answer holds {what}")),
        Some(column) => {
            let name = column.field.name();
            Error::new(
                ErrorKind::Protocol,
                format!("the answer holds {what}: column \"{name}\" ({})", column.type_name),
            )
            .with_column(name)
        }
    }
}

fn failed(fault: Fault, column: &Column) -> Error {
    let (value, what) = match fault {
        Fault::Shape(what) => return shape(what, Some(column)),
        Fault::Misfit { value, what } => (value, what),
    };
    let wanted = column.wanted.as_ref().unwrap_or_else(|| column.field.data_type());
    Misfit::new(column.field.name(), &column.type_name, wanted, value).because(what).or_as("utf8").into()
}
