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

/// The most rows of a batch that is read here.
pub const MOST_ROWS: i64 = u32::MAX as i64;

/// Reads batches whose columns have no children, are in no dictionary and are not compressed.
#[derive(Debug)]
pub struct Flat {
    /// Of the messages.
    sent: SchemaRef,
    /// Which of its columns are read, and the schema of those.
    wanted: Vec<bool>,
    schema: SchemaRef,
}

impl Flat {
    /// Reads all columns; `None` where one is not of this form.
    pub fn whole(schema: &SchemaRef) -> Option<Self> {
        let wanted = vec![true; schema.fields().len()];
        is_flat(schema).then(|| Flat { sent: Arc::clone(schema), wanted, schema: Arc::clone(schema) })
    }

    /// Reads these columns, in the messages' order.
    ///
    /// # Errors
    /// The schema has no such column.
    pub fn some(schema: &SchemaRef, columns: &[usize]) -> Result<Option<Self>, ArrowError> {
        let in_order = columns.is_sorted_by(|one, next| one < next);
        let wanted = (0..schema.fields().len()).map(|column| columns.contains(&column)).collect();
        let read = Arc::new(schema.project(columns)?);
        Ok((in_order && is_flat(schema)).then(|| Flat { sent: Arc::clone(schema), wanted, schema: read }))
    }

    /// The batch of a message; its buffers, which are not compressed, lie in `body`, and the arrays keep them.
    ///
    /// # Errors
    /// The metadata or the body is not what Arrow's format says, or there are more than [`MOST_ROWS`] rows.
    pub fn read(&self, batch: arrow_ipc::RecordBatch<'_>, body: &Buffer) -> Result<RecordBatch, ArrowError> {
        // More are refused with the metadata of a stream, unless it came behind the body.
        let rows = Some(batch.length()).filter(|rows| *rows <= MOST_ROWS).and_then(|rows| usize::try_from(rows).ok());
        let rows = rows.ok_or_else(|| refused(&format!("a batch of {} rows", batch.length())))?;
        let (nodes, buffers) = (batch.nodes().unwrap_or_default(), batch.buffers().unwrap_or_default());
        let mut parts = Parts { body, rows, nodes: nodes.iter(), buffers: buffers.iter() };
        let mut columns = Vec::with_capacity(self.schema.fields().len());
        for (field, wanted) in self.sent.fields().iter().zip(&self.wanted) {
            if *wanted {
                columns.push(parts.column(field.data_type())?);
            } else {
                parts.skip(field.data_type());
            }
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}

/// Whether all columns of a schema are read here.
fn is_flat(schema: &SchemaRef) -> bool {
    schema.fields().iter().all(|field| match field.data_type() {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary => true,
        DataType::Boolean | DataType::FixedSizeBinary(_) => true,
        other => other.is_primitive(),
    })
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

    /// Goes on to the next column.
    fn skip(&mut self, data_type: &DataType) {
        let is_long =
            matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary);
        self.nodes.next();
        // Behind the bits of its NULLs: values, or offsets and bytes.
        for _ in 0..if is_long { 3 } else { 2 } {
            self.buffers.next();
        }
    }

    fn texts<T: ByteArrayType>(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let (ends, bytes) = (self.buffer()?, self.buffer()?);
        let needed = (self.rows + 1) * size_of::<T::Offset>();
        let fits = ends.len() >= needed && ends.as_ptr().cast::<T::Offset>().is_aligned();
        let offsets = fits.then(|| ScalarBuffer::<T::Offset>::new(ends.clone(), 0, self.rows + 1));
        // Writers may leave room behind the last value.
        let used = |offsets: &ScalarBuffer<T::Offset>| offsets.last()?.to_usize().filter(|used| *used <= bytes.len());
        let found = offsets.and_then(|offsets| used(&offsets).and_then(|used| Some((ordered(offsets, used)?, used))));
        if let Some((offsets, used)) = found {
            return Ok(Arc::new(texts::<T>(offsets, bytes.slice_with_length(0, used), nulls)?));
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
