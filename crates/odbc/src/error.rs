//! The driver's diagnostic records as Bowshot's errors.

use bowshot_core::{Error, ErrorKind};

use crate::uri::Location;

/// One diagnostic record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) state: String,
    /// The database's own number.
    pub(crate) native: i32,
    pub(crate) message: String,
}

impl Record {
    /// For a call that failed without a word.
    pub(crate) fn unknown() -> Self {
        Record { state: "HY000".into(), native: 0, message: "the driver failed and does not say why".into() }
    }
}

/// What was being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doing {
    Connecting,
    Querying,
}

/// The error of a failed call.
pub(crate) fn from_records(records: &[Record], doing: Doing, location: &Location) -> Error {
    let unknown = Record::unknown();
    // The first record with a known meaning; drivers put general ones before and behind it.
    let telling = records.iter().find(|record| !matches!(kind(record, doing), ErrorKind::Sql | ErrorKind::Connect));
    let first = telling.or(records.first()).unwrap_or(&unknown);
    let kind = kind(first, doing);
    let what = match (kind, doing) {
        (ErrorKind::Authentication, _) => "the database refused the login",
        (ErrorKind::ConnectionLimit, _) => "the database has no connection left",
        (ErrorKind::ConnectionLost, _) => "the connection to the database broke",
        (ErrorKind::Timeout, _) => "the database took too long",
        (ErrorKind::Tls, _) => "the database could not be reached over TLS",
        (_, Doing::Connecting) => "the database could not be opened",
        _ => "the database refused the query",
    };
    let mut said: Vec<String> = Vec::new();
    for record in std::iter::once(first).chain(records) {
        // Only a login has secrets to tell, and a password may be a word that a query's error needs.
        let message = match doing {
            Doing::Connecting => location.without_secrets(plain(&record.message)),
            Doing::Querying => plain(&record.message).to_owned(),
        };
        if !message.is_empty() && !said.contains(&message) {
            said.push(message);
        }
    }
    let mut message = format!("{what}: {}", said.join("; "));
    if doing == Doing::Connecting {
        message = format!("{message} ({})", location.label());
    }
    if first.native != 0 && first.native != 1 {
        message = format!("{message} (error {})", first.native);
    }
    Error::new(kind, message).with_sqlstate(&first.state)
}

fn kind(record: &Record, doing: Doing) -> ErrorKind {
    let message = record.message.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let state = record.state.as_str();
    // What PostgreSQL's driver, MariaDB's and FreeTDS say with a general state.
    if doing == Doing::Connecting {
        if state.starts_with("28") || says(&["password authentication failed", "no password supplied", "login failed"])
        {
            return ErrorKind::Authentication;
        }
        if matches!(record.native, 1040 | 1203 | 1226) || says(&["too many clients", "too many connections"]) {
            return ErrorKind::ConnectionLimit;
        }
        if record.native == 1049 || says(&["does not exist\n", "unknown database"]) {
            return ErrorKind::Config;
        }
        if state.starts_with("IM") || says(&["can't open lib"]) {
            return ErrorKind::Config;
        }
        if says(&["ssl", "tls", "certificate"]) {
            return ErrorKind::Tls;
        }
        return if state.starts_with("HYT") || says(&["timeout expired", "timed out"]) {
            ErrorKind::Timeout
        } else {
            ErrorKind::Connect
        };
    }
    match state {
        // Statement and lock time limits of MariaDB and of MySQL, whatever state goes with them.
        _ if matches!(record.native, 1969 | 3024 | 1205) => ErrorKind::Timeout,
        "HYT00" | "HYT01" => ErrorKind::Timeout,
        "57014" if message.contains("timeout") => ErrorKind::Timeout,
        "55P03" if message.contains("timeout") => ErrorKind::Timeout,
        "57014" | "HY008" | "HY018" => ErrorKind::Cancelled,
        "57P01" | "57P02" | "57P04" | "57P05" => ErrorKind::ConnectionLost,
        "53300" => ErrorKind::ConnectionLimit,
        _ if state.starts_with("08") => ErrorKind::ConnectionLost,
        _ if matches!(record.native, 2006 | 2013 | 2055 | 1053 | 1927) => ErrorKind::ConnectionLost,
        _ if says(&["server closed the connection", "no connection to the server", "could not receive data"]) => {
            ErrorKind::ConnectionLost
        }
        _ if record.native == 1317 => ErrorKind::Cancelled,
        _ if state.starts_with("28") => ErrorKind::Authentication,
        "HYC00" | "IM001" => ErrorKind::Unsupported,
        _ => ErrorKind::Sql,
    }
}

/// A message without the names of the layers that passed it on: `[unixODBC][Driver Manager]…`.
fn plain(message: &str) -> &str {
    let mut rest = message.trim();
    while let Some(after) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        rest = after.1.trim_start();
    }
    // What PostgreSQL's driver adds to every message.
    let rest = rest.strip_suffix("Error while executing the query").unwrap_or(rest);
    rest.trim_end_matches([';', '\n', ' ', '.'])
}

#[cfg(test)]
mod tests;
