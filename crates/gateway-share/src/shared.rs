//! Where the thread that executes and the readers meet.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Plan, Result};
use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::copy::copy;
use crate::limits::ShareLimits;
use crate::queue::{Next, Queue};

/// One result: how far its execution is, and what waits for readers.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Readers wait here for a batch, the end or an error.
    arrived: Condvar,
    /// The thread that executes waits here for room.
    room: Condvar,
    /// What ends the execution. It is not the caller's: that one stays untouched when a reader goes away, so that the others
    /// learn why their result ended, and not just that it was cancelled.
    execution: Cancel,
    /// How many parts there are.
    count: usize,
    spill_folder: PathBuf,
}

pub(crate) struct State {
    stage: Stage,
    pub(crate) queue: Queue,
    /// Parts that may still be read.
    seats: usize,
}

/// How far the execution is.
enum Stage {
    /// No part was opened yet.
    Planned(Box<(Plan, Options)>),
    Running,
    /// Every batch was produced.
    Produced,
    /// Every part is told so.
    Failed(Arc<Error>),
}

impl State {
    /// Whether batches are of use to nobody.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.stage, Stage::Failed(_))
    }
}

impl Shared {
    pub(crate) fn new(plan: Plan, options: Options, count: usize, limits: &ShareLimits, execution: Cancel) -> Self {
        let state = State {
            stage: Stage::Planned(Box::new((plan, options))),
            queue: Queue::new(limits.memory_bytes, limits.spill_bytes),
            seats: count,
        };
        Shared {
            state: Mutex::new(state),
            arrived: Condvar::new(),
            room: Condvar::new(),
            execution,
            count,
            spill_folder: limits.spill_folder.clone(),
        }
    }

    /// What ends the execution.
    pub(crate) fn execution(&self) -> &Cancel {
        &self.execution
    }

    /// Where what finds no room in memory goes.
    pub(crate) fn spill_folder(&self) -> &Path {
        &self.spill_folder
    }

    /// The plan, for the first who asks: whoever is given it executes it.
    pub(crate) fn begin(&self) -> Option<(Plan, Options)> {
        let mut state = self.state.lock();
        if !matches!(state.stage, Stage::Planned(_)) {
            return None;
        }
        match std::mem::replace(&mut state.stage, Stage::Running) {
            Stage::Planned(planned) => Some(*planned),
            Stage::Running | Stage::Produced | Stage::Failed(_) => None,
        }
    }

    /// The state, for the thread that executes.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Tells readers that a batch waits.
    pub(crate) fn announce(&self) {
        self.arrived.notify_one();
    }

    /// Waits until something has changed that may have made room.
    pub(crate) fn wait_for_room(&self, state: &mut MutexGuard<'_, State>) {
        self.room.wait(state);
    }

    /// The execution has produced every batch.
    pub(crate) fn finish(&self) {
        let mut state = self.state.lock();
        if matches!(state.stage, Stage::Running) {
            state.stage = Stage::Produced;
        }
        self.arrived.notify_all();
    }

    /// Ends the result for every part, and the execution; the first error stays.
    pub(crate) fn fail(&self, error: Error) {
        let mut state = self.state.lock();
        if state.has_failed() {
            return;
        }
        let ended = std::mem::replace(&mut state.stage, Stage::Failed(Arc::new(error)));
        let unread = std::mem::replace(&mut state.queue, Queue::new(0, 0));
        self.arrived.notify_all();
        self.room.notify_all();
        // Outside of the lock: to close connections and to tell a database to stop may take a while.
        drop(state);
        drop((ended, unread));
        self.execution.cancel();
    }

    /// Has all readers look again whether they were cancelled.
    pub(crate) fn wake(&self) {
        // Under the lock: a reader that has looked already must be waiting.
        let _state = self.state.lock();
        self.arrived.notify_all();
    }

    /// The next batch that nobody was given yet; `None` when there will be none.
    pub(crate) fn take(&self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        let mut state = self.state.lock();
        loop {
            if let Stage::Failed(error) = &state.stage {
                return Err(copy(error));
            }
            cancel.check()?;
            match state.queue.pop() {
                Some(Next::Batch(batch)) => {
                    self.room.notify_one();
                    return Ok(Some(batch));
                }
                Some(Next::Spilled(spilled)) => match MutexGuard::unlocked(&mut state, || spilled.read()) {
                    Ok(batch) => {
                        state.queue.forget(&spilled);
                        self.room.notify_one();
                        return Ok(Some(batch));
                    }
                    Err(error) => MutexGuard::unlocked(&mut state, || self.fail(error)),
                },
                None if matches!(state.stage, Stage::Produced) => return Ok(None),
                None => self.arrived.wait(&mut state),
            }
        }
    }

    /// Part `index` is read no more. Whether it was given a batch, and whether it came to the end.
    pub(crate) fn leave(&self, index: usize, given: bool, ended: bool) {
        let last = {
            let mut state = self.state.lock();
            state.seats = state.seats.saturating_sub(1);
            // A batch may have been announced to this part alone: somebody else must hear of it.
            self.arrived.notify_one();
            state.seats == 0
        };
        if ended {
            return;
        }
        if given {
            self.fail(lost(index, self.count));
        } else if last {
            self.fail(Error::cancelled());
        }
    }
}

/// What the other parts are told when one is dropped before its end.
fn lost(index: usize, count: usize) -> Error {
    let message = format!(
        "part {index} of the {count} parts of this result was given up before its end, and with it rows that no other part has"
    );
    Error::new(ErrorKind::ConnectionLost, message).with_hint("run the query again, and read every part to its end")
}
