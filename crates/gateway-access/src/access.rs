//! Logins, sessions and tickets together: what a service asks at the start of every call.

use std::net::IpAddr;
use std::sync::Arc;

use crate::basic::Authorization;
use crate::identity::Identity;
use crate::login::{Login, nobody};
use crate::now::Now;
use crate::refusal::{Refusal, RefusalKind};
use crate::session::{Session, SessionId};
use crate::sessions::{SessionLimits, Sessions};
use crate::tickets::{Tickets, admit};
use crate::token::Token;

/// Who may ask the gateway for what.
///
/// ```
/// use bowshot_gateway_access::{Access, Login, LoginLimits, Now, SessionLimits, Tickets, UserEntry, Users, hash};
///
/// let ada = UserEntry { name: "ada".into(), password_hash: Some(hash("secret")?), rules: vec!["allow shop".into()] };
/// let login = Login::new(Users::new(&[ada])?, None, LoginLimits::default())?;
/// let access = Access::new(login, SessionLimits::default(), Tickets::random()?)?;
///
/// let (token, _) = access.handshake(Some("Basic YWRhOnNlY3JldA=="), None, Now::read())?;
/// let session = access.call(Some(&token.header()), None, Now::read())?;
/// assert_eq!(session.user(), "ada");
/// assert!(access.call(None, None, Now::read()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Access {
    login: Login,
    sessions: Sessions,
    tickets: Tickets,
}

impl Access {
    /// The parts together, without a session yet.
    ///
    /// # Errors
    /// As [`Sessions::new`].
    pub fn new(login: Login, limits: SessionLimits, tickets: Tickets) -> bowshot_core::Result<Self> {
        Ok(Access { login, sessions: Sessions::new(limits)?, tickets })
    }

    /// Answers the RPC `Handshake`: the header is checked as [`Login::check`] does, and a session is opened. The answer's
    /// header `authorization` is [`Token::header`]; never the request's own.
    ///
    /// # Errors
    /// As [`Login::check`] and [`Sessions::open`].
    pub fn handshake(
        &self,
        header: Option<&str>,
        peer: Option<IpAddr>,
        now: Now,
    ) -> Result<(Token, Arc<Session>), Refusal> {
        self.sessions.open(self.login.check(header, peer, now)?, now)
    }

    /// Finds the session of any other call: that of the gateway's own bearer, or that of a JSON Web Token, which is checked
    /// anew each time. A password is taken by the handshake alone.
    ///
    /// An open gateway lets calls without a session through too, in a session that ends with the call.
    ///
    /// # Errors
    /// [`Unauthenticated`](RefusalKind::Unauthenticated): the header opens no session; else as [`Login::token`] and
    /// [`Sessions::open`].
    pub fn call(&self, header: Option<&str>, peer: Option<IpAddr>, now: Now) -> Result<Arc<Session>, Refusal> {
        let Some(header) = header else {
            return match self.login.is_open() {
                true => passing(self.login.check(None, peer, now)?, now),
                false => Err(nobody()),
            };
        };
        match Authorization::parse(header)? {
            Authorization::Bearer(token) if self.login.is_jwt(&token) => {
                let identity = self.login.token(&token, peer, now)?;
                self.sessions.open_as(&token, identity, now)
            }
            Authorization::Bearer(token) => match self.sessions.find(&token, now) {
                Err(_) if self.login.is_open() => passing(self.login.check(Some(header), peer, now)?, now),
                found => found,
            },
            Authorization::Basic { .. } if self.login.is_open() => {
                passing(self.login.check(Some(header), peer, now)?, now)
            }
            Authorization::Basic { .. } => {
                Err(Refusal::new(RefusalKind::Unauthenticated, "a password is taken by the handshake alone")
                    .with_hint("send the bearer that the handshake answers with"))
            }
        }
    }

    /// Closes the session of a call, as the action `CloseSession` asks.
    pub fn close(&self, header: Option<&str>) -> Option<Arc<Session>> {
        match Authorization::parse(header?) {
            Ok(Authorization::Bearer(token)) => self.sessions.close(&token),
            _ => None,
        }
    }

    /// Lets only its owner have what a ticket or a handle stands for; in an open gateway everybody.
    ///
    /// # Errors
    /// As [`admit`].
    pub fn admit(&self, owner: &str, identity: &Identity) -> Result<(), Refusal> {
        if self.login.is_open() { Ok(()) } else { admit(owner, identity) }
    }

    /// The logins.
    pub fn login(&self) -> &Login {
        &self.login
    }

    /// The sessions.
    pub fn sessions(&self) -> &Sessions {
        &self.sessions
    }

    /// The tickets.
    pub fn tickets(&self) -> &Tickets {
        &self.tickets
    }
}

/// A session that no bearer opens.
fn passing(identity: Identity, now: Now) -> Result<Arc<Session>, Refusal> {
    Ok(Arc::new(Session::new(SessionId::new()?, identity, std::time::Duration::MAX, now)))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::jwt::tests::{config, token_for};
    use crate::login::LoginLimits;
    use crate::password::tests::cheap;
    use crate::users::{UserEntry, Users};

    const ADA: Option<&str> = Some("Basic YWRhOnNlY3JldA==");

    fn access(users: Users, jwt: bool) -> Access {
        let jwt = jwt.then(|| crate::jwt::Jwt::new(&config()).unwrap());
        let login = Login::new(users, jwt, LoginLimits::default()).unwrap();
        Access::new(login, SessionLimits::default(), Tickets::random().unwrap()).unwrap()
    }

    fn ada() -> Users {
        let entry =
            UserEntry { name: "ada".into(), password_hash: Some(cheap("secret")), rules: vec!["allow shop".into()] };
        Users::new(&[entry]).unwrap()
    }

    #[test]
    fn a_handshake_opens_what_calls_find_until_it_is_closed() {
        let (access, now) = (access(ada(), false), Now::read());
        let (token, opened) = access.handshake(ADA, None, now).unwrap();
        let header = token.header();
        assert_eq!(access.call(Some(&header), None, now).unwrap().id(), opened.id());
        assert_eq!(access.close(Some(&header)).unwrap().id(), opened.id());
        assert_eq!(access.call(Some(&header), None, now).unwrap_err().kind(), RefusalKind::Unauthenticated);
        assert!(access.close(Some(&header)).is_none() && access.close(None).is_none());
    }

    #[test]
    fn calls_take_no_password_and_no_silence() {
        let (access, now) = (access(ada(), true), Now::read());
        for header in [ADA, None, Some("Bearer abc"), Some("Bearer a.b.c"), Some("")] {
            assert_eq!(access.call(header, None, now).unwrap_err().kind(), RefusalKind::Unauthenticated);
        }
        assert!(access.sessions().is_empty());
    }

    #[test]
    fn an_open_gateway_lets_calls_through_with_and_without_a_session() {
        let (access, now) = (access(Users::none(), false), Now::read());
        let user = |header| access.call(header, None, now).unwrap().user().to_owned();
        assert_eq!(user(None), "anonymous");
        assert_eq!(user(ADA), "ada");
        assert_eq!(user(Some("Bearer long.gone")), "anonymous");
        assert!(access.sessions().is_empty());
        let (token, _) = access.handshake(ADA, None, now).unwrap();
        assert_eq!(user(Some(&token.header())), "ada");
        access.admit("bob", access.call(None, None, now).unwrap().identity()).unwrap();
    }

    #[test]
    fn a_json_web_token_has_one_session_that_ends_with_it() {
        let (access, now) = (access(ada(), true), Now::read());
        let end = now.wall + Duration::from_secs(600);
        let header = format!("Bearer {}", token_for("ada", end));
        let session = access.call(Some(&header), None, now).unwrap();
        assert_eq!(session.user(), "ada");
        assert!(!session.identity().rights().may_see_source("hr"));
        assert_eq!(access.call(Some(&header), None, now).unwrap().id(), session.id());
        let later = now.after(Duration::from_secs(661));
        assert_eq!(access.call(Some(&header), None, later).unwrap_err().kind(), RefusalKind::Unauthenticated);
        assert_eq!(access.sessions().expire(later).len(), 1);
        let stranger = format!("Bearer {}", token_for("eve", end));
        assert_eq!(access.call(Some(&stranger), None, now).unwrap_err().kind(), RefusalKind::PermissionDenied);
        access.admit("ada", session.identity()).unwrap();
        access.admit("bob", session.identity()).unwrap_err();
    }
}
