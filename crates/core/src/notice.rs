//! What a database says beside a result.

use std::fmt;

/// How much a database wants to be heard, from the least on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// For who looks for a mistake in the database itself: PostgreSQL's DEBUG1 to DEBUG5.
    Debug,
    /// For the database's own log: PostgreSQL's LOG.
    Log,
    /// Asked for by the statement: PostgreSQL's INFO and notifications.
    Info,
    /// Good to know: PostgreSQL's NOTICE, MySQL's Note, SQL Server's PRINT.
    Notice,
    /// Something that the user may not have meant.
    Warning,
}

impl Severity {
    /// Whether people are told without asking: notices and warnings. The rest is kept for who looks for it.
    ///
    /// ```
    /// use bowshot_core::Severity;
    ///
    /// assert!(Severity::Notice.is_told() && !Severity::Info.is_told());
    /// ```
    pub fn is_told(self) -> bool {
        self >= Severity::Notice
    }

    /// In capitals, as databases write it.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Debug => "DEBUG",
            Severity::Log => "LOG",
            Severity::Info => "INFO",
            Severity::Notice => "NOTICE",
            Severity::Warning => "WARNING",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A message of a database that is neither a row nor an error, such as what a function says with `RAISE NOTICE`.
///
/// ```
/// use bowshot_core::{Notice, Severity};
///
/// let notice = Notice::new(Severity::Warning, "Data truncated for column 'a' at row 1").with_code("1265");
/// assert_eq!(notice.to_string(), "WARNING: Data truncated for column 'a' at row 1 (code 1265)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    severity: Severity,
    message: String,
    code: Option<String>,
    detail: Option<String>,
    hint: Option<String>,
    times: u64,
}

impl Notice {
    /// A notice with this text.
    pub fn new(severity: Severity, message: impl Into<String>) -> Self {
        Notice { severity, message: message.into(), code: None, detail: None, hint: None, times: 1 }
    }

    /// Keeps the database's own code, such as an SQLSTATE.
    #[must_use]
    pub fn with_code(mut self, code: impl Into<String>) -> Self {
        self.code = Some(code.into());
        self
    }

    /// Says more.
    #[must_use]
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Says what the user can do about it.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// How much it wants to be heard.
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// What it says.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The database's own code: an SQLSTATE or a number.
    pub fn code(&self) -> Option<&str> {
        self.code.as_deref()
    }

    /// What more it says.
    pub fn detail(&self) -> Option<&str> {
        self.detail.as_deref()
    }

    /// What the user can do about it.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// How often it came.
    pub fn times(&self) -> u64 {
        self.times
    }

    pub(crate) fn count_again(&mut self) {
        self.times = self.times.saturating_add(1);
    }

    pub(crate) fn says_the_same(&self, other: &Notice) -> bool {
        self.severity == other.severity
            && self.message == other.message
            && self.code == other.code
            && self.detail == other.detail
            && self.hint == other.hint
    }

    /// Its texts.
    pub(crate) fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let more = [&mut self.code, &mut self.detail, &mut self.hint];
        std::iter::once(&mut self.message).chain(more.into_iter().flatten())
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.severity, self.message)?;
        if let Some(detail) = &self.detail {
            write!(f, " ({detail})")?;
        }
        // SQL's code of what is no more than said.
        if let Some(code) = self.code.as_deref().filter(|code| *code != "00000") {
            write!(f, " (code {code})")?;
        }
        if self.times > 1 {
            write!(f, " ({} times)", self.times)?;
        }
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_read_all_of_it() {
        let notice = Notice::new(Severity::Notice, "no index").with_code("00000");
        assert_eq!(notice.to_string(), "NOTICE: no index");
        let mut notice =
            Notice::new(Severity::Warning, "old").with_code("01000").with_detail("of 1999").with_hint("renew it");
        notice.count_again();
        assert_eq!(notice.to_string(), "WARNING: old (of 1999) (code 01000) (2 times); renew it");
    }
}
