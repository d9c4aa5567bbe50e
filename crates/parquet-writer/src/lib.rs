//! Arrow batches as a Parquet file.
//!
//! [`FileWriter`] writes a file that other programs see whole or not at all: it works on a temporary file beside the target
//! and renames it in [`finish`](FileWriter::finish). Dropping the writer earlier removes the temporary file.
//!
//! Every value is written exactly or refused with an error that names its column and row. Types that Parquet lacks are stored as the
//! nearest type that holds all of their values: the table is in `storage.rs`. At most one row group is in memory.
//!
//! ```
//! use std::sync::Arc;
//!
//! use arrow_array::{Int64Array, RecordBatch};
//! use arrow_schema::{DataType, Field, Schema};
//! use bowshot_parquet_writer::{FileWriter, Options};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("numbers.parquet");
//! let schema = Arc::new(Schema::new(vec![Field::new("number", DataType::Int64, false)]));
//! let options = Options::from_texts([("compression", "zstd"), ("row_group_rows", "100000")])?;
//!
//! let mut writer = FileWriter::create(&path, &schema, &options)?;
//! writer.write(&RecordBatch::try_new(schema, vec![Arc::new(Int64Array::from(vec![1, 2, 3]))])?)?;
//! assert!(!path.exists());
//! let summary = writer.finish()?;
//! assert_eq!((summary.rows, summary.row_groups), (3, 1));
//! assert_eq!(std::fs::metadata(&path)?.len(), summary.bytes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod codec;
mod dictionary;
mod failure;
mod fault;
mod options;
mod output;
mod parquet_schema;
mod pieces;
mod properties;
mod storage;
mod temporary;
mod writer;

pub use codec::Codec;
pub use options::{Columns, Dictionaries, Intervals, Options, PageVersion, Statistics};
pub use writer::{FileWriter, Summary};
