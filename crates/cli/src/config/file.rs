//! The configuration file, and the line of each thing in it.

use std::path::Path;

use bowshot_core::{Address, Error, ErrorKind, Result};
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue};

use super::layers::nearest;
use super::settings::SETTINGS;
use super::{Given, Origin, Source, User};

/// Reads a configuration file.
pub(super) fn read(path: &Path) -> Result<Given> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        Error::new(ErrorKind::Io, format!("cannot read {}: {error}", path.display())).with_source(error)
    })?;
    parse(&text, &path.display().to_string())
}

/// A table's key and value, each with where it stands.
type Entry<'a, 'i> = (&'a Spanned<DeString<'i>>, &'a Spanned<DeValue<'i>>);

/// Reads the text of the file `name`.
pub(super) fn parse(text: &str, name: &str) -> Result<Given> {
    let file = File { text, name };
    let table = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        // Without the text around it, which may be a secret.
        file.wrong(at, error.message(), "the file is TOML: https://toml.io")
    })?;
    let mut given = Given::default();
    for (key, value) in table.get_ref() {
        match (key.get_ref().as_ref(), value.get_ref()) {
            ("source", value_of) => given.sources = file.tables(value_of, value, |table, at| file.source(table, at))?,
            ("user", value_of) => given.users = file.tables(value_of, value, |table, at| file.user(table, at))?,
            (group, DeValue::Table(table)) if is_group(group) => {
                for (inner, value) in table {
                    let whole = format!("{group}.{}", inner.get_ref());
                    given.settings.push((whole, file.items(value)?, file.origin(inner.span().start)));
                }
            }
            (_, DeValue::Table(_)) => {
                let message = format!("there is no table [{}]", key.get_ref());
                return Err(file.wrong(key.span().start, &message, &nearest(key.get_ref())));
            }
            (key_text, _) => {
                given.settings.push((key_text.to_owned(), file.items(value)?, file.origin(key.span().start)));
            }
        }
    }
    Ok(given)
}

fn is_group(name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.key.split_once('.').is_some_and(|(group, _)| group == name))
}

struct File<'a> {
    text: &'a str,
    name: &'a str,
}

impl File<'_> {
    fn origin(&self, at: usize) -> Origin {
        let line = 1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count();
        Origin::File(self.name.to_owned(), line)
    }

    fn wrong(&self, at: usize, message: &str, hint: &str) -> Error {
        self.origin(at).blame(&Error::new(ErrorKind::Config, message).with_hint(hint))
    }

    /// A value as texts: several of an array.
    fn items(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<String>> {
        match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| self.item(item)).collect(),
            _ => Ok(vec![self.item(value)?]),
        }
    }

    fn item(&self, value: &Spanned<DeValue<'_>>) -> Result<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Integer(number) if number.radix() == 10 => Ok(number.as_str().to_owned()),
            DeValue::Boolean(truth) => Ok(truth.to_string()),
            _ => Err(self.wrong(
                value.span().start,
                "a value is neither text, a number nor true or false",
                "write one of these",
            )),
        }
    }

    /// An array of tables, such as all `[[source]]`.
    fn tables<T>(
        &self,
        value: &DeValue<'_>,
        spanned: &Spanned<DeValue<'_>>,
        read: impl Fn(&DeTable<'_>, usize) -> Result<T>,
    ) -> Result<Vec<T>> {
        let wrong = |at| {
            self.wrong(at, "a list of tables was expected", "write [[source]] and [[user]], with two brackets each")
        };
        let DeValue::Array(tables) = value else { return Err(wrong(spanned.span().start)) };
        let each = tables.iter().map(|item| match item.get_ref() {
            DeValue::Table(table) => read(table, item.span().start),
            _ => Err(wrong(item.span().start)),
        });
        each.collect()
    }

    fn source(&self, table: &DeTable<'_>, at: usize) -> Result<Source> {
        let (mut name, mut uri, mut writable) = (None, None, false);
        for entry in table {
            match entry.0.get_ref().as_ref() {
                "name" => name = Some(self.text(entry)?),
                "uri" => uri = Some(self.text(entry)?),
                "writable" => writable = self.truth(entry)?,
                _ => return Err(self.unknown(entry, "a source", "name, uri and writable")),
            }
        }
        let uri = uri.ok_or_else(|| self.wrong(at, "a source has no uri", "write uri = \"postgresql://…\""))?;
        Ok(Source { name, uri: Address::new(uri), writable, origin: self.origin(at) })
    }

    fn user(&self, table: &DeTable<'_>, at: usize) -> Result<User> {
        let (mut name, mut password_hash, mut rules) = (None, None, Vec::new());
        for entry in table {
            match entry.0.get_ref().as_ref() {
                "name" => name = Some(self.text(entry)?),
                "password_hash" => password_hash = Some(self.text(entry)?),
                "rules" => rules = self.items(entry.1)?,
                _ => return Err(self.unknown(entry, "a user", "name, password_hash and rules")),
            }
        }
        let name = name.ok_or_else(|| self.wrong(at, "a user has no name", "write name = \"…\""))?;
        Ok(User { name, password_hash, rules, origin: self.origin(at) })
    }

    fn text(&self, (key, value): Entry<'_, '_>) -> Result<String> {
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            _ => Err(self.wrong(value.span().start, &format!("{} is no text", key.get_ref()), "write it in quotes")),
        }
    }

    fn truth(&self, (key, value): Entry<'_, '_>) -> Result<bool> {
        match value.get_ref() {
            DeValue::Boolean(truth) => Ok(*truth),
            _ => {
                let message = format!("{} is neither true nor false", key.get_ref());
                Err(self.wrong(value.span().start, &message, "write it without quotes"))
            }
        }
    }

    fn unknown(&self, (key, _): Entry<'_, '_>, what: &str, known: &str) -> Error {
        self.wrong(key.span().start, &format!("{what} has no \"{}\"", key.get_ref()), &format!("it has {known}"))
    }
}
