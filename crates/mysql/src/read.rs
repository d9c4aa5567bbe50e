//! Reads partitions: one statement each, over one connection, in blocks of about a batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::DataType;
use bowshot_core::{Connection, Error, ErrorKind, Misfit, Reader, Result};
use bowshot_net::Gather;

use crate::connect::Session;
use crate::decode::Reject;
use crate::error::{broken, from_packet_to};
use crate::packet;
use crate::result::{self, Definition, Header};
use crate::rows::{Layout, Rows, Stop};
use crate::scan::MySqlScan;
use crate::statement::Handle;
use crate::types::Column;
use crate::warnings;

/// A connection on the plan's snapshot.
pub(crate) struct MySqlConnection {
    session: Session,
    /// Places of fields, reused from block to block.
    rows: Rows,
    scan: Arc<MySqlScan>,
    /// How many received bytes make a batch of the size that is aimed at.
    block_bytes: usize,
    /// The first partition's rows are on their way already.
    started: bool,
    /// No reader stopped half-way.
    clean: bool,
}

impl MySqlConnection {
    pub(crate) fn new(session: Session, scan: Arc<MySqlScan>, started: bool) -> Self {
        let layouts: Vec<Layout> = scan.columns.iter().map(|column| column.layout).collect();
        let rows = Rows::new(scan.protocol, &layouts, scan.batch_bytes);
        MySqlConnection { session, rows, block_bytes: scan.batch_bytes, scan, started, clean: true }
    }
}

impl Connection for MySqlConnection {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let scan = Arc::clone(&self.scan);
        let missing = || Error::new(ErrorKind::Internal, "the plan has no such partition");
        let statement = scan.statements.get(index).ok_or_else(missing)?;
        if !self.clean {
            return Err(Error::new(ErrorKind::Internal, "the connection still has rows of another partition"));
        }
        let mut handle = None;
        if !std::mem::take(&mut self.started) {
            let (header, prepared) = statement.start(&mut self.session)?;
            check(&header, &scan.definitions)?;
            handle = prepared;
        }
        self.clean = false;
        self.rows.clear();
        Ok(Box::new(PartitionReader {
            session: &mut self.session,
            rows: &mut self.rows,
            block_bytes: &mut self.block_bytes,
            clean: &mut self.clean,
            scan,
            handle,
            gather: Gather::default(),
        }))
    }
}

/// An error where the columns are not those of the plan.
fn check(header: &Header, planned: &[Definition]) -> Result<()> {
    let Header::Rows(columns) = header else {
        return Err(Error::new(ErrorKind::Sql, "the query returned no result any more"));
    };
    let changed = columns
        .iter()
        .zip(planned)
        .find(|(column, planned)| column.name != planned.name || !column.reads_like(planned));
    let which = match changed {
        Some((column, _)) => format!("column \"{}\"", column.name),
        None if columns.len() != planned.len() => "the number of columns".to_owned(),
        None => return Ok(()),
    };
    let message = format!("the result changed between planning and reading it: {which} is another one now");
    Err(Error::new(ErrorKind::Sql, message).with_hint("was a table altered meanwhile? Read again"))
}

/// The rows of one statement.
struct PartitionReader<'a> {
    session: &'a mut Session,
    rows: &'a mut Rows,
    block_bytes: &'a mut usize,
    clean: &'a mut bool,
    scan: Arc<MySqlScan>,
    /// The prepared statement, to be closed behind its last row.
    handle: Option<Handle>,
    gather: Gather,
}

impl Reader for PartitionReader<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if *self.clean {
            return Ok(None);
        }
        loop {
            let Session { buffer, sequence, .. } = &mut *self.session;
            match self.rows.index(buffer.unread(), sequence, *self.block_bytes)? {
                Stop::Full => return self.emit().map(Some),
                Stop::Incomplete => self.fill()?,
                Stop::Other | Stop::Long if self.rows.count() > 0 => return self.emit().map(Some),
                Stop::Long => {
                    self.long_row()?;
                    return self.emit().map(Some);
                }
                Stop::Other => {
                    self.end()?;
                    return Ok(None);
                }
            }
        }
    }
}

impl PartitionReader<'_> {
    /// Waits for more bytes.
    fn fill(&mut self) -> Result<()> {
        let count = self.session.fill(Gather::ROOM)?;
        self.session.pause(&mut self.gather, count);
        Ok(())
    }

    /// Puts a row of several packets together, which is a block of its own.
    fn long_row(&mut self) -> Result<()> {
        let extent = self.session.whole_message()?;
        packet::join(self.session.buffer.unread_mut(), extent);
        self.rows.index_long(self.session.buffer.unread(), extent)
    }

    /// Handles the packet behind the last row.
    fn end(&mut self) -> Result<()> {
        let body = self.session.receive()?.to_vec();
        match body.first() {
            Some(&crate::error::ERR) => {
                self.session.idle();
                return Err(from_packet_to(&body, ""));
            }
            Some(&result::END) => result::end(self.session, &body)?,
            _ => return Err(self.session.give_up("an empty packet came within a result")),
        }
        warnings::take(self.session)?;
        if let Some(handle) = self.handle.take() {
            handle.close(self.session)?;
        }
        *self.clean = true;
        Ok(())
    }

    /// Aims at the wanted size of batches: values are wider in Arrow than on the wire, and batches far above it make the
    /// allocator give memory back to the system and fetch it again.
    fn adapt(&mut self, batch: &RecordBatch) {
        let wanted = self.scan.batch_bytes;
        let made: usize = batch.columns().iter().map(|column| column.get_buffer_memory_size()).sum();
        // What a few rows take says nothing on the next ones.
        if made >= wanted / 4 {
            let block = wanted.saturating_mul(self.rows.bytes()) / made.max(1);
            *self.block_bytes = block.clamp((wanted / 4).max(1), wanted);
        }
    }

    /// Decodes the indexed rows and gives up their bytes.
    fn emit(&mut self) -> Result<RecordBatch> {
        let bytes = self.session.buffer.unread_with_slack();
        let mut arrays = Vec::with_capacity(self.scan.columns.len());
        for (place, column) in self.scan.columns.iter().enumerate() {
            let cells = self.rows.cells(place, bytes);
            if cells.has_nulls && !column.field.is_nullable() {
                return Err(broken("it sent NULL for a column that is NOT NULL").with_column(column.field.name()));
            }
            let misfit = |reject| rejected(column, self.scan.casts.schema().field(place).data_type(), reject);
            arrays.push(column.decoder.decode(cells).map_err(misfit)?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows.count()));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.scan.read_schema), arrays, &options)?;
        self.adapt(&batch);
        self.session.buffer.consume(self.rows.bytes());
        self.rows.clear();
        self.scan.casts.apply(batch)
    }
}

/// The error of a value that cannot be in its column, of which the user makes `wanted`.
fn rejected(column: &Column, wanted: &DataType, reject: Reject) -> Error {
    let (name, type_name) = (column.field.name(), &column.type_name);
    match reject {
        Reject::Value { holds, way_out } => Misfit::new(name, type_name, wanted, holds).or_as(way_out).into(),
        Reject::ZeroDate(date) => Misfit::new(name, type_name, wanted, date)
            .because("no calendar has it")
            .or("read such dates as NULL: zero_dates=\"null\"")
            .or_as("utf8")
            .into(),
        Reject::Broken(what) => broken(&format!("column \"{name}\" ({type_name}): {what}")).with_column(name),
    }
}
