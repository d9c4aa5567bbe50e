//! An address of a database or of files, and what people may see of it.

mod login;
mod shown;

use std::fmt;

use crate::{Result, Secrets, is_confidential};

/// An address as a user wrote it. Whoever shows it, in an error, a log or a list, has `Display`: scheme, user, host and path,
/// without passwords and options. Where it is not certain what is a password, less is shown.
///
/// ```
/// use bowshot_core::Address;
///
/// let address = Address::new("postgresql://ann:s3cret@db.example/shop?sslmode=require");
/// assert_eq!(address.to_string(), "postgresql://ann@db.example/shop?…");
/// assert_eq!(Address::new("Server=db;UID=ann;PWD=s3cret").to_string(), "…");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Address(String);

impl Address {
    /// What a user wrote.
    pub fn new(text: impl Into<String>) -> Self {
        Address(text.into())
    }

    /// The address with its secrets, for what connects.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether nothing of it may be shown.
    pub fn is_withheld(&self) -> bool {
        self.to_string().starts_with('…')
    }

    /// What an error about the address must not repeat.
    ///
    /// Behind the first password among the options, everything may be a part of it.
    pub fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        let (front, rest) = self.0.split_once("://").unwrap_or(("", &self.0));
        if let Some((_, login)) = self.0.split_once(':').filter(|_| front.contains(':') && !shown::are_schemes(front)) {
            secrets.add_words(login);
        }
        // `host=… port=…`: a list of options has no login in front.
        let has_login = rest.len() < self.0.len() || rest.contains('@') || !rest.contains('=');
        match if has_login { login::split(rest) } else { Ok((None, rest)) } {
            Ok((Some(user), _)) => match user.split_once(':') {
                Some((_, password)) => secrets.add_words(password),
                // A user without a password may be a token, if it is longer than a syllable.
                None if !shown::has_names(&self.0) && user.chars().count() > 3 => secrets.add_words(user),
                None => {}
            },
            Ok((None, _)) => {}
            Err(_) => secrets.add_words(rest),
        }
        let mut from = 0;
        while let Some(at) = self.0.get(from..).and_then(|text| text.find('=')) {
            let (before, after) = self.0.split_at(from + at);
            let name = before.rsplit(['?', '&', ';', ' ', '#', '/', ',', '{', '"', '\'']).next().unwrap_or_default();
            if is_confidential(name) {
                secrets.add_words(after.trim_start_matches('='));
                break;
            }
            from += at + 1;
        }
        secrets
    }

    /// Reads an address of the form `scheme://user:password@host:port/path?option=value`.
    ///
    /// `parse` gets it with a user and a password in which every special character is percent-encoded. No error repeats what may
    /// be a part of a password.
    ///
    /// # Errors
    /// Of kind [`Config`](crate::ErrorKind::Config) where a raw character makes it uncertain what is the host, and those of `parse`.
    pub fn read_uri<T>(text: &str, parse: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        let plain = login::encoded(text)?;
        let hide = |error| Address::new(plain.as_ref()).secrets().hide_in(error);
        Address::read(text, |_| parse(&plain).map_err(hide))
    }

    /// Reads an address of another form. No error repeats what is known to be a secret.
    ///
    /// # Errors
    /// Those of `parse`.
    pub fn read<T>(text: &str, parse: impl FnOnce(&str) -> Result<T>) -> Result<T> {
        parse(text).map_err(|error| Address::new(text).secrets().hide_in(error))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&shown::shown(&self.0))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({self})")
    }
}

#[cfg(test)]
mod tests;
