//! DataFusion's plan as a scan of the core's.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use bowshot_core::{Cancel, Connection, Error, ErrorKind, Reader, Registration, Result, Scan};
use datafusion::execution::SendableRecordBatchStream;
use futures::StreamExt;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::{Notify, watch};

use crate::again::{Again, Attempt, is_exhausted};
use crate::error::inside;
use crate::resize::Resize;

/// The stack of the engine's threads, in bytes: deep expressions are evaluated by recursion. Only what is used of it is
/// memory.
const STACK: usize = 16 << 20;

/// How long an attempt waits for another one to give its memory back. Partitions do so as soon as they look up.
const PATIENCE: Duration = Duration::from_secs(2);

/// The threads that all queries share.
#[derive(Debug)]
pub(crate) struct Threads(Option<Runtime>);

impl Threads {
    pub(crate) fn new(count: usize) -> Result<Self> {
        let built = Builder::new_multi_thread()
            .worker_threads(count.max(1))
            .thread_name("bowshot-engine")
            .thread_stack_size(STACK)
            .enable_all()
            .build();
        built.map(|runtime| Threads(Some(runtime))).map_err(|error| {
            Error::new(ErrorKind::Io, format!("the engine cannot start its threads: {error}")).with_source(error)
        })
    }

    pub(crate) fn handle(&self) -> Result<&Handle> {
        let runtime = self.0.as_ref().ok_or_else(|| Error::new(ErrorKind::Internal, "the engine has ended"))?;
        Ok(runtime.handle())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // The last owner may be a thread of another runtime, which must not wait.
            runtime.shutdown_background();
        }
    }
}

/// A planned query.
pub(crate) struct Run {
    pub(crate) schema: SchemaRef,
    pub(crate) batch_bytes: usize,
    pub(crate) threads: Arc<Threads>,
    /// The types that the query expects of its parameters.
    pub(crate) parameters: Vec<Option<DataType>>,
    /// Which partitions were opened: an operator hands out each of its streams once.
    pub(crate) opened: Mutex<Vec<bool>>,
    /// How it is executed.
    pub(crate) turn: Mutex<Turn>,
    /// The number of the attempt, for partitions that wait in another one.
    pub(crate) number: watch::Sender<usize>,
}

/// The attempt to execute a query that counts.
pub(crate) struct Turn {
    pub(crate) attempt: Arc<Attempt>,
    /// Another way, as long as it is open: nobody has seen a row or an end yet.
    pub(crate) again: Option<Again>,
    /// The attempt that did not fit, while partitions still have to let go of it.
    pub(crate) before: Weak<Attempt>,
}

/// The live side of the engine's plans.
#[derive(Clone)]
pub(crate) struct Runs(pub(crate) Arc<Run>);

impl Scan for Runs {
    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        Ok(Box::new(Worker { run: Arc::clone(&self.0), cancel: cancel.clone() }))
    }

    fn parameters(&self) -> Vec<Option<DataType>> {
        self.0.parameters.clone()
    }
}

struct Worker {
    run: Arc<Run>,
    cancel: Cancel,
}

impl Connection for Worker {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        let run = &self.run;
        match run.opened.lock().get_mut(index) {
            Some(opened) if !*opened => *opened = true,
            Some(_) => {
                return Err(Error::new(ErrorKind::Unsupported, format!("partition {index} was read already"))
                    .with_hint("ask the query again: its result is computed once and not kept"));
            }
            None => return Err(Error::new(ErrorKind::Internal, format!("the plan has no partition {index}"))),
        }
        self.cancel.check()?;
        let fired = Arc::new(Notify::new());
        let hook = Arc::clone(&fired);
        // A permit is kept where nobody waits yet: none is lost.
        let link = self.cancel.on_cancel(move || hook.notify_one());
        let mut partition = Partition {
            run,
            index,
            cancel: &self.cancel,
            number: run.number.subscribe(),
            stream: None,
            resize: Resize::new(SchemaRef::clone(&run.schema), run.batch_bytes),
            fired,
            _link: link,
        };
        partition.start()?;
        Ok(Box::new(partition))
    }
}

/// Reads one partition. Dropping it drops the execution.
struct Partition<'a> {
    run: &'a Run,
    index: usize,
    cancel: &'a Cancel,
    /// The attempt whose stream it reads is the one that it has seen last.
    number: watch::Receiver<usize>,
    /// With the attempt that it belongs to; `None` after the end.
    stream: Option<(SendableRecordBatchStream, Arc<Attempt>)>,
    resize: Resize,
    fired: Arc<Notify>,
    _link: Registration,
}

/// What comes of waiting for a stream.
enum Came {
    Cancelled,
    /// Another attempt counts now.
    Outdated,
    Batch(Option<datafusion::error::Result<RecordBatch>>),
}

impl Reader for Partition<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let ready = self.resize.take();
            if ready.is_some() || self.stream.is_none() {
                if self.may_tell() {
                    return Ok(ready);
                }
                self.start()?;
            }
            self.cancel.check()?;
            let Some((stream, _)) = &mut self.stream else { continue };
            let (fired, number) = (&self.fired, &mut self.number);
            let came = self.run.threads.handle()?.block_on(async {
                tokio::select! {
                    biased;
                    () = fired.notified() => Came::Cancelled,
                    Ok(()) = number.changed() => Came::Outdated,
                    batch = stream.next() => Came::Batch(batch),
                }
            });
            match came {
                Came::Cancelled => return Err(Error::cancelled()),
                Came::Outdated => self.start()?,
                Came::Batch(Some(Ok(batch))) => self.resize.put(batch)?,
                Came::Batch(None) => {
                    self.stream = None;
                    self.resize.end()?;
                }
                Came::Batch(Some(Err(error))) => {
                    self.stream = None;
                    if self.cancel.is_cancelled() {
                        return Err(Error::cancelled());
                    }
                    if !is_exhausted(&error) || !self.try_again()? {
                        return Err(inside(error));
                    }
                    self.start()?;
                }
            }
        }
    }
}

impl Partition<'_> {
    /// Begins to read the attempt that counts.
    fn start(&mut self) -> Result<()> {
        self.stream = None;
        let run = self.run;
        self.resize = Resize::new(SchemaRef::clone(&run.schema), run.batch_bytes);
        let (attempt, before) = {
            let turn = run.turn.lock();
            // Seen within the lock: the number is that of this attempt.
            self.number.mark_unchanged();
            (Arc::clone(&turn.attempt), Weak::clone(&turn.before))
        };
        let begun = Instant::now();
        while before.strong_count() > 0 && begun.elapsed() < PATIENCE {
            // Its memory is what this attempt needs.
            thread::sleep(Duration::from_millis(1));
        }
        let handle = run.threads.handle()?;
        let _inside = handle.enter();
        let stream = attempt.plan.execute(self.index, Arc::clone(&attempt.context)).map_err(inside)?;
        self.stream = Some((stream, attempt));
        Ok(())
    }

    /// Whether what this partition has found is still to be told; from then on there is no other way any more.
    fn may_tell(&self) -> bool {
        let mut turn = self.run.turn.lock();
        // An error is what a dropped sender looks like, and the run holds it.
        if self.number.has_changed().unwrap_or(false) {
            return false;
        }
        turn.again = None;
        true
    }

    /// Has the query executed in the other way, if it is open; false where it is not.
    fn try_again(&self) -> Result<bool> {
        let mut turn = self.run.turn.lock();
        if self.number.has_changed().unwrap_or(false) {
            // Another partition was first.
            return Ok(true);
        }
        let Some(again) = turn.again.take() else { return Ok(false) };
        let attempt = self.run.threads.handle()?.block_on(async {
            tokio::select! {
                biased;
                () = self.fired.notified() => Err(Error::cancelled()),
                attempt = again.attempt() => attempt,
            }
        })?;
        turn.before = Arc::downgrade(&turn.attempt);
        turn.attempt = Arc::new(attempt);
        self.run.number.send_modify(|number| *number += 1);
        Ok(true)
    }
}
