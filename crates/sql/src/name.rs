//! Names of tables and functions, as the database understands them.

use std::fmt;

use crate::Dialect;
use crate::lex::{Kind, Token};

/// One name between dots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct NamePart {
    /// The name as the database folds it, without quotes.
    pub text: String,
    /// Whether it was written in quotes.
    pub quoted: bool,
}

/// A name with what qualifies it: `public.lineitem`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(pub Vec<NamePart>);

impl Name {
    /// The name itself, without what qualifies it.
    pub fn last(&self) -> &str {
        self.0.last().map_or("", |part| part.text.as_str())
    }

    /// The schema (MySQL: the database) that it is qualified with.
    pub fn schema(&self) -> Option<&str> {
        let index = self.0.len().checked_sub(2)?;
        self.0.get(index).map(|part| part.text.as_str())
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(".")?;
            }
            f.write_str(&part.text)?;
        }
        Ok(())
    }
}

impl NamePart {
    /// What a token names; `None` for tokens that name nothing, and for numbers.
    pub(crate) fn from_token(token: &Token, sql: &str, dialect: Dialect) -> Option<NamePart> {
        let text = token.text(sql);
        match token.kind {
            Kind::Word if text.starts_with(|first: char| first.is_ascii_digit()) => None,
            Kind::Word => Some(NamePart { text: dialect.fold(text), quoted: false }),
            Kind::QuotedName => Some(NamePart { text: unquote(text), quoted: true }),
            Kind::Space | Kind::Comment | Kind::Text | Kind::Symbol => None,
        }
    }
}

/// The text between quotes, with doubled quotes made single. Backslashes stay as they were written.
pub(crate) fn unquote(text: &str) -> String {
    let Some(inside) = text.get(1..text.len().saturating_sub(1)) else { return String::new() };
    match text.chars().next() {
        Some('[') => inside.replace("]]", "]"),
        None => inside.to_owned(),
        Some(quote) => {
            let quote = quote.to_string();
            inside.replace(&quote.repeat(2), &quote)
        }
    }
}
