//! The formats of the files.

use std::fs::File;
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::writer::FileWriter;
use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, Result};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

/// Rows of a row group: a quarter of a file of the demo's lineitem, so that a file can be read in parts.
const GROUP: usize = 1 << 16;

/// How a file is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Parquet, compressed with Snappy.
    #[default]
    Parquet,
    /// Arrow IPC, not compressed, so that it can be read from mapped memory without a copy.
    Arrow,
}

impl Format {
    /// The end of a file's name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Parquet => "parquet",
            Format::Arrow => "arrow",
        }
    }

    /// Writes batches into a new file.
    pub(crate) fn write(
        self,
        path: &Path,
        schema: &SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch>>,
    ) -> Result<()> {
        let file = File::create_new(path).map_err(|error| failed(path, error))?;
        match self {
            Format::Parquet => {
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .set_max_row_group_row_count(Some(GROUP))
                    .build();
                let refused = |error| failed(path, error);
                let mut writer =
                    ArrowWriter::try_new(file, SchemaRef::clone(schema), Some(properties)).map_err(refused)?;
                for batch in batches {
                    writer.write(&batch?).map_err(refused)?;
                }
                writer.close().map(|_| ()).map_err(refused)
            }
            Format::Arrow => {
                let mut writer = FileWriter::try_new_buffered(file, schema)?;
                for batch in batches {
                    writer.write(&batch?)?;
                }
                Ok(writer.finish()?)
            }
        }
    }
}

/// The error of a file that cannot be written.
pub(crate) fn failed(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::new(ErrorKind::Io, format!("{} cannot be written: {error}", path.display()))
        .with_hint("free some space there, or name another folder")
        .with_source(error)
}
