//! Partitions as batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, new_null_array};
use arrow_schema::{Field, Schema};
use bowshot_core::{
    Aggregate, Cancel, Casts, Connection, Error, ErrorKind, Excerpt, Hold, Options, Reader, Result, Scan, Site,
};

use crate::chunk::Chunk;
use crate::connect::Store;
use crate::dataset::{Data, Dataset, Origin};
use crate::held::Holding;
use crate::open::Open;
use crate::snapshot::File;
use crate::uri::Place;
use crate::view::View;
use crate::{csv, facts, hive, ipc, json, parquet};

/// What a format's reader yields: some columns of a file, in their order in it.
pub(crate) struct Columns {
    pub(crate) columns: Vec<ArrayRef>,
    pub(crate) rows: usize,
}

/// A format's reader of one chunk.
pub(crate) trait Batches: Send {
    /// The next rows; `None` after the last ones. Not to be called again after an error.
    fn next(&mut self) -> Result<Option<Columns>>;
}

/// A partition as it will be read.
pub(crate) struct Job {
    pub(crate) view: Arc<View>,
    pub(crate) chunks: Vec<Chunk>,
    /// How many rows it may yield.
    pub(crate) limit: Option<u64>,
}

/// The live side of a plan.
#[derive(Clone)]
pub(crate) struct Shared(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) dataset: Arc<Dataset>,
    pub(crate) jobs: Vec<Job>,
    /// Whether all rows of the files are read, but for a limit.
    is_whole: bool,
    batch_bytes: usize,
    /// The same for Parquet, where a chunk may be one batch.
    parquet_batch: usize,
}

impl Shared {
    pub(crate) fn new(dataset: Arc<Dataset>, jobs: Vec<Job>, options: &Options) -> Self {
        let (batch_bytes, parquet_batch) = (options.batch_bytes, options.batch_bytes_or(usize::MAX));
        let is_whole = options.prune.is_empty() && dataset.location.range.is_none();
        Shared(Arc::new(Inner { dataset, jobs, is_whole, batch_bytes, parquet_batch }))
    }
}

impl Scan for Shared {
    fn site(&self) -> Site {
        Site::Files
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        let store = Store::new(&self.0.dataset.location, cancel)?;
        Ok(Box::new(Worker { shared: self.clone(), store, cancel: cancel.clone() }))
    }

    fn aggregates(&self, asked: &[Aggregate]) -> Result<Option<Vec<ArrayRef>>> {
        let Inner { dataset, jobs, is_whole, .. } = self.0.as_ref();
        match jobs.first() {
            Some(job) if *is_whole => facts::all(dataset, &job.view, asked),
            _ => Ok(None),
        }
    }

    /// Files stay as they were listed, or are told from what they became.
    fn obstacle(&self) -> Option<String> {
        None
    }

    fn needs_holder(&self) -> bool {
        false
    }

    fn hold(&self, _: u128, _: &Cancel) -> Result<Box<dyn Hold>> {
        Ok(Box::new(Holding::new(self.clone())))
    }

    /// The first piece tells: files of one result are alike, as a rule.
    fn has_excerpts(&self) -> bool {
        let Inner { dataset, jobs, .. } = self.0.as_ref();
        let first = jobs.first().and_then(|job| Some((job, job.chunks.first()?)));
        first.is_some_and(|(job, chunk)| has_excerpts(dataset, &job.view, chunk))
    }
}

/// One worker's connection.
struct Worker {
    shared: Shared,
    store: Store,
    cancel: Cancel,
}

impl Connection for Worker {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let inner = &self.shared.0;
        let job = inner.jobs.get(index);
        let job = job.ok_or_else(|| Error::new(ErrorKind::Internal, format!("the plan has no partition {index}")))?;
        Ok(Box::new(Partition { worker: self, inner, job, next: 0, left: job.limit, current: None }))
    }
}

/// Reads the chunks of a partition, one after the other.
struct Partition<'a> {
    worker: &'a Worker,
    inner: &'a Inner,
    job: &'a Job,
    /// The chunk that comes next.
    next: usize,
    /// How many rows may still come.
    left: Option<u64>,
    current: Option<Current<'a>>,
}

/// A chunk that is being read.
struct Current<'a> {
    open: Arc<Open>,
    batches: Box<dyn Batches + 'a>,
    /// The columns that are read, in their order in the file.
    columns: Vec<usize>,
    file: usize,
}

impl Reader for Partition<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            self.worker.cancel.check()?;
            if self.left == Some(0) {
                return Ok(None);
            }
            let Some(current) = &mut self.current else {
                let Some(chunk) = self.job.chunks.get(self.next) else { return Ok(None) };
                self.next += 1;
                self.current = Some(self.start(chunk)?);
                continue;
            };
            let Some(columns) = current.batches.next()? else {
                current.open.check()?;
                self.current = None;
                continue;
            };
            if columns.rows == 0 {
                continue;
            }
            let mut batch = batch(&self.inner.dataset, &self.job.view, current, &columns)?;
            if let Some(left) = &mut self.left {
                let rows = usize::try_from(*left).unwrap_or(usize::MAX).min(batch.num_rows());
                batch = batch.slice(0, rows);
                *left -= rows as u64;
            }
            return Ok(Some(batch));
        }
    }

    fn excerpt(&mut self, smaller: u64) -> Result<Option<Excerpt<'_>>> {
        self.worker.cancel.check()?;
        let (None, Some(chunk)) = (&self.current, self.job.chunks.get(self.next)) else { return Ok(None) };
        let (Data::Parquet(metas), Some(rows)) = (&self.inner.dataset.data, chunk.rows) else { return Ok(None) };
        let (Some(meta), true) = (metas.get(chunk.file), self.left.is_none_or(|left| left >= rows)) else {
            return Ok(None);
        };
        let (schema, Some(columns)) =
            (self.job.view.casts.schema(), stored_columns(&self.inner.dataset, &self.job.view, chunk.file, meta))
        else {
            return Ok(None);
        };
        let open = Arc::new(self.worker.store.open(self.file(chunk)?)?);
        let excerpt = parquet::excerpt(&open, meta, &columns, &schema, chunk, smaller)?;
        if excerpt.is_some() {
            self.next += 1;
            self.left = self.left.map(|left| left - rows);
        }
        Ok(excerpt)
    }
}

impl<'a> Partition<'a> {
    fn file(&self, chunk: &Chunk) -> Result<&'a Arc<File>> {
        self.inner.dataset.files.get(chunk.file).ok_or_else(|| missing(chunk))
    }

    fn start(&self, chunk: &Chunk) -> Result<Current<'a>> {
        let dataset = &self.inner.dataset;
        let open = Arc::new(self.worker.store.open(self.file(chunk)?)?);
        let columns = columns(dataset, &self.job.view, chunk.file);
        let bytes = self.inner.batch_bytes;
        let batches = match &dataset.data {
            Data::Parquet(metas) => {
                let meta = metas.get(chunk.file).ok_or_else(|| missing(chunk))?;
                parquet::read(&open, meta, &columns, chunk, self.inner.parquet_batch)?
            }
            Data::Arrow(metas) => ipc::read(
                &open,
                metas.get(chunk.file).ok_or_else(|| missing(chunk))?,
                &columns,
                &chunk.piece,
                bytes,
                &dataset.location,
            )?,
            Data::Text(table) => csv::read(&open, table, chunk, &columns, bytes)?,
            Data::Json(table) => json::read(&open, table, chunk, &columns, bytes)?,
        };
        Ok(Current { open, batches, columns, file: chunk.file })
    }
}

/// The columns of the result, in its order.
fn batch(dataset: &Dataset, view: &View, current: &Current<'_>, found: &Columns) -> Result<RecordBatch> {
    let column = |(place, field): (&usize, &Arc<Field>)| -> Result<ArrayRef> {
        match dataset.origin(current.file, *place) {
            Origin::File(place) => {
                let at = current.columns.binary_search(&place).ok();
                let array = at.and_then(|at| found.columns.get(at)).cloned();
                let lost = || Error::new(ErrorKind::Internal, "a column was not read").with_column(field.name());
                widened(array.ok_or_else(lost)?, field)
            }
            Origin::Nothing => Ok(new_null_array(field.data_type(), found.rows)),
            Origin::Folder(key) => {
                let file = dataset.files.get(current.file);
                let value = file.and_then(|file| file.keys.get(key)).and_then(|(_, value)| value.as_deref());
                Ok(hive::column(value, field.data_type(), found.rows))
            }
        }
    };
    let columns = view.places.iter().zip(view.schema.fields()).map(column).collect::<Result<Vec<_>>>()?;
    view.batch(columns, found.rows)
}

/// The values of a file whose column has a narrower type than that of all files, each exactly.
fn widened(array: ArrayRef, field: &Field) -> Result<ArrayRef> {
    if array.data_type().equals_datatype(field.data_type()) {
        return Ok(array);
    }
    let narrow = Arc::new(Schema::new(vec![Field::new(field.name(), array.data_type().clone(), true)]));
    let casts = Casts::new(&narrow, &[(field.name().clone(), field.data_type().clone())].into())?;
    Ok(Arc::clone(casts.apply(RecordBatch::try_new(narrow, vec![array])?)?.column(0)))
}

fn missing(chunk: &Chunk) -> Error {
    Error::new(ErrorKind::Internal, format!("the plan has no file {}", chunk.file))
}

/// Whether a piece may be handed on as it is stored.
pub(crate) fn has_excerpts(dataset: &Dataset, view: &View, chunk: &Chunk) -> bool {
    let (Data::Parquet(metas), Place::Local(_)) = (&dataset.data, &dataset.location.place) else { return false };
    let Some(meta) = metas.get(chunk.file) else { return false };
    stored_columns(dataset, view, chunk.file, meta)
        .is_some_and(|columns| parquet::may_be_excerpt(meta, &columns, chunk))
}

/// Where the columns of the result stand in a file, in their order; `None` where one is made, of another one or of its folder's name.
fn stored_columns(dataset: &Dataset, view: &View, file: usize, meta: &parquet::Meta) -> Option<Vec<usize>> {
    let schema = view.casts.schema();
    let stored = |(place, field): (&usize, &Arc<Field>)| match dataset.origin(file, *place) {
        Origin::File(place) => {
            let found = meta.schema.fields().get(place)?;
            (found.data_type() == field.data_type()).then_some(place)
        }
        Origin::Nothing | Origin::Folder(_) => None,
    };
    view.places.iter().zip(schema.fields()).map(stored).collect()
}

/// The columns of a file that a query needs, in their order in the file.
pub(crate) fn columns(dataset: &Dataset, view: &View, file: usize) -> Vec<usize> {
    let origins = view.places.iter().map(|place| dataset.origin(file, *place));
    let mut columns: Vec<usize> =
        origins.filter_map(|origin| if let Origin::File(place) = origin { Some(place) } else { None }).collect();
    columns.sort_unstable();
    columns.dedup();
    columns
}
