//! Which tables a statement changes, from its text alone.

use sqlparser::ast::{FromTable, ObjectName, ObjectType, Statement, TableFactor, TableObject, TableWithJoins};

use crate::Dialect;
use crate::lex::{Token, lex};

use super::{TableName, Tables, Unreadable, look};

/// The words that statements begin with which change rows or definitions.
const CHANGES: &[&str] = &[
    "alter", "comment", "create", "delete", "drop", "grant", "insert", "merge", "refresh", "reindex", "rename",
    "replace", "revoke", "truncate", "update", "vacuum",
];

/// Those that are about the session: its transaction, its settings, its locks.
const SESSION: &[&str] = &[
    "abort",
    "begin",
    "close",
    "commit",
    "deallocate",
    "declare",
    "discard",
    "end",
    "lock",
    "prepare",
    "release",
    "reset",
    "rollback",
    "savepoint",
    "set",
    "start",
    "unlock",
    "use",
];

/// What follows the common table expressions of a statement that changes rows.
const AFTER_WITH: &[&str] = &["delete", "insert", "merge", "replace", "update"];

/// What a statement changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// Rows: INSERT, UPDATE, DELETE, MERGE.
    Rows,
    /// Tables themselves, rights, all else.
    Definition,
}

/// What a statement changes, reads and calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// What it changes.
    pub kind: ChangeKind,
    /// All tables that it names, those that it changes among them.
    pub tables: Tables,
    /// The tables that it changes.
    pub targets: Vec<TableName>,
    /// Whether it returns rows (RETURNING).
    pub returns_rows: bool,
}

/// Which tables a statement changes and reads, and which functions it calls.
///
/// ```
/// use bowshot_sql::{ChangeKind, Dialect, changes};
///
/// let found = changes("INSERT INTO shop.orders (id) SELECT max(id) FROM staging", Dialect::Postgres)?;
/// let names: Vec<String> = found.tables.tables.iter().map(|table| table.name.to_string()).collect();
/// assert_eq!((found.kind, names), (ChangeKind::Rows, vec!["shop.orders".to_owned(), "staging".to_owned()]));
/// assert_eq!(found.targets[0].range, 12..23);
/// # Ok::<(), bowshot_sql::Unreadable>(())
/// ```
///
/// # Errors
/// [`Unreadable`] where the text is not one statement, or where the parser does not know a part of it.
pub fn changes(sql: &str, dialect: Dialect) -> Result<Changes, Unreadable> {
    look(sql, dialect, true).and_then(|found| {
        let kind = found.kind.ok_or_else(|| Unreadable::new("changes nothing"))?;
        Ok(Changes { kind, tables: found.tables, targets: found.targets, returns_rows: found.returns_rows })
    })
}

/// Whether a statement changes something and is no query, by its words alone.
///
/// ```
/// use bowshot_sql::{Dialect, is_change};
///
/// assert!(is_change("/* new */ INSERT INTO t VALUES (1)", Dialect::Postgres));
/// assert!(is_change("WITH a AS (SELECT 1) DELETE FROM t", Dialect::Postgres));
/// assert!(!is_change("WITH a AS (SELECT 1) SELECT * FROM a", Dialect::Postgres));
/// ```
pub fn is_change(sql: &str, dialect: Dialect) -> bool {
    let Ok(tokens) = lex(sql, dialect) else { return false };
    let code: Vec<&Token> = tokens.iter().filter(|token| !token.is_blank()).collect();
    match code.first().map(|token| token.text(sql).to_ascii_lowercase()) {
        Some(word) if word == "with" => changes_after_with(sql, &code),
        Some(word) => CHANGES.contains(&word.as_str()),
        None => false,
    }
}

/// Whether a statement is about the session that it runs in.
///
/// ```
/// use bowshot_sql::{Dialect, is_of_session};
///
/// assert!(is_of_session("BEGIN", Dialect::Postgres) && !is_of_session("DELETE FROM t", Dialect::Postgres));
/// ```
pub fn is_of_session(sql: &str, dialect: Dialect) -> bool {
    let Ok(tokens) = lex(sql, dialect) else { return false };
    let first = tokens.iter().find(|token| !token.is_blank());
    first.is_some_and(|token| SESSION.contains(&token.text(sql).to_ascii_lowercase().as_str()))
}

fn changes_after_with(sql: &str, code: &[&Token]) -> bool {
    let mut depth = 0_usize;
    for token in code {
        match token.text(sql) {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            word if depth == 0 => {
                let word = word.to_ascii_lowercase();
                if AFTER_WITH.contains(&word.as_str()) {
                    return true;
                }
                if matches!(word.as_str(), "select" | "values" | "table") {
                    return false;
                }
            }
            _ => {}
        }
    }
    false
}

/// What a statement is, the tables that it changes, and whether it returns rows; `None` where the tables cannot be told.
pub(super) fn of(statement: &Statement) -> Option<(ChangeKind, Vec<&ObjectName>, bool)> {
    let rows = |targets: Vec<_>, returns: bool| Some((ChangeKind::Rows, targets, returns));
    let definition = |targets: Vec<_>| Some((ChangeKind::Definition, targets, false));
    match statement {
        Statement::Insert(insert) => match &insert.table {
            TableObject::TableName(name) if insert.multi_table_insert_type.is_none() => {
                rows(vec![name], insert.returning.is_some() || insert.output.is_some())
            }
            _ => None,
        },
        Statement::Update(update) => {
            rows(vec![only(&update.table)?], update.returning.is_some() || update.output.is_some())
        }
        Statement::Delete(delete) if delete.tables.is_empty() => {
            let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
            let [table] = from.as_slice() else { return None };
            rows(vec![only(table)?], delete.returning.is_some() || delete.output.is_some())
        }
        Statement::Merge(merge) => rows(vec![name(&merge.table)?], merge.output.is_some()),
        Statement::CreateTable(table) => definition(vec![&table.name]),
        Statement::CreateView(view) => definition(vec![&view.name]),
        Statement::CreateIndex(index) => definition(vec![&index.table_name]),
        Statement::AlterTable(table) => definition(vec![&table.name]),
        Statement::Truncate(truncate) => definition(truncate.table_names.iter().map(|target| &target.name).collect()),
        Statement::Drop { object_type: ObjectType::Table | ObjectType::View, names, .. } => {
            definition(names.iter().collect())
        }
        Statement::Query(_) | Statement::Delete(_) => None,
        _ => definition(Vec::new()),
    }
}

/// The only table of a list of joins.
fn only(table: &TableWithJoins) -> Option<&ObjectName> {
    name(&table.relation).filter(|_| table.joins.is_empty())
}

fn name(factor: &TableFactor) -> Option<&ObjectName> {
    match factor {
        TableFactor::Table { name, args: None, .. } => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lex::lex;

    fn named(sql: &str, dialect: Dialect) -> (String, String) {
        let found = changes(sql, dialect).unwrap_or_else(|unreadable| panic!("{sql}: {unreadable}"));
        let names = |tables: &[TableName]| {
            let name = |table: &TableName| {
                let range = table.range.clone();
                assert!(lex(sql, dialect).unwrap().iter().any(|token| token.range.start == range.start), "{sql}");
                table.name.to_string()
            };
            tables.iter().map(name).collect::<Vec<_>>().join(" ")
        };
        (names(&found.targets), names(&found.tables.tables))
    }

    #[test]
    fn targets_are_told_from_what_is_read() {
        for (sql, targets, all) in [
            ("INSERT INTO a.t (x, y) VALUES ($1, ?)", "a.t", "a.t"),
            ("INSERT INTO t SELECT * FROM u WHERE x IN (SELECT x FROM s.v)", "t", "t u s.v"),
            ("INSERT INTO t WITH w AS (SELECT 1) SELECT * FROM w", "t", "t"),
            ("INSERT INTO t (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET x = (SELECT max(x) FROM u)", "t", "t u"),
            ("UPDATE t SET x = u.x FROM u WHERE u.id = t.id", "t", "t u"),
            ("DELETE FROM t WHERE id IN (SELECT id FROM u)", "t", "t u"),
            ("CREATE TABLE s.t AS SELECT * FROM u", "s.t", "s.t u"),
            ("CREATE TABLE t (id int PRIMARY KEY)", "t", "t"),
            ("DROP TABLE a, b.c", "a b.c", "a b.c"),
            ("TRUNCATE t", "t", "t"),
            ("ALTER TABLE t ADD COLUMN x int", "t", "t"),
        ] {
            assert_eq!(named(sql, Dialect::Postgres), (targets.to_owned(), all.to_owned()), "{sql}");
        }
        assert_eq!(named("REPLACE INTO `a b` VALUES (?)", Dialect::MySql).0, "a b");
    }

    #[test]
    fn rows_that_come_back_and_functions_are_seen() {
        let found = changes("INSERT INTO t (a) VALUES (upper('x')) RETURNING a", Dialect::Postgres).unwrap();
        assert!(found.returns_rows);
        assert_eq!(found.tables.functions.iter().map(ToString::to_string).collect::<Vec<_>>(), ["upper"]);
    }

    #[test]
    fn what_is_no_one_change_is_unreadable() {
        for sql in ["SELECT 1", "DELETE FROM t; DELETE FROM u", "", "UPDATE a JOIN b USING (x) SET y = 1", "INSERT"] {
            assert!(changes(sql, Dialect::MySql).is_err(), "{sql}");
        }
    }

    #[test]
    fn the_first_words_tell_a_change() {
        for (sql, change) in [
            (" -- x\n insert into t values (1)", true),
            ("with a as (select 1), b (c) as (delete from t returning *) insert into u select * from a", true),
            ("with a as (delete from t returning *) select * from a", false),
            ("EXPLAIN DELETE FROM t", false),
            ("(SELECT 1)", false),
            ("", false),
        ] {
            assert_eq!(is_change(sql, Dialect::Postgres), change, "{sql}");
        }
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(sql in "(INSERT INTO|UPDATE|DELETE FROM|MERGE|DROP TABLE)?[ a-z\"'().,;*=?$%0-9-]{0,60}") {
            for dialect in [Dialect::Postgres, Dialect::MySql, Dialect::Sqlite] {
                let _ = (changes(&sql, dialect), is_change(&sql, dialect), is_of_session(&sql, dialect));
            }
        }
    }
}
