//! The header `authorization`: who says to be whom.

use std::fmt;

use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::identity::{LONGEST_NAME, is_name};
use crate::refusal::{Refusal, RefusalKind};

/// The longest header that is looked at, in bytes. JSON Web Tokens are the longest there are.
pub const LONGEST_HEADER: usize = 16 << 10;

/// The Go client sends base64 without its padding, all others with it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What a header `authorization` says, nothing of it proven.
#[derive(Clone, PartialEq, Eq)]
pub enum Authorization {
    /// A user and a password ([RFC 7617](https://www.rfc-editor.org/rfc/rfc7617)).
    Basic {
        /// The name given, which may be empty.
        user: String,
        /// The password given.
        password: String,
    },
    /// A token ([RFC 6750](https://www.rfc-editor.org/rfc/rfc6750)).
    Bearer(String),
}

impl Authorization {
    /// Reads the header's value. The scheme's letters may be small or capital; a password may hold colons, a user may not.
    ///
    /// # Errors
    /// Of kind [`Unauthenticated`](RefusalKind::Unauthenticated), never repeating what was sent: another scheme, no base64, no
    /// UTF-8, no colon, a name with control characters, or more than [`LONGEST_HEADER`] bytes.
    ///
    /// ```
    /// use bowshot_gateway_access::Authorization;
    ///
    /// let header = Authorization::parse("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")?;
    /// assert_eq!(header, Authorization::Basic { user: "Aladdin".into(), password: "open sesame".into() });
    /// # Ok::<(), bowshot_gateway_access::Refusal>(())
    /// ```
    pub fn parse(header: &str) -> Result<Self, Refusal> {
        if header.len() > LONGEST_HEADER {
            return Err(malformed("is too long"));
        }
        let Some((scheme, rest)) = header.trim().split_once(' ') else { return Err(malformed("has no scheme")) };
        let rest = rest.trim_start();
        if scheme.eq_ignore_ascii_case("Basic") {
            basic(rest)
        } else if scheme.eq_ignore_ascii_case("Bearer") {
            bearer(rest)
        } else {
            Err(malformed("is of a scheme that is neither Basic nor Bearer"))
        }
    }
}

fn basic(credentials: &str) -> Result<Authorization, Refusal> {
    let bytes = BASE64.decode(credentials).map_err(|_| malformed("is not base64"))?;
    let text = String::from_utf8(bytes).map_err(|_| malformed("is not UTF-8"))?;
    let Some((user, password)) = text.split_once(':') else { return Err(malformed("has no colon after the user")) };
    if !user.is_empty() && !is_name(user) {
        return Err(malformed(&format!("has a user of more than {LONGEST_NAME} bytes or with control characters")));
    }
    Ok(Authorization::Basic { user: user.into(), password: password.into() })
}

/// The characters are those of RFC 6750, section 2.1.
fn bearer(token: &str) -> Result<Authorization, Refusal> {
    let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || !token.bytes().all(known) {
        return Err(malformed("has a token with characters that no token has"));
    }
    Ok(Authorization::Bearer(token.into()))
}

fn malformed(why: &str) -> Refusal {
    Refusal::new(RefusalKind::Unauthenticated, format!("the header authorization {why}"))
        .with_hint("send \"Basic \" and base64 of user:password with the handshake, or \"Bearer \" and a token")
}

impl fmt::Debug for Authorization {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Authorization::Basic { user, .. } => write!(f, "Basic({user:?}, …)"),
            Authorization::Bearer(_) => f.write_str("Bearer(…)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn encoded(text: &str) -> String {
        format!("Basic {}", BASE64.encode(text))
    }

    fn parsed(header: &str) -> Option<(String, String)> {
        match Authorization::parse(header) {
            Ok(Authorization::Basic { user, password }) => Some((user, password)),
            _ => None,
        }
    }

    #[test]
    fn padding_and_capital_letters_of_the_scheme_do_not_matter() {
        for header in ["Basic YTpi", "basic YTpi", "BASIC  YTpi ", "Basic YTpi"] {
            assert_eq!(parsed(header), Some(("a".into(), "b".into())), "{header}");
        }
        assert_eq!(parsed("Basic YTpiYw"), parsed("Basic YTpiYw=="));
        assert_eq!(Authorization::parse("bearer a.b.c").unwrap(), Authorization::Bearer("a.b.c".into()));
    }

    #[test]
    fn the_first_colon_ends_the_user() {
        assert_eq!(parsed(&encoded("ada:a:b:")), Some(("ada".into(), "a:b:".into())));
        assert_eq!(parsed(&encoded(":")), Some((String::new(), String::new())));
        assert_eq!(parsed(&encoded("ada:")), Some(("ada".into(), String::new())));
    }

    #[test]
    fn what_makes_no_sense_is_refused_without_repeating_it() {
        let long = encoded(&format!("ada:{}", "hunter2".repeat(3_000)));
        let name = encoded(&format!("{}:hunter2", "a".repeat(257)));
        let line = encoded("ada\nroot:hunter2");
        for bad in [
            "",
            "Basic",
            "Bearer",
            "Bearer ",
            "Basic",
            "hunter2",
            "Digest hunter2",
            "Basic hunter2!",
            "Basic /w",
            "Basic YQ",
            "Bearer hunter2\u{7f}",
            "Bearer a b",
            "Bearer é",
            "YTpi",
            "Basicx YTpi",
            &long,
            &name,
            &line,
        ] {
            let refusal = Authorization::parse(bad).unwrap_err();
            assert_eq!(refusal.kind(), RefusalKind::Unauthenticated, "{bad}");
            assert!(!format!("{refusal:?}").contains("hunter2"));
        }
    }

    #[test]
    fn what_debug_shows_holds_no_secret() {
        let shown = |header: &str| format!("{:?}", Authorization::parse(header).unwrap());
        assert_eq!(shown(&encoded("ada:hunter2")), "Basic(\"ada\", …)");
        assert_eq!(shown("Bearer hunter2"), "Bearer(…)");
    }

    proptest! {
        #[test]
        fn every_user_and_password_come_back_whole(user in "[^:\\p{Cc}]{0,40}", password in "\\PC{0,40}") {
            prop_assert_eq!(parsed(&encoded(&format!("{user}:{password}"))), Some((user, password)));
        }

        #[test]
        fn no_header_makes_it_panic(header in "\\PC*|(Basic|Bearer) [A-Za-z0-9+/=]{0,30}") {
            let _ = Authorization::parse(&header);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = Authorization::parse(&format!("Basic {}", BASE64.encode(&bytes)));
        }
    }
}
