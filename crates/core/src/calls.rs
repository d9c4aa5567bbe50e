//! Whether procedures and prepared statements may run on a source that is only read.

use serde::{Deserialize, Serialize};

use crate::{Error, ErrorKind, Result};

/// Whether statements may reach a source that run what their text does not show: CALL, EXECUTE and compound statements.
///
/// They are refused unless the user's word is there: the option `calls=allow` of the source's URI, whose one owner this
/// is, or a source that the gateway serves as writable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Calls {
    /// They are an error before anything is sent.
    #[default]
    Refuse,
    /// They are sent. What they do is no longer Bowshot's to judge.
    Allow,
}

impl Calls {
    /// The option's name, in URIs of every source.
    pub const OPTION: &'static str = "calls";

    /// The value of the option.
    ///
    /// ```
    /// use bowshot_core::Calls;
    ///
    /// assert_eq!(Calls::parse("allow")?, Calls::Allow);
    /// assert_eq!(Calls::parse("refuse")?, Calls::Refuse);
    /// assert!(Calls::parse("perhaps").is_err());
    /// # Ok::<(), bowshot_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) for any other value.
    pub fn parse(value: &str) -> Result<Self> {
        match value.trim().to_ascii_lowercase().as_str() {
            "allow" => Ok(Calls::Allow),
            "refuse" => Ok(Calls::Refuse),
            _ => Err(Error::new(ErrorKind::Config, "the option calls of the URI has an unknown value")
                .with_hint("write calls=allow to let procedures and prepared statements run, or leave it out")),
        }
    }

    /// Allowed where one of the two allows.
    #[must_use]
    pub fn or(self, other: Calls) -> Calls {
        if self == Calls::Allow { self } else { other }
    }
}
