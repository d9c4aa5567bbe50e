//! What one worker did, partition after partition.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::clock::{Mark, Scheduling};
use super::stretches::Spans;
use crate::{ConnectionProfile, Partition, PartitionProfile, Profile, States, Stretch};

/// Stretches of all partitions of a plan together, about.
const MOST_STRETCHES: usize = 8192;
/// So short that it is not worth a look at the clocks of the thread.
const BRIEF: Duration = Duration::from_micros(50);
/// Stretches of one partition.
const MOST_OF_ONE: usize = 256;

/// How much one worker keeps.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    entries: usize,
    stretches: usize,
}

impl Bounds {
    pub(super) fn new(partitions: usize, workers: usize) -> Self {
        let most = Profile::MOST_ENTRIES;
        // Partitions that all fit are never put together, whichever worker reads them.
        let entries = if partitions <= most { most } else { most / workers.max(1) };
        let stretches = MOST_STRETCHES / partitions.max(1);
        Bounds { entries: entries.max(2), stretches: stretches.clamp(1, MOST_OF_ONE) }
    }
}

/// What a worker does at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Nothing,
    Connecting,
    /// It has called a source, which waits or decodes.
    Reading,
    Mapping,
    Waiting,
}

/// What one worker did, and does.
#[derive(Debug)]
pub(super) struct Log {
    bounds: Bounds,
    /// When its connection was asked for, if it ever was.
    began: Option<Instant>,
    opened: Option<Instant>,
    ended: Option<Instant>,
    failed: bool,
    doing: Doing,
    /// Until when everything is noted.
    since: Instant,
    /// The last time that its thread's clocks were read.
    mark: Mark,
    scheduling: Option<Scheduling>,
    entries: Vec<Entry>,
    /// How many partitions an entry has.
    group: usize,
}

/// A partition, or several.
#[derive(Clone, Debug)]
struct Entry {
    index: usize,
    last: usize,
    count: usize,
    start: Instant,
    claimed: Instant,
    opened: Option<Instant>,
    first_batch: Option<Instant>,
    complete: bool,
    batches: u64,
    rows: u64,
    bytes: u64,
    spans: Spans<States>,
}

impl Log {
    pub(super) fn new(start: Instant, bounds: Bounds) -> Self {
        Log {
            bounds,
            began: None,
            opened: None,
            ended: None,
            failed: false,
            doing: Doing::Nothing,
            since: start,
            mark: Mark { now: start, cpu: Duration::ZERO, starved: Duration::ZERO },
            scheduling: None,
            entries: Vec::new(),
            group: 1,
        }
    }

    /// Its thread's clocks, read by itself.
    fn look(&self) -> Mark {
        match &self.scheduling {
            Some(scheduling) => scheduling.mark(),
            None => Mark { now: Instant::now(), ..self.mark },
        }
    }

    /// Notes what was done until `mark`.
    fn until(&mut self, mark: Mark) {
        let passed = mark.now.saturating_duration_since(self.since);
        let starved = mark.starved.saturating_sub(self.mark.starved);
        let mut states = States::default();
        match self.doing {
            Doing::Nothing | Doing::Connecting => {}
            Doing::Mapping => {
                states.starved = starved.min(passed);
                states.decoding = passed.saturating_sub(states.starved);
            }
            Doing::Waiting => {
                states.starved = starved.min(passed);
                states.waiting = passed.saturating_sub(states.starved);
            }
            Doing::Reading => {
                states.decoding = mark.cpu.saturating_sub(self.mark.cpu).min(passed);
                let idle = passed.saturating_sub(states.decoding);
                states.starved = starved.min(idle);
                states.server = idle.saturating_sub(states.starved);
            }
        }
        self.since = mark.now;
        if states != States::default()
            && let Some(entry) = self.entries.last_mut()
        {
            entry.spans.add(mark.now, states);
        }
    }

    /// It goes on to do something else.
    fn turn(&mut self, mark: Mark, doing: Doing) {
        self.until(mark);
        self.mark = mark;
        self.doing = doing;
    }

    fn claim(&mut self, index: usize, mark: Mark) {
        let now = mark.now;
        // The first partition of a connection is what it was opened for; each further one follows without a gap.
        let start = match (self.entries.is_empty(), self.began) {
            (true, Some(began)) => began,
            _ => self.since,
        };
        self.since = now;
        self.doing = Doing::Reading;
        self.mark = mark;
        if let Some(entry) = self.entries.last_mut().filter(|entry| entry.count < self.group) {
            entry.last = index;
            entry.count += 1;
            entry.complete = false;
            entry.spans.add(now, States { server: now.saturating_duration_since(start), ..States::default() });
            return;
        }
        if self.entries.len() >= self.bounds.entries {
            self.halve();
        }
        let mut spans = Spans::new(start, self.bounds.stretches);
        let before = now.saturating_duration_since(start);
        if self.entries.is_empty() {
            spans.add(now, States { connecting: before, ..States::default() });
            spans.end_item(now);
        } else {
            spans.add(now, States { server: before, ..States::default() });
        }
        self.entries.push(Entry {
            index,
            last: index,
            count: 1,
            start,
            claimed: now,
            opened: None,
            first_batch: None,
            complete: false,
            batches: 0,
            rows: 0,
            bytes: 0,
            spans,
        });
    }

    /// Puts every two entries together, so that there is room again.
    fn halve(&mut self) {
        self.group = self.group.saturating_mul(2);
        let entries = std::mem::take(&mut self.entries);
        for entry in entries {
            match self.entries.last_mut().filter(|last| last.count + entry.count <= self.group) {
                Some(last) => last.absorb(&entry),
                None => self.entries.push(entry),
            }
        }
    }

    fn end(&mut self, failed: bool) {
        if self.ended.is_none() {
            let mark = self.look();
            self.turn(mark, Doing::Nothing);
            (self.ended, self.failed, self.scheduling) = (Some(mark.now), failed, None);
        }
    }

    /// As it would be if it was noted now.
    pub(super) fn so_far(&self, now: Instant) -> SoFar {
        let mut log = Log { entries: self.entries.clone(), scheduling: None, ..*self };
        if let Some(scheduling) = &self.scheduling {
            log.until(scheduling.mark_from_afar(now, self.mark));
        }
        SoFar(log)
    }
}

impl Entry {
    /// Takes over one that follows without a gap.
    fn absorb(&mut self, next: &Entry) {
        self.last = next.last;
        self.count += next.count;
        self.complete = next.complete;
        self.batches += next.batches;
        self.rows += next.rows;
        self.bytes += next.bytes;
        for span in next.spans.as_slice() {
            self.spans.add(span.end, span.what);
        }
    }
}

/// A log at an instant.
pub(super) struct SoFar(Log);

impl SoFar {
    /// The connection, if one was asked for.
    pub(super) fn connection(&self, index: usize, at: impl Fn(Instant) -> Duration) -> Option<ConnectionProfile> {
        let log = &self.0;
        Some(ConnectionProfile {
            index,
            start: at(log.began?),
            opened: log.opened.map(&at),
            end: at(log.ended.unwrap_or(log.since)),
            failed: log.failed,
        })
    }

    /// Its partitions, of all that are `planned`.
    pub(super) fn partitions(
        self,
        connection: usize,
        planned: &[Partition],
        at: impl Fn(Instant) -> Duration,
    ) -> impl Iterator<Item = PartitionProfile> {
        self.0.entries.into_iter().map(move |entry| {
            let spans = entry.spans.as_slice();
            let stretches: Vec<_> = spans
                .iter()
                .map(|span| Stretch { start: at(span.start), end: at(span.end), states: span.what })
                // The last one may just have begun.
                .filter(|stretch| stretch.end > stretch.start)
                .collect();
            let mut states = States::default();
            stretches.iter().for_each(|stretch| states += stretch.states);
            PartitionProfile {
                index: entry.index,
                last: entry.last,
                count: entry.count,
                label: planned.get(entry.index).map(|partition| partition.label.clone()).unwrap_or_default(),
                connection,
                start: at(entry.start),
                claimed: at(entry.claimed),
                opened: entry.opened.map(&at),
                first_batch: entry.first_batch.map(&at),
                end: at(spans.last().map_or(entry.claimed, |span| span.end)),
                complete: entry.complete,
                states,
                batches: entry.batches,
                rows: entry.rows,
                bytes: entry.bytes,
                stretches,
            }
        })
    }
}

/// A log in its own worker's hands. Dropping it ends it, however the worker came to that.
pub(crate) struct Logging<'a>(&'a Mutex<Log>);

impl<'a> Logging<'a> {
    pub(super) fn new(log: &'a Mutex<Log>) -> Self {
        Logging(log)
    }

    /// A connection is asked for.
    pub(crate) fn connecting(&self) {
        let scheduling = Scheduling::of_this_thread();
        let mut log = self.0.lock();
        log.scheduling = Some(scheduling);
        let mark = log.look();
        log.turn(mark, Doing::Connecting);
        log.began = Some(mark.now);
    }

    /// The connection is there.
    pub(crate) fn connected(&self) {
        let mut log = self.0.lock();
        let mark = log.look();
        log.turn(mark, Doing::Nothing);
        log.opened = Some(mark.now);
    }

    /// It turns to partition `index`.
    pub(crate) fn claimed(&self, index: usize) {
        let mut log = self.0.lock();
        let mark = log.look();
        log.claim(index, mark);
    }

    /// The partition's reader is there.
    pub(crate) fn opened(&self) {
        let mut log = self.0.lock();
        let now = Instant::now();
        if let Some(entry) = log.entries.last_mut() {
            entry.opened = entry.opened.or(Some(now));
        }
    }

    /// A batch was read, and the destination has it next.
    pub(crate) fn read(&self) {
        let mut log = self.0.lock();
        let mark = log.look();
        log.turn(mark, Doing::Mapping);
    }

    /// The batch is to be handed over, when there is room.
    pub(crate) fn mapped(&self, rows: u64, bytes: u64) {
        let mut log = self.0.lock();
        let now = Instant::now();
        // Where next to nothing was done, no core was waited for either.
        let brief = now.saturating_duration_since(log.since) < BRIEF;
        let mark = if brief { Mark { now, ..log.mark } } else { log.look() };
        log.turn(mark, Doing::Waiting);
        if let Some(entry) = log.entries.last_mut() {
            entry.first_batch = entry.first_batch.or(Some(mark.now));
            entry.batches += 1;
            entry.rows += rows;
            entry.bytes += bytes;
        }
    }

    /// The batch was handed over; the next one is read.
    pub(crate) fn put(&self) {
        let mut log = self.0.lock();
        let mark = log.look();
        log.turn(mark, Doing::Reading);
        if let Some(entry) = log.entries.last_mut() {
            entry.spans.end_item(mark.now);
        }
    }

    /// The partition was read to its end.
    pub(crate) fn finished(&self) {
        let mut log = self.0.lock();
        let mark = log.look();
        log.turn(mark, Doing::Nothing);
        if let Some(entry) = log.entries.last_mut() {
            entry.complete = true;
        }
    }

    /// There is nothing more to do for it; whether because it `failed`, and the whole read with it.
    pub(crate) fn end(&self, failed: bool) {
        self.0.lock().end(failed);
    }
}

impl Drop for Logging<'_> {
    fn drop(&mut self) {
        self.end(std::thread::panicking());
    }
}
