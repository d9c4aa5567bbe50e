use std::sync::Arc;

use arrow_array::{Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};

use super::clock::cpu;
use super::*;
use crate::testing::Numbers;
use crate::{
    Cancel, Connection, Error, ErrorKind, Estimate, Map, Options, PartitionProfile, Plan, Poll, Query, Reader, Request,
    Result, Scan, Source, States, Stream,
};

const STEP: Duration = Duration::from_millis(20);

/// A database of one-row batches that takes its time.
#[derive(Clone, Copy, Default)]
struct Slow {
    /// To connect.
    connect: Duration,
    /// How it does not connect.
    refused: Option<ErrorKind>,
    /// Each batch waits so long for the server.
    wait: Duration,
    /// The CPU time that each batch burns.
    burn: Duration,
    /// Batches of a partition.
    batches: usize,
    /// The batch that fails.
    fails_at: Option<usize>,
    panics: bool,
}

fn burn(time: Duration) {
    let start = cpu();
    while cpu() - start < time {}
}

impl Scan for Slow {
    fn connect(&self, _: &Cancel) -> Result<Box<dyn Connection>> {
        std::thread::sleep(self.connect);
        match self.refused {
            Some(kind) => Err(Error::new(kind, "no")),
            None => Ok(Box::new(*self)),
        }
    }
}

impl Connection for Slow {
    fn open(&mut self, _: usize) -> Result<Box<dyn Reader + '_>> {
        Ok(Box::new(SlowReader { source: *self, read: 0 }))
    }
}

struct SlowReader {
    source: Slow,
    read: usize,
}

impl Reader for SlowReader {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        if self.read == self.source.batches {
            return Ok(None);
        }
        std::thread::sleep(self.source.wait);
        burn(self.source.burn);
        if self.source.fails_at == Some(self.read) {
            assert!(!self.source.panics, "as told");
            return Err(Error::new(ErrorKind::ConnectionLost, "the server went away"));
        }
        self.read += 1;
        Ok(Some(RecordBatch::try_new(schema(), vec![Arc::new(Int64Array::from(vec![1]))])?))
    }
}

fn schema() -> Arc<Schema> {
    Arc::new(Schema::new(vec![Field::new("n", DataType::Int64, false)]))
}

fn plan(source: Slow, partitions: usize) -> Plan {
    Plan {
        schema: schema(),
        snapshot: None,
        partitions: (0..partitions).map(|index| Partition { label: format!("part {index}"), rows: None }).collect(),
        reason: "a test says so".into(),
        estimate: Estimate::default(),
        scan: Arc::new(source),
    }
}

fn start(source: Slow, partitions: usize, connections: usize, map: Option<Map>) -> Stream {
    // No batch waits beside the one that the consumer takes next.
    let options = Options { connections: Some(connections), buffer_bytes: 1, ..Options::default() };
    Stream::start_mapped(plan(source, partitions), &options, Cancel::new(), map)
}

fn sum(partitions: &[PartitionProfile]) -> States {
    let mut all = States::default();
    partitions.iter().for_each(|partition| all += partition.states);
    all
}

/// What holds of every profile, whenever it is taken.
#[track_caller]
fn check(profile: &Profile) {
    for partition in &profile.partitions {
        let span = partition.end - partition.start;
        assert_eq!(partition.states.total(), span, "{partition:#?}");
        assert!(partition.start <= partition.claimed && partition.claimed <= partition.end, "{partition:?}");
        let instants = [Some(partition.claimed), partition.opened, partition.first_batch, Some(partition.end)];
        let known: Vec<_> = instants.into_iter().flatten().collect();
        assert!(known.is_sorted(), "{partition:?}");
        let mut states = States::default();
        partition.stretches.iter().for_each(|stretch| states += stretch.states);
        assert_eq!(states, partition.states);
        assert!(partition.stretches.windows(2).all(|pair| pair[0].end == pair[1].start), "{partition:?}");
        assert!(partition.stretches.iter().all(|stretch| stretch.states.total() == stretch.end - stretch.start));
        let connection = profile.connections.iter().find(|connection| connection.index == partition.connection);
        let connection = connection.expect("its connection is there");
        assert!(connection.start <= partition.start && partition.end <= connection.end, "{profile:#?}");
    }
    for connection in &profile.connections {
        let own: Vec<_> = profile.partitions.iter().filter(|one| one.connection == connection.index).collect();
        assert!(own.windows(2).all(|pair| pair[0].end == pair[1].start), "partitions follow without a gap");
    }
    assert_eq!(profile.consumer.waiting + profile.consumer.working, profile.total);
    assert!(profile.partitions.iter().map(|partition| partition.count).sum::<usize>() <= profile.planned);
}

#[track_caller]
fn about(time: Duration, expected: Duration) {
    // Sleeps are never shorter; a busy machine makes them longer.
    assert!(time >= expected.mul_f64(0.9) && time <= expected * 8 + STEP * 10, "{time:?}, expected {expected:?}");
}

#[test]
fn a_slow_server_is_waited_for() {
    let source = Slow { connect: STEP, wait: STEP, batches: 5, ..Slow::default() };
    let mut stream = start(source, 2, 1, None);
    assert_eq!(stream.by_ref().count(), 10);
    let profile = stream.profile();
    check(&profile);
    let states = sum(&profile.partitions);
    about(states.connecting, STEP);
    about(states.server, STEP * 10);
    assert!(states.decoding < STEP * 3, "{states:?}");
    assert_eq!((profile.outcome, profile.planned, profile.site), (Outcome::Complete, 2, Site::Server));
    let [first, second] = profile.partitions.as_slice() else { panic!("{profile:?}") };
    assert_eq!((first.label.as_str(), second.label.as_str()), ("part 0", "part 1"));
    assert_eq!((first.index, first.last, first.count, first.rows, first.batches), (0, 0, 1, 5, 5));
    assert!(first.bytes > 0 && first.complete && second.complete);
    assert_eq!(second.states.connecting, Duration::ZERO);
    assert_eq!((profile.consumer.rows, profile.consumer.batches), (10, 10));
    about(profile.consumer.waiting, STEP * 11);
    assert!(profile.consumer.working < profile.consumer.waiting, "{profile:?}");
}

#[test]
fn decoding_and_the_map_are_the_workers_own_work() {
    let map: Map = Arc::new(|batch| {
        burn(STEP);
        Ok(batch)
    });
    let mut stream = start(Slow { burn: STEP, batches: 5, ..Slow::default() }, 1, 1, Some(map));
    assert_eq!(stream.by_ref().count(), 5);
    let profile = stream.profile();
    check(&profile);
    let states = profile.partitions[0].states;
    about(states.decoding, STEP * 10);
    // Every core may be taken by other tests; then the thread waits, and the profile knows why.
    assert!(states.server < STEP * 2 || cfg!(not(target_os = "linux")), "{profile:#?}");
}

#[test]
fn a_slow_consumer_keeps_its_workers_waiting() {
    let mut stream = start(Slow { batches: 8, ..Slow::default() }, 1, 1, None);
    let mut batches = 0;
    while let Some(batch) = stream.next() {
        batch.unwrap();
        batches += 1;
        std::thread::sleep(STEP);
        check(&stream.profile());
    }
    let profile = stream.profile();
    check(&profile);
    assert_eq!(batches, 8);
    about(profile.consumer.working, STEP * 8);
    // Two are ahead of the consumer: the one that waits for it, and the one that waits for room.
    about(profile.partitions[0].states.waiting, STEP * 6);
}

#[test]
fn a_profile_can_be_taken_in_the_middle_of_a_wait() {
    let mut stream = start(Slow { wait: STEP * 40, batches: 1, ..Slow::default() }, 3, 1, None);
    assert!(matches!(stream.poll(STEP * 10).unwrap(), Poll::Pending));
    let profile = stream.profile();
    check(&profile);
    assert_eq!((profile.outcome, profile.partitions.len(), profile.planned), (Outcome::Running, 1, 3));
    let [partition] = profile.partitions.as_slice() else { panic!("{profile:?}") };
    assert!(partition.states.server >= STEP * 2, "the wait goes on: {profile:#?}");
    assert_eq!((partition.rows, partition.first_batch, partition.complete), (0, None, false));
    about(profile.consumer.waiting, STEP * 10);
    // It goes on.
    assert!(stream.timeline().profile().total > profile.total);
}

/// On Linux, others can see what a thread has worked in a call that has not returned.
#[cfg(target_os = "linux")]
#[test]
fn work_that_goes_on_is_no_wait() {
    let mut stream = start(Slow { burn: STEP * 20, batches: 1, ..Slow::default() }, 1, 1, None);
    assert!(matches!(stream.poll(STEP * 10).unwrap(), Poll::Pending));
    let profile = stream.profile();
    check(&profile);
    let states = profile.partitions[0].states;
    assert!(states.decoding >= STEP, "{states:?}");
}

#[test]
fn an_error_leaves_a_profile_of_what_came_before() {
    let source = Slow { wait: STEP, batches: 5, fails_at: Some(2), ..Slow::default() };
    let mut stream = start(source, 2, 1, None);
    assert_eq!(stream.by_ref().filter(Result::is_ok).count(), 2);
    let profile = stream.profile();
    check(&profile);
    assert_eq!((profile.outcome, profile.partitions.len()), (Outcome::Failed, 1));
    let partition = &profile.partitions[0];
    assert_eq!((partition.rows, partition.complete), (2, false));
    assert!(profile.connections[0].failed);
    about(partition.states.server, STEP * 3);
    let later = stream.profile();
    assert_eq!(later, profile, "time stands still after the end");
}

#[test]
fn a_panic_ends_the_log_too() {
    let source = Slow { batches: 5, fails_at: Some(1), panics: true, ..Slow::default() };
    let mut stream = start(source, 1, 1, None);
    // On a busy machine the panic may come before its consumer, and the batch before it then goes.
    assert!(stream.by_ref().filter(Result::is_ok).count() <= 1);
    let profile = stream.profile();
    check(&profile);
    assert!(profile.connections[0].failed);
    std::thread::sleep(STEP);
    assert_eq!(stream.profile(), profile);
}

#[test]
fn a_consumer_that_leaves_stops_the_clock() {
    let mut stream = start(Slow { wait: STEP, batches: 50, ..Slow::default() }, 2, 2, None);
    stream.next().unwrap().unwrap();
    let timeline = stream.timeline().clone();
    drop(stream);
    let profile = timeline.profile();
    check(&profile);
    assert_eq!(profile.outcome, Outcome::Stopped);
    assert!(profile.connections.iter().all(|connection| !connection.failed), "nobody waits for an error");
    std::thread::sleep(STEP);
    assert_eq!(timeline.profile(), profile);
}

#[test]
fn connections_that_never_opened_are_there() {
    for kind in [ErrorKind::Connect, ErrorKind::ConnectionLimit] {
        let mut stream = start(Slow { connect: STEP, refused: Some(kind), ..Slow::default() }, 3, 3, None);
        assert_eq!(stream.find_map(Result::err).unwrap().kind(), kind);
        let profile = stream.profile();
        check(&profile);
        assert!(profile.partitions.is_empty());
        assert_eq!(profile.connections.iter().filter(|connection| connection.failed).count(), 1, "{profile:#?}");
        for connection in &profile.connections {
            assert_eq!(connection.opened, None);
            assert!(connection.end - connection.start >= STEP.mul_f64(0.9), "{connection:?}");
        }
    }
}

#[test]
fn no_partitions_are_no_trouble() {
    let mut stream = start(Slow::default(), 0, 4, None);
    assert!(stream.next().is_none());
    let profile = stream.profile();
    check(&profile);
    assert!(profile.partitions.is_empty() && profile.connections.is_empty());
    assert_eq!(profile.outcome, Outcome::Complete);
}

#[test]
fn connections_side_by_side_have_rows_of_their_own() {
    let source = Slow { connect: STEP, wait: STEP, batches: 2, ..Slow::default() };
    let mut stream = start(source, 8, 4, None);
    stream.keep_all();
    assert_eq!(stream.by_ref().count(), 16);
    let profile = stream.profile();
    check(&profile);
    assert_eq!(profile.connections.len(), 4);
    let indexes: Vec<_> = profile.partitions.iter().map(|partition| partition.index).collect();
    assert_eq!(indexes, (0..8).collect::<Vec<_>>());
    for connection in &profile.connections {
        about(connection.opened.unwrap() - connection.start, STEP);
    }
}

#[test]
fn very_many_partitions_share_entries() {
    for workers in [1, 3] {
        let partitions = 50_000;
        let options = Options { connections: Some(workers), ..Options::default() };
        let request = Request::new(Query::new("numbers"), options);
        let plan = Numbers { partitions, rows: 1 }.plan(&request, &Cancel::new()).unwrap();
        let mut stream = Stream::start(plan, &request.options, Cancel::new());
        assert_eq!(stream.by_ref().map(|batch| batch.unwrap().num_rows()).sum::<usize>(), partitions);
        let profile = stream.profile();
        check(&profile);
        let entries = profile.partitions.len();
        assert!(entries <= Profile::MOST_ENTRIES && entries > Profile::MOST_ENTRIES / 10, "{entries}");
        assert_eq!(profile.partitions.iter().map(|partition| partition.count).sum::<usize>(), partitions);
        assert_eq!(profile.partitions.iter().map(|partition| partition.rows).sum::<u64>(), 50_000);
        assert!(profile.partitions.iter().all(|one| (one.index < one.last) == (one.count > 1) && one.complete));
        assert!(profile.partitions.iter().any(|one| one.count > 1));
        assert!(profile.consumer.stretches.len() <= 512);
    }
}

#[test]
fn a_long_partition_has_a_bounded_number_of_stretches() {
    let request = Request::new(Query::new("numbers"), Options::default());
    let plan = Numbers { partitions: 1, rows: 100_000 }.plan(&request, &Cancel::new()).unwrap();
    let mut stream = Stream::start(plan, &request.options, Cancel::new());
    assert_eq!(stream.by_ref().count(), 10_000);
    let profile = stream.profile();
    check(&profile);
    let stretches = profile.partitions[0].stretches.len();
    assert!((64..=256).contains(&stretches), "{stretches}");
}

/// A batch of 1 MiB takes some milliseconds; what its log costs must not matter beside that.
#[test]
fn the_log_costs_less_than_a_hundredth_of_a_batch() {
    let timeline = Timeline::start(vec![Partition::default()], Site::Server, 1);
    let log = timeline.log(0).unwrap();
    log.connecting();
    log.connected();
    log.claimed(0);
    let round = || {
        let (started, count) = (Instant::now(), 2000);
        for _ in 0..count {
            log.read();
            log.mapped(1, 1);
            log.put();
            timeline.asked(Instant::now());
            timeline.given(1, 1);
        }
        started.elapsed() / count
    };
    // Other tests take the cores meanwhile: the best round tells.
    let each = (0..10).map(|_| round()).min().unwrap();
    eprintln!("a batch costs its log {each:?}");
    assert!(each < Duration::from_micros(30), "{each:?}");
}
