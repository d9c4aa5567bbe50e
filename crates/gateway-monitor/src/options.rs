//! How much is remembered.

/// How much a [`Monitor`](crate::Monitor) remembers, and what of a statement's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorOptions {
    /// How many statements that have ended are remembered.
    pub history_statements: usize,
    /// How many bytes they may take together; the oldest go first.
    pub history_bytes: usize,
    /// How many bytes of a statement's text are kept; the rest is cut off and `…` says so.
    pub sql_bytes: usize,
    /// Whether literals are kept out: each becomes `?` in the text, and of an error only the kind and the SQLSTATE stay,
    /// since databases repeat values in their messages.
    pub redact: bool,
}

impl Default for MonitorOptions {
    fn default() -> Self {
        MonitorOptions { history_statements: 1_000, history_bytes: 4 << 20, sql_bytes: 4 << 10, redact: false }
    }
}
