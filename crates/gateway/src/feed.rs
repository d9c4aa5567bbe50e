//! From a reading thread to an asynchronous consumer, with an ear for the consumer's end.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use bowshot_core::{Error, ErrorKind, Poll, Result, Stream};
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// How long the database may be silent before the consumer is looked after: a lost client ends its query within a second.
const SLICE: Duration = Duration::from_millis(100);

/// What becomes of a stream's batches.
pub trait Turn<T>: Send + 'static {
    /// The items of a batch; those of the batch before had to wait so long for room.
    ///
    /// # Errors
    /// Whatever ends the stream.
    fn batch(&mut self, batch: RecordBatch, waited: Duration) -> Result<Vec<T>>;

    /// The stream has ended, well or not. It is not called when the consumer is gone before.
    fn end(&mut self, _outcome: Result<(), &Error>) {}
}

impl<T, F: FnMut(RecordBatch, Duration) -> Result<Vec<T>> + Send + 'static> Turn<T> for F {
    fn batch(&mut self, batch: RecordBatch, waited: Duration) -> Result<Vec<T>> {
        self(batch, waited)
    }
}

/// Reads `stream` in a thread of its own; each batch becomes some items, of which `room` may wait.
///
/// `first` is sent before anything is read. An error of the stream or of `turn` is the last item. When the receiver is
/// dropped the stream is too, which ends the query in the database.
pub fn feed<T: Send + 'static>(stream: Stream, room: usize, first: Vec<T>, turn: impl Turn<T>) -> Receiver<Result<T>> {
    run(room, move |sender| pass_on(stream, first, turn, sender))
}

/// Runs `work` in a thread of its own; of its items `room` may wait. Where it panics, an error is the last item: a result that ends early is
/// never taken for a whole one.
pub(crate) fn run<T: Send + 'static>(
    room: usize,
    work: impl FnOnce(&Sender<Result<T>>) + Send + 'static,
) -> Receiver<Result<T>> {
    let (sender, receiver) = channel(room.max(1));
    thread::spawn(move || {
        if catch_unwind(AssertUnwindSafe(|| work(&sender))).is_err() {
            let error = Error::new(ErrorKind::Internal, "reading the result panicked; please report this");
            // The receiver may be gone: then nobody asks.
            let _ = sender.blocking_send(Err(error));
        }
    });
    receiver
}

fn pass_on<T>(mut stream: Stream, first: Vec<T>, mut turn: impl Turn<T>, sender: &Sender<Result<T>>) {
    if !send_all(Ok(first), sender) {
        return;
    }
    let mut waited = Duration::ZERO;
    while !sender.is_closed() {
        let items = match stream.poll(SLICE) {
            Ok(Poll::Batch(batch)) => turn.batch(batch, waited),
            Ok(Poll::Pending) => continue,
            Ok(Poll::Done) => return turn.end(Ok(())),
            Err(error) => Err(error),
        };
        if let Err(error) = &items {
            turn.end(Err(error));
        }
        let started = Instant::now();
        if !send_all(items, sender) {
            return;
        }
        waited = started.elapsed();
    }
}

/// Whether there is more to be sent: nobody listens after an error, or when the receiver is gone.
fn send_all<T>(items: Result<Vec<T>>, sender: &Sender<Result<T>>) -> bool {
    match items {
        Ok(items) => items.into_iter().all(|item| sender.blocking_send(Ok(item)).is_ok()),
        Err(error) => {
            // The receiver may be gone: then nobody asks.
            let _ = sender.blocking_send(Err(error));
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_schema::{DataType, Field, Schema};
    use bowshot_core::testing::Numbers;
    use bowshot_core::{Cancel, Connection, Estimate, Options, Partition, Plan, Query, Reader, Request, Scan, Source};

    use super::*;

    fn numbers() -> Stream {
        let request = Request::new(Query::new("numbers"), Options::default());
        let plan = Numbers { partitions: 4, rows: 25 }.plan(&request, &Cancel::new()).unwrap();
        Stream::start(plan, &request.options, Cancel::new())
    }

    fn cells(batch: &RecordBatch) -> Vec<i64> {
        batch.column(0).as_primitive::<Int64Type>().values().to_vec()
    }

    #[test]
    fn everything_arrives_in_order() {
        let mut receiver = feed(numbers(), 1, vec![-1], |batch: RecordBatch, _: Duration| Ok(cells(&batch)));
        let mut received = Vec::new();
        while let Some(item) = receiver.blocking_recv() {
            received.push(item.unwrap());
        }
        assert_eq!(received, (-1..100).collect::<Vec<_>>());
    }

    #[test]
    fn an_error_is_the_last_item() {
        let mut receiver =
            feed(numbers(), 100, Vec::new(), |batch: RecordBatch, _: Duration| match cells(&batch).contains(&30) {
                true => Err(Error::new(ErrorKind::Value, "30 does not fit")),
                false => Ok(vec![batch.num_rows()]),
            });
        let mut received = Vec::new();
        while let Some(item) = receiver.blocking_recv() {
            received.push(item);
        }
        let last = received.pop().unwrap();
        assert_eq!(last.unwrap_err().kind(), ErrorKind::Value);
        assert!(received.iter().all(Result::is_ok) && received.len() < 100);
    }

    #[test]
    fn a_panic_is_an_error_that_ends_the_stream() {
        let turn = |batch: RecordBatch, _: Duration| {
            assert!(!cells(&batch).contains(&30), "as a test wants it");
            Ok(vec![batch.num_rows()])
        };
        let mut receiver = feed(numbers(), 100, Vec::new(), turn);
        let mut received = Vec::new();
        while let Some(item) = receiver.blocking_recv() {
            received.push(item);
        }
        assert_eq!(received.pop().unwrap().unwrap_err().kind(), ErrorKind::Internal);
        assert!(received.iter().all(Result::is_ok) && received.len() < 100);
    }

    /// A query that yields nothing until it is cancelled.
    struct Silent(Cancel);

    impl Scan for Silent {
        fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
            Ok(Box::new(Silent(cancel.clone())))
        }
    }

    impl Connection for Silent {
        fn open(&mut self, _: usize) -> Result<Box<dyn Reader + '_>> {
            Ok(Box::new(Silent(self.0.clone())))
        }
    }

    impl Reader for Silent {
        fn next(&mut self) -> Result<Option<RecordBatch>> {
            while !self.0.is_cancelled() {
                thread::sleep(Duration::from_millis(1));
            }
            Err(Error::cancelled())
        }
    }

    #[test]
    fn a_lost_consumer_ends_the_query() {
        let cancel = Cancel::new();
        let plan = Plan {
            schema: Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)])),
            snapshot: None,
            partitions: vec![Partition::default()],
            reason: "a test says so".into(),
            estimate: Estimate::default(),
            scan: Arc::new(Silent(Cancel::new())),
        };
        let stream = Stream::start(plan, &Options::default(), cancel.clone());
        drop(feed(stream, 1, vec![0], |_: RecordBatch, _: Duration| Ok(vec![1])));
        let started = Instant::now();
        while !cancel.is_cancelled() {
            assert!(started.elapsed() < Duration::from_secs(10), "the query goes on for nobody");
            thread::sleep(Duration::from_millis(1));
        }
    }
}
