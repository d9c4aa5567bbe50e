//! What a driver was told in confidence, and its removal from messages.

use crate::uri::decode;

/// What stands in place of a secret.
const HIDDEN: &str = "***";

/// Words in the names of options whose values are secret.
const CONFIDENTIAL: [&str; 9] =
    ["password", "pwd", "token", "secret", "key", "credential", "auth", "header", "passphrase"];

/// The secrets among the options of a driver, longest first.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// Looks for secrets in an option.
    pub(crate) fn note(&mut self, name: &str, value: &str) {
        let name = name.to_ascii_lowercase();
        if CONFIDENTIAL.iter().any(|word| name.contains(word)) {
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
            self.add(&decode(password).unwrap_or_default());
        }
        for part in value.split(['&', '?', ';', ' ']) {
            if let Some((key, secret)) = part.split_once('=') {
                let key = key.trim().to_ascii_lowercase();
                if CONFIDENTIAL.iter().any(|word| key.contains(word)) {
                    let secret = secret.trim_matches(['\'', '"']);
                    self.add(secret);
                    self.add(&decode(secret).unwrap_or_default());
                }
            }
        }
    }

    fn add(&mut self, secret: &str) {
        if !secret.is_empty() && !self.0.iter().any(|known| known == secret) {
            self.0.push(secret.to_owned());
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// The text without any secret.
    pub(crate) fn hide(&self, text: &str) -> String {
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

    #[test]
    fn secrets_are_hidden_wherever_they_stand() {
        let mut secrets = Secrets::default();
        secrets.note("uri", "postgresql://ada:p%40ssword@host/db?sslpassword=hidden1");
        secrets.note("adbc.flight.sql.authorization_header", "Bearer abcdef");
        secrets.note("password", "xy");
        secrets.note("uri", "host=h password='quoted'");
        let hidden = secrets.hide("ada p@ssword p%40ssword hidden1 abcdef xy galaxy quoted (xy)");
        assert_eq!(hidden, "ada *** *** *** *** *** galaxy *** (***)");
    }
}
