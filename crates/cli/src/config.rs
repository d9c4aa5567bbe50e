//! The configuration file.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::Path;

use bowshot_core::{Error, ErrorKind, Result};
use serde::Deserialize;

/// What a configuration file says. A field that nobody knows is an error, for a limit that is ignored protects nobody.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// Where to listen.
    pub(crate) listen: Option<SocketAddr>,
    /// `[[source]]`, each a database or files.
    #[serde(default, rename = "source")]
    pub(crate) sources: Vec<Source>,
    /// `[[user]]`, each somebody who may log in; without any, everybody may.
    #[serde(default, rename = "user")]
    pub(crate) users: Vec<User>,
    /// `[limits]`.
    #[serde(default)]
    pub(crate) limits: Limits,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Source {
    pub(crate) name: Option<String>,
    pub(crate) uri: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct User {
    pub(crate) name: String,
    pub(crate) password_hash: Option<String>,
    #[serde(default)]
    pub(crate) rules: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Limits {
    /// Seconds that a result waits to be fetched.
    pub(crate) ticket_seconds: Option<u64>,
    /// Bytes of batches that may wait for the client of one endpoint.
    pub(crate) endpoint_bytes: Option<usize>,
    /// Endpoints of one result.
    pub(crate) endpoints: Option<usize>,
}

/// Without the address, which may hold a password.
impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Without the hash.
impl std::fmt::Debug for User {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("User").field("name", &self.name).field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// Reads a file; `${NAME}` in an address stands for a variable of the environment.
pub(crate) fn read(path: &Path) -> Result<Config> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::new(ErrorKind::Io, format!("cannot read {}: {error}", path.display())).with_source(error)
    })?;
    parse(&text, |name| std::env::var(name).ok())
        .map_err(|error| Error::new(ErrorKind::Config, format!("{}: {error}", path.display())))
}

fn parse(text: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Config> {
    let mut config: Config = toml::from_str(text).map_err(|error| {
        let line =
            error.span().map_or(1, |span| 1 + text.bytes().take(span.start).filter(|byte| *byte == b'\n').count());
        Error::new(ErrorKind::Config, format!("line {line}: {}", error.message()))
    })?;
    for source in &mut config.sources {
        source.uri = expand(&source.uri, &variable)?;
    }
    let mut names = HashSet::new();
    match config.users.iter().find(|user| !names.insert(user.name.as_str())) {
        Some(twice) => Err(Error::new(ErrorKind::Config, format!("two users are named \"{}\"", twice.name))),
        None => Ok(config),
    }
}

/// Puts the environment's values into an address.
fn expand(text: &str, variable: &impl Fn(&str) -> Option<String>) -> Result<String> {
    let mut expanded = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, next) = after.split_once('}').ok_or_else(|| Error::new(ErrorKind::Config, "a ${ without a }"))?;
        let value = variable(name).ok_or_else(|| {
            Error::new(ErrorKind::Config, format!("the environment has no variable {name}"))
                .with_hint(format!("set it, or write the value in the place of ${{{name}}}"))
        })?;
        expanded.extend([before, value.as_str()]);
        rest = next;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Config> {
        parse(text, |name| (name == "PASSWORD").then(|| "s3cret".to_owned()))
    }

    #[test]
    fn everything_has_its_place() {
        let config = parsed(
            "listen = \"127.0.0.1:31337\"\n[[source]]\nname = \"shop\"\nuri = \"postgresql://ann:${PASSWORD}@db/shop\"\n\
             [[user]]\nname = \"ann\"\npassword_hash = \"$argon2id$x\"\nrules = [\"allow shop\"]\n[limits]\nendpoints = 8\n",
        )
        .unwrap();
        assert_eq!(config.sources[0].uri, "postgresql://ann:s3cret@db/shop");
        assert_eq!((config.users[0].rules.len(), config.limits.endpoints), (1, Some(8)));
        let shown = format!("{config:?}");
        assert!(!shown.contains("s3cret") && !shown.contains("argon2id"), "{shown}");
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (text, words) in [
            ("listen = \"127.0.0.1:31337\"\n\nlisen = 3", "line 3: unknown field `lisen`"),
            ("[limits]\nendpoints = \"many\"", "line 2: invalid type"),
            ("[[source]]\nname = \"shop\"", "missing field `uri`"),
            ("[[source]]\nuri = \"postgresql://${NOBODY}@db\"", "no variable NOBODY"),
            ("[[user]]\nname = \"a\"\n[[user]]\nname = \"a\"", "two users are named \"a\""),
            ("listen = ", "line 1"),
        ] {
            let error = parsed(text).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }
}
