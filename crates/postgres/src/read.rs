//! Reads partitions: one statement each, over one connection, in blocks of about a batch.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::Field;
use bowshot_core::{Connection, Error, ErrorKind, Reader, Result};
use bowshot_net::Gather;

use crate::arrow::ArrowReader;
use crate::connect::Session;
use crate::copy;
use crate::error::{broken, from_response};
use crate::message::tag;
use crate::rows::{Rows, Stop};
use crate::scan::PostgresScan;
use crate::statement::{Protocol, Statement};

/// A connection on the plan's snapshot.
pub(crate) struct PostgresConnection {
    /// `None` only while it is dropped.
    session: Option<Session>,
    /// Places of fields, reused from block to block.
    rows: Rows,
    scan: Arc<PostgresScan>,
    /// No reader stopped half-way.
    clean: bool,
}

impl PostgresConnection {
    pub(crate) fn new(session: Session, scan: Arc<PostgresScan>) -> Self {
        let rows = Rows::new(scan.columns.len(), scan.batch_bytes);
        PostgresConnection { session: Some(session), rows, scan, clean: true }
    }
}

impl Drop for PostgresConnection {
    fn drop(&mut self) {
        // The session that exported the snapshot stays open until the scan ends: later workers import it.
        if let (Some(session), true) = (self.session.take(), self.clean) {
            self.scan.keep(session);
        }
    }
}

impl Connection for PostgresConnection {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let scan = Arc::clone(&self.scan);
        let closed = || Error::new(ErrorKind::Internal, "the plan has no such partition");
        let statement = scan.statements.get(index).ok_or_else(closed)?;
        let session = self.session.as_mut().ok_or_else(closed)?;
        self.clean = false;
        self.rows.clear();
        session.send(&statement.start(&scan.options, scan.cursor_rows)?)?;
        if matches!(statement.protocol, Protocol::Arrow | Protocol::Dealt) {
            return Ok(Box::new(ArrowReader::new(session, &mut self.clean, scan)));
        }
        let header = statement.protocol == Protocol::Copy;
        let statement = statement.clone();
        Ok(Box::new(PartitionReader {
            session,
            rows: &mut self.rows,
            clean: &mut self.clean,
            scan,
            statement,
            expects_header: header,
            suspended: false,
            gather: Gather::default(),
        }))
    }
}

/// The rows of one statement.
struct PartitionReader<'a> {
    session: &'a mut Session,
    rows: &'a mut Rows,
    clean: &'a mut bool,
    scan: Arc<PostgresScan>,
    statement: Statement,
    /// COPY's signature has not come yet.
    expects_header: bool,
    /// The cursor has more rows.
    suspended: bool,
    gather: Gather,
}

impl Reader for PartitionReader<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if *self.clean {
            return Ok(None);
        }
        let tag = self.statement.protocol.row_tag();
        loop {
            if self.expects_header {
                match self.session.copy_header()? {
                    copy::Header::Taken => self.expects_header = false,
                    copy::Header::Incomplete => self.fill()?,
                    copy::Header::Other => self.control(tag)?,
                }
                continue;
            }
            match self.session.index(self.rows, tag, self.scan.batch_bytes)? {
                Stop::Full => return self.emit().map(Some),
                Stop::Incomplete(_) => self.fill()?,
                Stop::Trailer => {}
                Stop::Other if self.rows.count() > 0 => return self.emit().map(Some),
                Stop::Other => {
                    self.session.consume(self.rows.bytes());
                    self.rows.clear();
                    self.control(tag)?;
                    if *self.clean {
                        return Ok(None);
                    }
                }
            }
        }
    }
}

impl PartitionReader<'_> {
    /// Waits for more bytes.
    fn fill(&mut self) -> Result<()> {
        let count = self.session.fill(Gather::ROOM)?;
        self.gather.pause(&mut self.session.stream, count);
        Ok(())
    }

    /// Handles a message that is no row, if the next one is none.
    fn control(&mut self, rows: u8) -> Result<()> {
        let Some(message) = self.session.receive_unless(rows)? else { return Ok(()) };
        match message.tag {
            tag::ERROR => return Err(from_response(message.body)),
            tag::READY if self.suspended => {
                self.suspended = false;
                let next = self.statement.resume(self.scan.cursor_rows)?;
                self.session.send(&next)?;
            }
            tag::READY => *self.clean = true,
            // PortalSuspended.
            b's' => self.suspended = true,
            // The last two are ParseComplete and BindComplete.
            tag::COPY_OUT | tag::COPY_DONE | tag::COMMAND_COMPLETE | b'1' | b'2' => {}
            // An empty query has no columns, so it was refused when it was described.
            tag => return Err(broken(&format!("message '{}' came within a result", tag.escape_ascii()))),
        }
        Ok(())
    }

    /// Decodes the indexed rows and gives up their bytes.
    fn emit(&mut self) -> Result<RecordBatch> {
        let bytes = self.session.block();
        let mut arrays = Vec::with_capacity(self.scan.columns.len());
        for (place, column) in self.scan.columns.iter().enumerate() {
            let cells = self.rows.cells(place, bytes);
            if cells.has_nulls && !column.field.is_nullable() {
                return Err(null_in(&column.field));
            }
            arrays.push(column.decoder.decode(cells).map_err(|reject| column.rejected(reject))?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows.count()));
        let batch = RecordBatch::try_new_with_options(Arc::clone(&self.scan.read_schema), arrays, &options)?;
        self.session.consume(self.rows.bytes());
        self.rows.clear();
        self.scan.casts.apply(batch)
    }
}

/// The error of a NULL where the catalogue says that there is none.
pub(crate) fn null_in(field: &Field) -> Error {
    broken("it sent NULL for a column that is NOT NULL").with_column(field.name())
}
