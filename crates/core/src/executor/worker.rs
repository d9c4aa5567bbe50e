//! A thread that reads partitions over one connection.

use std::sync::Arc;

use super::{Map, Shared};
use crate::timeline::Logging;
use crate::{Cancel, Connection, Error, ErrorKind, Result, Scan, Timeline, bytes_of};

/// One thread with one connection.
pub(super) struct Worker {
    /// Which of them.
    pub(super) index: usize,
    pub(super) timeline: Timeline,
    pub(super) scan: Arc<dyn Scan>,
    pub(super) shared: Arc<Shared>,
    pub(super) cancel: Cancel,
    pub(super) map: Option<Map>,
    /// Whether the consumer keeps every batch.
    pub(super) keeps_all: bool,
}

impl Worker {
    pub(super) fn run(self) {
        bowshot_memory::keeps(self.keeps_all);
        let guard = Guard { shared: &self.shared, reached_end: false };
        if let Err(error) = self.read() {
            self.fail(error);
        }
        guard.end();
    }

    /// Whether `error` is what ends the stream.
    fn fail(&self, error: Error) -> bool {
        self.shared.fail(if self.cancel.is_cancelled() { Error::cancelled() } else { error })
    }

    fn read(&self) -> Result<()> {
        if self.shared.is_claimed() {
            return Ok(());
        }
        let missing = || Error::new(ErrorKind::Internal, "a worker has no place in the timeline; please report this");
        let log = self.timeline.log(self.index).ok_or_else(missing)?;
        log.connecting();
        let mut connection = match self.scan.connect(&self.cancel) {
            Ok(connection) => connection,
            // Others were quicker: whether this worker could have helped them is no matter.
            Err(_) if self.shared.is_claimed() => return Ok(()),
            // Fewer workers, as long as another one reads.
            Err(error) if error.kind() == ErrorKind::ConnectionLimit && !self.shared.is_last_refused() => {
                return Ok(());
            }
            Err(error) => {
                log.end(self.fail(error));
                return Ok(());
            }
        };
        log.connected();
        // Told before the connection closes: with it may go the snapshot, and others then fail for want of it.
        let read = self.read_with(connection.as_mut(), &log);
        log.end(read.is_err_and(|error| self.fail(error)));
        Ok(())
    }

    fn read_with(&self, connection: &mut dyn Connection, log: &Logging<'_>) -> Result<()> {
        while let Some(index) = self.shared.claim() {
            log.claimed(index);
            self.cancel.check()?;
            let mut reader = connection.open(index)?;
            log.opened();
            loop {
                bowshot_memory::keeps(self.keeps_all || self.shared.piles_up(index));
                let Some(batch) = reader.next()? else { break };
                log.read();
                let batch = match &self.map {
                    Some(map) => map(batch)?,
                    None => batch,
                };
                let bytes = bytes_of(&batch);
                log.mapped(batch.num_rows() as u64, bytes as u64);
                if !self.shared.put(index, batch, bytes) {
                    return Ok(());
                }
                log.put();
            }
            self.shared.finish(index);
            drop(reader);
            log.finished();
        }
        Ok(())
    }
}

/// Counts its worker out, however that ends.
struct Guard<'a> {
    shared: &'a Shared,
    reached_end: bool,
}

impl Guard<'_> {
    fn end(mut self) {
        self.reached_end = true;
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if !self.reached_end {
            self.shared.fail(Error::new(ErrorKind::Internal, "a worker thread panicked; please report this"));
        }
        self.shared.state.lock().workers -= 1;
        self.shared.arrived.notify_one();
    }
}
