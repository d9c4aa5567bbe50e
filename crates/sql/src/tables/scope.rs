//! Which names are common table expressions, at each place of a query.

use sqlparser::ast::{Cte, Query};

use crate::Dialect;
use crate::walk::part;

/// What a name without dots means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A common table expression.
    With,
    /// A table, unless the server takes other capital letters for the same name.
    PerhapsWith,
    /// A table.
    Table,
}

/// The WITH clauses around the current place, the outermost first.
#[derive(Debug)]
pub(super) struct Scope {
    dialect: Dialect,
    frames: Vec<Frame>,
}

/// The WITH clause of one query.
#[derive(Debug)]
struct Frame {
    /// The folded names, and the queries that they stand for, which are compared by their address alone.
    expressions: Vec<(String, *const Query)>,
    /// How many of them the one at each index sees: a part of those before it, at most all.
    sees: Vec<usize>,
    /// How many the current place sees.
    visible: usize,
}

impl Scope {
    pub(super) fn new(dialect: Dialect) -> Self {
        Scope { dialect, frames: Vec::new() }
    }

    /// Goes into a query. Its own WITH is visible in it, and of the WITH that it belongs to what the database lets it see.
    pub(super) fn enter(&mut self, query: &Query) {
        if let Some(frame) = self.frames.last_mut()
            && let Some(index) = frame.index(query)
        {
            frame.visible = frame.sees.get(index).copied().unwrap_or_default();
        }
        let Some(with) = &query.with else {
            self.frames.push(Frame { expressions: Vec::new(), sees: Vec::new(), visible: 0 });
            return;
        };
        let count = with.cte_tables.len();
        let expression = |cte: &Cte| (part(&cte.alias.name, self.dialect).text, std::ptr::from_ref(cte.query.as_ref()));
        let sees = |(index, cte)| sees(self.dialect, with.recursive, cte, index, count);
        self.frames.push(Frame {
            expressions: with.cte_tables.iter().map(expression).collect(),
            sees: with.cte_tables.iter().enumerate().map(sees).collect(),
            visible: count,
        });
    }

    /// Leaves a query.
    pub(super) fn leave(&mut self, query: &Query) {
        self.frames.pop();
        if let Some(frame) = self.frames.last_mut()
            && frame.index(query).is_some()
        {
            frame.visible = frame.expressions.len();
        }
    }

    /// What a folded name without dots means here.
    pub(super) fn meaning(&self, name: &str) -> Meaning {
        let visible = || self.frames.iter().flat_map(|frame| frame.expressions.iter().take(frame.visible));
        let is_same = |known: &str| match self.dialect {
            Dialect::Sqlite => known.eq_ignore_ascii_case(name),
            _ => known == name,
        };
        if visible().any(|(known, _)| is_same(known)) {
            Meaning::With
        } else if visible().any(|(known, _)| self.dialect.key(known) == self.dialect.key(name)) {
            Meaning::PerhapsWith
        } else {
            Meaning::Table
        }
    }
}

impl Frame {
    fn index(&self, query: &Query) -> Option<usize> {
        self.expressions.iter().position(|(_, known)| std::ptr::eq(*known, query))
    }
}

/// How many of its WITH's expressions, from the first on, the one at `index` sees.
///
/// - PostgreSQL: those before it, with RECURSIVE all of them
///   (<https://www.postgresql.org/docs/current/sql-select.html#SQL-WITH>).
/// - SQLite: all of them, with or without RECURSIVE (<https://sqlite.org/lang_with.html>; seen by trying).
/// - MySQL: those before it, with RECURSIVE itself too
///   (<https://dev.mysql.com/doc/refman/8.4/en/with.html#common-table-expressions-recursive>).
/// - SQL Server has no RECURSIVE: itself too; without a UNION ALL that is an error, never a table.
/// - Oracle has none either: itself too where it names its columns, which a recursive one must.
///
/// Where it is not known, fewer: then a name counts as a table, which is asked for with more care.
fn sees(dialect: Dialect, recursive: bool, cte: &Cte, index: usize, count: usize) -> usize {
    let itself = match dialect {
        Dialect::Sqlite => return count,
        Dialect::Postgres if recursive => return count,
        Dialect::Postgres | Dialect::MySql | Dialect::Standard => recursive,
        Dialect::SqlServer => true,
        Dialect::Oracle => !cte.alias.columns.is_empty(),
    };
    index + usize::from(itself)
}
