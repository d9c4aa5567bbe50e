//! Batches of the size that is wanted: large ones are cut without a copy, tiny ones are put together.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_buffer::ScalarBuffer;
use arrow_schema::{DataType, Field, SchemaRef};
use arrow_select::concat::concat_batches;
use bowshot_core::{Casts, Impossible, Result, TimesOfDay, bytes_of};

use crate::check::check;
use crate::error::from_stream;
use crate::session::Objects;
use crate::temporal::settle;
use crate::types::can_join;
use crate::uri::{Location, Validate};

/// The next batch of the session's stream, checked; as many tiny ones in one as come near to `target` bytes.
pub(crate) fn fetch(objects: &mut Objects, location: &Location, target: usize) -> Result<Option<RecordBatch>> {
    // The statement stays: a server may forget the other partitions of a result with it.
    let Some(first) = next(objects, location)? else { return Ok(None) };
    // From here on, a copy costs less than what every batch costs further on.
    let tiny = target / 8;
    let mut bytes = bytes_of(&first);
    if bytes > tiny || !can_join(first.schema_ref()) {
        return Ok(Some(first));
    }
    let schema = first.schema();
    let mut batches = vec![first];
    while bytes < target / 2 {
        let Some(batch) = next(objects, location)? else { break };
        let more = bytes_of(&batch);
        if more > tiny {
            objects.ahead = Some(batch);
            break;
        }
        bytes += more;
        batches.push(batch);
    }
    match batches.as_slice() {
        [_] => Ok(batches.pop()),
        _ => Ok(Some(concat_batches(&schema, &batches)?)),
    }
}

/// The next batch that has rows, as the driver made it.
fn next(objects: &mut Objects, location: &Location) -> Result<Option<RecordBatch>> {
    if let Some(batch) = objects.ahead.take() {
        return Ok(Some(batch));
    }
    let Some(stream) = &mut objects.stream else { return Ok(None) };
    for batch in stream {
        let batch = batch.map_err(|error| from_stream(&error, &location.secrets))?;
        if batch.num_rows() > 0 {
            if location.validate == Validate::Full {
                check(&batch)?;
            }
            return Ok(Some(batch));
        }
    }
    // Some drivers fail when they are asked once more.
    objects.stream = None;
    Ok(None)
}

/// What becomes of a driver's batch.
#[derive(Debug)]
pub(crate) struct Finish {
    /// The columns as they are named here, before the user's types.
    pub(crate) schema: SchemaRef,
    pub(crate) times: TimesOfDay,
    pub(crate) casts: Casts,
    pub(crate) validate: Validate,
    pub(crate) infinity: Impossible,
    pub(crate) batch_bytes: usize,
}

impl Finish {
    /// The batch with the plan's schema, in pieces of about the wanted size.
    pub(crate) fn pieces(&self, batch: RecordBatch) -> Result<VecDeque<RecordBatch>> {
        let (_, columns, rows) = batch.into_parts();
        let columns = match self.validate {
            Validate::None => {
                self.schema.fields().iter().zip(columns).map(|(field, column)| as_promised(column, field)).collect()
            }
            Validate::Full => {
                let fields = self.schema.fields().iter();
                fields
                    .zip(columns)
                    .map(|(field, column)| settle(as_promised(column, field), field.name(), self.infinity))
                    .collect::<Result<_>>()?
            }
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?;
        let batch = match self.validate {
            Validate::None => batch,
            Validate::Full => self.times.apply(batch)?,
        };
        let batch = self.casts.apply(batch)?;
        Ok(cut(batch, self.batch_bytes))
    }
}

/// The same bits without a sign, where the driver counts below zero what has none: PostgreSQL's `oid`.
fn as_promised(column: ArrayRef, field: &Field) -> ArrayRef {
    match (column.data_type(), field.data_type()) {
        (DataType::Int32, DataType::UInt32) => {
            let signed = column.as_primitive::<Int32Type>();
            let bits = ScalarBuffer::from(signed.values().inner().clone());
            Arc::new(UInt32Array::new(bits, signed.nulls().cloned()))
        }
        _ => column,
    }
}

/// Slices of the batch, which share its memory.
fn cut(batch: RecordBatch, batch_bytes: usize) -> VecDeque<RecordBatch> {
    let (rows, bytes) = (batch.num_rows(), bytes_of(&batch));
    let pieces = bytes / batch_bytes.max(1);
    // What is nearly as large as wanted is left alone.
    if pieces < 2 || rows < 2 {
        return [batch].into();
    }
    let step = rows.div_ceil(pieces);
    (0..rows).step_by(step).map(|start| batch.slice(start, step.min(rows - start))).collect()
}

#[cfg(test)]
mod tests {
    use arrow_array::Int64Array;
    use arrow_array::types::Int64Type;

    use super::*;

    #[test]
    fn large_batches_are_cut_without_a_copy() {
        let numbers = Int64Array::from_iter_values(0..1000);
        let memory = numbers.values().as_ptr();
        let batch = RecordBatch::try_from_iter([("n", Arc::new(numbers) as _)]).unwrap();
        let pieces = cut(batch.clone(), 1000);
        assert_eq!(pieces.len(), 8);
        assert_eq!(pieces.iter().map(RecordBatch::num_rows).sum::<usize>(), 1000);
        assert_eq!(pieces[0].column(0).as_primitive::<Int64Type>().values().as_ptr(), memory);
        assert_eq!(pieces[7].column(0).as_primitive::<Int64Type>().value(124), 999);
        assert_eq!(cut(batch, 1 << 20).len(), 1);
    }
}
