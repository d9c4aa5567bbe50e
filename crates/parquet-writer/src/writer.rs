//! The writer of one file.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, Schema, SchemaRef};
use bowshot_core::{Error, ErrorKind, Result, contained, format_type};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::errors::ParquetError;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use crate::dictionary::is_worthwhile;
use crate::failure::parquet_failed;
use crate::output::Output;
use crate::parquet_schema::descriptor;
use crate::pieces::rows_a_piece;
use crate::properties::properties;
use crate::storage::{Column, unique};
use crate::temporary::Temporary;
use crate::{Dictionaries, Options};

/// Writes batches of one schema as a Parquet file, one row group after the other.
///
/// After an error the file is given up: the temporary file is removed at once, and the writer takes no more batches.
pub struct FileWriter {
    stage: Stage,
    plan: Plan,
    /// Where to, as errors name it.
    name: String,
    rows: u64,
}

/// How far a file has come.
enum Stage {
    /// Its first rows will tell which columns are worth a dictionary.
    Waiting(Output),
    /// It has begun.
    Open(Box<ArrowWriter<Output>>),
    /// It is whole, or given up.
    Over,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Rows of the whole file.
    pub rows: u64,
    /// Row groups, each of one row or more.
    pub row_groups: usize,
    /// The file's size in bytes.
    pub bytes: u64,
}

impl FileWriter {
    /// Begins a file that takes its place at `path` in [`finish`](Self::finish).
    ///
    /// # Errors
    /// The path exists and [`Options::overwrite`] is false; its folder cannot be written to; an option or a type of the
    /// schema is impossible.
    pub fn create(path: &Path, schema: &Schema, options: &Options) -> Result<Self> {
        let plan = Plan::new(schema, options)?;
        // Only a file that can be written leaves a trace.
        Ok(plan.open(Output::File(Temporary::create(path, options.overwrite)?)))
    }

    /// Writes to anything that takes bytes, which gets the last of them in [`finish`](Self::finish).
    ///
    /// # Errors
    /// An option or a type of the schema is impossible.
    pub fn new(to: impl Write + Send + 'static, schema: &Schema, options: &Options) -> Result<Self> {
        Ok(Plan::new(schema, options)?.open(Output::Other(Box::new(to))))
    }

    /// Writes a batch. Its columns must have the types of the schema, in its order; a batch without rows changes nothing.
    ///
    /// # Errors
    /// A batch of another schema, a value that the file cannot hold, a disk that is full; the file is given up.
    pub fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let written = self.fits(batch).and_then(|()| self.pieces(batch));
        if written.is_err() {
            self.abort();
        }
        written
    }

    /// Ends the file, which has its name from here on. A file without batches is a valid one without rows.
    ///
    /// # Errors
    /// The disk fails, or the path came to exist meanwhile; the file is given up.
    pub fn finish(mut self) -> Result<Summary> {
        let mut writer = self.begun(None)?;
        let footer = self.guarded(|| writer.finish())?;
        let bytes = u64::try_from(writer.bytes_written()).unwrap_or(u64::MAX);
        writer.inner_mut().commit()?;
        Ok(Summary { rows: self.rows, row_groups: footer.num_row_groups(), bytes })
    }

    /// Gives the file up: the temporary file is removed, and no batch is taken any more. Dropping the writer does the same.
    pub fn abort(&mut self) {
        self.stage = Stage::Over;
    }

    /// The schema of the batches that it takes.
    pub fn schema(&self) -> &SchemaRef {
        &self.plan.given
    }

    /// Rows that were written so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// About how many bytes of memory the row group in progress takes.
    pub fn memory(&self) -> usize {
        match &self.stage {
            Stage::Open(writer) => writer.memory_size(),
            Stage::Waiting(_) | Stage::Over => 0,
        }
    }

    /// Whether a batch has the columns that were promised.
    fn fits(&self, batch: &RecordBatch) -> Result<()> {
        let (expected, found) = (self.plan.given.fields(), batch.schema_ref().fields());
        let mismatch = |message: String| {
            Error::new(ErrorKind::Value, message)
                .with_hint("write batches of the schema that the writer was opened with")
        };
        if expected.len() != found.len() {
            return Err(mismatch(format!("the batch has {} columns, the file {}", found.len(), expected.len())));
        }
        for (expected, found) in expected.iter().zip(found) {
            if expected.name() != found.name() || !expected.data_type().equals_datatype(found.data_type()) {
                let described =
                    |field: &arrow_schema::Field| format!("\"{}\" ({})", field.name(), format_type(field.data_type()));
                let message =
                    format!("the batch has the column {}, the file {}", described(found), described(expected));
                return Err(mismatch(message).with_column(expected.name()));
            }
        }
        Ok(())
    }

    fn pieces(&mut self, batch: &RecordBatch) -> Result<()> {
        let most = rows_a_piece(batch, self.plan.options.row_group_bytes);
        let mut start = 0;
        while start < batch.num_rows() {
            let in_progress = match &self.stage {
                Stage::Open(writer) => writer.in_progress_rows(),
                Stage::Waiting(_) => 0,
                Stage::Over => return Err(self.given_up()),
            };
            let room = self.plan.options.row_group_rows.saturating_sub(in_progress).max(1);
            let rows = most.min(room).min(batch.num_rows() - start);
            self.piece(&batch.slice(start, rows))?;
            start += rows;
        }
        Ok(())
    }

    fn piece(&mut self, batch: &RecordBatch) -> Result<()> {
        let stored = self.plan.columns.iter().zip(batch.columns()).map(|(column, array)| {
            let stored = contained(|| column.store(array, None)).map_err(panicked)?;
            stored.map_err(|fault| fault.into_error(self.rows))
        });
        let stored: Vec<ArrayRef> = stored.collect::<Result<_>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        let piece = RecordBatch::try_new_with_options(Arc::clone(&self.plan.physical), stored, &options)?;
        // The writer is dropped where it fails.
        let mut writer = self.begun(Some(&piece))?;
        let Options { row_group_rows, row_group_bytes, .. } = self.plan.options;
        self.guarded(|| {
            writer.write(&piece)?;
            if writer.in_progress_rows() >= row_group_rows || writer.in_progress_size() >= row_group_bytes {
                writer.flush()?;
            }
            Ok(())
        })?;
        self.stage = Stage::Open(writer);
        self.rows = self.rows.saturating_add(u64::try_from(batch.num_rows()).unwrap_or(u64::MAX));
        Ok(())
    }

    /// Takes the library's writer out, which begins the file where that was not done.
    fn begun(&mut self, first: Option<&RecordBatch>) -> Result<Box<ArrowWriter<Output>>> {
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Open(writer) => Ok(writer),
            Stage::Waiting(output) => {
                let plain = first.map(|first| self.plan.without_dictionary(first)).unwrap_or_default();
                self.plan.begin(output, &plain, &self.name).map(Box::new)
            }
            Stage::Over => Err(self.given_up()),
        }
    }

    /// Runs Parquet's library, whose panics are errors as well.
    fn guarded<T>(&self, work: impl FnOnce() -> Result<T, ParquetError>) -> Result<T> {
        contained(work).map_err(panicked)?.map_err(|error| parquet_failed(&self.name, error))
    }

    fn given_up(&self) -> Error {
        let message = format!("{} was given up after an earlier error, or is finished", self.name);
        Error::new(ErrorKind::Config, message).with_hint("open a new writer")
    }
}

impl std::fmt::Debug for FileWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileWriter").field("name", &self.name).field("rows", &self.rows).finish_non_exhaustive()
    }
}

fn panicked(words: Option<String>) -> Error {
    let words = words.unwrap_or_else(|| "it did not say why".to_owned());
    Error::new(ErrorKind::Internal, format!("the library that writes Parquet failed: {words}"))
        .with_hint("please report this")
}

/// What is known of a file before its first row.
struct Plan {
    /// The caller's fields, for a look at each batch.
    given: SchemaRef,
    columns: Vec<Column>,
    /// What the file's two schemas say.
    declared: Schema,
    descriptor: SchemaDescriptor,
    /// The fields of the arrays that Parquet's library gets.
    physical: SchemaRef,
    options: Options,
}

impl Plan {
    fn new(schema: &Schema, options: &Options) -> Result<Self> {
        if schema.fields().is_empty() {
            let message = "the schema has no columns, and Parquet keeps no rows without them";
            return Err(Error::new(ErrorKind::Unsupported, message).with_hint("write at least one column"));
        }
        unique(schema.fields().iter().map(|field| field.name().as_str()), None)?;
        let columns = schema.fields().iter().map(|field| Column::new(field, options)).collect::<Result<Vec<_>>>()?;
        let fields = |of: fn(&Column) -> &FieldRef| columns.iter().map(of).cloned().collect::<Vec<_>>();
        let declared = Schema::new_with_metadata(fields(Column::declared), schema.metadata().clone());
        let physical = Arc::new(Schema::new(fields(Column::physical)));
        let made = contained(|| descriptor(&declared)).map_err(panicked)?;
        let descriptor = made.map_err(|error| parquet_failed("the Parquet file", error))?;
        let plan =
            Plan { given: Arc::new(schema.clone()), columns, declared, descriptor, physical, options: options.clone() };
        // What is impossible is refused before there is a file.
        plan.begin(Output::Other(Box::new(std::io::sink())), &[], "the Parquet file")?;
        Ok(plan)
    }

    fn open(self, output: Output) -> FileWriter {
        FileWriter { name: output.name(), stage: Stage::Waiting(output), plan: self, rows: 0 }
    }

    /// The places, among the leaves, of columns whose first rows hardly repeat.
    fn without_dictionary(&self, first: &RecordBatch) -> Vec<usize> {
        let Options { row_group_rows, row_group_bytes, dictionary_bytes, .. } = self.options;
        if self.options.dictionary != Dictionaries::Auto {
            return Vec::new();
        }
        let a_row = first.get_array_memory_size().checked_div(first.num_rows()).unwrap_or_default().max(1);
        let rows = row_group_rows.min(row_group_bytes / a_row).max(first.num_rows());
        let leaves = self.descriptor.columns().iter().enumerate();
        let is_plain = |leaf: &ColumnDescriptor| {
            let [name] = leaf.path().parts() else { return false };
            let array = first.column_by_name(name);
            array.is_some_and(|array| !is_worthwhile(array, leaf, rows, dictionary_bytes))
        };
        leaves.filter(|(_, leaf)| is_plain(leaf)).map(|(place, _)| place).collect()
    }

    fn begin(&self, output: Output, plain: &[usize], name: &str) -> Result<ArrowWriter<Output>> {
        let settings = ArrowWriterOptions::new()
            .with_properties(properties(&self.options, &self.declared, &self.descriptor, plain)?)
            // The properties have the schema that is declared, which is not that of the arrays.
            .with_skip_arrow_metadata(true)
            .with_parquet_schema(self.descriptor.clone());
        let open = || ArrowWriter::try_new_with_options(output, Arc::clone(&self.physical), settings);
        contained(open).map_err(panicked)?.map_err(|error| parquet_failed(name, error))
    }
}
