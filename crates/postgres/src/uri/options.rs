//! The options of a connection string: which exist, where their defaults come from, and which Bowshot refuses.

use std::borrow::Cow;

use bowshot_core::{Error, ErrorKind, Result};

/// One option of libpq, or of Bowshot.
pub(super) struct Known {
    pub(super) name: &'static str,
    /// The environment variable that stands for it; empty where there is none.
    pub(super) variable: &'static str,
    support: Support,
}

/// What Bowshot does with an option.
enum Support {
    /// What libpq does.
    Full,
    /// Nothing, and nothing is lost.
    Ignored,
    /// Only these values mean what they should; anything else is refused for the reason.
    Only(&'static [&'static str], &'static str),
}

use Support::{Full, Ignored, Only};

const NO_KERBEROS: &str = "Bowshot does not speak Kerberos (GSSAPI)";
const NO_OAUTH: &str = "Bowshot does not log in with OAuth";
const NO_KEYS: &str = "Bowshot logs in with a password, not with SCRAM keys";

const fn known(name: &'static str, variable: &'static str, support: Support) -> Known {
    Known { name, variable, support }
}

/// Every option that a connection string may hold.
pub(super) const KNOWN: &[Known] = &[
    known("application_name", "PGAPPNAME", Full),
    // Whether procedures may run.
    known("calls", "", Full),
    known("channel_binding", "PGCHANNELBINDING", Full),
    known("client_encoding", "PGCLIENTENCODING", Full),
    known("connect_timeout", "PGCONNECT_TIMEOUT", Full),
    // ConnectorX' name for the wire protocol.
    known("cxprotocol", "", Full),
    known("dbname", "PGDATABASE", Full),
    known("fallback_application_name", "", Full),
    known("gssdelegation", "PGGSSDELEGATION", Only(&["0"], NO_KERBEROS)),
    known("gssencmode", "PGGSSENCMODE", Only(&["disable", "prefer"], NO_KERBEROS)),
    known("gsslib", "PGGSSLIB", Only(&[], NO_KERBEROS)),
    known("host", "PGHOST", Full),
    known("hostaddr", "PGHOSTADDR", Full),
    known("keepalives", "", Full),
    known("keepalives_count", "", Full),
    known("keepalives_idle", "", Full),
    known("keepalives_interval", "", Full),
    known("krbsrvname", "PGKRBSRVNAME", Only(&[], NO_KERBEROS)),
    known("load_balance_hosts", "PGLOADBALANCEHOSTS", Full),
    known("max_protocol_version", "PGMAXPROTOCOLVERSION", Only(&["3.0", "3.2", "latest"], "there is no such version")),
    known("min_protocol_version", "PGMINPROTOCOLVERSION", Only(&["3.0"], "Bowshot speaks version 3.0 of the protocol")),
    known("oauth_client_id", "", Only(&[], NO_OAUTH)),
    known("oauth_client_secret", "", Only(&[], NO_OAUTH)),
    known("oauth_issuer", "", Only(&[], NO_OAUTH)),
    known("oauth_scope", "", Only(&[], NO_OAUTH)),
    known("options", "PGOPTIONS", Full),
    known("passfile", "PGPASSFILE", Full),
    known("password", "PGPASSWORD", Full),
    known("port", "PGPORT", Full),
    known("replication", "", Only(&["0", "false", "off", "no"], "Bowshot reads queries, not the replication stream")),
    known("require_auth", "PGREQUIREAUTH", Full),
    known(
        "requirepeer",
        "PGREQUIREPEER",
        Only(&[], "Bowshot cannot ask which user runs the server behind a Unix socket"),
    ),
    known("scram_client_key", "", Only(&[], NO_KEYS)),
    known("scram_server_key", "", Only(&[], NO_KEYS)),
    known("service", "PGSERVICE", Full),
    known("servicefile", "PGSERVICEFILE", Full),
    known("ssl_max_protocol_version", "PGSSLMAXPROTOCOLVERSION", Full),
    known("ssl_min_protocol_version", "PGSSLMINPROTOCOLVERSION", Full),
    known("sslcert", "PGSSLCERT", Full),
    known(
        "sslcertmode",
        "PGSSLCERTMODE",
        Only(&["disable", "allow"], "Bowshot cannot tell whether the server asked for a certificate"),
    ),
    // libpq ignores it too where OpenSSL has no compression, which is everywhere today.
    known("sslcompression", "PGSSLCOMPRESSION", Ignored),
    known("sslcrl", "PGSSLCRL", Full),
    known("sslcrldir", "PGSSLCRLDIR", Only(&[], "Bowshot reads one file of revoked certificates: sslcrl")),
    known("sslkey", "PGSSLKEY", Full),
    known("sslkeylogfile", "", Only(&[], "Bowshot does not write the keys of its connections to a file")),
    known("sslmode", "PGSSLMODE", Full),
    known("sslnegotiation", "PGSSLNEGOTIATION", Full),
    // An encrypted key is refused when it is read; without one, the password has no use.
    known("sslpassword", "", Ignored),
    known("sslrootcert", "PGSSLROOTCERT", Full),
    known("sslsni", "PGSSLSNI", Full),
    known("target_session_attrs", "PGTARGETSESSIONATTRS", Full),
    known("tcp_user_timeout", "", Full),
    known("user", "PGUSER", Full),
];

/// Whether a value of this option must not be shown.
pub(super) fn is_secret(name: &str) -> bool {
    matches!(name, "password" | "sslpassword" | "oauth_client_secret" | "scram_client_key" | "scram_server_key")
}

/// The option of this name; an error that names the nearest one where there is none.
pub(super) fn find(name: &str) -> Result<&'static Known> {
    KNOWN.iter().find(|option| option.name == name).ok_or_else(|| {
        let error = Error::new(ErrorKind::Config, format!("PostgreSQL's connections have no option \"{name}\""));
        let nearest = KNOWN
            .iter()
            .map(|option| (strsim::jaro_winkler(option.name, name), option.name))
            .max_by(|left, right| left.0.total_cmp(&right.0));
        match nearest {
            Some((likeness, nearest)) if likeness > 0.75 => error.with_hint(format!("did you mean \"{nearest}\"?")),
            _ => error,
        }
    })
}

/// A value, and where it was found, so that an error can say what to correct.
pub(super) struct Setting {
    pub(super) value: String,
    origin: Cow<'static, str>,
}

/// The options that were given, by name, from the connection string, a service and the environment.
#[derive(Default)]
pub(super) struct Settings(std::collections::BTreeMap<&'static str, Setting>);

impl Settings {
    /// Adds a value unless the option already has one: who comes first wins. An empty value counts as none.
    pub(super) fn add(&mut self, name: &str, value: String, origin: impl Into<Cow<'static, str>>) -> Result<()> {
        let option = find(name)?;
        if value.is_empty() || self.0.contains_key(option.name) {
            return Ok(());
        }
        let origin = origin.into();
        match option.support {
            Only(allowed, reason) if !allowed.contains(&value.as_str()) => {
                let shown = if is_secret(name) || allowed.is_empty() { String::new() } else { format!(" \"{value}\"") };
                let error = Error::new(ErrorKind::Unsupported, format!("{origin}{shown} is not supported: {reason}"));
                return Err(error.with_hint(match allowed {
                    [] => format!("leave {name} out"),
                    _ => format!("{name} may be {}", allowed.join(", ")),
                }));
            }
            Ignored => {}
            Full | Only(..) => {
                self.0.insert(option.name, Setting { value, origin });
            }
        }
        Ok(())
    }

    /// Adds what the environment says about options that have no value yet.
    pub(super) fn add_variables(&mut self, variable: impl Fn(&str) -> Option<String>) -> Result<()> {
        for option in KNOWN.iter().filter(|option| !option.variable.is_empty()) {
            if let Some(value) = variable(option.variable) {
                self.add(option.name, value, format!("the environment variable {}", option.variable))?;
            }
        }
        Ok(())
    }

    /// The text of an option.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|setting| setting.value.as_str())
    }

    /// One of the values that the option may have; the first one is the default.
    pub(super) fn choice<T: Copy>(&self, name: &'static str, values: &[(&'static str, T)], default: T) -> Result<T> {
        let Some(setting) = self.0.get(name) else { return Ok(default) };
        match values.iter().find(|(text, _)| *text == setting.value) {
            Some((_, value)) => Ok(*value),
            None => {
                let values: Vec<&str> = values.iter().map(|(text, _)| *text).collect();
                Err(self.wrong(name, &format!("one of {}", values.join(", "))))
            }
        }
    }

    /// A whole number.
    pub(super) fn integer(&self, name: &'static str) -> Result<Option<i32>> {
        self.text(name).map(|text| text.trim().parse().map_err(|_| self.wrong(name, "a whole number"))).transpose()
    }

    /// 0 or 1.
    pub(super) fn switch(&self, name: &'static str, default: bool) -> Result<bool> {
        Ok(self.integer(name)?.map_or(default, |value| value != 0))
    }

    /// The error of a value that makes no sense; `expected` says what would.
    pub(super) fn wrong(&self, name: &'static str, expected: &str) -> Error {
        let (origin, value) = self.0.get(name).map_or((name, ""), |setting| (&setting.origin, &setting.value));
        let shown = if is_secret(name) { String::new() } else { format!(" is \"{value}\"") };
        Error::new(ErrorKind::Config, format!("{origin}{shown}; it has to be {expected}"))
    }
}
