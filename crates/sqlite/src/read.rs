//! Partitions into batches, on the connections of a plan.

use std::ffi::c_int;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{DataType, SchemaRef};
use bowshot_core::{Cancel, Casts, Connection, Error, ErrorKind, Hold, Misfit, Part, Reader, Result, Scan, Site};
use parking_lot::Mutex;

use crate::decode::{Columns, Place};
use crate::describe::{Column, Kind};
use crate::handle::{Cell, Database};
use crate::held::{self, Ground};
use crate::sample::Sample;

/// How much of a value a message shows, in characters.
const SHOWN: usize = 60;

/// What every connection of a plan knows.
pub(crate) struct Work {
    read_schema: SchemaRef,
    casts: Casts,
    pub(crate) columns: Vec<Column>,
    parts: Vec<Part>,
    batch_bytes: usize,
    /// The connections that nobody uses.
    idle: Mutex<Vec<Session>>,
    /// How many connections there are.
    count: usize,
    /// What they stand on.
    pub(crate) ground: Ground,
}

/// A connection in the plan's snapshot.
struct Session {
    database: Database,
    /// The first rows of partition 0, if its statement already runs here.
    begun: Option<Sample>,
}

/// The live side of a plan.
pub(crate) struct Shared(Arc<Work>);

impl Shared {
    /// `sample` holds the first rows of the only partition, whose statement then runs on the first of `databases`.
    pub(crate) fn new(
        (read_schema, casts): (SchemaRef, Casts),
        columns: Vec<Column>,
        parts: Vec<Part>,
        batch_bytes: usize,
        databases: Vec<Database>,
        sample: Option<Sample>,
        ground: Ground,
    ) -> Result<Self> {
        let mut sample = sample;
        let idle: Vec<Session> =
            databases.into_iter().map(|database| Session { database, begun: sample.take() }).collect();
        let count = idle.len();
        let work = Work { read_schema, casts, columns, parts, batch_bytes, idle: Mutex::new(idle), count, ground };
        // A type that SQLite's values cannot become is refused while the plan is made.
        work.empty_columns()?;
        Ok(Shared(Arc::new(work)))
    }
}

impl Scan for Shared {
    /// SQLite works in the thread that reads.
    fn site(&self) -> Site {
        Site::Here
    }

    fn obstacle(&self) -> Option<String> {
        self.0.ground.obstacle.clone()
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.0.parts.get(index).cloned()
    }

    fn hold(&self, _: u128, cancel: &Cancel) -> Result<Box<dyn Hold>> {
        held::hold(&self.0, cancel)
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        cancel.check()?;
        let Some(mut session) = self.0.idle.lock().pop() else {
            let count = self.0.count;
            let message = format!("all {count} connections that see the snapshot are reading");
            return Err(Error::new(ErrorKind::ConnectionLimit, message)
                .with_hint("read with fewer connections, or plan with more"));
        };
        session.database.watch(cancel);
        Ok(Box::new(Reading { work: Arc::clone(&self.0), session: Some(session), cancel: cancel.clone() }))
    }
}

/// A connection that reads; it goes back to its plan when it is dropped.
struct Reading {
    work: Arc<Work>,
    session: Option<Session>,
    cancel: Cancel,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(mut session) = self.session.take() {
            if session.begun.is_none() {
                session.database.finish();
            }
            self.work.idle.lock().push(session);
        }
    }
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let missing = || Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"));
        let part = self.work.parts.get(index).ok_or_else(missing)?;
        let session = self.session.as_mut().ok_or_else(missing)?;
        let database = &mut session.database;
        let columns = self.work.empty_columns()?;
        let sample = match session.begun.take() {
            Some(sample) if index == 0 => sample,
            _ => {
                database.start(&part.sql)?;
                for (index, value) in (1 as c_int..).zip(part.values.iter()) {
                    database.bind(index, value)?;
                }
                let found = database.statement().map_or(0, |statement| statement.columns());
                if usize::try_from(found) != Ok(self.work.columns.len()) {
                    let message =
                        format!("{} has {found} columns, the plan {}", part.partition.label, self.work.columns.len());
                    return Err(Error::new(ErrorKind::Internal, message));
                }
                Sample::default()
            }
        };
        Ok(Box::new(Partition {
            work: &self.work,
            part,
            database,
            cancel: &self.cancel,
            columns,
            sample,
            sampled: 0,
            rows: 0,
        }))
    }
}

/// The rows of one partition.
struct Partition<'a> {
    work: &'a Work,
    part: &'a Part,
    database: &'a mut Database,
    cancel: &'a Cancel,
    columns: Columns,
    /// The rows that planning already read.
    sample: Sample,
    /// How many of them were handed on.
    sampled: usize,
    /// How many rows the earlier batches had.
    rows: usize,
}

impl Partition<'_> {
    /// Fills the columns until the batch has its size or the rows end.
    fn fill(&mut self) -> Result<()> {
        while self.sampled < self.sample.rows() && !self.columns.is_full() {
            let (sample, row) = (&self.sample, self.sampled);
            if let Err(place) = self.columns.push(|column| sample.cell(row, column)) {
                let cell = sample.cell(row, c_int::try_from(place.column).unwrap_or(-1));
                return Err(self.work.misfit(&place, Some(cell), self.rows, self.part));
            }
            self.sampled += 1;
        }
        while !self.columns.is_full() {
            let Some(row) = self.database.step()? else { break };
            if let Err(place) = self.columns.push(|column| row.value(column)) {
                let cell = row.cell(c_int::try_from(place.column).unwrap_or(-1));
                return Err(self.work.misfit(&place, Some(cell), self.rows, self.part));
            }
        }
        Ok(())
    }
}

impl Reader for Partition<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.cancel.check()?;
        self.fill()?;
        let rows = self.columns.rows();
        if rows == 0 {
            self.database.finish();
            return Ok(None);
        }
        let arrays = match self.columns.finish() {
            Ok(arrays) => arrays,
            Err(place) => return Err(self.work.misfit(&place, None, self.rows, self.part)),
        };
        for (column, array) in self.work.columns.iter().zip(&arrays) {
            if !column.nullable && array.null_count() > 0 {
                let message = format!("column \"{}\" is declared NOT NULL and holds NULL", column.name);
                return Err(Error::new(ErrorKind::Value, message)
                    .with_column(&column.name)
                    .with_hint("the database breaks its own constraint: PRAGMA integrity_check tells more"));
            }
        }
        self.rows += rows;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.work.read_schema), arrays, &options)?;
        self.work.casts.apply(batch).map(Some)
    }
}

impl Work {
    fn empty_columns(&self) -> Result<Columns> {
        let types: Vec<_> = self.columns.iter().map(|column| (column.data_type(), column.wanted.as_ref())).collect();
        Columns::new(&types, self.batch_bytes)
    }

    /// The error of a value that does not fit; `before` rows came in earlier batches.
    #[cold]
    fn misfit(&self, place: &Place, cell: Option<Cell<'_>>, before: usize, part: &Part) -> Error {
        let Some(column) = self.columns.get(place.column) else {
            return Error::new(ErrorKind::Internal, "a value of no column does not fit");
        };
        let name = &column.name;
        let row = before + place.row + 1;
        let own = column.data_type();
        let wanted = column.wanted.as_ref().unwrap_or(&own);
        let value = cell.map_or_else(|| "TEXT".to_owned(), shown);
        let way_out = match (cell, &column.kind) {
            (None | Some(Cell::Blob(_)), _) => "binary",
            (Some(Cell::Real(_)), Kind::Declared(DataType::Int64) | Kind::Values(_)) => "float64",
            _ => "utf8",
        };
        Misfit::new(name, column.declared.as_deref().unwrap_or_default(), wanted, value)
            .at(format!("in row {row} of {}", part.partition.label))
            .because(place.misfit.0)
            .or_as(way_out)
            .into()
    }
}

/// A value for a message: its storage class and its beginning.
fn shown(cell: Cell<'_>) -> String {
    match cell {
        Cell::Null => "NULL".to_owned(),
        Cell::Integer(value) => format!("INTEGER {value}"),
        Cell::Real(value) => format!("REAL {value:?}"),
        Cell::Text(text) => {
            // A character has at most four bytes.
            let text = String::from_utf8_lossy(text.get(..SHOWN * 4).unwrap_or(text)).into_owned();
            let start: String = text.chars().take(SHOWN).collect();
            let dots = if start.len() < text.len() { "…" } else { "" };
            format!("TEXT {start:?}{dots}")
        }
        Cell::Blob(blob) => {
            let start = blob.get(..SHOWN / 2).unwrap_or(blob);
            let hex: String = start.iter().map(|byte| format!("{byte:02X}")).collect();
            let dots = if start.len() < blob.len() { "…" } else { "" };
            format!("BLOB x'{hex}'{dots}")
        }
    }
}
