//! Tells the address of a database from SQL, and the kinds of address from each other.

use crate::malformed::{Malformed, malformed};

/// What a text that names a database can be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// `scheme+transport:rest`, the scheme in lower case. What follows the plus is a way to connect (`tls`), or the name of
    /// SQLAlchemy's driver, which says nothing here.
    Scheme { scheme: String, transport: Option<String>, rest: String },
    /// libpq's `host=… dbname=…`.
    Keywords,
    /// The path of a folder, or of a file of data: Parquet, CSV, JSON lines, Arrow.
    Folder,
    /// The path of another file.
    Path,
    /// An address in a form that Bowshot does not read.
    Malformed(Malformed),
    /// SQL text: no address at all.
    Sql,
}

/// Endings that make a text without spaces the path of an SQLite file.
const SUFFIXES: &[&str] = &[".db", ".db3", ".sqlite", ".sqlite3", ".s3db", ".sdb"];

/// Endings that make a text without spaces the path of a file of data. ORC is refused in words of its own.
const DATA_SUFFIXES: &[&str] = &[
    ".parquet",
    ".parq",
    ".pq",
    ".csv",
    ".csv.gz",
    ".csv.zst",
    ".tsv",
    ".tsv.gz",
    ".tsv.zst",
    ".tab",
    ".jsonl",
    ".jsonl.gz",
    ".jsonl.zst",
    ".ndjson",
    ".ndjson.gz",
    ".ndjson.zst",
    ".json",
    ".json.gz",
    ".json.zst",
    ".arrow",
    ".arrows",
    ".ipc",
    ".feather",
    ".orc",
];

/// Schemes whose addresses need no `//`.
const BARE_SCHEMES: &[&str] = &["adbc", "duckdb", "file", "odbc", "sqlite"];

/// The keywords of libpq that a connection string starts with.
const KEYWORDS: &[&str] = &[
    "application_name",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "passfile",
    "password",
    "port",
    "service",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "user",
];

/// The words that SQL which returns rows starts with.
const STATEMENTS: &[&str] = &[
    "call", "delete", "desc", "describe", "exec", "execute", "explain", "fetch", "from", "insert", "merge", "pragma",
    "select", "show", "table", "update", "values", "with",
];

/// Whether `text` is the address of a database (a URI, a path, libpq's keywords) rather than SQL.
///
/// A path needs a slash at its start, a known ending (`.db`, `.sqlite`, …) or an existing file behind it.
///
/// ```
/// use bowshot_connect::is_uri;
///
/// assert!(is_uri("sqlite:///shop.db") && is_uri("shop.db") && is_uri("host=/tmp dbname=shop"));
/// assert!(!is_uri("SELECT a = 1 FROM x.db") && !is_uri("lineitem") && !is_uri("/* all */ SELECT 1"));
/// ```
pub fn is_uri(text: &str) -> bool {
    match guess(text) {
        Some(Address::Sql) => false,
        Some(_) => true,
        None => std::path::Path::new(text).is_file(),
    }
}

/// Whether `text` is certainly the address of a database, with a scheme, keywords or in a form of another program: nothing that
/// a query or the name of a file could be.
///
/// ```
/// use bowshot_connect::is_connection_string;
///
/// assert!(is_connection_string("postgresql://host/db") && is_connection_string("Server=db;UID=ann;PWD=x"));
/// assert!(!is_connection_string("shop.db") && !is_connection_string("SELECT 1"));
/// ```
pub fn is_connection_string(text: &str) -> bool {
    matches!(guess(text), Some(Address::Scheme { .. } | Address::Keywords | Address::Malformed(_)))
}

impl Address {
    /// What `text` is, where it stands for a database: what is nothing else is a path.
    pub(crate) fn of(text: &str) -> Self {
        guess(text).unwrap_or_else(|| {
            // `parts/` and `parts/*` as the gateway takes them; what is there decides.
            let folder = text.ends_with(['/', '\\']) || text.contains('*') || std::path::Path::new(text).is_dir();
            if folder { Address::Folder } else { Address::Path }
        })
    }
}

/// `None`: a bare word or a sentence, which may be the name of a file.
fn guess(text: &str) -> Option<Address> {
    let text = text.trim();
    if let Some(address) = scheme(text) {
        return Some(address);
    }
    let sqlite = SUFFIXES.iter().any(|suffix| text.ends_with(suffix)) && !text.contains(['@', ';', '\'', '"']);
    if let Some(malformed) = malformed(text).filter(|_| !sqlite) {
        return Some(Address::Malformed(malformed));
    }
    let keyword = text.split_once('=').map(|(keyword, _)| keyword.trim_end());
    if keyword.is_some_and(|keyword| KEYWORDS.contains(&keyword)) {
        return Some(Address::Keywords);
    }
    let first: String = text.chars().take_while(char::is_ascii_alphabetic).flat_map(char::to_lowercase).collect();
    let more = text.get(first.len()..).is_some_and(|rest| rest.starts_with(|next: char| !is_word(next)));
    let comment = text.starts_with("--") || text.starts_with("/*");
    if comment || text.starts_with('(') || (more && STATEMENTS.contains(&first.as_str())) {
        return Some(Address::Sql);
    }
    let lower = text.to_ascii_lowercase();
    let without_spaces = !text.contains(char::is_whitespace);
    let rooted = ["/", "./", "../", "~/", ".\\", "..\\"].iter().any(|start| text.starts_with(start));
    let drive = text.get(1..3).is_some_and(|next| next == ":\\" || next == ":/");
    let data = DATA_SUFFIXES.iter().any(|suffix| lower.ends_with(suffix)) && (rooted || drive || without_spaces);
    if data || ((rooted || drive) && (text.ends_with(['/', '\\']) || text.contains('*'))) {
        return Some(Address::Folder);
    }
    let ends = SUFFIXES.iter().any(|suffix| lower.ends_with(suffix)) && without_spaces;
    if rooted || drive || text == ":memory:" || ends {
        // What is there decides: a folder may be called anything.
        return Some(if std::path::Path::new(text).is_dir() { Address::Folder } else { Address::Path });
    }
    None
}

/// Whether what follows `file:` names an SQLite file.
pub(crate) fn is_sqlite(rest: &str) -> bool {
    let path = rest.split(['?', '#']).next().unwrap_or(rest).to_ascii_lowercase();
    SUFFIXES.iter().any(|suffix| path.ends_with(suffix))
}

/// A character that can go on a name, also that of a file: `select.db` is no statement.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '-')
}

/// `scheme://…`, and `file:…`, `sqlite:…`, `odbc:…` and their like.
fn scheme(text: &str) -> Option<Address> {
    let (scheme, rest) = text.split_once(':')?;
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-' | b'_');
    if scheme.len() < 2 || !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || !scheme.bytes().all(valid)
    {
        return None;
    }
    let scheme = scheme.to_ascii_lowercase();
    let (scheme, transport) = match scheme.split_once('+') {
        Some((scheme, transport)) => (scheme.to_owned(), Some(transport.to_owned())),
        None => (scheme, None),
    };
    let known = rest.starts_with("//") || BARE_SCHEMES.contains(&scheme.as_str());
    known.then(|| Address::Scheme { scheme, transport, rest: rest.to_owned() })
}
