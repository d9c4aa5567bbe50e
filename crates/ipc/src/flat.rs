//! Batches of columns without children, straight from a message's body.
//!
//! Arrow's own reader looks at each text by itself, and at offsets twice: of lineitem that is a tenth of what reading costs.
//! Here a column's offsets and texts are checked at once. What is not in this form goes to Arrow's reader.

use std::sync::Arc;

use arrow_array::types::{BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_schema::{ArrowError, DataType, SchemaRef};
use bowshot_cells::{ordered, texts};

/// Whether all columns of a schema are read here.
pub(crate) fn is_flat(schema: &SchemaRef) -> bool {
    schema.fields().iter().all(|field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => true,
        DataType::Boolean | DataType::FixedSizeBinary(_) => true,
        other => other.is_primitive(),
    })
}

/// The batch of such a schema; its buffers, which are not compressed, lie in `body`.
///
/// # Errors
/// The metadata or the body is not what Arrow's format says.
pub(crate) fn read(
    batch: arrow_ipc::RecordBatch<'_>,
    body: &Buffer,
    schema: &SchemaRef,
) -> Result<RecordBatch, ArrowError> {
    // More are refused with the metadata, unless it came behind the body.
    let rows = u32::try_from(batch.length()).ok().and_then(|rows| usize::try_from(rows).ok());
    let rows = rows.ok_or_else(|| refused(&format!("a batch of {} rows", batch.length())))?;
    let (nodes, buffers) = (batch.nodes().unwrap_or_default(), batch.buffers().unwrap_or_default());
    let mut parts = Parts { body, rows, nodes: nodes.iter(), buffers: buffers.iter() };
    let columns = schema.fields().iter().map(|field| parts.column(field.data_type()));
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

/// What the metadata says of the columns that were not read yet.
struct Parts<'a, N, B> {
    body: &'a Buffer,
    rows: usize,
    nodes: N,
    buffers: B,
}

impl<'a, N, B> Parts<'_, N, B>
where
    N: Iterator<Item = &'a arrow_ipc::FieldNode>,
    B: Iterator<Item = &'a arrow_ipc::Buffer>,
{
    fn column(&mut self, data_type: &DataType) -> Result<ArrayRef, ArrowError> {
        let nulls = self.nulls()?;
        match data_type {
            DataType::Utf8 => self.texts::<Utf8Type>(nulls),
            DataType::LargeUtf8 => self.texts::<LargeUtf8Type>(nulls),
            DataType::Binary => self.texts::<BinaryType>(nulls),
            DataType::LargeBinary => self.texts::<LargeBinaryType>(nulls),
            fixed => {
                let values = self.buffer()?;
                let data = ArrayData::builder(fixed.clone()).len(self.rows).nulls(nulls).add_buffer(values);
                // Servers may begin a buffer where its values cannot be read.
                Ok(make_array(data.align_buffers(true).build()?))
            }
        }
    }

    fn texts<T: ByteArrayType>(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let (ends, bytes) = (self.buffer()?, self.buffer()?);
        let needed = (self.rows + 1) * size_of::<T::Offset>();
        let fits = ends.len() >= needed && ends.as_ptr().cast::<T::Offset>().is_aligned();
        let offsets = fits.then(|| ScalarBuffer::<T::Offset>::new(ends.clone(), 0, self.rows + 1));
        if let Some(offsets) = offsets.and_then(|offsets| ordered(offsets, bytes.len())) {
            return Ok(Arc::new(texts::<T>(offsets, bytes, nulls)?));
        }
        // Slices, an empty column without offsets, lies: Arrow knows them.
        let data = ArrayData::builder(T::DATA_TYPE).len(self.rows).nulls(nulls).add_buffer(ends).add_buffer(bytes);
        Ok(make_array(data.align_buffers(true).build()?))
    }

    /// Which values of the next column are not NULL.
    fn nulls(&mut self) -> Result<Option<NullBuffer>, ArrowError> {
        let node = self.nodes.next().ok_or_else(|| refused("fewer columns than its schema"))?;
        if node.length().to_usize() != Some(self.rows) {
            return Err(refused("a column of another length than its batch"));
        }
        let bits = self.buffer()?;
        if node.null_count() == 0 {
            return Ok(None);
        }
        if bits.len() < self.rows.div_ceil(8) {
            return Err(refused("a column with fewer bits than values"));
        }
        let nulls = NullBuffer::new(BooleanBuffer::new(bits, 0, self.rows));
        if node.null_count().to_usize() != Some(nulls.null_count()) {
            return Err(refused("a column with another number of NULLs than it says"));
        }
        Ok(Some(nulls))
    }

    fn buffer(&mut self) -> Result<Buffer, ArrowError> {
        let place = self.buffers.next().ok_or_else(|| refused("fewer buffers than its schema"))?;
        let begin = usize::try_from(place.offset()).ok().zip(usize::try_from(place.length()).ok());
        let inside = begin.filter(|(begin, length)| {
            begin.checked_add(*length).is_some_and(|end| end <= self.body.len()) || *length == 0
        });
        match inside {
            Some((_, 0)) => Ok(Buffer::default()),
            Some((begin, length)) => Ok(self.body.slice_with_length(begin, length)),
            None => Err(refused("a buffer outside of its message")),
        }
    }
}

fn refused(what: &str) -> ArrowError {
    ArrowError::IpcError(format!("the metadata tells of {what}"))
}
