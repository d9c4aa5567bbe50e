//! From a source's blocking reader to one of DataFusion's streams.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::thread;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Error, ErrorKind, Plan, Registration, Result};
use datafusion::error::{DataFusionError, Result as DataFusionResult};
use datafusion::execution::RecordBatchStream;
use futures::Stream;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::ask::linked;
use crate::error::outside;

/// How many batches of a partition may wait for DataFusion; each has about a mebibyte.
const AHEAD: usize = 2;

/// What changes a source's batch into the table's.
pub(crate) type Dress = Arc<dyn Fn(RecordBatch) -> Result<RecordBatch> + Send + Sync>;

/// A source's plan whose partitions are read by as many streams as ask: each takes the next one that nobody has.
pub(crate) struct Queue {
    plan: Arc<Plan>,
    next: AtomicUsize,
    /// Streams that the source has not refused a connection.
    welcome: AtomicUsize,
}

impl Queue {
    /// For `streams` streams, of which each may be opened once.
    pub(crate) fn new(plan: Arc<Plan>, streams: usize) -> Self {
        Queue { plan, next: AtomicUsize::new(0), welcome: AtomicUsize::new(streams) }
    }

    fn claim(&self) -> Option<usize> {
        let index = self.next.fetch_add(1, Ordering::SeqCst);
        (index < self.plan.partitions.len()).then_some(index)
    }

    fn is_claimed(&self) -> bool {
        self.next.load(Ordering::SeqCst) >= self.plan.partitions.len()
    }
}

/// Starts a thread that reads partitions of `queue` until none is left. Dropping the stream interrupts the source.
pub(crate) fn feed(queue: &Arc<Queue>, schema: SchemaRef, dress: Dress, cancel: &Cancel) -> Feed {
    let (sender, receiver) = channel(AHEAD);
    let (own, link) = linked(cancel);
    let ended = Arc::new(AtomicBool::new(false));
    let reader = Work { queue: Arc::clone(queue), dress, cancel: own.clone(), sender, ended: Arc::clone(&ended) };
    thread::spawn(move || reader.run());
    Feed { schema, receiver, cancel: own, ended, failed: false, _link: link }
}

/// What the reading thread holds.
struct Work {
    queue: Arc<Queue>,
    dress: Dress,
    cancel: Cancel,
    sender: Sender<DataFusionResult<RecordBatch>>,
    ended: Arc<AtomicBool>,
}

impl Work {
    fn run(self) {
        let error = match self.read() {
            Ok(()) => None,
            // What the interrupted source says is of no interest.
            Err(_) if self.cancel.is_cancelled() => Some(Error::cancelled()),
            Err(error) => Some(error),
        };
        // The end of the channel alone would look like the end of the rows, so the flag goes first; a panic sets none.
        self.ended.store(true, Ordering::SeqCst);
        if let Some(error) = error {
            // The receiver may be gone: then nobody asks.
            let _ = self.sender.blocking_send(Err(outside(error)));
        }
    }

    fn read(&self) -> Result<()> {
        if self.queue.is_claimed() {
            return Ok(());
        }
        let mut connection = match self.queue.plan.scan.connect(&self.cancel) {
            Ok(connection) => connection,
            Err(_) if self.queue.is_claimed() => return Ok(()),
            // Fewer readers, as long as one is left that takes all.
            Err(error)
                if error.kind() == ErrorKind::ConnectionLimit
                    && self.queue.welcome.fetch_sub(1, Ordering::SeqCst) > 1 =>
            {
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        while let Some(index) = self.queue.claim() {
            self.cancel.check()?;
            let mut reader = connection.open(index)?;
            while let Some(batch) = reader.next()? {
                if self.sender.blocking_send(Ok((self.dress)(batch)?)).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// The batches that one thread reads.
pub(crate) struct Feed {
    schema: SchemaRef,
    receiver: Receiver<DataFusionResult<RecordBatch>>,
    cancel: Cancel,
    /// The thread came to its end, well or with an error that it sent.
    ended: Arc<AtomicBool>,
    failed: bool,
    _link: Registration,
}

impl Stream for Feed {
    type Item = DataFusionResult<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.failed {
            return Poll::Ready(None);
        }
        let polled = self.receiver.poll_recv(context);
        match polled {
            Poll::Ready(Some(Err(error))) => {
                self.failed = true;
                Poll::Ready(Some(Err(error)))
            }
            Poll::Ready(None) if !self.ended.load(Ordering::SeqCst) => {
                self.failed = true;
                Poll::Ready(Some(Err(DataFusionError::Internal("the thread that reads a source panicked".into()))))
            }
            other => other,
        }
    }
}

impl RecordBatchStream for Feed {
    fn schema(&self) -> SchemaRef {
        SchemaRef::clone(&self.schema)
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if !self.ended.load(Ordering::SeqCst) {
            let cancel = self.cancel.clone();
            // To interrupt a database may take a round trip, which must not hold up a thread of the engine.
            thread::spawn(move || cancel.cancel());
        }
    }
}
