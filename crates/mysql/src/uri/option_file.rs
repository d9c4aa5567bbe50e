//! Option files (`.my.cnf`), as MySQL's and MariaDB's clients read them.

use std::path::{Path, PathBuf};

use bowshot_core::{Error, ErrorKind, Result};

use super::options::Settings;

/// The groups that count.
const GROUPS: [&str; 4] = ["client", "client-mariadb", "mariadb-client", "bowshot"];

/// Files that include each other are followed so far.
const MOST_DEPTH: usize = 10;

/// Adds what the option file says to what the URI leaves out: the file of `read-default-file`, else the user's own.
pub(super) fn add(settings: &mut Settings, home: Option<&Path>) -> Result<()> {
    if let Some(path) = settings.text("read-default-file").map(PathBuf::from) {
        let text = std::fs::read_to_string(&path).map_err(|error| {
            Error::new(
                ErrorKind::Config,
                format!("the file {} (read-default-file) could not be read: {error}", path.display()),
            )
        })?;
        read(&text, &path, settings, 0);
    } else if let Some(path) = home.map(|home| home.join(".my.cnf"))
        && let Ok(text) = std::fs::read_to_string(&path)
        && is_private(&path)
    {
        read(&text, &path, settings, 0);
    }
    Ok(())
}

/// MySQL's clients ignore an option file that everyone may write to.
fn is_private(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        path.metadata().is_ok_and(|metadata| metadata.mode() & 0o002 == 0)
    }
    #[cfg(not(unix))]
    true
}

fn read(text: &str, path: &Path, settings: &mut Settings, depth: usize) {
    let mut counts = false;
    for line in text.lines().map(str::trim) {
        if let Some(command) = line.strip_prefix('!') {
            include(command, path, settings, depth);
        } else if let Some(group) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            counts = GROUPS.contains(&group.trim());
        } else if counts && !line.is_empty() && !line.starts_with(['#', ';']) {
            let (name, value) = line.split_once('=').map_or((line, ""), |(name, value)| (name.trim(), value.trim()));
            settings.add_from_file(name.strip_prefix("loose-").unwrap_or(name), unquoted(value));
        }
    }
}

/// `!include file` and `!includedir folder`.
fn include(command: &str, path: &Path, settings: &mut Settings, depth: usize) {
    if depth == MOST_DEPTH {
        return;
    }
    let mut files = Vec::new();
    let beside = |name: &str| path.parent().unwrap_or(Path::new("")).join(name.trim());
    if let Some(folder) = command.strip_prefix("includedir ") {
        let found = std::fs::read_dir(beside(folder)).into_iter().flatten().flatten().map(|entry| entry.path());
        files.extend(found.filter(|path| path.extension().is_some_and(|end| end == "cnf")));
        files.sort();
    } else if let Some(file) = command.strip_prefix("include ") {
        files.push(beside(file));
    }
    for file in files {
        if let Ok(text) = std::fs::read_to_string(&file) {
            read(&text, &file, settings, depth + 1);
        }
    }
}

/// The value without its quotes or its comment, its escapes resolved.
fn unquoted(value: &str) -> String {
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''));
    let inner = match quote {
        Some(quote) => value.get(1..).and_then(|rest| rest.rfind(quote).and_then(|end| rest.get(..end))),
        // A number sign in the middle of a line begins a comment.
        None => value.split('#').next().map(str::trim_end),
    };
    let mut text = String::new();
    let mut characters = inner.unwrap_or(value).chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('s') => text.push(' '),
            Some(other @ ('"' | '\'' | '\\')) => text.push(other),
            Some(other) => text.extend(['\\', other]),
            None => text.push('\\'),
        }
    }
    text
}
