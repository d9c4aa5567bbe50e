//! The search for a server that answers: hosts, their addresses, with and without TLS.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Instant;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_net::{Address, Buffer, Socket, Transport, lost};

use super::{Session, version_number};
use crate::asides::Asides;
use crate::cancel::{Backend, Interrupt};
use crate::family::Family;
use crate::login;
use crate::message;
use crate::tls::{self, Encryption, TlsClient};
use crate::uri::{Config, Host, Place, Target};

/// One try to connect.
struct Attempt<'a> {
    config: &'a Config,
    host: &'a Host,
    address: &'a Address,
    target: Target,
    deadline: Option<Instant>,
    cancel: &'a Cancel,
}

/// Connects to the first server that will do.
pub(super) fn open(config: &Config, cancel: &Cancel) -> Result<Session> {
    let targets: &[Target] = match config.target {
        Target::PreferStandby => &[Target::Standby, Target::Any],
        ref target => std::slice::from_ref(target),
    };
    let mut failures = Failures::default();
    for target in targets {
        for host in shuffled(&config.hosts, config.shuffle) {
            let label = host.label();
            let addresses = match host.addresses(deadline(config), cancel) {
                Ok(addresses) => addresses,
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => {
                    failures.add(label, error);
                    continue;
                }
            };
            for address in shuffled(&addresses, config.shuffle) {
                let attempt = Attempt { config, host, address, target: *target, deadline: deadline(config), cancel };
                match attempt.run() {
                    Ok(session) => return Ok(session),
                    Err(_) if cancel.is_cancelled() => return Err(Error::cancelled()),
                    Err(error) if !tries_on(&error) => return Err(error),
                    Err(error) => failures.add(format!("{label} ({address})"), error),
                }
            }
        }
    }
    Err(failures.into_error())
}

fn deadline(config: &Config) -> Option<Instant> {
    config.connect_timeout.map(|limit| Instant::now() + limit)
}

/// Whether another server may do where this one failed. One that refused us is the last word: a wrong password does
/// not become right elsewhere, and trying it again may lock an account.
fn tries_on(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Connect | ErrorKind::ConnectionLost | ErrorKind::Timeout | ErrorKind::Protocol | ErrorKind::Io
    )
}

/// In random order if so wished.
fn shuffled<T>(items: &[T], shuffle: bool) -> Vec<&T> {
    let mut order: Vec<(usize, &T)> = items.iter().enumerate().collect();
    if shuffle {
        // Its seed is random.
        let random = RandomState::new();
        order.sort_by_key(|(index, _)| random.hash_one(index));
    }
    order.into_iter().map(|(_, item)| item).collect()
}

impl Attempt<'_> {
    fn run(&self) -> Result<Session> {
        let encryption = self.config.tls.encryption;
        // A Unix socket never leaves the machine, and servers do not encrypt it.
        if encryption == Encryption::Never || matches!(self.address, Address::Unix(_)) {
            return self.connect(None);
        }
        let tls = || self.config.tls.client(self.host, self.address);
        let (first, second) = match encryption {
            Encryption::IfDemanded => (self.connect(None), Some(true)),
            Encryption::IfPossible => (tls().and_then(|tls| self.connect(Some(tls))), Some(false)),
            _ => (tls().and_then(|tls| self.connect(Some(tls))), None),
        };
        match (first, second) {
            (Err(error), Some(encrypted)) if may_differ(&error, encrypted) && !self.cancel.is_cancelled() => {
                let again = if encrypted { tls().and_then(|tls| self.connect(Some(tls))) } else { self.connect(None) };
                // If the server refuses that way too, the first refusal is about the way that was preferred.
                again.map_err(|other| if is_refused_by_rule(&other) { error } else { other })
            }
            (outcome, _) => outcome,
        }
    }

    /// Connects, encrypts, logs in and looks whether the server is of the wanted kind.
    fn connect(&self, tls: Option<TlsClient>) -> Result<Session> {
        self.cancel.check()?;
        let interrupt = Arc::new(Interrupt::default());
        let fire = Arc::clone(&interrupt);
        let registration = self.cancel.on_cancel(move || fire.fire());
        let socket = Socket::connect(self.address, Some(&self.config.keepalive), self.deadline, |socket| {
            interrupt.watch(socket);
        })
        .map_err(|error| self.unreachable(error))?;
        // Whoever cancelled before the socket was watched has not ended it.
        self.cancel.check()?;
        let stream = match &tls {
            Some(tls) => tls.negotiate(socket)?,
            None => Transport::Plain(socket),
        };
        let mut session = Session {
            stream,
            buffer: Buffer::new(),
            version: 0,
            family: Family::Postgres,
            asides: Asides::new(self.cancel),
            is_logged_in: false,
            is_reading: false,
            phase: "the login",
            longest: message::LONGEST_OF_LOGIN,
            broken: false,
            interrupt,
            cancel: self.cancel.clone(),
            host: self.found(),
            _registration: registration,
        };
        let key = login::log_in(&mut session, self.config, self.host.password.as_ref())?;
        if let Some(key) = key {
            session.interrupt.logged_in(Backend {
                process: key.process,
                secret: key.secret,
                address: self.address.clone(),
                tls: tls.filter(|_| session.is_encrypted()),
            });
        }
        session.version = session.parameter("server_version").map_or(0, version_number);
        session.family = Family::of(&mut session)?;
        self.check_target(&mut session)?;
        // Queries take as long as they take.
        session.stream.socket().set_deadline(None).map_err(|error| session.failed(error))?;
        session.is_logged_in = true;
        session.phase = "the query";
        session.longest = message::LONGEST;
        Ok(session)
    }

    /// This address as the only one of its host.
    fn found(&self) -> Host {
        let place = match (&self.host.place, self.address) {
            (Place::Name(name), Address::Tcp(address)) => {
                Place::Address { address: address.ip(), name: Some(name.clone()) }
            }
            (place, _) => place.clone(),
        };
        Host { place, ..self.host.clone() }
    }

    fn check_target(&self, session: &mut Session) -> Result<()> {
        let wrong = |what: &str| Err(Error::new(ErrorKind::Connect, format!("the server is {what}")));
        match self.target {
            Target::Any | Target::PreferStandby => Ok(()),
            Target::ReadWrite if is_read_only(session)? => wrong("read-only, and target_session_attrs is read-write"),
            Target::ReadOnly if !is_read_only(session)? => {
                wrong("not read-only, and target_session_attrs is read-only")
            }
            Target::Primary if is_standby(session)? => wrong("a standby, and target_session_attrs is primary"),
            Target::Standby if !is_standby(session)? => wrong("no standby, and target_session_attrs wants one"),
            _ => Ok(()),
        }
    }

    fn unreachable(&self, error: std::io::Error) -> Error {
        let address = self.address;
        match error.kind() {
            std::io::ErrorKind::TimedOut => {
                let limit = self.config.connect_timeout.unwrap_or_default().as_secs();
                Error::new(ErrorKind::Timeout, format!("the server at {address} did not answer within {limit} s"))
                    .with_source(error)
                    .with_hint(
                        "is it the right address, and does a firewall let us through? connect_timeout=… sets the limit",
                    )
            }
            std::io::ErrorKind::ConnectionRefused | std::io::ErrorKind::NotFound => {
                Error::new(ErrorKind::Connect, format!("no server listens at {address}"))
                    .with_source(error)
                    .with_hint("is the database running, and is the port right?")
            }
            _ => {
                let broken = lost(error, "connecting", &tls::NAMES);
                Error::new(
                    ErrorKind::Connect,
                    format!("the server at {address} cannot be reached: {}", broken.message()),
                )
            }
        }
    }
}

/// Whether the server decided by its rules on hosts, users and encryption (pg_hba.conf), before any password.
fn is_refused_by_rule(error: &Error) -> bool {
    error.sqlstate() == Some("28000")
}

/// Whether it may go better with (`encrypted`) or without TLS.
fn may_differ(error: &Error, encrypted: bool) -> bool {
    is_refused_by_rule(error)
        || (!encrypted && matches!(error.kind(), ErrorKind::Tls | ErrorKind::Connect | ErrorKind::ConnectionLost))
}

fn is_standby(session: &mut Session) -> Result<bool> {
    match session.parameter("in_hot_standby") {
        Some(value) => Ok(value == "on"),
        // Before PostgreSQL 14.
        None => Ok(single(session, "SELECT pg_catalog.pg_is_in_recovery()")?.as_deref() == Some("t")),
    }
}

fn is_read_only(session: &mut Session) -> Result<bool> {
    match session.parameter("default_transaction_read_only") {
        Some(value) => Ok(value == "on" || is_standby(session)?),
        None => Ok(single(session, "SHOW transaction_read_only")?.as_deref() == Some("on")),
    }
}

fn single(session: &mut Session, sql: &str) -> Result<Option<String>> {
    Ok(session.query(sql)?.into_iter().flatten().next().flatten())
}

/// What went wrong, place by place.
#[derive(Default)]
struct Failures(Vec<(String, Error)>);

impl Failures {
    /// Remembers a failure, once.
    fn add(&mut self, place: String, error: Error) {
        let known = |(other, before): &(String, Error)| *other == place && before.message() == error.message();
        if !self.0.iter().any(known) {
            self.0.push((place, error));
        }
    }

    fn into_error(mut self) -> Error {
        if self.0.len() <= 1 {
            return self
                .0
                .pop()
                .map_or_else(|| Error::new(ErrorKind::Config, "the connection names no host"), |(_, error)| error);
        }
        let kind = |(_, error): &(String, Error)| error.kind();
        let first = self.0.first().map_or(ErrorKind::Connect, kind);
        let same = self.0.iter().all(|failure| kind(failure) == first);
        let all: Vec<String> = self.0.iter().map(|(place, error)| format!("{place}: {}", error.message())).collect();
        let error = Error::new(
            if same { first } else { ErrorKind::Connect },
            format!("none of {} servers could be used: {}", all.len(), all.join("; ")),
        );
        match self.0.into_iter().find_map(|(_, error)| error.hint().map(str::to_owned)) {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    }
}
