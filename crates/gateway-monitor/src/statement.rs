//! What is said of a statement when it begins.

use std::fmt;

/// A statement as it begins: who asks what of which source, with what program.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Statement {
    /// The user, as the login knows him.
    pub user: String,
    /// The program, as it names itself: its user-agent.
    pub client: String,
    /// The source that answers; `None` where that is not known, or where several do.
    pub source: Option<String>,
    /// The SQL, as the user wrote it.
    pub sql: String,
    /// The session that it belongs to, as the gateway numbers them; `None` without one.
    pub session: Option<String>,
}

impl fmt::Debug for Statement {
    /// Without the SQL: its literals may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Statement")
            .field("user", &self.user)
            .field("client", &self.client)
            .field("source", &self.source)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_debug_shows_holds_no_sql() {
        let statement = Statement { user: "ann".into(), sql: "SELECT 'hunter2'".into(), ..Statement::default() };
        let shown = format!("{statement:?}");
        assert!(shown.contains("ann") && !shown.contains("hunter2"), "{shown}");
    }
}
