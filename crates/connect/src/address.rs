//! Tells the address of a database from SQL, and the kinds of address from each other.

/// What a text that names a database can be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// `scheme:rest`, the scheme in lower case and without SQLAlchemy's `+driver`.
    Scheme { scheme: String, rest: String },
    /// libpq's `host=… dbname=…`.
    Keywords,
    /// The path of a file.
    Path,
    /// SQL text: no address at all.
    Sql,
}

/// Endings that make a text without spaces the path of an SQLite file.
const SUFFIXES: &[&str] = &[".db", ".db3", ".sqlite", ".sqlite3", ".s3db", ".sdb"];

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

impl Address {
    /// What `text` is, where it stands for a database: what is nothing else is a path.
    pub(crate) fn of(text: &str) -> Self {
        guess(text).unwrap_or(Address::Path)
    }
}

/// `None`: a bare word or a sentence, which may be the name of a file.
fn guess(text: &str) -> Option<Address> {
    let text = text.trim();
    if let Some(address) = scheme(text) {
        return Some(address);
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
    let rooted = ["/", "./", "../", "~/", ".\\", "..\\"].iter().any(|start| text.starts_with(start));
    let drive = text.get(1..3).is_some_and(|next| next == ":\\" || next == ":/");
    let ends = SUFFIXES.iter().any(|suffix| text.to_ascii_lowercase().ends_with(suffix));
    if rooted || drive || text == ":memory:" || (ends && !text.contains(char::is_whitespace)) {
        return Some(Address::Path);
    }
    None
}

/// A character that can go on a name, also that of a file: `select.db` is no statement.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '.' | '-')
}

/// `scheme://…`, `file:…` and `sqlite:…`.
fn scheme(text: &str) -> Option<Address> {
    let (scheme, rest) = text.split_once(':')?;
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'.' | b'-' | b'_');
    if scheme.len() < 2 || !scheme.starts_with(|first: char| first.is_ascii_alphabetic()) || !scheme.bytes().all(valid)
    {
        return None;
    }
    let scheme = scheme.to_ascii_lowercase();
    let scheme = scheme.split_once('+').map_or(scheme.as_str(), |(database, _)| database).to_owned();
    let known = rest.starts_with("//") || matches!(scheme.as_str(), "file" | "sqlite");
    known.then(|| Address::Scheme { scheme, rest: rest.to_owned() })
}
