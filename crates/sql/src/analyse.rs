//! What a query is, from its text alone.

use sqlparser::ast::{GroupByExpr, Query, Select, SetExpr, Statement};

use crate::facts::Facts;
use crate::from::{From, Text};
use crate::grammar;
use crate::lex::{Kind, Token, lex};
use crate::walk::{OuterCalls, Walk};
use crate::{Candidate, Dialect, Name};

/// What a query is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// One statement that returns rows and changes nothing by itself: SELECT, WITH, VALUES or TABLE. What SHOW,
    /// EXPLAIN, INSERT … RETURNING and text that cannot be parsed return, only running them tells.
    pub read: bool,
    /// The query itself makes no output column NULL: a column of it that is NOT NULL in its table is NOT NULL.
    pub plain: bool,
    /// The tables that it may be split over, in the order of the text, at least one; or why there is none, as the end
    /// of a sentence that begins "1 partition because".
    ///
    /// What the text cannot tell is the caller's to look up: whether the name is a table, whether a function
    /// [aggregates](Shape::outer_functions) or [is volatile](Shape::functions).
    pub split: Result<Vec<Candidate>, String>,
    /// All that looks like a call anywhere, folded, each once; also `current_date` and its like, which have no
    /// parentheses. It may hold names that call nothing (`numeric` of `numeric(15, 2)`), but misses none.
    pub functions: Vec<Name>,
    /// The functions that would aggregate the rows of the query if they are aggregates.
    pub outer_functions: Vec<Name>,
    /// What string literals say, escapes as they were written; for SQLite also what quoted names say.
    pub literals: Vec<String>,
    single_table: bool,
    names: Vec<String>,
}

impl Shape {
    /// Whether FROM is exactly one table and there is no subquery anywhere.
    pub fn is_single_table(&self) -> bool {
        self.single_table
    }

    /// Whether a name stands in the query, with or without a qualifier, in whatever case.
    ///
    /// Columns that the table has but `SELECT *` does not (`ctid`, `rowid`) are not in a slice of it either.
    pub fn mentions(&self, name: &str) -> bool {
        self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Text of which no more is known than `facts`.
    fn unknown(facts: Facts, reason: String) -> Shape {
        let names = facts.chains.into_iter().flat_map(|chain| chain.0).map(|part| part.text).collect();
        Shape {
            read: false,
            plain: false,
            split: Err(reason),
            functions: facts.functions,
            outer_functions: Vec::new(),
            literals: facts.literals,
            single_table: false,
            names,
        }
    }
}

/// The stack of the thread that parses: a syntax tree is as deep as a chain of operators is long.
const STACK_BYTES: usize = 64 << 20;
/// More pieces than this are not parsed: their tree may be deeper than the stack.
const MOST_TOKENS: usize = 40_000;

/// Says what a query is. `sql` is the text that the database will see, its placeholders in the database's own style.
///
/// ```
/// use bowshot_sql::{Dialect, analyse};
///
/// let shape = analyse("SELECT l.a FROM lineitem AS l JOIN orders USING (id)", Dialect::Postgres);
/// assert!(shape.read && shape.plain);
/// assert_eq!(shape.split.unwrap()[0].name.last(), "lineitem");
///
/// let shape = analyse("SELECT a FROM lineitem LIMIT 3", Dialect::Postgres);
/// assert_eq!(shape.split.unwrap_err(), "it has a LIMIT");
/// ```
pub fn analyse(sql: &str, dialect: Dialect) -> Shape {
    let Ok(tokens) = lex(sql, dialect) else {
        return Shape::unknown(Facts::default(), "it ends inside a string, a quoted name or a comment".to_owned());
    };
    let facts = Facts::collect(sql, &tokens, dialect);
    if tokens.iter().filter(|token| deepens(token, sql)).count() > MOST_TOKENS {
        return Shape::unknown(facts, "it is too long to be analysed".to_owned());
    }
    // In a thread of its own: so deep a tree fits no ordinary stack, and a mistake of the parser ends no process.
    std::thread::scope(|scope| {
        let text = Text { sql, tokens: &tokens, facts: &facts, dialect };
        let thread = std::thread::Builder::new().name("bowshot-sql".to_owned()).stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, move || parse(&text)).ok().and_then(|thread| thread.join().ok())
    })
    .unwrap_or(Structure::unknown("it could not be analysed"))
    .with(facts)
}

/// Whether a token may make the syntax tree deeper. Lists of literals may be as long as they like, and the parser itself
/// bounds how deep parentheses go.
fn deepens(token: &Token, sql: &str) -> bool {
    match token.kind {
        Kind::Space | Kind::Comment | Kind::Text | Kind::QuotedName => false,
        Kind::Word => !token.text(sql).starts_with(|first: char| first.is_ascii_digit()),
        Kind::Symbol => !matches!(token.text(sql), "," | "(" | ")"),
    }
}

/// What only the syntax tree tells.
struct Structure {
    read: bool,
    plain: bool,
    single_table: bool,
    split: Result<Vec<Candidate>, String>,
    outer_functions: Vec<Name>,
}

impl Structure {
    fn unknown(reason: impl Into<String>) -> Structure {
        Structure {
            read: false,
            plain: false,
            single_table: false,
            split: Err(reason.into()),
            outer_functions: Vec::new(),
        }
    }

    fn with(self, facts: Facts) -> Shape {
        let Structure { read, plain, single_table, split, outer_functions } = self;
        Shape { read, plain, single_table, split, outer_functions, ..Shape::unknown(facts, String::new()) }
    }
}

fn parse(text: &Text<'_>) -> Structure {
    let mut code = text.tokens.iter().filter(|token| !token.is_blank());
    // The parser knows no `TABLE t`.
    if code.next().is_some_and(|first| first.text(text.sql).eq_ignore_ascii_case("table"))
        && text.dialect != Dialect::Sqlite
        && code.skip_while(|token| !token.is_symbol(text.sql, ";")).all(|token| token.is_symbol(text.sql, ";"))
    {
        return Structure { read: true, ..Structure::unknown("it is a TABLE command") };
    }
    let statements = match grammar::parse(text.sql, text.dialect, text.tokens.len()) {
        Ok(statements) => statements,
        Err(error) => return Structure::unknown(format!("Bowshot cannot parse it ({error})")),
    };
    let statement = match statements.as_slice() {
        [statement] => statement,
        [] => return Structure::unknown("it is empty"),
        _ => return Structure::unknown("it is more than one statement"),
    };
    let Statement::Query(query) = statement else { return Structure::unknown("it is not a SELECT") };
    let walk = Walk::over(statement, text.dialect);
    if walk.writes || walk.statements > 1 {
        return Structure::unknown("it writes to the database");
    }
    let SetExpr::Select(select) = query.body.as_ref() else {
        return Structure { read: true, ..Structure::unknown(not_a_select(&query.body)) };
    };
    let from = From::read(&select.from, text.dialect);
    let calls = OuterCalls::of(&select.projection, text.dialect);
    let forbidden = forbids_by_clause(query, select)
        .or_else(|| calls.aggregates.then_some("it aggregates"))
        .or_else(|| forbids_anywhere(&walk, text));
    Structure {
        read: true,
        // SQLite names the origin of a subquery's column, which is NULL where the subquery finds no row.
        plain: query.with.is_none() && from.plain && !groups(select) && !calls.aggregates && !calls.subquery,
        single_table: from.is_single_table() && walk.queries == 1,
        split: forbidden.map_or_else(|| from.candidates(text, &walk), Err).map_err(str::to_owned),
        outer_functions: calls.names,
    }
}

fn not_a_select(body: &SetExpr) -> &'static str {
    match body {
        SetExpr::SetOperation { .. } => "it is a set operation (UNION, INTERSECT or EXCEPT)",
        SetExpr::Values(_) => "it is a list of VALUES",
        SetExpr::Table(_) => "it is a TABLE command",
        SetExpr::Query(_) => "it stands in parentheses",
        _ => "it is not a SELECT",
    }
}

fn groups(select: &Select) -> bool {
    let grouped = match &select.group_by {
        GroupByExpr::Expressions(columns, modifiers) => !columns.is_empty() || !modifiers.is_empty(),
        GroupByExpr::All(_) => true,
    };
    grouped || select.having.is_some()
}

/// The clauses of the outermost query that need all of its rows.
fn forbids_by_clause(query: &Query, select: &Select) -> Option<&'static str> {
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
        (select.distinct.is_some(), "it removes duplicates"),
        (groups(select), "it groups"),
        (query.order_by.is_some(), "it is ordered"),
        (!query.locks.is_empty(), "it locks rows"),
        (strange, "it has a clause that Bowshot does not know"),
    ];
    rules.into_iter().find_map(|(holds, reason)| holds.then_some(reason))
}

/// What forbids a split wherever it stands: it would differ from slice to slice or from connection to connection.
fn forbids_anywhere(walk: &Walk, text: &Text<'_>) -> Option<&'static str> {
    let rules = [
        (walk.window, "it has a window function"),
        (walk.samples, "it samples a table"),
        (text.dialect == Dialect::MySql && has_variable(text), "it uses a session variable"),
        (text.dialect == Dialect::MySql && has_executable_comment(text), "it has an executable comment"),
    ];
    rules.into_iter().find_map(|(holds, reason)| holds.then_some(reason)).or(walk.vague_subquery)
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

#[cfg(test)]
mod tests;
