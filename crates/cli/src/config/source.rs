//! A source as it is configured.

use bowshot_core::Address;

use super::layers::Origin;

/// A database or files to serve.
pub(crate) struct Source {
    /// The name that clients know it by; `None`: one that its address suggests.
    pub(crate) name: Option<String>,
    /// Its address, which may hold a password.
    pub(crate) uri: Address,
    /// Whether it may be changed through the gateway.
    pub(crate) writable: bool,
    pub(crate) origin: Origin,
}

impl Source {
    /// Reads `NAME=ADDRESS`, or an address alone.
    pub(crate) fn of_text(text: &str, origin: Origin) -> Source {
        // libpq's keywords have equal signs too: host=/tmp dbname=shop.
        let is_address = |rest: &str| {
            rest.contains("://") || rest.starts_with("${") || (rest.contains(['/', ':', '.']) && !rest.contains('='))
        };
        let named = text.split_once('=').filter(|(name, rest)| {
            let is_word = name.chars().all(|character| character.is_alphanumeric() || character == '_');
            !name.is_empty() && is_word && is_address(rest)
        });
        let (name, uri) = named.map_or((None, text), |(name, uri)| (Some(name.to_owned()), uri));
        Source { name, uri: Address::new(uri), writable: false, origin }
    }

    /// The name that clients know it by.
    pub(crate) fn known_as(&self) -> String {
        self.name.clone().unwrap_or_else(|| crate::name::of_address(&self.uri))
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("uri", &self.uri)
            .field("origin", &self.origin)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_have_a_name() {
        for (text, name, uri) in [
            ("shop=postgresql://h/db?a=b", Some("shop"), "postgresql://h/db?a=b"),
            ("shop=${DATABASE}", Some("shop"), "${DATABASE}"),
            ("lake=./lake/", Some("lake"), "./lake/"),
            ("postgresql://h/db?sslmode=require", None, "postgresql://h/db?sslmode=require"),
            ("host=/tmp dbname=shop", None, "host=/tmp dbname=shop"),
            ("dbname=shop", None, "dbname=shop"),
            ("odbc:DSN=shop", None, "odbc:DSN=shop"),
        ] {
            let source = Source::of_text(text, Origin::Default);
            assert_eq!((source.name.as_deref(), source.uri.expose()), (name, uri));
        }
    }
}
