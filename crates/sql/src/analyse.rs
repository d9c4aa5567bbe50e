//! What a query is, from its text alone.

use sqlparser::ast::{SetExpr, Statement};
use sqlparser::parser::ParserError;

use crate::deep::{is_too_long, on_deep_stack};
use crate::facts::Facts;
use crate::from::{From, Text};
use crate::grammar;
use crate::lex::lex;
use crate::location::Locations;
use crate::outer::OuterCalls;
use crate::reads::reads;
use crate::rules::{anywhere, by_clause, groups, not_a_select};
use crate::walk::Walk;
use crate::{Candidate, Dialect, Name};

/// What a query is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// One statement that returns rows and writes nothing by itself: SELECT, WITH, VALUES or TABLE, the ones that
    /// PostgreSQL's `COPY (…)` takes. What SHOW, EXPLAIN or INSERT … RETURNING do, only running them tells.
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
    if is_too_long(sql, &tokens) {
        let read = reads(sql, &tokens);
        return Shape { read, ..Shape::unknown(facts, "it is too long to be analysed".to_owned()) };
    }
    let locations = Locations::of(&tokens, sql);
    let text = Text { sql, tokens: &tokens, locations: &locations, facts: &facts, dialect };
    let structure = on_deep_stack(|| parse(&text));
    structure.unwrap_or(Structure::unknown("it could not be analysed")).with(facts)
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
    let unparsed = |reason: String| Structure { read: reads(text.sql, text.tokens), ..Structure::unknown(reason) };
    let first = text.tokens.iter().find(|token| !token.is_blank());
    if first.is_some_and(|first| first.text(text.sql).eq_ignore_ascii_case("table")) {
        // The parser does not know it.
        return unparsed("it is a TABLE command".to_owned());
    }
    let statements = match grammar::parse(text.sql, text.dialect, text.tokens.len()) {
        Ok(statements) => statements,
        Err(ParserError::TokenizerError(error) | ParserError::ParserError(error)) => {
            return unparsed(format!("Bowshot cannot parse it ({error})"));
        }
        Err(ParserError::RecursionLimitExceeded) => return unparsed("it is nested too deeply".to_owned()),
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
    let forbidden = by_clause(query, select)
        .or_else(|| calls.aggregates.then_some("it aggregates"))
        .or_else(|| anywhere(&walk, text));
    Structure {
        read: true,
        // SQLite names the origin of a subquery's column, which is NULL where the subquery finds no row.
        plain: query.with.is_none() && from.plain && !groups(select) && !calls.aggregates && !calls.subquery,
        single_table: from.is_single_table() && walk.queries == 1,
        split: forbidden.map_or_else(|| from.candidates(text, &walk), Err).map_err(str::to_owned),
        outer_functions: calls.names,
    }
}

#[cfg(test)]
mod tests;
