//! Text that must not be seen, and its removal from messages.

use std::fmt;

use percent_encoding::percent_decode_str;

use crate::Error;

/// What stands in place of a secret.
const HIDDEN: &str = "***";

/// Words in the names of options whose values are secret.
const CONFIDENTIAL: [&str; 11] =
    ["password", "passwd", "pwd", "token", "secret", "key", "credential", "auth", "header", "passphrase", "signature"];

/// Names of options whose values are secret, where no longer word tells: of SAS tokens, and short for a password.
const SHORT: [&str; 5] = ["sig", "sas", "pass", "pw", "code"];

/// A password, a token or the like. `Debug` does not show it, and there is no `Display`: what needs it says so.
///
/// ```
/// use bowshot_core::Secret;
///
/// let secret = Secret::new("hunter2");
/// assert_eq!((format!("{secret:?}").as_str(), secret.expose()), ("hidden", "hunter2"));
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps a text from being shown.
    pub fn new(text: impl Into<String>) -> Self {
        Secret(text.into())
    }

    /// The text, for what needs it to log in.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

/// Whether the value of an option of this name is a secret.
///
/// ```
/// use bowshot_core::is_confidential;
///
/// assert!(is_confidential("PWD") && is_confidential("secret_access_key") && is_confidential("sig"));
/// assert!(!is_confidential("user") && !is_confidential("connect_timeout"));
/// ```
pub fn is_confidential(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    SHORT.contains(&name.as_str()) || CONFIDENTIAL.iter().any(|word| name.contains(word))
}

/// The secrets of an address or of a driver's options, longest first.
///
/// ```
/// use bowshot_core::Secrets;
///
/// let mut secrets = Secrets::default();
/// secrets.note("uri", "postgresql://ada:hunter2@host/db");
/// assert_eq!(secrets.hide("no login of ada with hunter2"), "no login of ada with ***");
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Secrets(Vec<String>);

impl Secrets {
    /// Looks for secrets in an option.
    pub fn note(&mut self, name: &str, value: &str) {
        if is_confidential(name) {
            self.add(value);
            // `Bearer TOKEN`: a server may repeat the token alone.
            if let Some((_, token)) = value.split_once(' ') {
                self.add(token);
            }
        }
        // A connection string: postgresql://user:password@host/…?password=…, or password=… and the like.
        let user = value.split_once("://").and_then(|(_, rest)| rest.rsplit_once('@')).map(|(user, _)| user);
        if let Some((_, password)) = user.and_then(|user| user.split_once(':')) {
            self.add(password);
        }
        for part in value.split(['&', '?', ';', ' ']) {
            if let Some((_, secret)) = part.split_once('=').filter(|(key, _)| is_confidential(key)) {
                self.add(secret.trim_matches(['\'', '"', '{', '}']));
            }
        }
    }

    /// Adds a text, also as it is when its `%XX` are decoded.
    pub fn add(&mut self, secret: &str) {
        let decoded = percent_decode_str(secret).decode_utf8_lossy();
        for secret in [secret, &decoded] {
            if !secret.is_empty() && !self.0.iter().any(|known| known == secret) {
                self.0.push(secret.to_owned());
            }
        }
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    }

    /// Adds a text and all its words, since a message may repeat any of them.
    pub(crate) fn add_words(&mut self, text: &str) {
        self.add(text);
        let ends = |character: char| !character.is_alphanumeric() && !matches!(character, '_' | '%' | '-' | '.');
        for word in text.split(ends).filter(|word| word.chars().count() > 2) {
            self.add(word);
        }
    }

    /// The text without any secret.
    pub fn hide(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in &self.0 {
            // A short one would be found inside of ordinary words.
            if secret.chars().count() >= 4 {
                text = text.replace(secret.as_str(), HIDDEN);
            } else {
                text = hide_word(&text, secret);
            }
        }
        text
    }

    /// The error without any secret, and those underneath.
    #[must_use]
    pub fn hide_in(&self, error: Error) -> Error {
        if self.0.is_empty() { error } else { error.map_text(|text| self.hide(text)) }
    }
}

/// Not even how many there are.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

/// Hides a secret where it stands by itself.
fn hide_word(text: &str, secret: &str) -> String {
    let mut hidden = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(place) = rest.find(secret) {
        let (head, tail) = rest.split_at(place);
        let tail = tail.strip_prefix(secret).unwrap_or(tail);
        let before_it = head.chars().next_back().or(before);
        let inside = |neighbour: Option<char>| neighbour.is_some_and(char::is_alphanumeric);
        hidden.push_str(head);
        hidden.push_str(if inside(before_it) || inside(tail.chars().next()) { secret } else { HIDDEN });
        before = secret.chars().next_back();
        rest = tail;
    }
    hidden + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        let mut secrets = Secrets::default();
        secrets.note("uri", "postgresql://ada:p%40ssword@host/db?sslpassword=hidden1");
        secrets.note("adbc.flight.sql.authorization_header", "Bearer abcdef");
        secrets.note("password", "xy");
        secrets.note("uri", "host=h password='quoted'");
        let hidden = secrets.hide("ada p@ssword p%40ssword hidden1 abcdef xy galaxy quoted (xy)");
        assert_eq!(hidden, "ada *** *** *** *** *** galaxy *** (***)");
        assert_eq!(format!("{secrets:?}"), "hidden");
    }

    #[test]
    fn no_part_of_an_error_keeps_one() {
        let mut secrets = Secrets::default();
        secrets.add("hunter2");
        let error = Error::new(ErrorKind::Config, "hunter2 is no port")
            .with_hint("not hunter2")
            .with_column("hunter2")
            .with_source(std::io::Error::other("hunter2"));
        let error = secrets.hide_in(error);
        let source = std::error::Error::source(&error).map(ToString::to_string);
        assert!(!format!("{error} {error:?} {source:?} {:?}", error.column()).contains("hunter2"));
        assert_eq!(source.as_deref(), Some("***"));
    }
}
