//! How many digits the numbers of a SELECT list have at most: PostgreSQL's rules, over columns that the catalogue knows.

mod read;
mod scope;
mod term;

use std::collections::BTreeSet;

use sqlparser::ast::{Query, SelectItem, SetExpr, Statement};

use crate::deep::{is_too_long, on_deep_stack};
use crate::grammar;
use crate::lex::lex;
use crate::{Dialect, Name};

use self::read::Reader;
use self::scope::Scope;
use self::term::Term;

pub use self::term::Digits;

/// The numbers of a SELECT list whose digits follow from those of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scales {
    /// The tables that columns are looked up in.
    pub tables: Vec<Name>,
    /// The columns that are to be looked up, each once.
    pub columns: BTreeSet<String>,
    /// The functions that are taken for PostgreSQL's own, though a schema of the user's might have others of these names.
    pub functions: BTreeSet<String>,
    /// What FROM holds besides tables may have columns of any name.
    open: bool,
    /// Up to the first item that is no single column.
    front: Vec<Option<Term>>,
    /// What follows the last such item; `None` where there is none.
    back: Option<Vec<Option<Term>>>,
}

impl Scales {
    /// The digits of the column at a place of a result that has `count` columns; `None` where nothing proves them.
    ///
    /// `known` says of a table's column: nothing where there is none, and no digits where it is of another type.
    pub fn digits(
        &self,
        place: usize,
        count: usize,
        known: impl Fn(&Name, &str) -> Option<Option<Digits>>,
    ) -> Option<Digits> {
        self.term(place, count)?.digits(|table, column| match table {
            Some(table) => known(self.tables.get(table)?, column)?,
            None if self.open => None,
            None => {
                let mut found = self.tables.iter().filter_map(|table| known(table, column));
                let first = found.next()?;
                // The database says that it is ambiguous, or merges the two as USING wants.
                if found.next().is_some() { None } else { first }
            }
        })
    }

    /// Whether the text may prove the digits of the column at a place of a result that has `count` columns.
    pub fn may_prove(&self, place: usize, count: usize) -> bool {
        self.term(place, count).is_some()
    }

    fn term(&self, place: usize, count: usize) -> Option<&Term> {
        let behind = self.back.as_ref().map_or(0, Vec::len);
        let begin = count.checked_sub(behind)?;
        if begin < self.front.len() || self.back.is_none() && begin > self.front.len() {
            return None;
        }
        match self.front.get(place) {
            Some(term) => term.as_ref(),
            None => self.back.as_ref()?.get(place.checked_sub(begin)?)?.as_ref(),
        }
    }
}

/// What a PostgreSQL query's text says about the digits of its columns. `None` where it proves those of none.
///
/// Columns of tables, numbers, `+`, `-`, `*`, `sum`, `min`, `max`, `abs`, `coalesce` and their like have digits that are certain.
/// Division, `avg` and all other functions do not, and neither has anything that comes from a subquery.
///
/// ```
/// use bowshot_sql::{Digits, scales};
///
/// let found = scales("SELECT day, sum(price * amount) FROM shop.sales GROUP BY day").unwrap();
/// assert_eq!((found.tables[0].to_string(), found.may_prove(0, 2)), ("shop.sales".to_owned(), true));
/// let known = |_: &_, column: &str| match column {
///     "price" => Some(Some(Digits { before: 13, after: 2 })),
///     "amount" => Some(Some(Digits { before: 10, after: 0 })),
///     _ => Some(None),
/// };
/// assert_eq!(found.digits(1, 2, known).unwrap().after, 2);
/// assert_eq!(found.digits(0, 2, known), None);
/// assert_eq!(scales("SELECT avg(price) FROM shop.sales"), None);
/// ```
pub fn scales(sql: &str) -> Option<Scales> {
    let tokens = lex(sql, Dialect::Postgres).ok()?;
    if is_too_long(sql, &tokens) {
        return None;
    }
    on_deep_stack(|| parse(sql, tokens.len())).flatten()
}

fn parse(sql: &str, tokens: usize) -> Option<Scales> {
    let statements = grammar::parse(sql, Dialect::Postgres, tokens).ok()?;
    let [Statement::Query(query)] = statements.as_slice() else { return None };
    of_query(query)
}

fn of_query(query: &Query) -> Option<Scales> {
    let SetExpr::Select(select) = query.body.as_ref() else { return None };
    if select.into.is_some() || !select.lateral_views.is_empty() {
        return None;
    }
    let scope = Scope::of(query, &select.from);
    let mut reader = Reader::new(&scope);
    let (mut front, mut back): (Vec<_>, Option<Vec<_>>) = (Vec::new(), None);
    for item in &select.projection {
        let term = match item {
            SelectItem::UnnamedExpr(value) | SelectItem::ExprWithAlias { expr: value, .. } => reader.term(value),
            _ => {
                back = Some(Vec::new());
                continue;
            }
        };
        back.as_mut().unwrap_or(&mut front).push(term);
    }
    if !front.iter().chain(back.iter().flatten()).any(Option::is_some) {
        return None;
    }
    let Reader { columns, functions, .. } = reader;
    let Scope { tables, open, .. } = scope;
    Some(Scales { tables, columns, functions, open, front, back })
}

#[cfg(test)]
mod tests;
