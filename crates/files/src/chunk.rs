//! The smallest piece of a file that can be read alone.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// A piece of one file.
#[derive(Clone, Debug)]
pub(crate) struct Chunk {
    /// Which of the files.
    pub(crate) file: usize,
    pub(crate) piece: Piece,
    /// How many rows it has, where the file says so.
    pub(crate) rows: Option<u64>,
    /// About how many bytes its batches will have.
    pub(crate) bytes: u64,
    /// About how many bytes are unpacked before the first batch: a page of each column.
    pub(crate) held: u64,
}

/// Where in its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Piece {
    /// Whole row groups of Parquet.
    Groups(Range<usize>),
    /// Rows of one row group of Parquet.
    Rows { group: usize, rows: Range<u64> },
    /// Record batches of an Arrow file.
    Blocks(Range<usize>),
    /// Whole records of text: a range of bytes, and the number of the first line.
    Text { bytes: Range<u64>, line: u64 },
    /// All of a file that can only be read from its beginning.
    Whole,
}
