//! Who has logged in to the console: it keeps the name, and a query needs the rights.

use std::collections::HashMap;
use std::time::{Duration, Instant, SystemTime};

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_gateway_access::Identity;
use parking_lot::Mutex;

/// The identities of the last logins, by user.
pub(crate) struct Logins {
    /// How long a login holds.
    time: Duration,
    known: Mutex<HashMap<String, (Identity, Instant)>>,
}

impl Logins {
    /// Logins that hold for so long.
    pub(crate) fn new(time: Duration) -> Logins {
        Logins { time, known: Mutex::default() }
    }

    /// Remembers somebody who has just logged in.
    pub(crate) fn remember(&self, identity: &Identity, now: Instant) {
        let mut known = self.known.lock();
        known.retain(|_, (_, expires)| *expires > now);
        known.insert(identity.user().to_owned(), (identity.clone(), now + self.time));
    }

    /// Who goes by this name.
    ///
    /// # Errors
    /// Of kind [`Authentication`](ErrorKind::Authentication) where the login is over.
    pub(crate) fn find(&self, user: &str, now: Instant, wall: SystemTime) -> Result<Identity> {
        let known = self.known.lock();
        let login = known.get(user).filter(|(_, expires)| *expires > now);
        // A token may end before the login does.
        let login = login.filter(|(identity, _)| identity.until().is_none_or(|until| until > wall));
        login.map(|(identity, _)| identity.clone()).ok_or_else(|| {
            Error::new(ErrorKind::Authentication, "the login is over").with_hint("load the page again, and log in")
        })
    }
}

#[cfg(test)]
mod tests {
    use bowshot_gateway_access::{Login, LoginLimits, Now, Users};

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    #[test]
    fn a_login_is_known_for_its_time() {
        let open = Login::new(Users::none(), None, LoginLimits::default()).unwrap();
        let ann = open.password("ann", "", None, Now::read()).unwrap();
        let (logins, now, wall) = (Logins::new(MINUTE), Instant::now(), SystemTime::now());
        logins.remember(&ann, now);
        assert_eq!(logins.find("ann", now, wall).unwrap().user(), "ann");
        for (user, after) in [("ann", MINUTE), ("bob", Duration::ZERO)] {
            let error = logins.find(user, now + after, wall).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Authentication, "{user}");
        }
        let bob = open.password("bob", "", None, Now::read()).unwrap();
        logins.remember(&bob, now + MINUTE);
        assert_eq!(logins.known.lock().len(), 1, "what is over is forgotten");
    }
}
