//! A table that may be split, and putting a slice of it in its place.

use std::ops::Range;

use crate::{Dialect, Name, NamePart, quote_identifier};

/// A table of a FROM list of which every row of the result holds exactly one row, once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The table's name as it was written, folded.
    pub name: Name,
    /// The name that the query gives it.
    pub alias: Option<NamePart>,
    /// The bytes of the table's name in the text, without the alias.
    pub range: Range<usize>,
    /// The query may use whole rows of the table as values (`SELECT t FROM t`), whose type a replacement would change.
    /// The text alone cannot tell them from a column with the table's name: look whether there is one.
    pub whole_row: bool,
    pub(crate) dialect: Dialect,
}

/// The query with a parenthesised query in the place of the candidate's name. Every other byte stays as it was.
///
/// `replacement` must have the table's columns, in the table's order. Placeholders in it would count among the
/// query's own: write values as literals.
///
/// ```
/// use bowshot_sql::{Dialect, analyse, splice};
///
/// let sql = "SELECT a FROM public.lineitem WHERE b > 1";
/// let shape = analyse(sql, Dialect::Postgres);
/// let candidate = &shape.split.as_ref().unwrap()[0];
/// assert_eq!(
///     splice(sql, candidate, "(SELECT * FROM ONLY public.lineitem WHERE ctid < '(9,0)')"),
///     "SELECT a FROM (SELECT * FROM ONLY public.lineitem WHERE ctid < '(9,0)') \"lineitem\" WHERE b > 1",
/// );
/// ```
pub fn splice(sql: &str, candidate: &Candidate, replacement: &str) -> String {
    let before = sql.get(..candidate.range.start).unwrap_or(sql);
    let after = sql.get(candidate.range.end..).unwrap_or_default();
    let alias = match candidate.alias {
        Some(_) => String::new(),
        // Without AS, which Oracle refuses before the alias of a table.
        None => format!(" {}", quote_identifier(candidate.name.last(), candidate.dialect)),
    };
    // A quoted name may touch its alias: `"t"x`.
    let touches = after.starts_with(|next: char| next.is_alphanumeric() || next == '_' || next == '"');
    let gap = if touches && !alias.is_empty() { " " } else { "" };
    format!("{before}{replacement}{alias}{gap}{after}")
}
