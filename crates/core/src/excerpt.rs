//! Rows of a result as they are stored, for a consumer that decodes them elsewhere.

use arrow_schema::SchemaRef;
use bytes::Bytes;

use crate::{Options, Reader, Result};

/// Rows of a result as a Parquet file of its own: the column chunks of the columns that are read, or those of their pages that hold the
/// rows, as they are stored, and a footer for them.
///
/// Its columns are those of the result, in their order.
pub struct Excerpt<'a> {
    /// How many rows it has.
    pub rows: u64,
    /// How many bytes the file has.
    pub bytes: u64,
    /// About how many bytes its batches would have.
    pub decoded_bytes: u64,
    /// The bytes of the file, in pieces of at most about 1 MiB. An error is the last one.
    pub pieces: Box<dyn Iterator<Item = Result<Bytes>> + 'a>,
}

impl Excerpt<'_> {
    /// No excerpt has more bytes: who reads it has all of it in memory.
    pub const LARGEST: u64 = 64 << 20;
}

/// Opens an [`Excerpt`] that has arrived whole; its batches have this schema, and about
/// [`batch_bytes`](Options::batch_bytes) each.
///
/// The bytes may be a stranger's. Their batches have at most so many bytes together as the last number says; more is an error of
/// kind [`Protocol`](crate::ErrorKind::Protocol).
pub type OpenExcerpt = fn(Bytes, &SchemaRef, &Options, usize) -> Result<Box<dyn Reader + Send>>;
