//! How large the pages of large column chunks are: a writer may make a single one of hundreds of megabytes.

use std::collections::HashMap;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData};

use super::header::PageKind;
use super::stored::Stored;
use super::window::Window;
use super::writer::Writer;
use crate::open::Open;

/// Pages of smaller column chunks are small.
const LARGE: i64 = 8 << 20;

/// How many pages of values are looked at: a writer whose dictionary is full ends a page early, and only the next one has its usual size.
const PAGES: usize = 4;

/// For column chunks that are large, by their row groups and leaves: the bytes of the largest of their first pages when it is unpacked.
#[derive(Default)]
pub(super) struct Sizes(HashMap<(usize, usize), u64>);

impl Sizes {
    /// Looks at a few headers of each.
    pub(super) fn look(open: &Arc<Open>, metadata: &ParquetMetaData, writer: Writer) -> Self {
        let mut sizes = HashMap::new();
        for (group, meta) in metadata.row_groups().iter().enumerate() {
            let chunks = meta.columns().iter().enumerate();
            for (leaf, chunk) in
                chunks.filter(|(_, chunk)| chunk.uncompressed_size().max(chunk.compressed_size()) > LARGE)
            {
                // From far away, what is read of a chunk is all of it.
                let whole = || u64::try_from(chunk.compressed_size()).unwrap_or(0);
                // What cannot be read is told when it is.
                let page = if open.is_local() { largest(open, chunk, writer).unwrap_or(0) } else { whole() };
                sizes.insert((group, leaf), page);
            }
        }
        Sizes(sizes)
    }

    /// About how many bytes of pages are held at once where these leaves are read.
    pub(super) fn held(&self, group: usize, leaves: &[usize]) -> u64 {
        let pages = leaves.iter().filter_map(|leaf| self.0.get(&(group, *leaf)));
        pages.fold(0, |sum, page| sum.saturating_add(*page))
    }
}

/// The largest of the first pages of values.
fn largest(open: &Arc<Open>, chunk: &ColumnChunkMetaData, writer: Writer) -> Result<u64, ParquetError> {
    let window = Window::new(open, Vec::new()).map_err(|error| ParquetError::External(Box::new(error)))?;
    let mut stored = Stored::new(&window, chunk, writer);
    let (mut largest, mut pages) = (0, 0);
    while pages < PAGES
        && let Some((header, _)) = stored.peek()?
    {
        if !matches!(header.page, PageKind::Dictionary { .. }) {
            largest = largest.max(header.unpacked as u64);
            pages += 1;
        }
        stored.skip()?;
    }
    Ok(largest)
}
