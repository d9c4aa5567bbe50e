//! Partitions into batches, on the connections of a plan.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Casts, Connection, Error, ErrorKind, Part, Reader, Registration, Result, Scan, Site};
use parking_lot::Mutex;

use crate::block::Block;
use crate::decode::{Decoder, Misfit, Place, decoder};
use crate::fetch::{self, Item, Job};
use crate::moments::Rules;
use crate::plan::OBSTACLE;
use crate::session::{Session, gone};
use crate::uri::Location;

/// What every connection of a plan knows.
pub(crate) struct Work {
    pub(crate) location: Arc<Location>,
    pub(crate) before: Vec<String>,
    pub(crate) read_schema: SchemaRef,
    pub(crate) casts: Casts,
    pub(crate) jobs: Vec<Arc<Job>>,
    /// What each of them reads, as it was divided.
    pub(crate) parts: Vec<Part>,
    pub(crate) rules: Rules,
    /// Whether more than one connection may read.
    pub(crate) many: bool,
    /// The connection that made the plan, and those that are done.
    pub(crate) idle: Mutex<Vec<Session>>,
}

/// The live side of a plan.
pub(crate) struct Shared(pub(crate) Arc<Work>);

impl Scan for Shared {
    fn site(&self) -> Site {
        Site::Driver
    }

    fn obstacle(&self) -> Option<String> {
        Some(OBSTACLE.into())
    }

    fn part(&self, index: usize) -> Option<Part> {
        self.0.parts.get(index).cloned()
    }

    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        cancel.check()?;
        let idle = self.0.idle.lock().pop();
        let session = match idle {
            Some(session) => session,
            None if self.0.many => Session::open(&self.0.location, &self.0.before, cancel)?,
            None => {
                let message = "the one connection that sees this state of the database is reading";
                return Err(Error::new(ErrorKind::ConnectionLimit, message).with_hint("read with one connection"));
            }
        };
        Ok(Box::new(Reading { work: Arc::clone(&self.0), session: Some(session), cancel: cancel.clone() }))
    }
}

/// A connection that reads; it goes back to its plan if it was not stopped in the middle.
struct Reading {
    work: Arc<Work>,
    session: Option<Session>,
    cancel: Cancel,
}

impl Drop for Reading {
    fn drop(&mut self) {
        if let Some(session) = self.session.take().filter(|session| !session.stop.is_asked()) {
            self.work.idle.lock().push(session);
        }
    }
}

impl Connection for Reading {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        self.cancel.check()?;
        let missing = || Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"));
        let job = self.work.jobs.get(index).ok_or_else(missing)?;
        let session = self.session.as_ref().ok_or_else(gone)?;
        let decoders =
            job.columns.iter().map(|column| decoder(&column.rule, self.work.rules)).collect::<Result<_>>()?;
        let (send, items) = channel();
        let (returned, empty) = channel();
        let (stop, told) = (Arc::clone(&session.stop), send.clone());
        let cancelled = self.cancel.on_cancel(move || {
            stop.ask();
            let _ = told.send(Item::Cancelled);
        });
        let task = Arc::clone(job);
        session.start(move |desk| fetch::run(desk, &task, &send, &empty))?;
        let work = &self.work;
        Ok(Box::new(Partition {
            work,
            job,
            session,
            items,
            returned,
            decoders,
            rows: 0,
            before: 0,
            ended: false,
            _cancelled: cancelled,
        }))
    }
}

/// The rows of one partition.
struct Partition<'a> {
    work: &'a Work,
    job: &'a Job,
    session: &'a Session,
    items: Receiver<Item>,
    /// Where emptied blocks go.
    returned: Sender<Block>,
    decoders: Vec<Box<dyn Decoder>>,
    /// Rows of the batch that grows.
    rows: usize,
    /// Rows of earlier batches.
    before: usize,
    ended: bool,
    _cancelled: Registration,
}

impl Drop for Partition<'_> {
    fn drop(&mut self) {
        if !self.ended {
            self.session.stop.ask();
        }
    }
}

impl Reader for Partition<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        while !self.ended && !self.is_full() {
            match self.items.recv().map_err(|_| gone())? {
                Item::Block(block) => self.append(block)?,
                Item::End => self.ended = true,
                Item::Failed(error) => return Err(error),
                Item::Cancelled => return Err(Error::cancelled()),
            }
        }
        if self.rows == 0 { Ok(None) } else { self.finish().map(Some) }
    }
}

impl Partition<'_> {
    fn is_full(&self) -> bool {
        self.rows > 0
            && self.decoders.iter().map(|decoder| decoder.bytes()).sum::<usize>() >= self.job.batch_bytes.max(1)
    }

    fn append(&mut self, block: Block) -> Result<()> {
        for ((decoder, slot), index) in self.decoders.iter_mut().zip(&block.slots).zip(0..) {
            if let Err(place) = decoder.append(slot, block.rows) {
                return Err(self.misfit(index, &place));
            }
        }
        self.rows += block.rows;
        // Whoever fetches may have ended already.
        let _ = self.returned.send(block);
        Ok(())
    }

    fn finish(&mut self) -> Result<RecordBatch> {
        let arrays = self.decoders.iter_mut().map(|decoder| decoder.finish()).collect::<Result<Vec<_>>>()?;
        for (column, array) in self.job.columns.iter().zip(&arrays) {
            if !column.nullable && array.null_count() > 0 {
                let message = format!("column \"{}\" is NOT NULL, says the driver, and holds NULL", column.name);
                return Err(Error::new(ErrorKind::Protocol, message).with_column(&column.name));
            }
        }
        let rows = std::mem::take(&mut self.rows);
        self.before += rows;
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.work.read_schema), arrays, &options)?;
        self.work.casts.apply(batch)
    }

    /// The error of a value that does not fit.
    #[cold]
    fn misfit(&self, index: usize, place: &Place) -> Error {
        let Some(column) = self.job.columns.get(index) else {
            return Error::new(ErrorKind::Internal, "a value of no column does not fit");
        };
        let name = &column.name;
        let schema = self.work.casts.schema();
        let wanted = schema.fields().get(index).map_or(&column.rule.data_type, |field| field.data_type());
        let row = self.before + self.rows + place.row + 1;
        let end = format!("in row {row} of {}", self.job.label);
        let misfit = |value: &str| bowshot_core::Misfit::new(name, &column.type_name, wanted, value).at(&*end);
        let value = &place.value;
        match place.misfit {
            Misfit::Cut => misfit("a value").because("it is longer than the driver said it could be").or(format!(
                "read it without a limit: types={{\"{name}\": \"large_utf8\"}} (\"large_binary\" for bytes)"
            )),
            Misfit::Encoding => misfit("text")
                .because("it is no Unicode")
                .or("set the driver's character set to UTF-8 in the connection string"),
            Misfit::Infinite => misfit(value).or("infinity=\"null\" makes it NULL").or_as("utf8"),
            Misfit::ZeroDate => misfit(value).or("zero_dates=\"null\" makes it NULL").or_as("utf8"),
            Misfit::Not(what) => misfit(&format!("\"{value}\"")).because(format!("it is not {what}")).or_as("utf8"),
            Misfit::Digits => misfit(value).because("it has more digits").or_as("utf8"),
            Misfit::Range | Misfit::Null => misfit(value).because("it is out of its range").or_as("utf8"),
        }
        .into()
    }
}
