//! What forbids to split a query, whatever its tables are.

use sqlparser::ast::{Distinct, GroupByExpr, Query, Select, SetExpr};

use crate::Dialect;
use crate::from::Text;
use crate::lex::Token;
use crate::walk::Walk;

/// Why what is no SELECT is not split.
pub(crate) fn not_a_select(body: &SetExpr) -> &'static str {
    match body {
        SetExpr::SetOperation { .. } => "it is a set operation (UNION, INTERSECT or EXCEPT)",
        SetExpr::Values(_) => "it is a list of VALUES",
        SetExpr::Table(_) => "it is a TABLE command",
        SetExpr::Query(_) => "it stands in parentheses",
        _ => "it is not a SELECT",
    }
}

/// Whether a SELECT makes one row of many by its clauses.
pub(crate) fn groups(select: &Select) -> bool {
    let grouped = match &select.group_by {
        GroupByExpr::Expressions(columns, modifiers) => !columns.is_empty() || !modifiers.is_empty(),
        GroupByExpr::All(_) => true,
    };
    grouped || select.having.is_some()
}

/// The clauses of the outermost query that need all of its rows.
pub(crate) fn by_clause(query: &Query, select: &Select) -> Option<&'static str> {
    let strange = query.for_clause.is_some()
        || query.settings.is_some()
        || query.format_clause.is_some()
        || !query.pipe_operators.is_empty()
        || !select.lateral_views.is_empty()
        || !select.connect_by.is_empty()
        || !select.cluster_by.is_empty()
        || !select.distribute_by.is_empty()
        || !select.sort_by.is_empty()
        || select.prewhere.is_some()
        || select.qualify.is_some()
        || select.value_table_mode.is_some();
    let rules = [
        (query.with.is_some(), "it has a WITH clause"),
        (query.limit_clause.is_some() || query.fetch.is_some() || select.top.is_some(), "it has a LIMIT"),
        (!matches!(select.distinct, None | Some(Distinct::All)), "it removes duplicates"),
        (groups(select), "it groups"),
        (query.order_by.is_some(), "it is ordered"),
        (!query.locks.is_empty(), "it locks rows"),
        (strange, "it has a clause that Bowshot does not know"),
    ];
    rules.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
}

/// What forbids a split wherever it stands: it would differ from slice to slice or from connection to connection.
pub(crate) fn anywhere(walk: &Walk, text: &Text<'_>) -> Option<&'static str> {
    let rules = [
        (walk.window, "it has a window function"),
        (walk.samples, "it samples a table"),
        (text.dialect == Dialect::MySql && has_variable(text), "it uses a session variable"),
        (text.dialect == Dialect::MySql && has_executable_comment(text), "it has an executable comment"),
        (
            text.dialect == Dialect::Oracle && mentions(text, ORACLE_WORDS),
            "a word in it means something else for each row or read",
        ),
    ];
    rules.into_iter().find_map(|(holds, reason)| holds.then_some(reason)).or(walk.vague_subquery)
}

/// Oracle's words without parentheses that mean something else for each row, read or session.
const ORACLE_WORDS: &[&str] = &[
    "rownum",
    "rowid",
    "ora_rowscn",
    "level",
    "connect_by_iscycle",
    "connect_by_isleaf",
    "sysdate",
    "systimestamp",
    "uid",
    "sessiontimezone",
    "nextval",
    "currval",
];

/// Whether one of `words` is a name in the text, or a part of one.
fn mentions(text: &Text<'_>, words: &[&str]) -> bool {
    let is_one = |name: &str| words.iter().any(|word| word.eq_ignore_ascii_case(name));
    text.facts.chains.iter().flat_map(|chain| &chain.0).any(|part| !part.quoted && is_one(&part.text))
}

/// `@x`, but not `@@x`, which is the server's.
fn has_variable(text: &Text<'_>) -> bool {
    let at = |token: Option<&Token>| token.is_some_and(|token| token.is_symbol(text.sql, "@"));
    text.tokens.iter().enumerate().any(|(index, token)| {
        let before = index.checked_sub(1).and_then(|before| text.tokens.get(before));
        at(Some(token)) && !at(before) && !at(text.tokens.get(index + 1))
    })
}

/// `/*! … */`: only there is a slash followed by a star outside of comments.
fn has_executable_comment(text: &Text<'_>) -> bool {
    text.tokens.array_windows().any(|[slash, star]| slash.is_symbol(text.sql, "/") && star.is_symbol(text.sql, "*"))
}
