//! All sessions, each opened by one bearer.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;

use crate::identity::Identity;
use crate::now::Now;
use crate::refusal::{Refusal, RefusalKind};
use crate::session::{Session, SessionId};
use crate::token::{Token, TokenHash};

/// How many sessions there may be, and how long they live.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// All sessions.
    pub total: usize,
    /// The sessions of one user. Stock clients open one a connection and do not close them.
    pub per_user: usize,
    /// A session that nobody uses for so long expires.
    pub idle: Duration,
    /// A session expires after so long, however busy it is.
    pub lifetime: Duration,
}

impl Default for SessionLimits {
    /// 100,000 sessions, 10,000 of one user, an hour of idling, a day of life.
    fn default() -> Self {
        SessionLimits {
            total: 100_000,
            per_user: 10_000,
            idle: Duration::from_secs(3_600),
            lifetime: Duration::from_secs(86_400),
        }
    }
}

/// All sessions. There is one table of them, so that a bearer and its session live and die together.
///
/// ```
/// use bowshot_gateway_access::{Login, LoginLimits, Now, SessionLimits, Sessions, Users};
///
/// let sessions = Sessions::new(SessionLimits::default())?;
/// let login = Login::new(Users::none(), None, LoginLimits::default())?;
/// let now = Now::read();
/// let (token, session) = sessions.open(login.check(None, None, now)?, now)?;
/// assert_eq!(sessions.find(token.reveal(), now)?.id(), session.id());
/// sessions.close(token.reveal());
/// assert!(sessions.find(token.reveal(), now).is_err() && session.is_closed());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Sessions {
    limits: SessionLimits,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    by_token: HashMap<TokenHash, Arc<Session>>,
    per_user: HashMap<Arc<str>, usize>,
    /// Expired, and not yet told to the service.
    expired: Vec<Arc<Session>>,
}

impl Sessions {
    /// No sessions yet.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): a limit is zero.
    pub fn new(limits: SessionLimits) -> Result<Self> {
        let SessionLimits { total, per_user, idle, lifetime } = limits;
        if total == 0 || per_user == 0 || idle.is_zero() || lifetime.is_zero() {
            return Err(Error::new(ErrorKind::Config, "the limits of sessions hold a zero")
                .with_hint("give each limit a number above zero"));
        }
        Ok(Sessions { limits, table: Mutex::default() })
    }

    /// Opens a session with a bearer of its own.
    ///
    /// # Errors
    /// [`ResourceExhausted`](RefusalKind::ResourceExhausted): there are as many sessions as there may be, even without those
    /// that have expired; it says when the next one may expire. Nobody else's session is closed for it.
    pub fn open(&self, identity: Identity, now: Now) -> Result<(Token, Arc<Session>), Refusal> {
        let (token, id) = (Token::new()?, SessionId::new()?);
        let session = self.insert(&mut self.table.lock(), TokenHash::of(token.reveal()), id, identity, now)?;
        Ok((token, session))
    }

    /// The session of a bearer that is not the gateway's own, such as a JSON Web Token; opened when it comes first.
    ///
    /// The caller has checked the bearer just now. Closing the session does not revoke such a bearer: only its issuer can.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_as(&self, bearer: &str, identity: Identity, now: Now) -> Result<Arc<Session>, Refusal> {
        let id = SessionId::new()?;
        let hash = TokenHash::of(bearer);
        let mut table = self.table.lock();
        match table.find(hash, self.limits.idle, now) {
            Some(session) => Ok(session),
            None => self.insert(&mut table, hash, id, identity, now),
        }
    }

    /// The session that a bearer opens, which counts as used now.
    ///
    /// # Errors
    /// [`Unauthenticated`](RefusalKind::Unauthenticated): no session has this bearer, or not any more.
    pub fn find(&self, bearer: &str, now: Now) -> Result<Arc<Session>, Refusal> {
        self.table.lock().find(TokenHash::of(bearer), self.limits.idle, now).ok_or_else(|| {
            Refusal::new(RefusalKind::Unauthenticated, "the session has expired or was closed")
                .with_hint("connect again")
        })
    }

    /// Closes the session of a bearer, which opens nothing from now on. `None`: there was none.
    pub fn close(&self, bearer: &str) -> Option<Arc<Session>> {
        self.table.lock().remove(TokenHash::of(bearer))
    }

    /// Closes the session with this number, as who runs the gateway may.
    pub fn kill(&self, id: SessionId) -> Option<Arc<Session>> {
        let mut table = self.table.lock();
        let hash = table.by_token.iter().find(|(_, session)| session.id() == id).map(|(hash, _)| *hash)?;
        table.remove(hash)
    }

    /// Closes what has expired, and returns it with all that was found expired since the last call: the service drops what
    /// it keeps for these sessions. To be called about once a minute.
    pub fn expire(&self, now: Now) -> Vec<Arc<Session>> {
        let mut table = self.table.lock();
        table.expire(self.limits.idle, now.monotonic);
        std::mem::take(&mut table.expired)
    }

    /// All sessions that are open, the expired ones among them as long as nobody has noticed.
    pub fn list(&self) -> Vec<Arc<Session>> {
        self.table.lock().by_token.values().cloned().collect()
    }

    /// How many sessions are open.
    pub fn len(&self) -> usize {
        self.table.lock().by_token.len()
    }

    /// Whether none is open.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert(
        &self,
        table: &mut Table,
        hash: TokenHash,
        id: SessionId,
        identity: Identity,
        now: Now,
    ) -> Result<Arc<Session>, Refusal> {
        let SessionLimits { total, per_user, idle, lifetime } = self.limits;
        if table.is_full(&identity, total, per_user) {
            table.expire(idle, now.monotonic);
        }
        if table.is_full(&identity, total, per_user) {
            let user = (table.of(&identity) >= per_user).then(|| identity.user());
            let wait = table.next_expiry(user, idle, now.monotonic).unwrap_or(idle);
            let whose = if user.is_some() { "the user has" } else { "the gateway has" };
            return Err(Refusal::new(RefusalKind::ResourceExhausted, format!("{whose} too many open sessions"))
                .with_hint("close connections, or use them again")
                .with_retry_after(wait)
                .with_cause(format!("a session for {:?}", identity.user())));
        }
        *table.per_user.entry(identity.shared_user()).or_default() += 1;
        let session = Arc::new(Session::new(id, identity, lifetime, now));
        table.by_token.insert(hash, Arc::clone(&session));
        Ok(session)
    }
}

impl Table {
    fn of(&self, identity: &Identity) -> usize {
        self.per_user.get(identity.user()).copied().unwrap_or_default()
    }

    fn is_full(&self, identity: &Identity, total: usize, per_user: usize) -> bool {
        self.by_token.len() >= total || self.of(identity) >= per_user
    }

    fn find(&mut self, hash: TokenHash, idle: Duration, now: Now) -> Option<Arc<Session>> {
        let session = Arc::clone(self.by_token.get(&hash)?);
        if session.left(idle, now.monotonic).is_none() {
            self.remove(hash);
            self.expired.push(session);
            return None;
        }
        session.touch(now);
        Some(session)
    }

    fn remove(&mut self, hash: TokenHash) -> Option<Arc<Session>> {
        let session = self.by_token.remove(&hash)?;
        session.close();
        if let Some(count) = self.per_user.get_mut(session.user()) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                self.per_user.remove(session.user());
            }
        }
        Some(session)
    }

    fn expire(&mut self, idle: Duration, now: Instant) {
        let over = self.by_token.iter().filter(|(_, session)| session.left(idle, now).is_none());
        let over: Vec<_> = over.map(|(hash, _)| *hash).collect();
        for hash in over {
            if let Some(session) = self.remove(hash) {
                self.expired.push(session);
            }
        }
    }

    /// When the next session expires: of the user, or of all.
    fn next_expiry(&self, user: Option<&str>, idle: Duration, now: Instant) -> Option<Duration> {
        let sessions = self.by_token.values().filter(|session| user.is_none_or(|user| user == session.user()));
        sessions.filter_map(|session| session.left(idle, now)).min()
    }
}

impl fmt::Debug for Sessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sessions").field("limits", &self.limits).field("open", &self.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
