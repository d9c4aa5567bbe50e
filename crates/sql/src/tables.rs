//! Which tables a query reads, from its text alone.

mod agree;
mod changes;
mod doubt;
mod reader;
mod scope;

use std::fmt;
use std::ops::Range;

use sqlparser::ast::{Query, SetExpr, Statement, Visit};
use sqlparser::parser::ParserError;

use crate::chain::chains;
use crate::deep::{is_too_long, on_deep_stack};
use crate::edited::Edited;
use crate::facts::{Facts, is_function, lower};
use crate::from::Text;
use crate::grammar;
use crate::lex::lex;
use crate::location::Locations;
use crate::{Dialect, Name};

use self::reader::Reader;

pub use self::changes::{ChangeKind, Changes, changes, is_change, is_of_session};

/// What a query reads and calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    /// Each place where a table or view is read, in the order of the text. Names of common table expressions, of derived
    /// tables and of functions in FROM are not among them.
    pub tables: Vec<TableName>,
    /// All that looks like a call, folded, each once; also `current_date` and its like, which have no parentheses. It may
    /// hold words that call nothing (`numeric` of `numeric(15, 2)`, `rollup`), but misses none.
    pub functions: Vec<Name>,
    /// Those of the functions that stand where a table may stand.
    pub table_functions: Vec<Name>,
    /// The types that values are cast to, as text, each once.
    pub types: Vec<String>,
    /// Names with dots at other places than [`tables`](Self::tables): columns with their tables, functions with their schemas.
    pub qualified: Vec<Located>,
    /// Whether the whole result is ordered: an ORDER BY at the top of the query, also through parentheses.
    pub ordered: bool,
    /// What the database may read otherwise than Bowshot does, each as the end of a sentence that begins "the query".
    pub doubts: Vec<&'static str>,
}

/// A name and where it stands in the user's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The name, folded.
    pub name: Name,
    /// Its bytes, from its first part to its last.
    pub range: Range<usize>,
}

/// A table that a query reads, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// The name, folded.
    pub name: Name,
    /// Its bytes in the user's text, from its first part to its last, without alias.
    pub range: Range<usize>,
    /// A common table expression has this name in other capital letters: some servers take the name for that, some for a
    /// table.
    pub perhaps_with: bool,
}

/// Why a text's tables are not known, as the end of a sentence that begins "the query" or "because".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    reason: String,
}

impl Unreadable {
    fn new(reason: impl Into<String>) -> Self {
        Unreadable { reason: reason.into() }
    }

    /// The reason alone.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Unreadable {}

/// Which tables a query reads, which functions it calls, and whether its result is ordered.
///
/// Names are scoped as the database scopes them: a common table expression hides a table of the same name from where the
/// database says, and never a name with a schema.
///
/// ```
/// use bowshot_sql::{Dialect, tables};
///
/// let sql = "WITH salaries AS (SELECT * FROM salaries) SELECT * FROM salaries JOIN hr.staff USING (id) ORDER BY id";
/// let read = tables(sql, Dialect::Postgres)?;
/// let names: Vec<String> = read.tables.iter().map(|table| table.name.to_string()).collect();
/// assert_eq!(names, ["salaries", "hr.staff"]);
/// assert_eq!(read.tables[0].range, 32..40);
/// assert!(read.ordered);
/// # Ok::<(), bowshot_sql::Unreadable>(())
/// ```
///
/// # Errors
/// [`Unreadable`] where the text is not one query that only reads, or where the parser does not know a part of it.
pub fn tables(sql: &str, dialect: Dialect) -> Result<Tables, Unreadable> {
    look(sql, dialect, false).map(|found| found.tables)
}

/// What was found in a statement.
#[derive(Default)]
struct Found {
    tables: Tables,
    /// What a statement that is no query changes.
    kind: Option<ChangeKind>,
    targets: Vec<TableName>,
    returns_rows: bool,
}

/// Looks at one statement; `change` says whether it may be one that is no query.
fn look(sql: &str, dialect: Dialect, change: bool) -> Result<Found, Unreadable> {
    let tokens = lex(sql, dialect).map_err(|_| Unreadable::new("ends inside a string, a quoted name or a comment"))?;
    let mut doubts = doubt::doubts(sql, &tokens, dialect);
    let written = Edited::of(sql, &tokens, dialect, false);
    let mut found = read(&written, dialect, change).or_else(|unreadable| {
        let known = Edited::of(sql, &tokens, dialect, true);
        if known.text == written.text { Err(unreadable) } else { read(&known, dialect, change).map_err(|_| unreadable) }
    })?;
    doubts.append(&mut found.tables.doubts);
    doubts.dedup();
    found.tables.doubts = doubts;
    Ok(found)
}

/// Reads the text that the parser is given.
fn read(edited: &Edited, dialect: Dialect, change: bool) -> Result<Found, Unreadable> {
    let sql = edited.text.as_str();
    let tokens = lex(sql, dialect).map_err(|_| Unreadable::new("ends inside a string, a quoted name or a comment"))?;
    if is_too_long(sql, &tokens) {
        return Err(Unreadable::new("is too long to be read"));
    }
    let (locations, facts) = (Locations::of(&tokens, sql), Facts::default());
    let text = Text { sql, tokens: &tokens, locations: &locations, facts: &facts, dialect };
    let found = on_deep_stack(|| parse(&text, change)).unwrap_or_else(|| Err(Unreadable::new("could not be read")))?;
    Ok(located(found, edited))
}

/// With ranges in the user's own text.
fn located(mut found: Found, edited: &Edited) -> Found {
    for table in found.tables.tables.iter_mut().chain(&mut found.targets) {
        table.range = edited.original(&table.range);
    }
    for name in &mut found.tables.qualified {
        name.range = edited.original(&name.range);
    }
    found
}

fn parse(text: &Text<'_>, change: bool) -> Result<Found, Unreadable> {
    let statements = grammar::parse(text.sql, text.dialect, text.tokens.len()).map_err(|error| match error {
        ParserError::TokenizerError(why) | ParserError::ParserError(why) => {
            Unreadable::new(format!("is not known to Bowshot's parser ({why})"))
        }
        ParserError::RecursionLimitExceeded => Unreadable::new("is nested too deeply"),
    })?;
    let statement = match statements.as_slice() {
        [statement] => statement,
        [] => return Err(Unreadable::new("is empty")),
        _ => return Err(Unreadable::new("is more than one statement")),
    };
    let mut reader = Reader::new(text);
    let mut found = Found::default();
    let mut ordered = false;
    match statement {
        Statement::Query(query) => ordered = is_ordered(query),
        _ if !change => return Err(Unreadable::new("is not a SELECT")),
        statement => {
            let told = changes::of(statement).ok_or_else(|| Unreadable::new("changes what Bowshot cannot tell"))?;
            let (kind, targets, returns_rows) = told;
            targets.into_iter().for_each(|name| reader.saw_target(name));
            found = Found { kind: Some(kind), targets: reader.tables.clone(), returns_rows, ..found };
        }
    }
    // It never breaks off.
    let _ = statement.visit(&mut reader);
    if let Some(reason) = reader.unreadable {
        return Err(Unreadable::new(reason));
    }
    let mut doubts = reader.doubts;
    doubts.extend(agree::doubt(text));
    let mut tables = Tables {
        tables: reader.tables,
        table_functions: reader.table_functions,
        types: reader.types,
        ordered,
        doubts,
        ..Tables::default()
    };
    tables.tables.sort_by_key(|table| table.range.start);
    // The walk comes by some of the tables that are changed, too.
    tables.tables.dedup_by_key(|table| table.range.start);
    for chain in chains(text.sql, text.tokens, text.dialect) {
        let is_table = tables.tables.binary_search_by_key(&chain.range.start, |table| table.range.start).is_ok();
        if !reader.declared.contains(&chain.range.start) && !is_table && is_function(&chain.name, chain.called) {
            let function = Name(chain.name.0.iter().map(lower).collect());
            if !tables.functions.contains(&function) {
                tables.functions.push(function);
            }
        }
        if chain.name.0.len() > 1 && !is_table {
            tables.qualified.push(Located { name: chain.name, range: chain.range });
        }
    }
    Ok(Found { tables, ..found })
}

/// The bytes of the first `count` parts of a name that stands at `range`, with the dots and comments up to the next part: without
/// them, the text has the rest of the name. `None` where it has no more parts than that.
///
/// ```
/// use bowshot_sql::{Dialect, leading_parts, tables};
///
/// let sql = "SELECT * FROM shop . public.orders";
/// let read = tables(sql, Dialect::Postgres)?;
/// let cut = leading_parts(sql, &read.tables[0].range, 1, Dialect::Postgres).unwrap();
/// assert_eq!(&sql[cut], "shop . ");
/// # Ok::<(), bowshot_sql::Unreadable>(())
/// ```
pub fn leading_parts(sql: &str, range: &Range<usize>, count: usize, dialect: Dialect) -> Option<Range<usize>> {
    let name = sql.get(range.clone())?;
    let tokens = lex(name, dialect).ok()?;
    // A part, a dot, a part, a dot.
    let next = tokens.iter().filter(|token| !token.is_blank()).nth(count * 2)?;
    Some(range.start..range.start + next.range.start)
}

/// Whether a query orders its result.
fn is_ordered(query: &Query) -> bool {
    let mut query = query;
    loop {
        match (&query.order_by, query.body.as_ref()) {
            (Some(_), _) => return true,
            (None, SetExpr::Query(inner)) => query = inner,
            (None, _) => return false,
        }
    }
}

#[cfg(test)]
mod tests;
