//! Who may log in, and where the gateway may listen.

use std::net::SocketAddr;
use std::path::Path;

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_gateway::TlsFiles;
use bowshot_gateway_access::{
    Access, Jwt, JwtConfig, JwtKey, Login, LoginLimits, SessionLimits, Tickets, UserEntry, Users,
};

use crate::config::{Config, Layers};
use crate::key_set::Published;

/// Logins, sessions and tickets as configured.
pub(crate) fn access(config: &Config, published: Option<&Published>) -> Result<Access> {
    let settings = &config.settings;
    let entry = |user: &crate::config::User| UserEntry {
        name: user.name.clone(),
        password_hash: user.password_hash.clone(),
        rules: user.rules.clone(),
    };
    let entries: Vec<UserEntry> = config.users.iter().map(entry).collect();
    let users = if entries.is_empty() { Users::none() } else { Users::new(&entries)? };
    let limits = SessionLimits {
        total: settings.count("limits.sessions")?,
        per_user: settings.count("limits.sessions_per_user")?,
        idle: settings.seconds("limits.session_idle_seconds")?,
        lifetime: settings.seconds("limits.session_seconds")?,
    };
    Access::new(Login::new(users, jwt(settings, published)?, LoginLimits::default())?, limits, tickets(settings)?)
}

/// Whether nobody has to log in.
pub(crate) fn is_open(config: &Config) -> bool {
    config.users.is_empty() && config.settings.text("jwt.issuer").is_none()
}

/// The files of the console's TLS: its own certificate, or else the gateway's with all that belongs to it. `None` where there is neither,
/// or where it is to speak none.
pub(crate) fn console_tls(settings: &Layers) -> Result<Option<TlsFiles>> {
    let refused =
        |message: &str, hint: &str| Err(Error::new(ErrorKind::Config, message.to_owned()).with_hint(hint.to_owned()));
    let own = match (settings.path("console_certificate"), settings.path("console_key")) {
        (Some(certificate), Some(key)) => {
            Some(TlsFiles { certificate, key, client_authority: None, client_may_have_none: false })
        }
        (Some(_), None) => return refused("console_certificate is set, and console_key is not", "TLS needs both"),
        (None, Some(_)) => return refused("console_key is set, and console_certificate is not", "TLS needs both"),
        (None, None) => None,
    };
    match (settings.text("console_tls") == Some("off"), own) {
        (true, Some(_)) => refused("console_tls is off, and the console has a certificate", "set the one or the other"),
        (true, None) => Ok(None),
        (false, Some(own)) => Ok(Some(own)),
        (false, None) => tls(settings),
    }
}

/// The files of TLS; `None` where it is not configured.
pub(crate) fn tls(settings: &Layers) -> Result<Option<TlsFiles>> {
    let (certificate, key) = (settings.path("tls.certificate"), settings.path("tls.key"));
    let client_authority = settings.path("tls.client_ca");
    let refused =
        |message: &str, hint: &str| Err(Error::new(ErrorKind::Config, message.to_owned()).with_hint(hint.to_owned()));
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some(TlsFiles {
            certificate,
            key,
            client_authority,
            client_may_have_none: settings.text("tls.client_certificate") == Some("optional"),
        })),
        (Some(_), None) => refused("tls.certificate is set, and tls.key is not", "TLS needs both"),
        (None, Some(_)) => refused("tls.key is set, and tls.certificate is not", "TLS needs both"),
        (None, None) if client_authority.is_some() => {
            refused("tls.client_ca is set, and the gateway speaks no TLS", "set tls.certificate and tls.key too")
        }
        (None, None) => Ok(None),
    }
}

/// What listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Door {
    Gateway,
    Console,
}

/// Refuses to listen where strangers are, unless somebody has to log in and all is encrypted, or the user insists.
pub(crate) fn check_listen(config: &Config, door: Door, listen: SocketAddr, has_tls: bool) -> Result<()> {
    if listen.ip().is_loopback() || config.settings.is_true("insecure") {
        return Ok(());
    }
    let files = match door {
        Door::Gateway => "set tls.certificate and tls.key",
        Door::Console => "set tls.certificate and tls.key, or console_certificate and console_key",
    };
    let users = "name a [[user]] or set [jwt]";
    let (what, way) = match (has_tls, is_open(config)) {
        (true, false) => return Ok(()),
        (false, false) => ("nothing is encrypted", files.to_owned()),
        (true, true) => ("nobody has to log in", users.to_owned()),
        (false, true) => ("nothing is encrypted, and nobody has to log in", format!("{files}, and {users}")),
    };
    let (key, place) = match door {
        Door::Gateway => ("listen", listen.to_string()),
        Door::Console => ("console", format!("the console on {listen}")),
    };
    let error = Error::new(ErrorKind::Config, format!("{place} is open to other machines: {what}"))
        .with_hint(format!("{way}; or listen on 127.0.0.1; or say --insecure"));
    Err(config.settings.origin(key).blame(&error))
}

fn tickets(settings: &Layers) -> Result<Tickets> {
    match settings.path("tickets.secret_file") {
        None => Tickets::random(),
        Some(path) => Tickets::with_key(&read(&path, "tickets.secret_file")?)
            .map_err(|error| settings.origin("tickets.secret_file").blame(&error)),
    }
}

fn jwt(settings: &Layers, published: Option<&Published>) -> Result<Option<Jwt>> {
    let refused =
        |message: &str, hint: &str| Error::new(ErrorKind::Config, message.to_owned()).with_hint(hint.to_owned());
    let (pem, secret) = (settings.path("jwt.key_file"), settings.path("jwt.secret_file"));
    let (Some(issuer), Some(audience)) = (settings.text("jwt.issuer"), settings.text("jwt.audience")) else {
        let lone = ["jwt.issuer", "jwt.audience", "jwt.key_file", "jwt.secret_file", "jwt.key_set", "jwt.strangers"];
        return match lone.into_iter().find(|key| settings.text(key).is_some()) {
            None => Ok(None),
            Some(key) => Err(refused(
                &format!("{key} is set, and jwt.issuer and jwt.audience are not both"),
                "tokens are believed only with issuer, audience and a key",
            )),
        };
    };
    let key = match (pem, secret, published) {
        (None, None, Some(published)) => JwtKey::Set(published.keys()),
        (Some(path), None, None) => JwtKey::Pem(read(&path, "jwt.key_file")?),
        // The line break that an editor adds is no part of it.
        (None, Some(path), None) => JwtKey::Secret(read(&path, "jwt.secret_file")?.trim_ascii_end().to_vec()),
        _ => {
            return Err(refused(
                "tokens need exactly one key or set of keys",
                "set one of jwt.key_set, jwt.key_file and jwt.secret_file",
            ));
        }
    };
    let config = JwtConfig {
        issuer: issuer.to_owned(),
        audience: audience.to_owned(),
        algorithms: settings.list("jwt.algorithms").unwrap_or_default(),
        key,
        user_claim: settings.text("jwt.user_claim").unwrap_or("sub").to_owned(),
        strangers: settings.list("jwt.strangers"),
    };
    Jwt::new(&config).map(Some)
}

fn read(path: &Path, key: &str) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        Error::new(ErrorKind::Config, format!("{key}: cannot read {}: {error}", path.display())).with_source(error)
    })
}
