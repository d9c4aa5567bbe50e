//! An excerpt that has arrived, as batches.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, Options, Reader, Result, bytes_of};
use bytes::Bytes;

use super::super::direct::{Direct, parts, serves};
use super::super::window::Window;
use super::super::{Meta, arrow_of, check_groups, check_magic, footer_bytes};
use super::BEFORE;
use crate::error::damaged;
use crate::guard::contained;
use crate::open::Open;
use crate::read::Batches;

/// For messages.
const PLACE: &str = "an excerpt of a Parquet file";

/// Opens the bytes of an excerpt, whosever they are: an [`OpenExcerpt`](bowshot_core::OpenExcerpt).
///
/// # Errors
/// Of kind [`Io`](ErrorKind::Io): the bytes are no Parquet file, or not one with these columns. Of kind
/// [`Protocol`](ErrorKind::Protocol): its batches have more than `limit` bytes together.
pub fn open_excerpt(
    bytes: Bytes,
    schema: &SchemaRef,
    options: &Options,
    limit: usize,
) -> Result<Box<dyn Reader + Send>> {
    let open = Arc::new(Open::memory(PLACE, bytes));
    check_magic(&open)?;
    let (meta, window) = contained(
        || PLACE.to_owned(),
        || {
            let bytes = footer_bytes(&open)?;
            let (footer, reader) = arrow_of(&bytes, PLACE, &|_| false)?;
            if !footer.encrypted.is_empty() || !footer.hollow.is_empty() {
                return Err(damaged(PLACE, "it has columns that are not sent so"));
            }
            check_groups(&reader, &footer, &open)?;
            let groups = reader.metadata().row_groups();
            let chunks = groups.iter().flat_map(|group| group.columns()).map(|chunk| chunk.byte_range()).collect();
            Ok((Meta::read_as(&reader, footer.writer, schema, PLACE)?, Window::new(&open, chunks)?))
        },
    )?;
    let columns: Vec<usize> = (0..schema.fields().len()).collect();
    let groups = 0..meta.reader.metadata().num_row_groups();
    if !serves(&meta, &columns, &groups) {
        return Err(damaged(PLACE, "it has columns that are not sent so"));
    }
    let (mut rows, mut decoded) = (0_u64, 0_u64);
    for group in meta.reader.metadata().row_groups() {
        rows = rows.saturating_add(super::super::rows(group));
        decoded = decoded.saturating_add(meta.decoded_bytes(group, &columns));
    }
    let left = limit as u64;
    if decoded > left {
        return Err(too_large(limit));
    }
    let row_bytes = usize::try_from(decoded.checked_div(rows).unwrap_or(1).max(1)).unwrap_or(usize::MAX);
    let before = before(&meta, columns.len())?;
    let mut parts = parts(&meta, groups, None);
    if let Some(first) = parts.front_mut() {
        first.before = before;
    }
    let direct =
        Direct::new(Arc::new(meta), window, &columns, parts, PLACE, options.batch_bytes_or(usize::MAX), row_bytes);
    Ok(Box::new(Received { direct, schema: Arc::clone(schema), left: limit, limit }))
}

/// For each column, how many rows its pages have before the first one that was sent; nothing where row groups were sent.
fn before(meta: &Meta, columns: usize) -> Result<Vec<usize>> {
    let file = meta.reader.metadata();
    let mut words = file.file_metadata().key_value_metadata().into_iter().flatten();
    let Some(word) = words.find(|word| word.key == BEFORE) else { return Ok(Vec::new()) };
    let numbers = word.value.iter().flat_map(|value| value.split(','));
    let numbers: Option<Vec<usize>> = numbers.map(|number| number.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.len() == columns && file.num_row_groups() == 1);
    numbers.ok_or_else(|| damaged(PLACE, "it does not say where the rows of its columns begin"))
}

/// The batches of an excerpt.
struct Received {
    direct: Direct,
    schema: SchemaRef,
    /// How many bytes of batches may still come, and how many might at first.
    left: usize,
    limit: usize,
}

impl Reader for Received {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let Some(columns) = self.direct.next()? else { return Ok(None) };
            if columns.rows == 0 {
                continue;
            }
            let rows = RecordBatchOptions::new().with_row_count(Some(columns.rows));
            let batch = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns.columns, &rows)?;
            self.left = self.left.checked_sub(bytes_of(&batch)).ok_or_else(|| too_large(self.limit))?;
            return Ok(Some(batch));
        }
    }
}

fn too_large(limit: usize) -> Error {
    Error::new(ErrorKind::Protocol, format!("{PLACE} would become more than {limit} bytes"))
}
