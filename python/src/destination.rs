//! What a destination can hold: one recursive plan from the schema of a result to the schema of a frame.
//!
//! [`rule`](rule::rule) is the table of types. A column whose type the destination lacks becomes another type that holds
//! every value of it, at every depth of lists, structs, maps and dictionaries; where there is none, or where a value lies
//! outside of what the destination's type means, the error names the column, its type and the way out.

mod bounds;
mod leaf;
mod narrow;
mod nested;
mod refusal;
mod rule;
mod step;
mod zone;

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Map, Result};

use nested::Part;
use refusal::Column;
use step::Step;

/// Whose types columns are to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
    /// Whatever speaks Arrow: every type stays.
    Arrow,
    /// Polars, by the Arrow C interface.
    Polars,
    /// pandas with NumPy's types and Python objects.
    Numpy,
    /// pandas on Arrow memory.
    PandasArrow,
}

/// What becomes of each column of a result.
pub(crate) struct Conversion {
    schema: SchemaRef,
    columns: Vec<(Column, Step)>,
}

impl Conversion {
    /// By the types alone, for results that are converted while they arrive.
    pub(crate) fn by_type(schema: &Schema, destination: Destination) -> Result<Self> {
        Conversion::by_values(schema, &[], destination)
    }

    /// By the types, and where Polars has no type for all values of one, by those that there are.
    fn by_values(schema: &Schema, batches: &[RecordBatch], destination: Destination) -> Result<Self> {
        let mut columns = Vec::with_capacity(schema.fields().len());
        for (index, field) in schema.fields().iter().enumerate() {
            let column = Column::new(field, destination);
            let parts = if rule::by_values(field.data_type(), destination) {
                batches.iter().map(|batch| Part::new(batch.column(index).clone(), None)).collect()
            } else {
                Vec::new()
            };
            let step = Step::plan(field, false, parts, &column)?;
            columns.push((column, step));
        }
        let fields: Vec<_> = columns.iter().map(|(_, step)| Arc::clone(step.field())).collect();
        let schema = Schema::new_with_metadata(fields, schema.metadata().clone());
        Ok(Conversion { schema: Arc::new(schema), columns })
    }

    /// The columns afterwards.
    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// What is right already is shared, not copied.
    pub(crate) fn apply(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let columns = batch.columns().iter().zip(&self.columns);
        let columns = columns.map(|(array, (column, step))| step.apply(Part::new(array.clone(), None), column));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)?)
    }

    /// What the reading threads do to each batch.
    pub(crate) fn into_map(self) -> Map {
        Arc::new(move |batch| self.apply(&batch))
    }
}

/// The batches in types that Polars has.
pub(crate) fn for_polars(schema: &SchemaRef, batches: &[RecordBatch]) -> Result<(SchemaRef, Vec<RecordBatch>)> {
    refusal::distinct(schema)?;
    let conversion = Conversion::by_values(schema, batches, Destination::Polars)?;
    let batches = batches.iter().map(|batch| conversion.apply(batch)).collect::<Result<_>>()?;
    Ok((conversion.schema, batches))
}
