//! Which tables of a FROM list give every row of the result exactly one of their rows.

use std::collections::{HashMap, HashSet};
use std::slice::from_ref;

use sqlparser::ast::{Ident, JoinOperator, TableAlias, TableFactor, TableWithJoins};

use crate::facts::Facts;
use crate::lex::Token;
use crate::location::Locations;
use crate::walk::{Walk, key, part};
use crate::{Candidate, Dialect, Name, NamePart};

/// What the FROM list of a SELECT holds.
#[derive(Debug, Default)]
pub(crate) struct From<'a> {
    /// Factors of which each row of the result holds one row, once.
    once: Vec<&'a TableFactor>,
    /// Every table or subquery outside of subqueries.
    all: Vec<&'a TableFactor>,
    /// Nothing but tables and inner joins.
    pub(crate) plain: bool,
    /// A kind of join or factor that none of the databases has.
    strange: bool,
}

/// The text that a candidate's bytes are looked up in, and what is known about it.
pub(crate) struct Text<'a> {
    pub(crate) sql: &'a str,
    pub(crate) tokens: &'a [Token],
    pub(crate) locations: &'a Locations,
    pub(crate) facts: &'a Facts,
    pub(crate) dialect: Dialect,
}

impl<'a> From<'a> {
    /// Reads a FROM list.
    pub(crate) fn read(list: &'a [TableWithJoins], dialect: Dialect) -> From<'a> {
        let mut from = From { plain: true, ..From::default() };
        from.once = from.list(list, dialect);
        from
    }

    /// The single table that the list consists of.
    pub(crate) fn is_single_table(&self) -> bool {
        matches!(self.all.as_slice(), [TableFactor::Table { args: None, .. }])
    }

    fn list(&mut self, list: &'a [TableWithJoins], dialect: Dialect) -> Vec<&'a TableFactor> {
        let mut once = Vec::new();
        for item in list {
            // In SQLite a comma is one more join of the chain; elsewhere joins bind tighter than commas.
            let before = if dialect == Dialect::Sqlite { Vec::new() } else { std::mem::take(&mut once) };
            once.extend(self.factor(&item.relation, dialect));
            for join in &item.joins {
                let right = self.factor(&join.relation, dialect);
                match join.join_operator {
                    JoinOperator::Join(_)
                    | JoinOperator::Inner(_)
                    | JoinOperator::CrossJoin(_)
                    | JoinOperator::StraightJoin(_) => once.extend(right),
                    JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => self.plain = false,
                    JoinOperator::Right(_) | JoinOperator::RightOuter(_) => {
                        self.plain = false;
                        once = right;
                    }
                    JoinOperator::FullOuter(_) => {
                        self.plain = false;
                        once.clear();
                    }
                    _ => {
                        self.plain = false;
                        self.strange = true;
                    }
                }
            }
            once.extend(before);
        }
        once
    }

    fn factor(&mut self, factor: &'a TableFactor, dialect: Dialect) -> Vec<&'a TableFactor> {
        match factor {
            TableFactor::Table { args: None, .. } => {
                self.all.push(factor);
                vec![factor]
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.list(from_ref(&**table_with_joins), dialect),
            _ => {
                self.all.push(factor);
                self.plain = false;
                Vec::new()
            }
        }
    }

    /// The tables that may be split, in the order of the text, or why there is none.
    pub(crate) fn candidates(&self, text: &Text<'_>, walk: &Walk) -> Result<Vec<Candidate>, &'static str> {
        if self.all.is_empty() {
            return Err("it reads no table");
        }
        if self.strange {
            return Err("it has a join that Bowshot does not know");
        }
        if self.once.is_empty() {
            return Err("none of its tables gives each row of the result exactly one row");
        }
        let mut clashes = Clashes::default();
        for reference in self.all.iter().filter_map(|factor| reference_of(factor, text.dialect)) {
            *clashes.references.entry(reference).or_default() += 1;
        }
        let chains = text.facts.chains.iter().filter(|chain| chain.0.len() > 2);
        clashes.qualified = chains.filter_map(|chain| chain.schema()).map(|table| text.dialect.key(table)).collect();
        let mut why_not = "it reads no table that can be read in slices";
        let mut candidates = Vec::new();
        for factor in &self.once {
            match candidate(factor, text, walk, &clashes) {
                Ok(candidate) => candidates.push(candidate),
                Err(reason) => why_not = reason,
            }
        }
        candidates.sort_by_key(|candidate| candidate.range.start);
        if candidates.is_empty() { Err(why_not) } else { Ok(candidates) }
    }
}

/// What may stand against the alias that a replacement gets, as keys.
#[derive(Debug, Default)]
struct Clashes {
    /// How many tables the query knows by each name.
    references: HashMap<String, usize>,
    /// Tables that are named with their schema where a column stands.
    qualified: HashSet<String>,
}

/// The candidate that a factor is, or why it is none.
fn candidate(factor: &TableFactor, text: &Text<'_>, walk: &Walk, clashes: &Clashes) -> Result<Candidate, &'static str> {
    const DECORATED: &str = "its table is called with more than a name";
    let TableFactor::Table {
        name,
        alias,
        args: None,
        with_hints,
        version: None,
        with_ordinality: false,
        partitions,
        json_path: None,
        sample: None,
        index_hints,
    } = factor
    else {
        return Err(DECORATED);
    };
    let columns = alias.as_ref().is_some_and(|alias| !alias.columns.is_empty() || alias.at.is_some());
    if columns || !with_hints.is_empty() || !partitions.is_empty() || !index_hints.is_empty() {
        return Err(DECORATED);
    }
    let idents: Vec<&Ident> = name.0.iter().map(|part| part.as_ident()).collect::<Option<Vec<_>>>().ok_or(DECORATED)?;
    let (range, name) = locate(&idents, text).ok_or(DECORATED)?;
    // The parser takes `ONLY t` for a table `only` with an alias.
    if matches!(name.0.as_slice(), [NamePart { text, quoted: false }] if text.eq_ignore_ascii_case("only")) {
        return Err("it reads ONLY one table of an inheritance tree");
    }
    let alias = alias.as_ref().map(|alias| part(&alias.name, text.dialect));
    let reference = text.dialect.key(alias.as_ref().map_or(name.last(), |alias| &alias.text));
    if alias.is_none() {
        // The alias that the replacement gets must not clash with another table's name,
        if clashes.references.get(&reference).is_some_and(|count| *count > 1) {
            return Err("two of its tables have the same name");
        }
        // and hides the table's schema from the rest of the query.
        if clashes.qualified.contains(&reference) {
            return Err("it names columns with their table's schema");
        }
    }
    let whole_row = walk.bare_names.contains(&reference);
    Ok(Candidate { name, alias, range, whole_row, dialect: text.dialect })
}

/// By which name, as a key, the rest of the query knows a factor.
fn reference_of(factor: &TableFactor, dialect: Dialect) -> Option<String> {
    let alias: Option<&TableAlias> = match factor {
        TableFactor::Table { name, alias: None, .. } => {
            let name = name.0.last()?.as_ident()?;
            return Some(key(name, dialect));
        }
        TableFactor::Table { alias, .. }
        | TableFactor::Derived { alias, .. }
        | TableFactor::TableFunction { alias, .. }
        | TableFactor::Function { alias, .. }
        | TableFactor::UNNEST { alias, .. } => alias.as_ref(),
        _ => None,
    };
    alias.map(|alias| key(&alias.name, dialect))
}

/// The bytes of a name and its parts, read from our own tokens; `None` where they contradict the parser.
pub(crate) fn locate(idents: &[&Ident], text: &Text<'_>) -> Option<(std::ops::Range<usize>, Name)> {
    let first = text.locations.token(idents.first()?.span.start)?;
    let start = text.tokens.get(first)?.range.start;
    let mut code = text.tokens.get(first..)?.iter().filter(|token| !token.is_blank());
    let mut end = start;
    let mut parts = Vec::with_capacity(idents.len());
    for (index, ident) in idents.iter().enumerate() {
        if index > 0 && !code.next()?.is_symbol(text.sql, ".") {
            return None;
        }
        let token = code.next()?;
        let found = NamePart::from_token(token, text.sql, text.dialect)?;
        if found != part(ident, text.dialect) {
            return None;
        }
        end = token.range.end;
        parts.push(found);
    }
    Some((start..end, Name(parts)))
}
