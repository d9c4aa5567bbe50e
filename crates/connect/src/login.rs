//! A login that is given beside the address.

use bowshot_core::{Address, Error, ErrorKind, Result, Secret};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What is encoded in a user's name or password.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Sources whose addresses have no place for a login.
const WITHOUT_LOGIN: &[&str] = &["sqlite", "file", "adbc"];

/// A user and a password, given apart from the address.
///
/// ```
/// use bowshot_connect::Login;
/// use bowshot_core::Secret;
///
/// let login = Login { user: Some("ann".into()), password: Some(Secret::new("p@ss")) };
/// assert_eq!(login.written_into("postgresql://db/shop")?.expose(), "postgresql://ann:p%40ss@db/shop");
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Login {
    /// The user; `None`: the address or its source knows.
    pub user: Option<String>,
    /// The password.
    pub password: Option<Secret>,
}

impl Login {
    /// The address with the login in it.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): the address has a login of its own, or no place for one.
    pub fn written_into(&self, uri: &str) -> Result<Address> {
        if *self == Login::default() {
            return Ok(Address::new(uri));
        }
        let kind = crate::scheme(uri).unwrap_or_default();
        if WITHOUT_LOGIN.contains(&kind) {
            return Err(Error::new(ErrorKind::Config, "this kind of source takes no username and no password")
                .with_hint("leave the user's name and the password out"));
        }
        match uri.split_once("://") {
            Some((scheme, rest)) if kind != "odbc" => self.in_uri(scheme, rest),
            _ if kind == "odbc" => Ok(Address::new(self.as_keywords(&in_braces, uri, ";", ["UID", "PWD"]))),
            _ => Ok(Address::new(self.as_keywords(&in_quotes, uri, " ", ["user", "password"]))),
        }
    }

    fn in_uri(&self, scheme: &str, rest: &str) -> Result<Address> {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, tail) = rest.split_at(end);
        let (known, host) = match authority.rsplit_once('@') {
            Some((known, host)) => (Some(known), host),
            None => (None, authority),
        };
        // A raw special character in a password would move the end of the authority.
        let user = match (known, &self.user) {
            (Some(known), _) if known.contains(':') => return Err(twice()),
            (None, _) if tail.contains('@') => return Err(twice()),
            (Some(_), Some(_)) => return Err(twice()),
            (Some(known), None) => known.to_owned(),
            (None, user) => encoded(user.as_deref().unwrap_or_default()),
        };
        let password = self.password.as_ref().map(|password| format!(":{}", encoded(password.expose())));
        Ok(Address::new(format!("{scheme}://{user}{}@{host}{tail}", password.unwrap_or_default())))
    }

    fn as_keywords(&self, quoted: &dyn Fn(&str) -> String, uri: &str, between: &str, names: [&str; 2]) -> String {
        let mut text = uri.to_owned();
        // A data source's bare name is its DSN.
        if between == ";" && !text.contains('=') {
            text = text.replacen("odbc://", "odbc:", 1).replacen("odbc:", "odbc:DSN=", 1);
        }
        let [user, password] = names;
        let values = [(user, self.user.as_deref()), (password, self.password.as_ref().map(Secret::expose))];
        for (name, value) in values {
            if let Some(value) = value {
                text = format!("{text}{between}{name}={}", quoted(value));
            }
        }
        text
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// As ODBC's connection strings quote a value.
fn in_braces(text: &str) -> String {
    format!("{{{}}}", text.replace('}', "}}"))
}

/// As libpq's keywords quote a value.
fn in_quotes(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"))
}

fn twice() -> Error {
    Error::new(ErrorKind::Config, "the login is given twice: in the address, and beside it")
        .with_hint("leave it out in one of the two places")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(uri: &str, user: Option<&str>, password: Option<&str>) -> Result<String> {
        let login = Login { user: user.map(Into::into), password: password.map(Secret::new) };
        login.written_into(uri).map(|address| address.expose().to_owned())
    }

    #[test]
    fn a_login_goes_where_the_address_has_it() {
        let both = |uri| written(uri, Some("an n"), Some("p@ss:/?#")).unwrap();
        assert_eq!(both("postgresql://db:5432/shop?x=1"), "postgresql://an%20n:p%40ss%3A%2F%3F%23@db:5432/shop?x=1");
        assert_eq!(both("mysql://db"), "mysql://an%20n:p%40ss%3A%2F%3F%23@db");
        assert_eq!(both("host=/tmp dbname=shop"), "host=/tmp dbname=shop user='an n' password='p@ss:/?#'");
        assert_eq!(both("odbc:shop"), "odbc:DSN=shop;UID={an n};PWD={p@ss:/?#}");
        assert_eq!(both("odbc:DSN=shop"), "odbc:DSN=shop;UID={an n};PWD={p@ss:/?#}");
        assert_eq!(written("postgresql://ann@db/shop", None, Some("x")).unwrap(), "postgresql://ann:x@db/shop");
        assert_eq!(written("postgresql://db/shop", Some("ann"), None).unwrap(), "postgresql://ann@db/shop");
        assert_eq!(written("shop.db", None, None).unwrap(), "shop.db");
    }

    #[test]
    fn two_logins_are_one_too_many() {
        for (uri, user) in [
            ("postgresql://ann:x@db/shop", None),
            ("postgresql://ann@db/shop", Some("bob")),
            ("postgresql://ann:x/y@db/shop", None),
            ("shop.db", Some("bob")),
            ("s3://lake/orders/", Some("bob")),
        ] {
            let error = written(uri, user, Some("hunter2")).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config, "{uri}");
            assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
