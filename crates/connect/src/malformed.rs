//! Texts that are meant as addresses, in a form that Bowshot does not read: what they look like, and the right form.
//!
//! What is not known for an address would be taken for SQL or for the path of a file, and be shown.

use bowshot_core::{Error, ErrorKind};

/// The form of an address of another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Malformed {
    /// An address in quotes or brackets.
    Quoted,
    /// `jdbc:postgresql://…`.
    Jdbc,
    /// `Server=…;UID=…;PWD=…`, for ODBC or ADO.NET.
    Pairs,
    /// `postgresql:/host`, `mysql:user:password@host`.
    Slashes,
    /// `user:password@host/database`, and what else has an `@` behind a colon or a slash.
    NoScheme,
    /// Something stands in front of the scheme.
    Front,
    /// An object of JSON, a dictionary of Python.
    Object,
    /// All of it is percent-encoded.
    Encoded,
}

/// Keywords of ODBC's and ADO.NET's connection strings, without blanks, that one begins with.
const PAIRS: &[&str] = &[
    "accountendpoint",
    "accountkey",
    "accountname",
    "addr",
    "address",
    "applicationname",
    "authentication",
    "database",
    "datasource",
    "dbq",
    "defaultendpointsprotocol",
    "driver",
    "dsn",
    "encrypt",
    "endpoint",
    "filedsn",
    "host",
    "hostname",
    "initialcatalog",
    "integratedsecurity",
    "networkaddress",
    "password",
    "persistsecurityinfo",
    "port",
    "provider",
    "pwd",
    "server",
    "servername",
    "sharedaccesskey",
    "sharedaccesssignature",
    "trustedconnection",
    "trustservercertificate",
    "uid",
    "user",
    "userid",
    "username",
];

/// Schemes of databases that are written with two slashes.
const SCHEMES: &[&str] = &[
    "postgresql",
    "postgres",
    "cockroachdb",
    "redshift",
    "mysql",
    "mariadb",
    "mssql",
    "sqlserver",
    "oracle",
    "clickhouse",
    "clickhousedb",
    "trino",
    "presto",
    "grpc",
    "flightsql",
    "snowflake",
    "bigquery",
    "databricks",
    "mongodb",
    "redis",
    "s3",
    "s3a",
    "gs",
    "gcs",
    "az",
    "abfs",
    "abfss",
    "http",
    "https",
];

/// What a text looks like that is neither an address that Bowshot reads nor SQL.
pub(crate) fn malformed(text: &str) -> Option<Malformed> {
    let lower = text.to_ascii_lowercase();
    let is_object =
        text.starts_with('{') && (lower.contains("password") || lower.contains("pwd") || lower.contains("host"));
    if is_object {
        return Some(Malformed::Object);
    }
    if text.starts_with(['"', '\'', '`', '<', '\u{201c}', '\u{201e}']) {
        let inside = text.trim_matches(|end: char| "\"'`<>\u{201c}\u{201d}\u{201e}".contains(end));
        // A quoted name of a table has neither.
        let address = first_word(inside).contains("://") || inside.contains('@') || malformed(inside).is_some();
        return address.then_some(Malformed::Quoted);
    }
    if lower.starts_with("jdbc:") || lower.starts_with("r2dbc:") {
        return Some(Malformed::Jdbc);
    }
    if is_pairs(&lower) {
        return Some(Malformed::Pairs);
    }
    let word = first_word(&lower);
    if word.contains("%3a%2f%2f") {
        return Some(Malformed::Encoded);
    }
    if let Some((front, _)) = word.split_once(':') {
        let base = front.split('+').next().unwrap_or_default();
        if SCHEMES.contains(&base) {
            return Some(Malformed::Slashes);
        }
    }
    if word.contains("://") && !word.starts_with("select") {
        return Some(Malformed::Front);
    }
    // A path has neither, and SQL has its @ behind a blank or a sign.
    let login = word.split_once('@').filter(|(login, host)| {
        let name = |part: &str| part.starts_with(|first: char| first.is_alphanumeric() || first == '[');
        name(login)
            && (name(host) || host.starts_with('/'))
            && login.contains([':', '/'])
            && !login.contains(['(', ',', '\''])
    });
    let exists = std::path::Path::new(text).exists();
    (login.is_some() && !exists).then_some(Malformed::NoScheme)
}

/// `key=value;key=value`, where the first key is one of a connection string's.
fn is_pairs(lower: &str) -> bool {
    let Some((key, rest)) = lower.split_once('=') else { return false };
    let key: String = key.chars().filter(|character| !matches!(character, ' ' | '_' | '-')).collect();
    // libpq's keywords have blanks between them; a password of theirs may hold a semicolon.
    let ends = rest.find([';', ' ', '\t', '\n']);
    let semicolon =
        ends.is_some_and(|end| rest.as_bytes().get(end) == Some(&b';')) || rest.contains("};") || rest.contains("; ");
    let own = !matches!(key.as_str(), "password" | "host" | "port" | "user" | "applicationname");
    PAIRS.contains(&key.as_str()) && (semicolon || own)
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

impl Malformed {
    /// What it looks like and the right form, without any part of it.
    pub(crate) fn error(self) -> Error {
        let (what, hint) = match self {
            Malformed::Quoted => ("an address in quotes", "leave the quotes out"),
            Malformed::Jdbc => (
                "a JDBC URL",
                "leave jdbc: out and put the login before the host: postgresql://user:password@host:5432/database",
            ),
            Malformed::Pairs => (
                "a connection string of ODBC or ADO.NET",
                "for ODBC, write odbc: before it, with Driver={…} or DSN=…; else write a URI: \
                 mssql://user:password@host:1433/database",
            ),
            Malformed::Slashes => {
                ("an address without its two slashes", "write scheme://user:password@host/database, such as mysql://…")
            }
            Malformed::NoScheme => (
                "an address without its scheme",
                "write what kind of database it is before it: postgresql://user:password@host/database",
            ),
            Malformed::Front => (
                "an address with something in front of its scheme",
                "an address begins with its scheme: postgresql://user:password@host/database",
            ),
            Malformed::Object => (
                "an object with the parts of an address",
                "write them as one URI: postgresql://user:password@host:5432/database",
            ),
            Malformed::Encoded => {
                ("an address that is percent-encoded as a whole", "encode the user and the password alone")
            }
        };
        Error::new(ErrorKind::Config, format!("the connection looks like {what}")).with_hint(hint)
    }
}
