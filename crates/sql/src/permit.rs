//! The one decision which text may reach a source that is not writable: one statement that is known to read.
//!
//! It is made by the words of the text, as the database's own lexer sees them, and by lists of what reads ([`verbs`]): a database's
//! new statement is refused until somebody adds it, and never let through by mistake. What functions do, and what the login may
//! read, is the database's to decide. The session's own guards stand behind it.

mod clauses;
mod code;
mod database;
mod refusal;
mod statement;
mod verbs;

use bowshot_core::{Calls, Result};

pub use self::database::{Database, Modes};

use self::code::Code;
use self::refusal::Refusal;
use self::statement::{Is, Statement};
use self::verbs::Verbs;
use crate::Dialect;
use crate::lex::{Kind, Token, Unterminated, lex_by};
use crate::strip::end_of;

/// What a source lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Permit {
    /// Its placeholders and its quotes.
    pub dialect: Dialect,
    /// Its statements.
    pub database: Database,
    /// Whether it may run procedures.
    pub calls: Calls,
    /// How its sessions read text.
    pub modes: Modes,
}

impl Permit {
    /// What a database of this kind lets through.
    pub fn new(dialect: Dialect, database: Database, calls: Calls) -> Self {
        Permit { dialect, database, calls, modes: Modes::default() }
    }

    /// The same for sessions with other settings.
    #[must_use]
    pub fn with_modes(mut self, modes: Modes) -> Self {
        self.modes = modes;
        self
    }

    /// Whether the text may be sent: it is one statement, which begins with a verb that reads and has no clause that writes.
    ///
    /// ```
    /// use bowshot_core::Calls;
    /// use bowshot_sql::{Database, Dialect, Permit};
    ///
    /// let permit = Permit::from(Dialect::MySql);
    /// assert!(permit.check("SELECT replace(update_time, ':', '') FROM t -- into").is_ok());
    /// assert!(permit.check("SELECT * FROM t /*!50000 INTO OUTFILE '/tmp/t' */").is_err());
    /// assert!(permit.check("CALL p()").is_err());
    /// let permit = Permit::new(Dialect::MySql, Database::MySql, Calls::Allow);
    /// assert!(permit.check("CALL p()").is_ok() && permit.check("DELETE FROM t").is_err());
    /// ```
    ///
    /// # Errors
    /// Of kind [`Unsupported`](bowshot_core::ErrorKind::Unsupported), with the verb or the clause and the way out.
    pub fn check(&self, sql: &str) -> Result<()> {
        self.judge(sql).map_err(|refusal| refusal.error(sql))
    }

    /// The text without what may follow its statement, as far as every way to read it agrees on that.
    pub(crate) fn strip<'a>(&self, sql: &'a str) -> &'a str {
        let ends = self.database.plain(self.modes).into_iter().map(|rules| lex_by(sql, rules));
        let end = ends.filter_map(Result::ok).map(|tokens| end_of(sql, &tokens)).max();
        end.and_then(|end| sql.get(..end)).unwrap_or(sql)
    }

    fn judge(&self, sql: &str) -> Result<(), Refusal> {
        let sql = match self.of_gateway(sql) {
            Some("") => return Ok(()),
            Some(query) => query,
            None => sql,
        };
        let readings = self.database.readings(sql, self.modes).ok_or(Refusal::Versions)?;
        let (mut open, mut broken) = (None, None);
        let mut seen: Vec<Vec<Token>> = Vec::new();
        for rules in readings {
            match lex_by(sql, rules) {
                Ok(tokens) if seen.contains(&tokens) => {}
                // A comment in a comment, to a server that does not nest them: it only complains, too.
                Ok(tokens) if !rules.nested && ends_no_comment(sql, &tokens) => broken = Some(tokens),
                Ok(tokens) => {
                    self.judge_as(sql, &tokens)?;
                    seen.push(tokens);
                }
                // A server that reads it so only complains.
                Err(Unterminated(start)) => open = open.or(Some(start)),
            }
        }
        match (open, broken) {
            (_, Some(tokens)) if seen.is_empty() => self.judge_as(sql, &tokens),
            (Some(start), _) if seen.is_empty() => Err(Refusal::Open(start)),
            _ => Ok(()),
        }
    }

    /// What the gateway's own statements about shared results are about; empty where they are about no query.
    fn of_gateway<'a>(&self, sql: &'a str) -> Option<&'a str> {
        use crate::CursorStatement::{Close, Declare, Fetch};
        if self.database != Database::FlightSql {
            return None;
        }
        Some(match crate::CursorStatement::parse(sql).ok()?? {
            Declare { query, .. } => query,
            Fetch { .. } | Close { .. } => "",
        })
    }

    /// One reading of the text.
    fn judge_as(&self, sql: &str, tokens: &[Token]) -> Result<(), Refusal> {
        if tokens.iter().any(|token| token.kind != Kind::Text && token.text(sql).contains('\0')) {
            return Err(Refusal::Nul);
        }
        let code = Code::of(sql, tokens);
        let verbs = Verbs::of(self.database);
        let statement = Statement { code: &code, database: self.database, verbs, calls: self.calls };
        // What a text of several statements begins with says more than that it holds several.
        let is = statement.at(0)?;
        if is == Is::Block || is_inline_function(&code) {
            return Ok(());
        }
        if (0..code.len()).any(|index| code.low(index) == ";") {
            return Err(Refusal::Several);
        }
        for index in 0..code.len() {
            statement.bracket(index)?;
        }
        statement.clauses(is)
    }
}

/// Whether the first statement holds a `*/` that ends no comment, which no server takes.
fn ends_no_comment(sql: &str, tokens: &[Token]) -> bool {
    let mut star = false;
    tokens.iter().take_while(|token| !token.is_symbol(sql, ";")).any(|token| {
        let ends = star && token.is_symbol(sql, "/");
        star = token.is_symbol(sql, "*");
        ends
    })
}

/// Trino's `WITH FUNCTION … BEGIN …; END SELECT`. Its server takes one statement at a time.
fn is_inline_function(code: &Code<'_>) -> bool {
    code.has(0, &["with", "function"])
}

impl From<Dialect> for Permit {
    /// What a database of the dialect lets through without the user's word.
    fn from(dialect: Dialect) -> Self {
        Permit::new(dialect, dialect.into(), Calls::Refuse)
    }
}

/// Whether a setting of the session can make a difference to what the text says: it has backslashes or double quotes.
pub fn depends_on_modes(sql: &str) -> bool {
    sql.contains(['\\', '"'])
}

#[cfg(test)]
mod tests;
