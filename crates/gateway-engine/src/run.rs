//! DataFusion's plan as a scan of the core's.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};
use bowshot_core::{Cancel, Connection, Error, ErrorKind, Reader, Registration, Result, Scan};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::ExecutionPlan;
use futures::StreamExt;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;

use crate::error::inside;
use crate::resize::Resize;

/// The stack of the engine's threads, in bytes: deep expressions are evaluated by recursion. Only what is used of it is
/// memory.
const STACK: usize = 16 << 20;

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
    pub(crate) plan: Arc<dyn ExecutionPlan>,
    pub(crate) context: Arc<TaskContext>,
    pub(crate) schema: SchemaRef,
    pub(crate) batch_bytes: usize,
    pub(crate) threads: Arc<Threads>,
    /// The types that the query expects of its parameters.
    pub(crate) parameters: Vec<Option<DataType>>,
    /// Which partitions were opened: an operator hands out each of its streams once.
    pub(crate) opened: Mutex<Vec<bool>>,
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
        let handle = run.threads.handle()?;
        let stream = {
            let _inside = handle.enter();
            run.plan.execute(index, Arc::clone(&run.context)).map_err(inside)?
        };
        let fired = Arc::new(Notify::new());
        let hook = Arc::clone(&fired);
        // A permit is kept where nobody waits yet: none is lost.
        let link = self.cancel.on_cancel(move || hook.notify_one());
        let resize = Resize::new(SchemaRef::clone(&run.schema), run.batch_bytes);
        Ok(Box::new(Partition { run, cancel: &self.cancel, stream: Some(stream), resize, fired, _link: link }))
    }
}

/// Reads one partition. Dropping it drops the execution.
struct Partition<'a> {
    run: &'a Run,
    cancel: &'a Cancel,
    /// `None` after the end.
    stream: Option<SendableRecordBatchStream>,
    resize: Resize,
    fired: Arc<Notify>,
    _link: Registration,
}

impl Reader for Partition<'_> {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.resize.take() {
                return Ok(Some(batch));
            }
            self.cancel.check()?;
            let Some(stream) = &mut self.stream else { return Ok(None) };
            let fired = &self.fired;
            let next = self.run.threads.handle()?.block_on(async {
                tokio::select! {
                    biased;
                    () = fired.notified() => Err(Error::cancelled()),
                    next = stream.next() => next.transpose().map_err(inside),
                }
            });
            match next {
                Ok(Some(batch)) => self.resize.put(batch)?,
                Ok(None) => {
                    self.stream = None;
                    self.resize.end()?;
                }
                Err(error) => {
                    self.stream = None;
                    return Err(if self.cancel.is_cancelled() { Error::cancelled() } else { error });
                }
            }
        }
    }
}
