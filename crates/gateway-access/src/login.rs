//! From a header to a proven user.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Error, ErrorKind, Result};

use crate::attempts::{Attempts, Rate};
use crate::basic::Authorization;
use crate::gate::Gate;
use crate::identity::{ANONYMOUS, Identity, is_name};
use crate::jwt::Jwt;
use crate::now::Now;
use crate::peer::together;
use crate::refusal::{Refusal, RefusalKind};
use crate::rights::Rights;
use crate::users::Users;

/// Keys that are watched at once. More names than this make the least suspicious forgotten.
const WATCHED: usize = 10_000;

/// How much guessing is borne.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoginLimits {
    /// Failed logins of one user name, whether there is such a user or not.
    pub per_user: Rate,
    /// Failed logins from one address, or from one /64 network of IPv6. Behind a proxy all clients share its address.
    pub per_peer: Rate,
    /// Passwords that are verified at the same time. Each takes a core, and 19 MiB or what its hash asks for.
    pub at_once: u32,
    /// How long a login waits for its turn.
    pub wait: Duration,
}

impl Default for LoginLimits {
    /// 10 failures a user and then one in 30 s; 100 an address and then one in 2 s; four passwords at the same time, with
    /// 10 s of waiting.
    fn default() -> Self {
        LoginLimits {
            per_user: Rate { burst: 10, every: Duration::from_secs(30) },
            per_peer: Rate { burst: 100, every: Duration::from_secs(2) },
            at_once: 4,
            wait: Duration::from_secs(10),
        }
    }
}

/// Decides who somebody is.
///
/// Verifying a password takes tens of milliseconds and may wait for its turn: call it where blocking is allowed.
pub struct Login {
    users: Users,
    jwt: Option<Jwt>,
    limits: LoginLimits,
    by_user: Attempts<String>,
    by_peer: Attempts<IpAddr>,
    turns: Gate,
}

impl Login {
    /// Logins of these users, and of those whom a JSON Web Token names.
    ///
    /// Without users and without tokens the gateway is open: every login is let in.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): limits that would let nobody in, or that would refuse honest logins that come at
    /// the same time; tokens that could let nobody in.
    pub fn new(users: Users, jwt: Option<Jwt>, limits: LoginLimits) -> Result<Self> {
        let refused = |message: &str, hint: &str| Err(Error::new(ErrorKind::Config, message).with_hint(hint));
        let LoginLimits { per_user, per_peer, at_once, .. } = limits;
        if at_once == 0 || per_user.every.is_zero() || per_peer.every.is_zero() {
            return refused("the limits of logins hold a zero", "give each limit a number above zero");
        }
        if per_user.burst < at_once || per_peer.burst < at_once {
            return refused(
                "more passwords are verified at the same time than failures are borne",
                "honest logins at the same time would be refused: raise the bursts, or lower at_once",
            );
        }
        if users.is_empty() && jwt.as_ref().is_some_and(|jwt| !jwt.lets_strangers_in()) {
            return refused(
                "tokens are only for users that are configured, and there are none",
                "configure users, or give the rules for all whom the tokens' issuer names",
            );
        }
        let turns = Gate::new(usize::try_from(at_once).unwrap_or(usize::MAX));
        let (by_user, by_peer) = (Attempts::new(per_user, WATCHED), Attempts::new(per_peer, WATCHED));
        Ok(Login { users, jwt, limits, by_user, by_peer, turns })
    }

    /// Whether every login is let in.
    pub fn is_open(&self) -> bool {
        self.users.is_empty() && self.jwt.is_none()
    }

    /// Whether a bearer is to be read as a JSON Web Token.
    pub(crate) fn is_jwt(&self, token: &str) -> bool {
        self.jwt.is_some() && Jwt::looks_like(token)
    }

    /// Checks the header of a handshake: `Basic` with a user and a password, or `Bearer` with a JSON Web Token.
    ///
    /// # Errors
    /// [`Unauthenticated`](RefusalKind::Unauthenticated): it proves nobody. [`PermissionDenied`](RefusalKind::PermissionDenied):
    /// a token names somebody who is not known here. [`ResourceExhausted`](RefusalKind::ResourceExhausted): too many failures,
    /// or too many logins at once, with the time to wait.
    pub fn check(&self, header: Option<&str>, peer: Option<IpAddr>, now: Now) -> Result<Identity, Refusal> {
        let Some(header) = header else {
            return match self.is_open() {
                true => Ok(open("")),
                false => Err(nobody()),
            };
        };
        match Authorization::parse(header)? {
            Authorization::Basic { user, password } => self.password(&user, &password, peer, now),
            Authorization::Bearer(_) if self.is_open() => Ok(open("")),
            Authorization::Bearer(token) => self.token(&token, peer, now),
        }
    }

    /// Checks a user and a password, from wherever the client put them.
    ///
    /// # Errors
    /// As [`check`](Self::check). The refusal is the same whether there is such a user or not; its
    /// [cause](Refusal::cause), which is for the log, tells.
    pub fn password(&self, name: &str, password: &str, peer: Option<IpAddr>, now: Now) -> Result<Identity, Refusal> {
        if !name.is_empty() && !is_name(name) {
            return Err(failed(name, peer, "the name is overlong or has control characters"));
        }
        if self.is_open() {
            return Ok(open(name));
        }
        let address = peer.map(together);
        let user = name.to_owned();
        let too_many = |wait| self.too_many(name, peer, wait);
        self.by_user.ask(&user, now.monotonic).map_err(too_many)?;
        if let Some(address) = &address {
            self.by_peer.ask(address, now.monotonic).map_err(too_many)?;
        }
        let Some(_turn) = self.turns.enter(self.limits.wait) else { return Err(busy(name, peer)) };
        // Paid for only now, so that honest logins that wait for their turn do not use up what is borne.
        self.by_user.pay(&user, now.monotonic).map_err(too_many)?;
        if let Some(address) = &address
            && let Err(wait) = self.by_peer.pay(address, now.monotonic)
        {
            self.by_user.give_back(&user, now.monotonic);
            return Err(too_many(wait));
        }
        let identity = self.users.check(name, password).map_err(|failure| failed(name, peer, &failure.to_string()))?;
        self.by_user.give_back(&user, now.monotonic);
        if let Some(address) = &address {
            self.by_peer.give_back(address, now.monotonic);
        }
        Ok(identity)
    }

    /// Checks a JSON Web Token. Guessing its signature is hopeless, so failures are not counted.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn token(&self, token: &str, peer: Option<IpAddr>, now: Now) -> Result<Identity, Refusal> {
        let Some(jwt) = self.jwt.as_ref().filter(|_| Jwt::looks_like(token)) else {
            return Err(Refusal::new(RefusalKind::Unauthenticated, "the token is not known")
                .with_hint("log in again with user and password"));
        };
        let from = place(peer);
        let proof = jwt.check(token, now.wall).map_err(|refusal| {
            let cause = format!("a token{from}: {}", refusal.cause().unwrap_or(refusal.message()));
            refusal.with_cause(cause)
        })?;
        let known = self.users.proven(&proof.user);
        let stranger = || Some(Identity::new(proof.user.as_str().into(), jwt.strangers()?));
        match known.or_else(stranger) {
            Some(identity) => Ok(identity.with_until(proof.until)),
            None => Err(Refusal::new(RefusalKind::PermissionDenied, "the user whom the token names is not known here")
                .with_hint("ask who runs the gateway to add the user")
                .with_cause(format!("a token{from}: there is no user {:?}", proof.user))),
        }
    }

    fn too_many(&self, name: &str, peer: Option<IpAddr>, wait: Duration) -> Refusal {
        Refusal::new(RefusalKind::ResourceExhausted, "too many logins failed")
            .with_hint("check the user and the password, and wait")
            .with_retry_after(wait)
            .with_cause(format!("login of {name:?}{}: too many failures before", place(peer)))
    }
}

impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login")
            .field("users", &self.users)
            .field("jwt", &self.jwt)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Whoever comes to an open gateway.
fn open(name: &str) -> Identity {
    Identity::new(if name.is_empty() { ANONYMOUS } else { name }.into(), Arc::new(Rights::all()))
}

/// The refusal of who says nothing.
pub(crate) fn nobody() -> Refusal {
    Refusal::new(RefusalKind::Unauthenticated, "the gateway does not know who asks")
        .with_hint("connect with a user and a password, or with a token")
}

fn failed(name: &str, peer: Option<IpAddr>, why: &str) -> Refusal {
    let name: String = name.chars().take(crate::identity::LONGEST_NAME).collect();
    Refusal::new(RefusalKind::Unauthenticated, "the login failed")
        .with_hint("check the user and the password")
        .with_cause(format!("login of {name:?}{}: {why}", place(peer)))
}

fn busy(name: &str, peer: Option<IpAddr>) -> Refusal {
    Refusal::new(RefusalKind::ResourceExhausted, "too many logins at the same time")
        .with_hint("keep connections open and use them again")
        .with_retry_after(Duration::from_secs(1))
        .with_cause(format!("login of {name:?}{}: no turn in time", place(peer)))
}

fn place(peer: Option<IpAddr>) -> String {
    peer.map_or_else(String::new, |peer| format!(" from {}", peer.to_canonical()))
}

#[cfg(test)]
mod tests;
