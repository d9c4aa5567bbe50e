//! Clauses of statements that read by their verb, and write all the same.

use super::Database;
use super::refusal::Refusal;
use super::statement::{Is, Statement};
use super::verbs::{RESERVED, SUSPECT, WRITES};
use crate::lex::Kind;

/// What writing statements are followed by at once, wherever they stand.
const WRITING_PAIRS: &[(&str, &str)] =
    &[("delete", "from"), ("insert", "into"), ("insert", "overwrite"), ("merge", "into")];

/// Words after which a parenthesis holds no arguments of a function.
const NO_FUNCTIONS: &[&str] = &["as", "materialized", "table", "from", "join", "in", "exists", "union", "all"];

impl Statement<'_> {
    /// An error for the first clause that writes, or for a second statement. `verb` says what the whole is.
    pub(super) fn clauses(&self, is: Is) -> Result<(), Refusal> {
        let code = self.code;
        let is_call = is == Is::Call;
        for index in 0..code.len() {
            if code.low(index) == "(" {
                self.parenthesis(index)?;
            }
            if !code.is_word(index) {
                continue;
            }
            if self.database == Database::SqlServer && index > usize::from(is_call) {
                self.another_statement(index)?;
            }
            if is_call {
                continue;
            }
            if let Some(clause) = self.clause(index) {
                return Err(Refusal::Clause(clause));
            }
            // A Flight SQL server takes one statement, and judges it itself.
            if self.database == Database::Unknown {
                self.suspect(index)?;
            }
        }
        Ok(())
    }

    /// A clause that writes, by the word that it begins with.
    fn clause(&self, index: usize) -> Option<String> {
        use Database::{ClickHouse, DuckDb, MySql, Oracle, Postgres, SqlServer, Trino};
        let code = self.code;
        let low = code.low(index);
        let database = self.database;
        let known = database.is_known();
        // UNPIVOT of DuckDB has an INTO; it and Trino have none that writes.
        let into = match database {
            DuckDb | Trino => false,
            ClickHouse => low == "into" && code.low(index + 1) == "outfile",
            // UNPIVOT of DuckDB, which may be the one behind an interface.
            _ if !known && code.low(index + 1) == "name" => false,
            _ => is_or_ends_number(low, "into") && !self.is_name(index),
        };
        if into {
            let target = matches!(code.low(index + 1), "outfile" | "dumpfile");
            return Some(if target { code.shown(index, 2) } else { "INTO".to_owned() });
        }
        match low {
            "for" if matches!(database, Postgres | Oracle) || !known => {
                let locks = match code.low(index + 1) {
                    "update" => 2,
                    "share" if database != Oracle => 2,
                    "no" if code.has(index + 2, &["key", "update"]) => 4,
                    "key" if code.low(index + 2) == "share" => 3,
                    _ => 0,
                };
                // substring(text FOR length)
                let of_function = matches!(code.function(index), "substring" | "substr" | "overlay");
                (locks > 0 && !self.is_name(index) && !of_function).then(|| code.shown(index, locks))
            }
            "next" if (matches!(database, SqlServer | MySql) || !known) && code.has(index + 1, &["value", "for"]) => {
                Some("NEXT VALUE FOR".to_owned())
            }
            "nextval" if matches!(database, MySql | Database::Unknown) => {
                (code.low(index + 1) == "(" || code.low(index + 1) == "for").then(|| "NEXTVAL".to_owned())
            }
            "nextval" if database == Oracle => (code.before(index) == ".").then(|| "NEXTVAL".to_owned()),
            "setval" if database == MySql => (code.low(index + 1) == "(").then(|| "SETVAL".to_owned()),
            "insert" if !known && matches!(code.low(index + 1), "into" | "overwrite") => Some("INSERT".to_owned()),
            "parallel" if database == ClickHouse && code.low(index + 1) == "with" => Some("PARALLEL WITH".to_owned()),
            _ => None,
        }
    }

    /// Whether a word can only be a name where it stands: behind a dot, behind AS, or as a variable.
    fn is_name(&self, index: usize) -> bool {
        let code = self.code;
        match code.before(index) {
            "as" => true,
            // `1.INTO` is a number and a keyword.
            "." => {
                let of_number = index.checked_sub(2).is_some_and(|before| begins_with_digit(code.low(before)));
                !of_number
            }
            "@" => code.is_glued(index) && matches!(self.database, Database::MySql | Database::SqlServer),
            ":" => code.is_glued(index) && self.database == Database::Oracle,
            "#" => code.is_glued(index) && self.database == Database::SqlServer,
            _ => false,
        }
    }

    /// What stands in a parenthesis may be a statement: a common table expression of a subquery, or one that writes.
    fn parenthesis(&self, open: usize) -> Result<(), Refusal> {
        let code = self.code;
        let inside = open + 1;
        let subquery =
            open == 0 || code.kind(open - 1) != Some(Kind::Word) || NO_FUNCTIONS.contains(&code.before(open));
        match code.low(inside) {
            "with" if code.kind(inside + 1).is_some_and(|kind| matches!(kind, Kind::Word | Kind::QuotedName)) => {
                self.at(inside).map(drop)
            }
            first if subquery => {
                let pair = WRITING_PAIRS.iter().any(|pair| *pair == (first, code.low(inside + 1)));
                let sets = matches!(first, "update" | "upsert") && self.sets(inside);
                if pair || sets { Err(Refusal::Clause(code.shown(inside, 1))) } else { Ok(()) }
            }
            _ => Ok(()),
        }
    }

    /// Whether a name and SET follow.
    fn sets(&self, update: usize) -> bool {
        (update + 2..update + 8).any(|index| self.code.low(index) == "set")
    }

    /// CockroachDB's `FROM [DELETE FROM t RETURNING …]`.
    pub(super) fn bracket(&self, open: usize) -> Result<(), Refusal> {
        let code = self.code;
        let writes = WRITES.contains(&code.low(open + 1)) && code.is_word(open + 2);
        if code.low(open) == "[" && writes { Err(Refusal::Clause(code.shown(open + 1, 1))) } else { Ok(()) }
    }

    /// SQL Server needs no semicolon between statements.
    fn another_statement(&self, index: usize) -> Result<(), Refusal> {
        let code = self.code;
        let low = code.low(index);
        if self.is_name(index) {
            return Ok(());
        }
        if low == "select" {
            let before = code.before(index);
            let goes_on = matches!(before, "(" | "union" | "all" | "except" | "intersect") || self.is_main(index);
            return if index == 0 || goes_on { Ok(()) } else { Err(Refusal::Several) };
        }
        let word = RESERVED.iter().find(|word| is_or_ends_number(low, word));
        let hint = match low {
            "merge" => {
                matches!(code.low(index + 1), "join" | "union")
                    || matches!(code.before(index), "inner" | "left" | "right" | "full" | "outer")
            }
            "use" => matches!(code.low(index + 1), "hint" | "plan"),
            // OPENROWSET(BULK 'file', …)
            "bulk" => code.before(index) == "(",
            _ => false,
        };
        match word {
            Some(word) if !hint => Err(Refusal::Clause(word.to_uppercase())),
            _ if low == "end" && code.low(index + 1) == "conversation" => Err(Refusal::Several),
            _ => Ok(()),
        }
    }

    /// Whether a SELECT is the one that a WITH at the beginning is for.
    fn is_main(&self, select: usize) -> bool {
        let code = self.code;
        let first = (0..code.len()).find(|index| code.low(*index) != "(");
        let with = first.is_some_and(|first| code.low(first) == "with" && first < select);
        with && code.before(select) == ")"
            && !(0..select).any(|index| code.low(index) == "select" && self.is_outside(index))
    }

    fn is_outside(&self, index: usize) -> bool {
        !(0..index).any(|open| self.code.low(open) == "(" && self.code.behind(open) > index)
    }

    /// What might write in some database, where nothing is known of this one.
    fn suspect(&self, index: usize) -> Result<(), Refusal> {
        let code = self.code;
        let low = code.low(index);
        let told = matches!(code.low(0), "show" | "describe" | "desc" | "list" | "help");
        let runs = matches!(low, "exec" | "execute");
        let as_name = code.before(index) == "." || code.before(index) == "as" || (code.low(index + 1) == "(" && !runs);
        if index > 0 && !told && !as_name && SUSPECT.contains(&low) {
            return Err(Refusal::Clause(low.to_uppercase()));
        }
        Ok(())
    }
}

fn begins_with_digit(low: &str) -> bool {
    low.starts_with(|first: char| first.is_ascii_digit())
}

/// Whether it is the word, or a number that the word follows at once: `1INTO`, `1e5into`.
fn is_or_ends_number(low: &str, word: &str) -> bool {
    low == word || (begins_with_digit(low) && low.ends_with(word))
}
