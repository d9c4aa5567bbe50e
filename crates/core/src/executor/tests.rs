use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::Int64Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_schema::{DataType, Field, Schema};

use super::*;
use crate::testing::Numbers;
use crate::{Connection, Estimate, Partition, Query, Reader, Request, Scan, Source};

fn values(stream: Stream) -> Result<Vec<i64>> {
    let mut values = Vec::new();
    for batch in stream {
        values.extend_from_slice(batch?.column(0).as_primitive::<Int64Type>().values());
    }
    Ok(values)
}

#[test]
fn partitions_come_out_in_order_whatever_the_number_of_workers() {
    for workers in [1, 2, 3, 8] {
        let options = Options { connections: Some(workers), buffer_bytes: 1, ..Options::default() };
        let request = Request::new(Query::new("numbers"), options);
        let plan = Numbers { partitions: 20, rows: 50 }.plan(&request, &Cancel::new()).unwrap();
        let read = values(Stream::start(plan, &request.options, Cancel::new())).unwrap();
        assert_eq!(read, (0..1000).collect::<Vec<_>>());
    }
}

#[test]
fn a_consumer_that_keeps_everything_holds_no_worker_back() {
    let options = Options { connections: Some(2), buffer_bytes: 1, ..Options::default() };
    let request = Request::new(Query::new("numbers"), options);
    let plan = Numbers { partitions: 4, rows: 50 }.plan(&request, &Cancel::new()).unwrap();
    let stream = Stream::start(plan, &request.options, Cancel::new());
    stream.keep_all();
    let started = Instant::now();
    while !stream.workers.iter().all(JoinHandle::is_finished) {
        assert!(started.elapsed() < Duration::from_secs(30), "a worker waits although nothing was consumed yet");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(values(stream).unwrap(), (0..200).collect::<Vec<_>>());
}

/// A scan whose partitions misbehave as told; each yields endless batches of one row until then.
struct Faulty {
    /// Batches before the fault; `None`: it never comes.
    fault_after: Option<usize>,
    /// Connections that may be open at once.
    limit: usize,
    panics: bool,
    open: Arc<AtomicUsize>,
}

impl Scan for Faulty {
    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        if self.open.fetch_add(1, Ordering::SeqCst) >= self.limit {
            self.open.fetch_sub(1, Ordering::SeqCst);
            return Err(Error::new(ErrorKind::ConnectionLimit, "too many clients already"));
        }
        Ok(Box::new(FaultyConnection {
            fault_after: self.fault_after,
            panics: self.panics,
            open: Arc::clone(&self.open),
        }))
    }
}

struct FaultyConnection {
    fault_after: Option<usize>,
    panics: bool,
    open: Arc<AtomicUsize>,
}

impl Connection for FaultyConnection {
    fn open(&mut self, _: usize) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(FaultyReader { left: self.fault_after, panics: self.panics }))
    }
}

impl Drop for FaultyConnection {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}

struct FaultyReader {
    left: Option<usize>,
    panics: bool,
}

impl Reader for FaultyReader {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        match &mut self.left {
            Some(0) if self.panics => panic!("as told"),
            Some(0) => return Err(Error::new(ErrorKind::ConnectionLost, "the server went away")),
            Some(left) => *left -= 1,
            None => {}
        }
        let column = Arc::new(Int64Array::from(vec![1]));
        Ok(Some(RecordBatch::try_new(schema(), vec![column]).unwrap()))
    }
}

fn schema() -> SchemaRef {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, true)]))
}

fn start(scan: Faulty, workers: usize) -> Stream {
    let plan = Plan {
        schema: schema(),
        snapshot: None,
        partitions: vec![Partition::default(); 4],
        reason: "a test says so".into(),
        estimate: Estimate::default(),
        scan: Arc::new(scan),
    };
    Stream::start(plan, &Options { connections: Some(workers), ..Options::default() }, Cancel::new())
}

fn faulty(fault_after: Option<usize>, limit: usize, panics: bool) -> (Faulty, Arc<AtomicUsize>) {
    let open = Arc::new(AtomicUsize::new(0));
    (Faulty { fault_after, limit, panics, open: Arc::clone(&open) }, open)
}

#[test]
fn an_error_ends_the_stream_and_every_connection() {
    let (scan, open) = faulty(Some(3), 8, false);
    let mut stream = start(scan, 3);
    let error = stream.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost);
    assert!(stream.next().is_none(), "nothing may follow an error");
    assert_eq!(open.load(Ordering::SeqCst), 0);
}

#[test]
fn a_panic_in_a_worker_is_an_error_of_the_stream() {
    let (scan, open) = faulty(Some(0), 8, true);
    let error = start(scan, 2).find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::Internal);
    assert_eq!(open.load(Ordering::SeqCst), 0);
}

#[test]
fn a_dropped_stream_leaves_no_connection() {
    let (scan, open) = faulty(None, 8, false);
    let mut stream = start(scan, 3);
    assert_eq!(stream.next().unwrap().unwrap().num_rows(), 1);
    drop(stream);
    assert_eq!(open.load(Ordering::SeqCst), 0);
}

#[test]
fn a_cancelled_stream_says_so() {
    let (scan, _) = faulty(None, 8, false);
    let mut stream = start(scan, 2);
    stream.cancel().cancel();
    assert_eq!(stream.find_map(Result::err).unwrap().kind(), ErrorKind::Cancelled);
}

#[test]
fn a_connection_limit_means_fewer_workers() {
    let (scan, _) = faulty(Some(5), 1, false);
    let error = start(scan, 4).find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionLost, "the one worker that connected must read");
    let (scan, _) = faulty(Some(5), 0, false);
    let error = start(scan, 4).find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::ConnectionLimit, "no worker at all is a failure");
}

/// Lets one connection in; the next one is refused when the first has long read everything.
struct Late(AtomicUsize);

impl Scan for Late {
    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        if self.0.fetch_add(1, Ordering::SeqCst) == 0 {
            return Ok(Box::new(Empty));
        }
        std::thread::sleep(Duration::from_millis(50));
        Err(Error::new(ErrorKind::ConnectionLost, "too late"))
    }
}

struct Empty;

impl Connection for Empty {
    fn open(&mut self, _: usize) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(Empty))
    }
}

impl Reader for Empty {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        Ok(None)
    }
}

#[test]
fn a_connection_that_nobody_needs_any_more_may_fail() {
    let plan = Plan {
        schema: schema(),
        snapshot: None,
        partitions: vec![Partition::default(); 4],
        reason: "a test says so".into(),
        estimate: Estimate::default(),
        scan: Arc::new(Late(AtomicUsize::new(0))),
    };
    let options = Options { connections: Some(2), ..Options::default() };
    assert!(Stream::start(plan, &options, Cancel::new()).all(|item| item.is_ok()));
}
