//! Where the time of a read went: a timeline of its partitions, as plain data.
//!
//! All instants count from the start of the read. The states of a partition add up to the time from its start to its end.

use std::time::Duration;

/// Where the time of a read went, as far as it has come.
///
/// A plan of more than [`Profile::MOST_ENTRIES`] partitions has one entry for several of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// How the read stands.
    pub outcome: Outcome,
    /// Where the source's work is done, which says what [`States::server`] and [`States::decoding`] mean.
    pub site: Site,
    /// From the start of the read until the consumer had its end, or until now.
    pub total: Duration,
    /// The connections that workers asked for, in the order of the workers.
    pub connections: Vec<ConnectionProfile>,
    /// The partitions that a worker has turned to, in the order of the result.
    pub partitions: Vec<PartitionProfile>,
    /// How many partitions the plan has, begun or not.
    pub planned: usize,
    /// The side that takes the batches.
    pub consumer: ConsumerProfile,
}

impl Profile {
    /// About how many entries `partitions` has at most.
    pub const MOST_ENTRIES: usize = 10_000;
}

/// How a read stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// It goes on.
    #[default]
    Running,
    /// Every batch was handed out.
    Complete,
    /// An error ended it.
    Failed,
    /// The consumer let go of it before its end.
    Stopped,
}

/// Where a source's work is done: what its readers wait for, and what the CPU time of their threads goes into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Site {
    /// On a server: readers wait for its bytes and make batches of them.
    #[default]
    Server,
    /// In files or in an object store: readers wait for bytes and make batches of them.
    Files,
    /// In the thread that reads: the database's own work cannot be told from the making of batches, and hardly anything is waited for.
    Here,
    /// In a thread of a driver: readers wait for what the driver has read and converted.
    Driver,
}

/// Time by what a worker did in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// Its connection was opened.
    pub connecting: Duration,
    /// It waited for the source: the time in [`Connection::open`](crate::Connection::open) and [`Reader::next`](crate::Reader::next)
    /// in which its thread used no CPU and was not ready to.
    pub server: Duration,
    /// It made batches: the CPU time of its thread in the same calls, which includes what the system does to hand bytes over, and the
    /// time in the destination's [`Map`](crate::Map).
    pub decoding: Duration,
    /// It waited for room, because the consumer had not taken enough of what was read.
    pub waiting: Duration,
    /// It was ready to go on, but every core of the machine was busy. Linux says so; elsewhere this time is in the states before it.
    pub starved: Duration,
}

impl States {
    /// All of them together.
    pub fn total(&self) -> Duration {
        self.connecting + self.server + self.decoding + self.waiting + self.starved
    }
}

impl std::ops::AddAssign for States {
    fn add_assign(&mut self, other: Self) {
        self.connecting += other.connecting;
        self.server += other.server;
        self.decoding += other.decoding;
        self.waiting += other.waiting;
        self.starved += other.starved;
    }
}

/// A connection and its worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionProfile {
    /// Which worker.
    pub index: usize,
    /// When it was asked for.
    pub start: Duration,
    /// When it was open; `None` where it is not yet, was refused, or failed.
    pub opened: Option<Duration>,
    /// When its worker had no more to do, or now.
    pub end: Duration,
    /// Whether it met the error that ended the read.
    pub failed: bool,
}

/// A partition, or several that one connection read one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartitionProfile {
    /// Which partition of the plan, or the first of several.
    pub index: usize,
    /// The last of several; else the same.
    pub last: usize,
    /// How many of them; others between the first and the last were read by other connections.
    pub count: usize,
    /// The first one's label.
    pub label: String,
    /// The connection that read it: an [index](ConnectionProfile::index).
    pub connection: usize,
    /// When its worker turned to it. For the first one of a connection, that is when the connection was asked for.
    pub start: Duration,
    /// When its connection was there, and the reading began.
    pub claimed: Duration,
    /// When its reader was there: a query was sent, as a rule.
    pub opened: Option<Duration>,
    /// When its first batch was decoded.
    pub first_batch: Option<Duration>,
    /// When its worker was through with it, or now.
    pub end: Duration,
    /// Whether it was read to its end.
    pub complete: bool,
    /// Where the time from its start to its end went.
    pub states: States,
    /// What its batches had.
    pub batches: u64,
    /// Rows.
    pub rows: u64,
    /// Bytes of Arrow memory.
    pub bytes: u64,
    /// The same, one stretch of time after the other: a bounded number of them, longer ones where there are many batches.
    pub stretches: Vec<Stretch>,
}

/// Some time of a partition, of one or several batches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// When it began.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
    /// Where its time went.
    pub states: States,
}

/// The side that takes the batches. What it waited and worked adds up to the time of the whole read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConsumerProfile {
    /// How long it waited for a batch, or for the end.
    pub waiting: Duration,
    /// How long it did something else: before it asked for the first batch, and with each batch.
    pub working: Duration,
    /// When it had the first batch.
    pub first_batch: Option<Duration>,
    /// What it was given.
    pub batches: u64,
    /// Rows.
    pub rows: u64,
    /// Bytes of Arrow memory.
    pub bytes: u64,
    /// The same, one stretch of time after the other.
    pub stretches: Vec<ConsumerStretch>,
}

/// Some time of the consumer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsumerStretch {
    /// When it began.
    pub start: Duration,
    /// When it ended.
    pub end: Duration,
    /// Time in which it waited.
    pub waiting: Duration,
    /// Time in which it did something else.
    pub working: Duration,
}
