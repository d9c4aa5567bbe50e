//! Every way to influence a file, with its default.

use std::collections::BTreeMap;

use crate::Codec;

mod parse;

/// How a file is written.
///
/// ```
/// use bowshot_parquet_writer::{Codec, Options, Statistics};
///
/// let options = Options::from_texts([("compression", "gzip"), ("compression_level", "9"), ("statistics", "chunk")])?;
/// assert_eq!((options.codec, options.statistics), (Codec::Gzip(9), Statistics::Chunk));
///
/// let error = Options::from_texts([("row_group_rows", "many")]).unwrap_err();
/// assert_eq!(error.to_string(), "row_group_rows is \"many\", which is no whole number; write a number of 1 or more");
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// `compression` and `compression_level`: the codec of all pages. Snappy by default.
    pub codec: Codec,
    /// `row_group_rows`: at most this many rows in a row group. 1,048,576 by default.
    pub row_group_rows: usize,
    /// `row_group_bytes`: a row group ends once it takes about this many bytes in the file. 128 MiB by default. This is what
    /// bounds the writer's memory.
    pub row_group_bytes: usize,
    /// `page_bytes`: a page ends at about this many bytes before compression. 1 MiB by default.
    pub page_bytes: usize,
    /// `page_rows`: at most about this many rows in a page. 20,000 by default.
    pub page_rows: usize,
    /// `page_version`: the version of data pages. 1 by default, which every reader knows.
    pub page_version: PageVersion,
    /// `dictionary`: which columns begin with dictionaries. By default those whose first rows show that it makes them smaller, and
    /// all that lie inside of others.
    pub dictionary: Dictionaries,
    /// `dictionary_bytes`: a column goes on without a dictionary once this takes more bytes. 1 MiB by default.
    pub dictionary_bytes: usize,
    /// `statistics`: how much is said of the values' bounds. Pages by default.
    pub statistics: Statistics,
    /// `bloom_filters`, `bloom_filter_fpp` and `bloom_filter_values`. None by default.
    pub bloom_filters: Columns,
    /// `bloom_filter_fpp`: how often a Bloom filter may be wrong, between 0 and 1. 0.01 by default.
    pub bloom_filter_fpp: f64,
    /// `bloom_filter_values`: distinct values in a row group that a filter is made for: `row_group_rows` by default, at most 1,048,576. A
    /// filter is made smaller where there were fewer.
    pub bloom_filter_values: Option<u64>,
    /// `arrow_schema`: whether the file keeps the Arrow schema beside Parquet's. True by default; durations need it.
    pub arrow_schema: bool,
    /// `intervals`: what intervals become.
    pub intervals: Intervals,
    /// `metadata.KEY`: more keys and values for the footer.
    pub metadata: BTreeMap<String, String>,
    /// `overwrite`: whether a file of the same name is replaced. False by default.
    pub overwrite: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            codec: Codec::Snappy,
            row_group_rows: 1 << 20,
            row_group_bytes: 128 << 20,
            page_bytes: 1 << 20,
            page_rows: 20_000,
            page_version: PageVersion::One,
            dictionary: Dictionaries::Auto,
            dictionary_bytes: 1 << 20,
            statistics: Statistics::Page,
            bloom_filters: Columns::None,
            bloom_filter_fpp: 0.01,
            bloom_filter_values: None,
            arrow_schema: true,
            intervals: Intervals::Parquet,
            metadata: BTreeMap::new(),
            overwrite: false,
        }
    }
}

/// The format of data pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PageVersion {
    /// Data pages of the first version.
    #[default]
    One,
    /// Data pages of the second version, with its encodings.
    Two,
}

/// How much a file says of its values' bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Statistics {
    /// Nothing.
    None,
    /// Bounds and NULLs of each column chunk.
    Chunk,
    /// Those of each page as well, in the column index.
    #[default]
    Page,
}

/// Which columns begin with dictionaries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Dictionaries {
    /// Those whose first rows show that it makes them smaller.
    #[default]
    Auto,
    /// These.
    Of(Columns),
}

/// Some of the columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// None of them.
    #[default]
    None,
    /// All of them.
    All,
    /// These: names of columns, and the whole path in the file for those inside of others, `lines.list.element.price`.
    Named(Vec<String>),
}

/// What intervals become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Intervals {
    /// Parquet's INTERVAL: months, days and milliseconds without a sign. Values that it cannot hold are errors.
    #[default]
    Parquet,
    /// A struct of months and days (int32) and nanoseconds (int64), which holds every interval.
    Struct,
}
