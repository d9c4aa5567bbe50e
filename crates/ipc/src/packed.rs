//! Batches in a form that compresses well: whole numbers as planes of bytes, texts as lengths and bytes.
//!
//! A codec like LZ4 or Zstandard looks for bytes that repeat. Arrow's whole numbers have as many bytes as their type, most of them
//! the same from row to row and each of them beside others that differ; its texts have offsets, which differ from row to row even
//! where all values are equally long. Here the lowest bytes of a column's numbers stand together in one plane, the next ones in
//! another, as in Parquet's `BYTE_STREAM_SPLIT`; a base is taken off, and planes of nothing but zeroes are left out. Texts become
//! their lengths, which are whole numbers, too, and their bytes.
//!
//! This is no part of Arrow's format, but a batch of it, which Arrow's own writer and reader know: each plane is a column of `UInt8`,
//! the first one with the column's NULLs, and behind all others stands a column for each one of texts, whose first value holds the
//! bytes of all rows. Who sends such a batch says so beside it, in a note of how many planes each column has, and what to add.
//! Decision 0012 tells what it saves.

mod form;
mod numbers;
mod planes;
mod texts;

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, SchemaRef};

pub use form::Form;
use planes::Planes;

/// The word by which a client of a Flight server says that it reads packed batches.
pub(crate) const PACKED: &str = "packed";

/// The batch packed, and the note that has to stand beside it, such as in a message's `app_metadata`; `None` where no column gains by it.
///
/// What stands below a NULL is not kept.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, UInt8Array};
/// use bowshot_ipc::{Form, pack};
///
/// let cities: ArrayRef = Arc::new(StringArray::from(vec!["Utrecht", "Amersfoort"]));
/// let people: ArrayRef = Arc::new(Int64Array::from(vec![376_000, 376_161]));
/// let batch = RecordBatch::try_from_iter([("city", cities), ("people", people)])?;
/// let (packed, note) = pack(&batch)?.ok_or("it has numbers")?;
/// // Lengths, one byte of each number, and the texts.
/// assert_eq!(packed.num_columns(), 3);
/// assert_eq!(packed.column(0).as_ref(), &UInt8Array::from(vec![7, 10]));
/// assert_eq!(packed.column(1).as_ref(), &UInt8Array::from(vec![0, 161]));
/// let form = Form::read(&note, batch.schema_ref())?;
/// assert_eq!(form.unpack(&packed)?, batch);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// None of a sound batch.
pub fn pack(batch: &RecordBatch) -> Result<Option<(RecordBatch, Vec<u8>)>, ArrowError> {
    let mut columns = Vec::with_capacity(batch.num_columns());
    let mut bytes = Vec::new();
    let mut all_planes = Vec::with_capacity(batch.num_columns());
    for column in batch.columns() {
        let packed = match texts::take_apart(column) {
            Some((lengths, text)) => {
                bytes.push(text);
                Some(lengths)
            }
            None => numbers::take_apart(column),
        };
        all_planes.push(packed.as_ref().map(|(planes, _)| *planes));
        match packed {
            Some((_, arrays)) => columns.extend(arrays),
            None => columns.push(Arc::clone(column)),
        }
    }
    if all_planes.iter().all(Option::is_none) {
        return Ok(None);
    }
    columns.extend(bytes);
    let form = Form::new(all_planes, batch.schema_ref());
    Ok(Some((with_rows(form.schema(), columns, batch.num_rows())?, form.note())))
}

impl Form {
    /// The batch of [`schema`](Form::schema) as it was.
    ///
    /// # Errors
    /// Its lengths are not those of its bytes, or of texts that are UTF-8; a number does not fit its type; the batch is another one's.
    pub fn unpack(&self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        let refused = || ArrowError::IpcError("a packed batch with fewer columns than its note says".to_owned());
        let mut rest = batch.columns().iter();
        let mut bytes = batch.columns().get(self.bytes_at()..).ok_or_else(refused)?.iter();
        let mut columns = Vec::with_capacity(self.whole().fields().len());
        for (field, planes) in self.whole().fields().iter().zip(self.planes()) {
            let Some(Planes { count, base }) = planes else {
                columns.push(Arc::clone(rest.next().ok_or_else(refused)?));
                continue;
            };
            let parts: Vec<&ArrayRef> = rest.by_ref().take(*count).collect();
            let of = field.data_type();
            columns.push(match form::kind_of_bytes(of) {
                Some(_) => texts::put_together(of, &parts, *base, bytes.next().ok_or_else(refused)?)?,
                None => numbers::put_together(of, &parts, *base)?,
            });
        }
        with_rows(self.whole(), columns, batch.num_rows())
    }
}

fn with_rows(schema: &SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Result<RecordBatch, ArrowError> {
    let rows = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &rows)
}

#[cfg(test)]
mod tests;
