//! Lets statements run, has them wait, or refuses them.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::Result;
use parking_lot::Mutex;
use tokio::sync::oneshot::{Receiver, Sender, channel};
use tokio::time::{Instant, timeout};

use crate::busy::{Busy, BusyReason};
use crate::limits::AdmissionLimits;
use crate::line::{Arrival, Line};
use crate::pace::Pace;
use crate::permit::Permit;

/// Lets so many statements run at once; others wait in line. Clones are the same admission.
///
/// Each user's statements are served in the order in which they came, and users take turns: who sends a thousand statements at
/// once delays another user's by one statement a turn. Where the line is full, the user with the most in it makes room for one who
/// has at least two less: his last statement is refused. With one user, or without users, it is a plain queue.
#[derive(Clone)]
pub struct Admission(Arc<Inner>);

/// How many statements run and wait, at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Statements with a permit.
    pub running: usize,
    /// Statements in line.
    pub queued: usize,
}

pub(crate) struct Inner {
    limits: AdmissionLimits,
    state: Mutex<State>,
}

struct State {
    line: Line<Call>,
    pace: Pace,
}

/// What calls one who waits: in, or away.
type Call = Sender<Result<Permit, Busy>>;

impl Admission {
    /// An admission within these limits.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config) where nothing could ever run.
    pub fn new(limits: AdmissionLimits) -> Result<Self> {
        limits.check()?;
        let line = Line::new(limits.running, limits.queued, limits.per_user_running);
        Ok(Admission(Arc::new(Inner { limits, state: Mutex::new(State { line, pace: Pace::default() }) })))
    }

    /// Waits for the right to run a statement of `user`. It takes a runtime of tokio with time. Dropping the future leaves the
    /// line.
    ///
    /// # Errors
    /// [`Busy`], where the line is full, where the wait was as long as it may be, and where it gave way to another user.
    pub async fn enter(&self, user: &str) -> Result<Permit, Busy> {
        let started = Instant::now();
        let user: Arc<str> = user.into();
        let (call, called) = channel();
        let arrival = self.0.state.lock().line.arrive(&user, call);
        let (number, gave_way) = match arrival {
            Arrival::Runs => return Ok(Permit::new(Arc::clone(&self.0), user)),
            Arrival::Refused => return Err(self.0.busy(BusyReason::LineFull)),
            Arrival::Waits(number, gave_way) => (number, gave_way),
        };
        if let Some(call) = gave_way {
            // It may have given up by itself.
            let _ = call.send(Err(self.0.busy(BusyReason::GaveWay)));
        }
        let mut waiting = Waiting { admission: Arc::clone(&self.0), user, number, called };
        match timeout(self.0.limits.queued_for, &mut waiting.called).await {
            Ok(Ok(Ok(permit))) => Ok(permit.after(started.elapsed())),
            Ok(Ok(Err(busy))) => Err(busy),
            // Who calls is never dropped without a call: whoever waits holds the admission.
            Ok(Err(_)) | Err(_) => Err(self.0.busy(BusyReason::WaitedTooLong)),
        }
    }

    /// How many statements run and wait now.
    pub fn counts(&self) -> Counts {
        let state = self.0.state.lock();
        Counts { running: state.line.running(), queued: state.line.waiting() }
    }
}

impl Inner {
    /// A statement has ended after so long: others may run.
    pub(crate) fn leave(self: &Arc<Self>, user: &Arc<str>, held: Duration) {
        let mut called = Vec::new();
        {
            let mut state = self.state.lock();
            state.pace.note(held);
            state.line.leave(user);
            while let Some(next) = state.line.call() {
                called.push(next);
            }
        }
        // Outside of the lock: the permit of one who has just given up comes back here.
        for (user, call) in called {
            let _ = call.send(Ok(Permit::new(Arc::clone(self), user)));
        }
    }

    fn busy(&self, reason: BusyReason) -> Busy {
        let AdmissionLimits { running, queued, queued_for, per_user_running } = self.limits;
        let retry_after = {
            let state = self.state.lock();
            state.pace.wait(state.line.waiting(), running)
        };
        let message = match reason {
            BusyReason::LineFull => format!(
                "there is no place for the statement: {running} may run at once, {per_user_running} of one user, and the line of \
                 {queued} that may wait is full"
            ),
            BusyReason::WaitedTooLong => {
                format!("the statement waited {} s for its turn, which is as long as it may", queued_for.as_secs_f64())
            }
            BusyReason::GaveWay => {
                "the line of waiting statements is full, and most of it is this user's, so that the last one gave way to \
                 another user"
                    .into()
            }
        };
        Busy::new(reason, message, retry_after)
    }
}

/// A place in line, left when it is dropped.
struct Waiting {
    admission: Arc<Inner>,
    user: Arc<str>,
    number: u64,
    /// Dropped after the place was left: a permit that came too late goes back.
    called: Receiver<Result<Permit, Busy>>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.admission.state.lock().line.give_up(&self.user, self.number);
    }
}

impl fmt::Debug for Admission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Admission").field("limits", &self.0.limits).field("counts", &self.counts()).finish()
    }
}

#[cfg(test)]
mod tests;
