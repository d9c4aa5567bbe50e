//! DuckDB: its short name, and what its driver would lose.

use std::path::Path;

use bowshot_core::{Address, Error, ErrorKind, Result};

use crate::family::Family;
use crate::uri::{Location, decode};

/// The function of DuckDB's library that makes it an ADBC driver.
pub(crate) const ENTRYPOINT: &str = "duckdb_adbc_init";

const MEMORY: &str = ":memory:";

/// What follows `duckdb:`: a path with options, or nothing or `:memory:` for a database in memory.
pub(crate) fn location(rest: &str) -> Result<Location> {
    let (path, options) = rest.split_once('?').unwrap_or((rest, ""));
    let path = match path.strip_prefix("//") {
        // The third slash ends an empty host name, and the path begins behind it.
        Some(path) => path.strip_prefix('/').unwrap_or(path),
        None => path,
    };
    let path = decode(path)?;
    let path = if path.is_empty() { MEMORY.to_owned() } else { path };
    let login = path.split_once(':').is_some_and(|(_, rest)| rest.contains('@'));
    if login && !Path::new(&path).exists() {
        return Err(Error::new(
            ErrorKind::Config,
            "what follows duckdb: is an address with a login, not the path of a file",
        )
        .with_hint("write duckdb:///path/to/file.duckdb; DuckDB attaches other databases by ATTACH"));
    }
    let mut location = Location::new("duckdb".into());
    location.secrets.note("path", &path);
    location.entrypoint = Some(ENTRYPOINT.into());
    location.set_all(options)?;
    location.family = Family::DuckDb;
    let given = location.database.iter().find(|(name, _)| name == "access_mode");
    match given.map(|(_, mode)| mode.to_ascii_uppercase()).as_deref() {
        None if path == MEMORY => {}
        // Other processes may read at the same time, and nothing is written by mistake.
        None => location.database.insert(0, ("access_mode".into(), "READ_ONLY".into())),
        Some("READ_ONLY" | "READ_WRITE" | "AUTOMATIC") => {}
        Some(_) => {
            return Err(Error::new(ErrorKind::Config, "the option access_mode of the DuckDB URI makes no sense")
                .with_hint("write access_mode=READ_ONLY, READ_WRITE or AUTOMATIC"));
        }
    }
    location.database.insert(0, ("path".into(), path));
    Ok(location)
}

/// Why DuckDB cannot open its file, before it says so in other words.
pub(crate) fn check_file(location: &Location) -> Result<()> {
    let Some((_, path)) = location.database.iter().find(|(name, _)| name == "path") else { return Ok(()) };
    // `md:` and the like name what is not a file.
    if location.family != Family::DuckDb || path == MEMORY || path.contains(':') || Path::new(path).exists() {
        return Ok(());
    }
    let absolute = Path::new("/").join(path);
    let hint = if Path::new(path).is_relative() && absolute.exists() {
        format!("an absolute path has four slashes: duckdb:///{}", Address::new(absolute.to_string_lossy()))
    } else {
        "check the path; Bowshot never creates a database".to_owned()
    };
    Err(Error::new(ErrorKind::Io, format!("there is no database {}", Address::new(path))).with_hint(hint))
}

/// Whether the driver would change or cut values of a column of this type, also where it stands inside of another:
/// a time loses its zone, a 128-bit number without sign wraps, bits and big numbers are DuckDB's own bytes.
pub(crate) fn is_lossy(type_name: &str) -> bool {
    const LOSSY: [&str; 7] = ["TIME WITH TIME ZONE", "TIMETZ", "UHUGEINT", "BIT", "BITSTRING", "BIGNUM", "VARINT"];
    let bare = without_quotes(type_name);
    let mut words = bare.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| LOSSY.contains(&word)) || contains_phrase(&bare, LOSSY[0])
}

/// `TIME WITH TIME ZONE`, but not as a part of `TIMESTAMP WITH TIME ZONE`.
fn contains_phrase(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase)
        .any(|(place, _)| !text.get(..place).unwrap_or("").ends_with(|c: char| c.is_ascii_alphanumeric()))
}

/// The name without the members of enums and the names of fields that stand in quotes.
fn without_quotes(type_name: &str) -> String {
    let mut open = None;
    type_name
        .chars()
        .filter(|c| match open {
            Some(quote) => {
                if *c == quote {
                    open = None;
                }
                false
            }
            None if matches!(c, '\'' | '"') => {
                open = Some(*c);
                false
            }
            None => true,
        })
        .collect()
}

/// The query with some of its columns as DuckDB writes them; they come in the same order, with other names. And how many
/// characters stand before it.
pub(crate) fn as_text(sql: &str, text: &[bool]) -> (String, usize) {
    let names: Vec<String> = (0..text.len()).map(|number| format!("c{number}")).collect();
    let columns: Vec<String> = names
        .iter()
        .zip(text)
        .map(|(name, text)| if *text { format!("CAST({name} AS VARCHAR)") } else { name.clone() })
        .collect();
    let before = format!("SELECT {} FROM (", columns.join(", "));
    // A comment at the query's end must not swallow the parenthesis.
    (format!("{before}{sql}\n) AS bowshot({})", names.join(", ")), before.len())
}

/// An error whose place is that in the user's query, before which so many characters stand.
pub(crate) fn in_users_text(error: Error, before: usize) -> Error {
    let Some(position) = error.position().filter(|_| before > 0) else { return error };
    let mut moved = Error::new(error.kind(), error.message());
    if let Some(position) = position.checked_sub(before).filter(|position| *position > 0) {
        moved = moved.with_position(position);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lossy_types_are_known_wherever_they_stand() {
        for name in
            ["TIME WITH TIME ZONE", "TIME WITH TIME ZONE[]", "STRUCT(a UHUGEINT, b INTEGER)", "BIT", "BIGNUM[3]"]
        {
            assert!(is_lossy(name), "{name}");
        }
        for name in
            ["TIMESTAMP WITH TIME ZONE", "TIME", "ENUM('BIT', 'it''s UHUGEINT')", "STRUCT(\"BIT\" INTEGER)", "HUGEINT"]
        {
            assert!(!is_lossy(name), "{name}");
        }
    }

    #[test]
    fn columns_become_text_by_their_place() {
        assert_eq!(
            as_text("SELECT 1 a, 2 a -- both", &[false, true]),
            ("SELECT c0, CAST(c1 AS VARCHAR) FROM (SELECT 1 a, 2 a -- both\n) AS bowshot(c0, c1)".to_owned(), 37)
        );
    }

    #[test]
    fn places_are_those_of_the_users_text() {
        let error = |position| Error::new(ErrorKind::Sql, "Conversion Error").with_position(position);
        assert_eq!(in_users_text(error(38), 37).position(), Some(1));
        assert_eq!(in_users_text(error(8), 0).position(), Some(8));
        // In what was put around it.
        assert_eq!(in_users_text(error(37), 37).position(), None);
    }
}
