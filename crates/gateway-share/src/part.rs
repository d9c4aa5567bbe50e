//! A part of a shared result, as a source's readers are: scan, connection, reader.

use std::sync::Arc;

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Connection, Error, ErrorKind, Reader, Registration, Result, Scan};
use parking_lot::Mutex;

use crate::execute::begin;
use crate::seat::Seat;

/// The live side of a part's plan.
pub(crate) struct Part {
    /// Taken when the part is opened.
    seat: Arc<Mutex<Option<Seat>>>,
}

impl Part {
    pub(crate) fn new(seat: Seat) -> Self {
        Part { seat: Arc::new(Mutex::new(Some(seat))) }
    }
}

impl Scan for Part {
    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        Ok(Box::new(PartConnection { seat: Arc::clone(&self.seat), cancel: cancel.clone() }))
    }
}

struct PartConnection {
    seat: Arc<Mutex<Option<Seat>>>,
    cancel: Cancel,
}

impl Connection for PartConnection {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        if index != 0 {
            return Err(Error::new(ErrorKind::Internal, "a part of a shared result has one partition"));
        }
        let seat = self.seat.lock().take().ok_or_else(|| {
            Error::new(ErrorKind::Config, "this part of the result is read already")
                .with_hint("each part is read once: run the query again for another reading")
        })?;
        begin(&seat.shared);
        let shared = Arc::clone(&seat.shared);
        let wake = self.cancel.on_cancel(move || shared.wake());
        Ok(Box::new(PartReader { seat, cancel: self.cancel.clone(), _wake: wake }))
    }
}

struct PartReader {
    seat: Seat,
    cancel: Cancel,
    /// Ends the waiting for a batch when this part alone is cancelled.
    _wake: Registration,
}

impl Reader for PartReader {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        self.seat.take(&self.cancel)
    }
}
