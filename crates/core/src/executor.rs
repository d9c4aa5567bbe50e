//! Reads a plan: worker threads pull partitions from a queue, batches come out in partition order.

mod worker;

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use parking_lot::{Condvar, Mutex};

use crate::{Cancel, Error, ErrorKind, Options, Outcome, Plan, Profile, Progress, Result, Timeline};
use worker::Worker;

/// What a destination does to each batch, in the worker's thread, before it waits for the consumer.
pub type Map = Arc<dyn Fn(RecordBatch) -> Result<RecordBatch> + Send + Sync>;

/// The batches of a plan, in partition order, read by worker threads ahead of the consumer.
///
/// An error ends the stream as its last item: a short result never looks like a whole one. Dropping the stream
/// cancels the query in the database and waits for the workers to end.
pub struct Stream {
    schema: SchemaRef,
    shared: Arc<Shared>,
    cancel: Cancel,
    workers: Vec<JoinHandle<()>>,
    timeline: Timeline,
    rows_expected: Option<u64>,
    finished: bool,
}

/// What a stream yields when it is asked with a time limit.
#[derive(Debug)]
pub enum Poll {
    /// The next batch.
    Batch(RecordBatch),
    /// Nothing within the time limit.
    Pending,
    /// The end: every batch was yielded.
    Done,
}

/// What the consumer finds in the queue.
enum Taken {
    /// With its bytes.
    Batch(RecordBatch, usize),
    Pending,
    Done,
}

/// What the workers and the consumer share.
struct Shared {
    state: Mutex<State>,
    /// The consumer waits here for a batch, an end or an error.
    arrived: Condvar,
    /// Workers wait here for room.
    room: Condvar,
}

struct State {
    /// One entry a partition from `head` on that a worker has begun.
    slots: VecDeque<Slot>,
    /// The partition that the consumer reads.
    head: usize,
    /// The partition that the next idle worker takes.
    next: usize,
    /// Number of partitions.
    count: usize,
    /// Bytes of all batches in `slots`.
    waiting: usize,
    /// How many bytes may wait.
    budget: usize,
    /// Rows and bytes that the consumer was given.
    rows: u64,
    bytes: u64,
    /// Workers that have not ended.
    workers: usize,
    /// Workers that the source has not refused a connection.
    welcome: usize,
    /// The first thing that went wrong.
    error: Option<Error>,
    /// Nobody consumes any more.
    stopped: bool,
}

#[derive(Default)]
struct Slot {
    /// Each with its bytes, which are counted once.
    batches: VecDeque<(RecordBatch, usize)>,
    done: bool,
}

impl Stream {
    /// Starts to read `plan` over as many connections as `options` allow.
    pub fn start(plan: Plan, options: &Options, cancel: Cancel) -> Self {
        Self::start_mapped(plan, options, cancel, None)
    }

    /// Like [`Stream::start`], with `map` applied to each batch in its worker's thread; the map must keep the rows.
    pub fn start_mapped(plan: Plan, options: &Options, cancel: Cancel, map: Option<Map>) -> Self {
        let count = plan.partitions.len();
        let workers = options.workers().min(count);
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                slots: VecDeque::new(),
                head: 0,
                next: 0,
                count,
                waiting: 0,
                budget: options.buffer_bytes,
                rows: 0,
                bytes: 0,
                workers,
                welcome: workers,
                error: None,
                stopped: false,
            }),
            arrived: Condvar::new(),
            room: Condvar::new(),
        });
        let timeline = Timeline::start(plan.partitions, plan.scan.site(), workers);
        let worker = |index| {
            let work = Worker {
                index,
                timeline: timeline.clone(),
                scan: Arc::clone(&plan.scan),
                shared: Arc::clone(&shared),
                cancel: cancel.clone(),
                map: map.clone(),
                keeps_all: options.keeps_all(),
            };
            std::thread::spawn(move || work.run())
        };
        let workers = (0..workers).map(worker).collect();
        let rows_expected = plan.estimate.rows;
        Stream { schema: plan.schema, shared, cancel, workers, timeline, rows_expected, finished: false }
    }

    /// The schema of the plan.
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// What stops this stream from another thread.
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// How far the consumer has come.
    pub fn progress(&self) -> Progress {
        let state = self.shared.state.lock();
        Progress {
            rows: state.rows,
            bytes: state.bytes,
            partitions_done: state.head,
            partitions: state.count,
            rows_expected: self.rows_expected,
        }
    }

    /// Where the time went so far.
    pub fn profile(&self) -> Profile {
        self.timeline.profile()
    }

    /// The times of the read, for other threads and for when this stream is gone.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Lets the workers run ahead without a bound, for a consumer that keeps every batch: what waits is part of its
    /// result, and a worker on a large partition need not wait until all before it were consumed.
    pub fn keep_all(&self) {
        self.shared.state.lock().budget = usize::MAX;
        self.shared.room.notify_all();
    }

    /// Waits for the next batch, at most for `limit`.
    ///
    /// After an error or the end it yields [`Poll::Done`].
    pub fn poll(&mut self, limit: Duration) -> Result<Poll> {
        if self.finished {
            return Ok(Poll::Done);
        }
        let now = Instant::now();
        self.timeline.asked(now);
        match self.shared.take(now + limit, &self.cancel) {
            Ok(Taken::Batch(batch, bytes)) => {
                self.timeline.given(batch.num_rows() as u64, bytes as u64);
                Ok(Poll::Batch(batch))
            }
            Ok(Taken::Pending) => Ok(Poll::Pending),
            Ok(Taken::Done) => {
                self.finished = true;
                self.timeline.ended(Outcome::Complete);
                self.join();
                Ok(Poll::Done)
            }
            Err(error) => {
                self.finished = true;
                self.timeline.ended(Outcome::Failed);
                self.stop();
                Err(error)
            }
        }
    }

    /// Cancels what still runs and waits for the workers.
    fn stop(&mut self) {
        self.shared.state.lock().stopped = true;
        self.shared.room.notify_all();
        if self.workers.iter().any(|worker| !worker.is_finished()) {
            self.cancel.cancel();
        }
        self.join();
    }

    fn join(&mut self) {
        for worker in self.workers.drain(..) {
            // A worker that panicked has reported it through its guard.
            let _ = worker.join();
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.timeline.ended(Outcome::Stopped);
        self.stop();
    }
}

impl Iterator for Stream {
    type Item = Result<RecordBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.poll(Duration::from_secs(3600)) {
                Ok(Poll::Batch(batch)) => return Some(Ok(batch)),
                Ok(Poll::Pending) => {}
                Ok(Poll::Done) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl From<Error> for ArrowError {
    fn from(error: Error) -> Self {
        ArrowError::ExternalError(Box::new(error))
    }
}

impl Shared {
    /// The consumer's side: the next batch of the head partition.
    fn take(&self, deadline: Instant, cancel: &Cancel) -> Result<Taken> {
        let mut state = self.state.lock();
        loop {
            if let Some(error) = state.error.take() {
                state.stopped = true;
                return Err(error);
            }
            cancel.check()?;
            if state.head == state.count {
                return Ok(Taken::Done);
            }
            if let Some(slot) = state.slots.front_mut() {
                if let Some((batch, bytes)) = slot.batches.pop_front() {
                    state.waiting -= bytes;
                    state.rows += batch.num_rows() as u64;
                    state.bytes += bytes as u64;
                    self.room.notify_all();
                    return Ok(Taken::Batch(batch, bytes));
                }
                if slot.done {
                    state.slots.pop_front();
                    state.head += 1;
                    // The worker of the new head may wait for room that only the head is given.
                    self.room.notify_all();
                    continue;
                }
            }
            if state.workers == 0 {
                return Err(Error::new(ErrorKind::Internal, "every worker ended before the result did"));
            }
            if self.arrived.wait_until(&mut state, deadline).timed_out() {
                return Ok(Taken::Pending);
            }
        }
    }

    /// Whether every partition has a worker.
    fn is_claimed(&self) -> bool {
        let state = self.state.lock();
        state.next == state.count
    }

    /// Counts a worker that the source has no connection for; true if it has none for any worker.
    fn is_last_refused(&self) -> bool {
        let mut state = self.state.lock();
        state.welcome -= 1;
        state.welcome == 0
    }

    /// The next partition without a worker.
    fn claim(&self) -> Option<usize> {
        let mut state = self.state.lock();
        if state.stopped || state.error.is_some() || state.next == state.count {
            return None;
        }
        state.slots.push_back(Slot::default());
        state.next += 1;
        Some(state.next - 1)
    }

    /// Hands over a batch of partition `index`, when there is room. False when nobody wants it any more.
    fn put(&self, index: usize, batch: RecordBatch, bytes: usize) -> bool {
        let mut state = self.state.lock();
        loop {
            if state.stopped || state.error.is_some() {
                return false;
            }
            let Some(offset) = index.checked_sub(state.head) else { return false };
            let starved = offset == 0 && state.slots.front().is_some_and(|slot| slot.batches.is_empty());
            // The consumer can always go on: the head may add a batch whenever it has none waiting.
            if starved || state.waiting.saturating_add(bytes) <= state.budget {
                state.waiting += bytes;
                if let Some(slot) = state.slots.get_mut(offset) {
                    slot.batches.push_back((batch, bytes));
                }
                if offset == 0 {
                    self.arrived.notify_one();
                }
                return true;
            }
            self.room.wait(&mut state);
        }
    }

    /// Whether batches of partition `index` wait, however many they are, until those before it were consumed: they need
    /// new memory, as if they were kept.
    fn piles_up(&self, index: usize) -> bool {
        let state = self.state.lock();
        state.budget == usize::MAX && index > state.head
    }

    /// Notes that partition `index` was read to its end.
    fn finish(&self, index: usize) {
        let mut state = self.state.lock();
        if let Some(slot) = index.checked_sub(state.head).and_then(|offset| state.slots.get_mut(offset)) {
            slot.done = true;
        }
        self.arrived.notify_one();
    }

    /// Ends the stream with `error`, unless it already ended; whether this is what ends it.
    fn fail(&self, error: Error) -> bool {
        let mut state = self.state.lock();
        let first = state.error.is_none() && !state.stopped;
        if first {
            state.error = Some(error);
        }
        self.arrived.notify_one();
        self.room.notify_all();
        first
    }
}

#[cfg(test)]
mod tests;
