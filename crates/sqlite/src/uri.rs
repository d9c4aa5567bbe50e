//! Which file a URI or a path names, and how to open it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bowshot_core::{Address, Calls, Error, ErrorKind, Result};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};

/// The characters of a path that mean themselves in a `file:` URI.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'.').remove(b'_').remove(b'-').remove(b':');

/// A database file and how to open it. There is nothing secret in it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Location {
    /// As the user gave it; a relative path is relative to the working directory.
    pub(crate) path: PathBuf,
    /// The user's word that nobody writes to the file.
    pub(crate) immutable: bool,
    /// How long to wait for a lock.
    pub(crate) timeout: Duration,
    /// Whether procedures may run, of which SQLite has none.
    pub(crate) calls: Calls,
}

impl Location {
    /// Reads `sqlite:///relative`, `sqlite:////absolute`, `sqlite:path` or a plain path.
    pub(crate) fn parse(uri: &str) -> Result<Self> {
        Address::read(uri, Location::parse_plain)
    }

    fn parse_plain(uri: &str) -> Result<Self> {
        let Some(rest) = after_scheme(uri) else {
            // A plain path means itself, whatever characters are in it.
            return Self::new(uri, uri.into());
        };
        let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
        let path = match path.strip_prefix("//") {
            // As in SQLAlchemy, the third slash ends an empty host name, and the path begins behind it.
            Some(path) => path.strip_prefix('/').unwrap_or(path),
            None => path,
        };
        let mut location = Self::new(uri, decode(path)?)?;
        for option in options.split('&').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, ""));
            location.set(name, value)?;
        }
        Ok(location)
    }

    fn new(uri: &str, path: OsString) -> Result<Self> {
        if path.is_empty() || path == ":memory:" {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!(
                    "\"{}\" names a database in memory, which only the connection that made it can see",
                    Address::new(uri)
                ),
            )
            .with_hint("write it to a file first: VACUUM INTO 'copy.db', or Connection.backup() of Python's sqlite3"));
        }
        if path.to_string_lossy().starts_with("file:") {
            return Err(Error::new(ErrorKind::Config, format!("\"{}\" is a URI of SQLite's own", Address::new(uri)))
                .with_hint("write sqlite:///relative/path, sqlite:////absolute/path or the plain path"));
        }
        Ok(Location { path: path.into(), immutable: false, timeout: Duration::from_secs(5), calls: Calls::Refuse })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        let wrong = |what: &str| {
            Error::new(ErrorKind::Config, format!("the value of {name} in the SQLite URI makes no sense"))
                .with_hint(format!("write {name}={what}"))
        };
        match name {
            "immutable" => {
                self.immutable = match value {
                    "1" | "true" => true,
                    "0" | "false" => false,
                    _ => return Err(wrong("1 or 0")),
                }
            }
            "timeout" => {
                let seconds = value.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.timeout = seconds.ok_or_else(|| wrong("SECONDS, such as timeout=30"))?;
            }
            Calls::OPTION => self.calls = Calls::parse(value)?,
            _ => {
                return Err(Error::new(ErrorKind::Config, format!("a SQLite URI has no option \"{name}\""))
                    .with_hint("the options are immutable=1 (nobody writes to the file) and timeout=SECONDS"));
            }
        }
        Ok(())
    }

    /// The `file:` URI that SQLite opens.
    pub(crate) fn file_uri(&self) -> String {
        let path = if cfg!(windows) {
            self.path.to_string_lossy().replace('\\', "/").into_bytes()
        } else {
            self.path.as_os_str().as_encoded_bytes().to_vec()
        };
        let encoded = percent_encode(&path, PLAIN);
        let immutable = if self.immutable { "?immutable=1" } else { "" };
        match self.path.is_absolute() {
            // An absolute path needs an empty host name before it, and on Windows a slash too.
            true if path.starts_with(b"/") => format!("file://{encoded}{immutable}"),
            true => format!("file:///{encoded}{immutable}"),
            false => format!("file:./{encoded}{immutable}"),
        }
    }

    /// Why the path cannot be opened, before SQLite says so in fewer words.
    pub(crate) fn check(&self) -> Result<()> {
        let path = Address::new(self.path.to_string_lossy());
        match std::fs::metadata(&self.path) {
            Ok(metadata) if metadata.is_dir() => {
                Err(Error::new(ErrorKind::Io, format!("{path} is a folder, not a SQLite database"))
                    .with_hint("name the file in it"))
            }
            Ok(_) => Ok(()),
            Err(error) => {
                let absolute = Path::new("/").join(&self.path);
                let hint = if !self.path.is_absolute() && absolute.exists() {
                    format!("an absolute path has four slashes: sqlite:///{}", Address::new(absolute.to_string_lossy()))
                } else if self.path.is_absolute() {
                    "check the path; Bowshot never creates a database".to_owned()
                } else {
                    let folder = std::env::current_dir().unwrap_or_default();
                    format!("the path is relative to {}; Bowshot never creates a database", folder.display())
                };
                Err(Error::new(ErrorKind::Io, format!("cannot open the database {path}: {error}"))
                    .with_hint(hint)
                    .with_source(error))
            }
        }
    }
}

/// What follows `sqlite:` or `sqlite+driver:`; `None` where the text is a plain path.
fn after_scheme(uri: &str) -> Option<&str> {
    let (scheme, rest) = uri.split_once(':')?;
    let name = scheme.split('+').next().unwrap_or(scheme);
    name.eq_ignore_ascii_case("sqlite").then_some(rest)
}

fn decode(path: &str) -> Result<OsString> {
    let bytes: Vec<u8> = percent_decode_str(path).collect();
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        Ok(OsString::from_vec(bytes))
    }
    #[cfg(not(unix))]
    match String::from_utf8(bytes) {
        Ok(path) => Ok(path.into()),
        Err(_) => Err(Error::new(ErrorKind::Config, format!("the path \"{path}\" is not UTF-8"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_name_files() {
        for (uri, path) in [
            ("sqlite:///relative/data.db", "relative/data.db"),
            ("sqlite:////abs/data.db", "/abs/data.db"),
            ("sqlite+pysqlite:////abs/data.db", "/abs/data.db"),
            ("sqlite://data.db", "data.db"),
            ("sqlite:data.db", "data.db"),
            ("sqlite:/abs/data.db", "/abs/data.db"),
            ("sqlite:///a%20b%3F%23.db?immutable=1", "a b?#.db"),
            ("data.db", "data.db"),
            ("/x/y 100%?.sqlite", "/x/y 100%?.sqlite"),
            ("SQLite:///x", "x"),
        ] {
            assert_eq!(Location::parse(uri).unwrap().path, Path::new(path), "{uri}");
        }
    }

    #[test]
    fn options_are_read() {
        let location = Location::parse("sqlite:///x?timeout=0.5&immutable=1").unwrap();
        assert_eq!(location.timeout, Duration::from_millis(500));
        assert!(location.immutable);
        assert!(!Location::parse("sqlite:///x?immutable=0").unwrap().immutable);
    }

    #[test]
    fn what_is_no_file_is_refused() {
        for (uri, kind, word) in [
            ("sqlite://", ErrorKind::Unsupported, "memory"),
            ("sqlite:///", ErrorKind::Unsupported, "memory"),
            ("sqlite:///:memory:", ErrorKind::Unsupported, "VACUUM INTO"),
            (":memory:", ErrorKind::Unsupported, "memory"),
            ("", ErrorKind::Unsupported, "memory"),
            ("file:data.db?mode=ro", ErrorKind::Config, "sqlite:///"),
            ("sqlite:///x?mode=ro", ErrorKind::Config, "immutable=1"),
            ("sqlite:///x?timeout=soon", ErrorKind::Config, "SECONDS"),
            ("sqlite:///x?timeout=-1", ErrorKind::Config, "SECONDS"),
            ("sqlite:///x?immutable=maybe", ErrorKind::Config, "1 or 0"),
        ] {
            let error = Location::parse(uri).unwrap_err();
            assert_eq!(error.kind(), kind, "{uri}: {error}");
            assert!(error.to_string().contains(word), "{uri}: {error}");
        }
    }

    #[test]
    fn file_uris_keep_every_character() {
        let uri = |path: &str| Location::parse(path).unwrap().file_uri();
        assert_eq!(uri("/a b/c?d#e%.db"), "file:///a%20b/c%3Fd%23e%25.db");
        assert_eq!(uri("a.db"), "file:./a.db");
        assert_eq!(uri("sqlite:////a.db?immutable=1"), "file:///a.db?immutable=1");
    }
}
