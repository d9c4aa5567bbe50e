//! The one thread that executes the query and puts its batches where readers find them.

use std::sync::Arc;
use std::thread;

use arrow_array::RecordBatch;
use bowshot_core::{Error, ErrorKind, Options, Plan, Result, Stream, bytes_of};
use parking_lot::MutexGuard;

use crate::encode::encode;
use crate::shared::{Shared, State};
use crate::spill::Spill;

/// Begins to execute, unless that was begun before. What goes wrong is told to all parts.
pub(crate) fn begin(shared: &Arc<Shared>) {
    let Some((plan, options)) = shared.begin() else { return };
    let execution = Execution { shared: Arc::clone(shared), spill: Spill::new(shared.spill_folder()) };
    let thread = thread::Builder::new().name("shared result".into());
    if let Err(error) = thread.spawn(move || execution.run(plan, &options)) {
        let message = format!("the operating system has no thread for the query: {error}");
        shared.fail(
            Error::new(ErrorKind::Io, message)
                .with_hint("run fewer queries at a time, or raise the limit on threads")
                .with_source(error),
        );
    }
}

struct Execution {
    shared: Arc<Shared>,
    spill: Spill,
}

impl Execution {
    fn run(mut self, plan: Plan, options: &Options) {
        let guard = Guard { shared: Arc::clone(&self.shared), reached_end: false };
        self.read(plan, options);
        guard.end();
    }

    fn read(&mut self, plan: Plan, options: &Options) {
        for batch in Stream::start(plan, options, self.shared.execution().clone()) {
            match batch.and_then(|batch| self.put(&batch)) {
                Ok(true) => {}
                Ok(false) => return,
                // Told before the connection is closed, which may take a while.
                Err(error) => return self.shared.fail(error),
            }
        }
        self.shared.finish();
    }

    /// Has a batch wait for a reader, as soon as there is room. False when nobody wants it any more.
    fn put(&mut self, batch: &RecordBatch) -> Result<bool> {
        let shared = Arc::clone(&self.shared);
        let bytes = bytes_of(batch);
        let mut message: Option<Vec<u8>> = None;
        let mut state = shared.lock();
        while !state.has_failed() {
            if state.queue.has_room(bytes) {
                state.queue.push(batch.clone(), bytes);
                shared.announce();
                return Ok(true);
            }
            match &message {
                None if state.queue.may_spill(bytes) => {
                    message = Some(MutexGuard::unlocked(&mut state, || encode(batch))?);
                    // Readers may have made room meanwhile.
                    continue;
                }
                None => {}
                Some(message) => {
                    if let Some(start) = state.queue.reserve(message.len()) {
                        if self.write(&mut state, start, message)? {
                            shared.announce();
                            return Ok(true);
                        }
                        continue;
                    }
                }
            }
            if state.queue.is_empty() {
                // Larger than all that may wait: it passes alone.
                state.queue.push(batch.clone(), bytes);
                shared.announce();
                return Ok(true);
            }
            shared.wait_for_room(&mut state);
        }
        Ok(false)
    }

    /// Has a batch wait in the file, at its reserved place. False when it cannot.
    fn write(&mut self, state: &mut MutexGuard<'_, State>, start: u64, message: &[u8]) -> Result<bool> {
        let spilled = MutexGuard::unlocked(state, || self.spill.write(start, message))?;
        if state.has_failed() {
            return Ok(false);
        }
        match spilled {
            Some(spilled) => state.queue.push_spilled(spilled),
            // A full disk. From now on the query goes at the pace of its readers, which is slower and no less right.
            None => {
                state.queue.stop_spilling();
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Tells the parts how the execution ended, even if that is a panic.
struct Guard {
    shared: Arc<Shared>,
    reached_end: bool,
}

impl Guard {
    fn end(mut self) {
        self.reached_end = true;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if !self.reached_end {
            self.shared.fail(Error::new(ErrorKind::Internal, "the thread of a query panicked; please report this"));
        }
    }
}

#[cfg(test)]
mod tests {
    use bowshot_core::Cancel;

    use super::*;
    use crate::ShareLimits;
    use crate::testing::{Query, ROWS, rows_of, wait_until};

    #[test]
    fn when_the_disk_is_full_the_query_goes_at_the_pace_of_its_readers() {
        let folder = tempfile::tempdir().unwrap();
        let limits = ShareLimits { memory_bytes: 2 * 8 * ROWS, ..ShareLimits::default() };
        let shared = Arc::new(Shared::new(Query::of(50).plan(), Options::default(), 1, &limits, Cancel::new()));
        let (plan, options) = shared.begin().unwrap();
        let execution = Execution { shared: Arc::clone(&shared), spill: Spill::full(folder.path()) };
        let executing = thread::spawn(move || execution.run(plan, &options));
        let mut rows = Vec::new();
        while let Some(batch) = shared.take(&Cancel::new()).unwrap() {
            rows.extend(rows_of(&batch));
        }
        executing.join().unwrap();
        assert_eq!(rows, Query::of(50).rows().into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn a_folder_that_went_away_is_an_error_for_every_part() {
        let folder = tempfile::tempdir().unwrap();
        let spill_folder = folder.path().join("gone");
        let limits = ShareLimits { memory_bytes: 8 * ROWS, spill_folder, ..ShareLimits::default() };
        let shared = Arc::new(Shared::new(Query::of(50).plan(), Options::default(), 2, &limits, Cancel::new()));
        begin(&shared);
        // Nobody reads: the second batch finds no room in memory.
        wait_until("the failure", || shared.execution().is_cancelled());
        for _ in 0..2 {
            assert_eq!(shared.take(&Cancel::new()).unwrap_err().kind(), ErrorKind::Io);
        }
    }
}
