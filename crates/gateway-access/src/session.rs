//! What the gateway remembers of a client between two calls.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Mutex, MutexGuard};

use crate::identity::Identity;
use crate::now::Now;
use crate::options::SessionOptions;
use crate::random;
use crate::refusal::{Refusal, RefusalKind};

/// Names a session in logs and lists. It opens nothing: that is what the [`Token`](crate::Token) is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SessionId([u8; 16]);

impl SessionId {
    /// A number that no other session has.
    pub(crate) fn new() -> Result<Self, Refusal> {
        match random::bytes() {
            Ok(bytes) => Ok(SessionId(bytes)),
            Err(error) => Err(Refusal::new(RefusalKind::Internal, error.message())),
        }
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// One client's session.
pub struct Session {
    id: SessionId,
    identity: Identity,
    created: Now,
    /// When it ends, however busy it is; `None`: beyond all clocks.
    end: Option<Instant>,
    last_used: Mutex<Instant>,
    options: Mutex<SessionOptions>,
    closed: AtomicBool,
}

impl Session {
    /// A session that lives at most for `lifetime`, and not longer than its identity's proof.
    pub(crate) fn new(id: SessionId, identity: Identity, lifetime: Duration, now: Now) -> Self {
        let proof = identity.until().map(|until| until.duration_since(now.wall).unwrap_or_default());
        let end = now.monotonic.checked_add(proof.map_or(lifetime, |proof| proof.min(lifetime)));
        Session {
            id,
            identity,
            created: now,
            end,
            last_used: Mutex::new(now.monotonic),
            options: Mutex::default(),
            closed: AtomicBool::new(false),
        }
    }

    /// Names it in logs and lists.
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Whose session it is.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The name of the user whose session it is.
    pub fn user(&self) -> &str {
        self.identity.user()
    }

    /// The options, locked for as long as the answer is kept.
    pub fn options(&self) -> MutexGuard<'_, SessionOptions> {
        self.options.lock()
    }

    /// Whether it outlives the call: an open gateway lets calls through that no bearer joins to each other.
    pub fn is_kept(&self) -> bool {
        self.end.is_some()
    }

    /// When it was opened.
    pub fn created(&self) -> SystemTime {
        self.created.wall
    }

    /// When it was last used; never earlier than it was opened.
    pub fn last_used(&self) -> Instant {
        *self.last_used.lock()
    }

    /// Puts off its expiry: a long stream calls this from time to time, since it is one call only.
    pub fn touch(&self, now: Now) {
        let mut last_used = self.last_used.lock();
        *last_used = now.monotonic.max(*last_used);
    }

    /// Whether it was closed or has expired, and its prepared statements are to be dropped.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// How long it will live if nobody uses it; nothing once that is over.
    pub(crate) fn left(&self, idle: Duration, now: Instant) -> Option<Duration> {
        let idle = idle.checked_sub(now.saturating_duration_since(self.last_used()))?;
        let left = self.end.map_or(idle, |end| end.saturating_duration_since(now).min(idle));
        (!left.is_zero()).then_some(left)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("id", &self.id)
            .field("user", &self.user())
            .field("created", &self.created.wall)
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}
