//! What keeps a plan's snapshot alive while its tickets travel.
//!
//! The connection that planned is never lent to a reader: it only waits. It goes when the holder is closed or dropped, with its
//! process, or when the lease runs out: so long after the last read began that nobody can be expected to come.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::ticket::{Draft, State};
use crate::{Cancel, Error, ErrorKind, Options, Plan, Request, Result, Scan, Ticket};

/// How many holders one process may have: each may hold a connection.
const MOST_HOLDERS: usize = 32;

/// How often a holder looks whether somebody reads, at most and at least.
const LOOKS: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(15));

/// Why a closed holder holds no more.
const CLOSED: &str = "it was closed";

/// Holders that are alive.
static ALIVE: AtomicUsize = AtomicUsize::new(0);

/// What a source keeps for those that join its plan from elsewhere.
pub trait Hold: Send {
    /// The source's scheme, which its tickets name.
    fn kind(&self) -> &'static str;

    /// What joining this partition needs, by [`write_state`](crate::write_state).
    ///
    /// # Errors
    /// Of what cannot be written.
    fn state(&self, index: usize) -> Result<Vec<u8>>;

    /// Looks whether somebody has read since the last look, and shows the database that the snapshot is still needed.
    ///
    /// # Errors
    /// Where the snapshot is lost, of kind [`SnapshotGone`](ErrorKind::SnapshotGone) or as the connection says it.
    fn look(&mut self) -> Result<bool> {
        Ok(false)
    }
}

/// How the partitions of a plan travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// Each is read on the plan's snapshot.
    Snapshot,
    /// The one partition executes the whole query where it is read.
    Whole,
    /// Each is executed where it is read, and sees the state of then, as its user allows.
    Torn,
}

/// How long a snapshot is kept after the last read began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease(pub Duration);

impl Default for Lease {
    fn default() -> Self {
        Lease(Duration::from_secs(600))
    }
}

/// Keeps a plan's snapshot alive for its tickets.
///
/// The connection that planned is not lent to a reader from then on: it only waits, until the holder is closed or dropped, its process ends, or
/// the lease runs out.
pub struct Holder {
    shared: Arc<Shared>,
    draft: Draft,
    travel: Travel,
    /// Gone once it was closed: the scan may keep connections, and work on a server.
    scan: Option<Arc<dyn Scan>>,
    /// What each ticket says of the snapshot; empty where there is none.
    states: Vec<State>,
    /// Stops a look at a database that does not answer.
    cancel: Cancel,
    /// The process that it lives in: a forked child has its memory, but not its thread.
    process: u32,
    thread: Option<JoinHandle<()>>,
}

/// What the holder and its thread share.
#[derive(Default)]
struct Shared {
    state: Mutex<Held>,
    changed: Condvar,
}

#[derive(Default)]
struct Held {
    /// Somebody of this process has read since the last look.
    read: bool,
    /// Why it holds no more.
    ended: Option<String>,
}

impl Plan {
    /// How its partitions can be read elsewhere, if they can.
    ///
    /// # Errors
    /// Of kind [`Unsupported`](ErrorKind::Unsupported); they say why not, and what to do.
    pub fn travels(&self, options: &Options) -> Result<Travel> {
        let Some(obstacle) = self.scan.obstacle() else { return Ok(Travel::Snapshot) };
        match self.partitions.len() {
            1 => Ok(Travel::Whole),
            _ if !options.one_snapshot && self.scan.part(0).is_some() => Ok(Travel::Torn),
            _ => Err(Error::new(ErrorKind::Unsupported, format!("the partitions cannot be read elsewhere: {obstacle}"))
                .with_hint(
                    "serve the database with `bowshot serve`, whose partitions travel; allow each partition to see the state of its \
                     own time with one_snapshot=False; or make one partition of the result with connections=1",
                )),
        }
    }
}

impl Holder {
    /// Holds the plan's snapshot from now on. The plan can still be read in place.
    ///
    /// # Errors
    /// Those of [`Plan::travels`]; of kind [`ConnectionLimit`](ErrorKind::ConnectionLimit) where the process has as many holders as it may;
    /// and of the database.
    pub fn new(plan: &Plan, request: &Request, lease: Lease, cancel: &Cancel) -> Result<Self> {
        let travel = plan.travels(&request.options)?;
        let (draft, cancel) = (Draft::new(plan, request)?, cancel.part());
        let mut holder = Holder {
            shared: Arc::default(),
            draft,
            travel,
            scan: Some(Arc::clone(&plan.scan)),
            states: Vec::new(),
            cancel,
            process: std::process::id(),
            thread: None,
        };
        if travel == Travel::Snapshot {
            let place = plan.scan.needs_holder().then(Place::take).transpose()?;
            let hold = match plan.scan.hold(holder.draft.plan, &holder.cancel) {
                Err(error) if error.kind() == ErrorKind::Unsupported && plan.partitions.len() == 1 => {
                    holder.travel = Travel::Whole;
                    return Ok(holder);
                }
                hold => hold?,
            };
            let state = |index| Ok(State { kind: hold.kind().into(), bytes: hold.state(index)? });
            holder.states = (0..plan.partitions.len()).map(state).collect::<Result<_>>()?;
            if let Some(place) = place {
                let shared = Arc::clone(&holder.shared);
                holder.thread = Some(std::thread::spawn(move || {
                    shared.keep(hold, lease.0);
                    drop(place);
                }));
            }
        }
        Ok(holder)
    }

    /// How its partitions travel.
    #[must_use]
    pub fn travel(&self) -> Travel {
        self.travel
    }

    /// The ticket of a partition.
    ///
    /// # Errors
    /// Of kind [`SnapshotGone`](ErrorKind::SnapshotGone) once it holds no more, and of kind [`Config`](ErrorKind::Config) for a partition that
    /// the plan does not have.
    pub fn ticket(&self, index: usize) -> Result<Ticket> {
        if let Some(held) = self.held()
            && let Some(why) = &held.ended
        {
            return Err(gone(why));
        }
        let scan = self.scan.as_ref().ok_or_else(|| gone(CLOSED))?;
        self.draft.ticket(index, scan.part(index), self.states.get(index).cloned())
    }

    /// One ticket for each partition, in the order of the result.
    ///
    /// # Errors
    /// As for [`ticket`](Self::ticket).
    pub fn tickets(&self) -> Result<Vec<Ticket>> {
        (0..self.draft.count()).map(|index| self.ticket(index)).collect()
    }

    /// Tells that somebody reads who need not show it to the database: a reader of this process.
    pub fn read(&self) {
        if let Some(mut held) = self.held() {
            held.read = true;
        }
    }

    /// Whether the snapshot is still held, as this process knows.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.held().is_some_and(|held| held.ended.is_none())
    }

    /// What it shares with its thread. In a forked child nobody knows, the lock may be the thread's for ever, and whoever joins is told.
    fn held(&self) -> Option<MutexGuard<'_, Held>> {
        (self.process == std::process::id()).then(|| self.shared.state.lock())
    }

    /// Lets go of the snapshot. Reads that have begun go on; none begins any more.
    pub fn close(&mut self) {
        self.end(CLOSED);
        if self.process == std::process::id() {
            self.scan = None;
        }
    }

    fn end(&mut self, why: &str) {
        let thread = self.thread.take();
        if self.process != std::process::id() {
            // The thread and the connection are the parent's: nothing of them may be touched.
            std::mem::forget((thread, Arc::clone(&self.shared), self.scan.clone()));
            return;
        }
        self.shared.state.lock().ended.get_or_insert_with(|| why.into());
        self.shared.changed.notify_all();
        let Some(thread) = thread else { return };
        let patience = Instant::now() + Duration::from_millis(500);
        while !thread.is_finished() {
            if Instant::now() > patience {
                // It waits for a database that does not answer.
                self.cancel.cancel();
                break;
            }
            std::thread::sleep(Duration::from_micros(200));
        }
        // A thread that panicked holds nothing either.
        let _ = thread.join();
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        self.end("its plan was dropped");
    }
}

impl Shared {
    /// Looks now and then, until it ends.
    fn keep(&self, mut hold: Box<dyn Hold>, lease: Duration) {
        let pause = (lease / 8).clamp(LOOKS.0, LOOKS.1);
        let mut last_read = Instant::now();
        loop {
            let until = Instant::now() + pause;
            let mut held = self.state.lock();
            while held.ended.is_none() && !self.changed.wait_until(&mut held, until).timed_out() {}
            if held.ended.is_some() {
                return;
            }
            let read = std::mem::take(&mut held.read);
            drop(held);
            let seen = hold.look();
            let ended = match seen {
                Err(error) => Some(format!("it was lost: {}", error.message())),
                Ok(seen) => {
                    if seen || read {
                        last_read = Instant::now();
                    }
                    (last_read.elapsed() >= lease).then(|| format!("its lease of {} ended", readable(lease)))
                }
            };
            if let Some(why) = ended {
                self.state.lock().ended.get_or_insert(why);
                return;
            }
        }
    }
}

/// The error of a snapshot that nobody holds any more.
///
/// ```
/// let error = bowshot_core::gone("its lease of 10 min ended");
/// assert_eq!(error.kind(), bowshot_core::ErrorKind::SnapshotGone);
/// ```
#[must_use]
pub fn gone(why: &str) -> Error {
    Error::new(ErrorKind::SnapshotGone, format!("the plan's snapshot is gone: {why}"))
        .with_hint("plan the query again; the plan must live as long as its partitions are read, and lease= says how long it waits")
}

fn readable(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds if seconds % 60 == 0 => format!("{} min", seconds / 60),
        seconds => format!("{seconds} s"),
    }
}

/// A holder's place among those that the process may have.
struct Place;

impl Place {
    fn take() -> Result<Self> {
        if ALIVE.fetch_add(1, Ordering::SeqCst) < MOST_HOLDERS {
            return Ok(Place);
        }
        ALIVE.fetch_sub(1, Ordering::SeqCst);
        let message = format!(
            "{MOST_HOLDERS} plans of this process hold a snapshot for their partitions, which is as many as may"
        );
        Err(Error::new(ErrorKind::ConnectionLimit, message)
            .with_hint("close plans that are read (`with bowshot.plan(…) as plan`), or give them a shorter lease="))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        ALIVE.fetch_sub(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests;
