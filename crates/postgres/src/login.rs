//! From a fresh connection to one that takes queries.

use bowshot_core::{Error, ErrorKind, Result, Secret};
use bytes::BytesMut;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{self, ScramSha256};
use postgres_protocol::message::frontend;

use crate::connect::Session;
use crate::error;
use crate::message::{Body, tag, unexpected};
use crate::uri::{ChannelBinding, Config, Method};

/// What the server may ask of us: the numbers of its Authentication messages.
mod request {
    pub(super) const OK: i32 = 0;
    pub(super) const CLEARTEXT: i32 = 3;
    pub(super) const MD5: i32 = 5;
    pub(super) const SASL: i32 = 10;
    pub(super) const SASL_CONTINUE: i32 = 11;
    pub(super) const SASL_FINAL: i32 = 12;
}

/// The key with which a query of this connection is cancelled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) process: i32,
    pub(crate) secret: i32,
}

/// Sends who we are, proves it, and reads up to the server's first ReadyForQuery. `None`: the server cannot cancel.
pub(crate) fn log_in(session: &mut Session, config: &Config, password: Option<&Secret>) -> Result<Option<Key>> {
    let mut startup = BytesMut::new();
    // No more than these: poolers refuse what they do not know.
    let mut parameters = vec![
        ("user", config.user.as_str()),
        ("database", config.database.as_str()),
        ("client_encoding", "UTF8"),
        ("application_name", config.application_name.as_str()),
    ];
    if let Some(options) = &config.options {
        parameters.push(("options", options));
    }
    frontend::startup_message(parameters, &mut startup).map_err(|error| {
        Error::new(ErrorKind::Config, format!("the connection's options cannot be sent: {error}"))
            .with_hint("user, database, application_name and options must not hold a zero character")
    })?;
    session.send(&startup)?;

    let mut login = Login { config, password, proved: None, scram: None };
    let mut key = None;
    loop {
        let proved = login.proved.is_some();
        let message = session.receive().map_err(|error| if proved { hang_up(error) } else { error })?;
        match message.tag {
            tag::AUTHENTICATION => {
                let mut body = Body(message.body);
                let request = body.i32().ok_or_else(|| unexpected("a request for a login that ends too early"))?;
                let body = body.0.to_vec();
                if request == request::OK {
                    login.check_accepted()?;
                } else {
                    let answer = login.answer(request, &body, session)?;
                    if !answer.is_empty() {
                        session.send(&answer)?;
                    }
                }
            }
            tag::BACKEND_KEY => {
                let mut body = Body(message.body);
                if let (Some(process), Some(secret), true) = (body.i32(), body.i32(), body.0.is_empty()) {
                    key = Some(Key { process, secret });
                }
            }
            tag::NEGOTIATE_VERSION => {}
            tag::ERROR if login.proved.is_some() => {
                return Err(login.explain(error::from_response_to_password(message.body)));
            }
            tag::ERROR => return Err(login.explain(error::from_response(message.body))),
            tag::READY if login.proved.is_some() => return Ok(key),
            _ => return Err(unexpected("a message that has no place in a login")),
        }
    }
}

struct Login<'a> {
    config: &'a Config,
    password: Option<&'a Secret>,
    /// How we proved who we are, once we did.
    proved: Option<Method>,
    /// The exchange that is under way; ended ones stay here with `true`.
    scram: Option<(ScramSha256, bool)>,
}

impl<'a> Login<'a> {
    /// What to send for one request of the server.
    fn answer(&mut self, request: i32, body: &[u8], session: &mut Session) -> Result<BytesMut> {
        let mut out = BytesMut::new();
        let written = match request {
            request::CLEARTEXT => {
                let password = self.prove(Method::Password)?;
                frontend::password_message(password.as_bytes(), &mut out)
            }
            request::MD5 => {
                let salt = body.try_into().map_err(|_| unexpected("an md5 salt of a wrong length"))?;
                let password = self.prove(Method::Md5)?;
                let hash = md5_hash(self.config.user.as_bytes(), password.as_bytes(), salt);
                frontend::password_message(hash.as_bytes(), &mut out)
            }
            request::SASL => {
                let password = self.prove(Method::Scram)?;
                let (mechanism, binding) = self.mechanism(body, session)?;
                let scram = ScramSha256::new(password.as_bytes(), binding);
                let written = frontend::sasl_initial_response(mechanism, scram.message(), &mut out);
                self.scram = Some((scram, false));
                written
            }
            request::SASL_CONTINUE => {
                let (scram, _) = self.scram.as_mut().ok_or_else(out_of_turn)?;
                scram.update(body).map_err(|error| bad_scram(&error))?;
                frontend::sasl_response(scram.message(), &mut out)
            }
            request::SASL_FINAL => {
                let (scram, ended) = self.scram.as_mut().filter(|(_, ended)| !ended).ok_or_else(out_of_turn)?;
                scram.finish(body).map_err(|error| bad_scram(&error))?;
                *ended = true;
                Ok(())
            }
            other => return Err(unsupported(other)),
        };
        written.map_err(|error| {
            // A zero character in it; never shown.
            Error::new(ErrorKind::Config, format!("the password cannot be sent: {error}"))
        })?;
        Ok(out)
    }

    /// Chooses this way to prove who we are; the password that it takes.
    fn prove(&mut self, method: Method) -> Result<&'a str> {
        self.check_allowed(method)?;
        if self.proved.replace(method).is_some() {
            return Err(unexpected("a second request for a password"));
        }
        match self.password {
            Some(password) => Ok(password.expose()),
            None => {
                let error =
                    Error::new(ErrorKind::Authentication, "the database asks for a password, and there is none");
                let hint = "put it into the URI (postgresql://user:password@host/database), PGPASSWORD or ~/.pgpass";
                Err(error.with_hint(match &self.config.password_note {
                    Some(note) => format!("{note}; {hint}"),
                    None => hint.to_owned(),
                }))
            }
        }
    }

    fn check_allowed(&self, method: Method) -> Result<()> {
        if self.config.methods.as_ref().is_some_and(|allowed| !allowed.contains(&method)) {
            let message = format!("the server asks for a login by {}, which require_auth does not allow", name(method));
            return Err(Error::new(ErrorKind::Authentication, message));
        }
        if self.config.channel_binding == ChannelBinding::Require && method != Method::Scram {
            return Err(no_binding(&format!("the server asks for a login by {}", name(method))));
        }
        Ok(())
    }

    /// Refuses a server that lets us in without the proofs that were asked for.
    fn check_accepted(&mut self) -> Result<()> {
        if self.proved.is_none() {
            self.check_allowed(Method::None)?;
            self.proved = Some(Method::None);
        }
        match &self.scram {
            // The server proves that it knows the password too.
            Some((_, false)) => Err(unexpected("its consent to a SCRAM login without its own proof")),
            _ => Ok(()),
        }
    }

    /// The SCRAM mechanism to take, and what ties it to the TLS connection.
    fn mechanism(&self, offered: &[u8], session: &Session) -> Result<(&'static str, sasl::ChannelBinding)> {
        let mut offered = Body(offered);
        let (mut plain, mut plus) = (false, false);
        while let Some(mechanism) = offered.text().filter(|mechanism| !mechanism.is_empty()) {
            plain |= mechanism == sasl::SCRAM_SHA_256.as_bytes();
            plus |= mechanism == sasl::SCRAM_SHA_256_PLUS.as_bytes();
        }
        let wish = self.config.channel_binding;
        let encrypted = session.is_encrypted();
        if wish != ChannelBinding::Disable
            && plus
            && encrypted
            && let Some(hash) = session.certificate_hash()
        {
            return Ok((sasl::SCRAM_SHA_256_PLUS, sasl::ChannelBinding::tls_server_end_point(hash)));
        }
        if wish == ChannelBinding::Require {
            return Err(no_binding(match (encrypted, plus) {
                (false, _) => "the connection has no TLS",
                (true, false) => "the server does not offer it",
                (true, true) => "the signature of the server's certificate names no hash function",
            }));
        }
        if !plain {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "the server asks for a kind of SASL that Bowshot does not know",
            )
            .with_hint("Bowshot knows SCRAM-SHA-256; an OAuth login is not supported"));
        }
        // "We could, but you do not offer it" lets the server notice when somebody took its offer away.
        let binding = if encrypted && !plus && wish == ChannelBinding::Prefer {
            sasl::ChannelBinding::unrequested()
        } else {
            sasl::ChannelBinding::unsupported()
        };
        Ok((sasl::SCRAM_SHA_256, binding))
    }

    /// Adds what the user may not know of the password.
    fn explain(&self, error: Error) -> Error {
        match &self.config.password_note {
            Some(note) if error.kind() == ErrorKind::Authentication && error.hint().is_none() => error.with_hint(note),
            _ => error,
        }
    }
}

/// Says what a server that hangs up on a password may mean.
fn hang_up(error: Error) -> Error {
    match (error.kind(), error.hint()) {
        (ErrorKind::ConnectionLost, None) => {
            error.with_hint("the server's log says why; H2 does so when the password or the database is wrong")
        }
        _ => error,
    }
}

fn name(method: Method) -> &'static str {
    match method {
        Method::None => "nothing",
        Method::Password => "plain password",
        Method::Md5 => "md5",
        Method::Scram => "SCRAM",
    }
}

fn no_binding(why: &str) -> Error {
    Error::new(ErrorKind::Authentication, format!("channel_binding=require cannot be kept: {why}"))
}

fn out_of_turn() -> Error {
    unexpected("a part of a SCRAM login out of turn")
}

fn bad_scram(error: &std::io::Error) -> Error {
    // What the library says here never holds the password.
    Error::new(ErrorKind::Authentication, format!("the server's side of the SCRAM login is wrong: {error}"))
        .with_hint("it does not know the password, or it asks for more than 100,000 rounds (scram_iterations)")
}

fn unsupported(request: i32) -> Error {
    let name = match request {
        2 => "Kerberos 5",
        6 => "SCM credentials",
        7 | 8 => "GSSAPI (Kerberos)",
        9 => "SSPI (Windows)",
        _ => "a method that it does not know",
    };
    Error::new(ErrorKind::Unsupported, format!("the server asks for a login by {name}, which Bowshot cannot do"))
        .with_hint("a line of the server's pg_hba.conf can allow scram-sha-256, md5, password, cert or trust")
}
