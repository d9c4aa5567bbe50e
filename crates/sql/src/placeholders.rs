//! From the placeholders that people write to the ones that the database reads.

mod find;

use std::ops::Range;

use bowshot_core::{Error, ErrorKind, Params, Query, Result, Value};

use self::find::Finder;
use crate::Dialect;
use crate::lex::{Token, is_word, lex};

/// A place in the text that something else stands for.
#[derive(Debug, PartialEq, Eq)]
struct Mark<'a> {
    range: Range<usize>,
    meaning: Meaning<'a>,
}

#[derive(Debug, PartialEq, Eq)]
enum Meaning<'a> {
    /// The next positional parameter: `?`, `%s`.
    Next,
    /// A positional parameter by its number from 1: `$1`, `?1`.
    Number(usize),
    /// A named parameter: `:name`, `%(name)s`.
    Name(&'a str),
    /// `%%`: one percent sign.
    Percent,
}

/// The query with its placeholders in the dialect's own style, and a value for each of them.
///
/// PostgreSQL gets `$1`, `$2`, SQL Server `@P1`, Oracle `:1`; the others get `?`, and a parameter that is used twice is
/// there twice.
///
/// People may write
/// - for positional parameters `$1`, `?` (also `?1`) or `%s`,
/// - for named ones `:name` or `%(name)s`.
///
/// Where a query has two of them, the first in these lists is meant and the other is left alone: beside `$1` or `%s`,
/// a `?` is PostgreSQL's operator. With `%s` and `%(name)s`, and only then, `%%` means `%`, in literals too, as in
/// Python's database drivers. Nothing else in a literal, a quoted name or a comment is touched, and without parameters
/// the text comes back as it is.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config): a placeholder without a value, a value without a placeholder, or text that
/// ends inside a literal.
///
/// ```
/// use bowshot_core::{Params, Query, Value};
/// use bowshot_sql::{Dialect, bind};
///
/// let query = Query {
///     sql: "SELECT a::text FROM t WHERE b = :b AND c LIKE ':b'".into(),
///     params: Params::Named(vec![("b".into(), Value::Int(3))]),
/// };
/// let (sql, values) = bind(&query, Dialect::Postgres)?;
/// assert_eq!(sql, "SELECT a::text FROM t WHERE b = $1 AND c LIKE ':b'");
/// assert_eq!(values, [Value::Int(3)]);
/// # Ok::<(), bowshot_core::Error>(())
/// ```
pub fn bind(query: &Query, dialect: Dialect) -> Result<(String, Vec<Value>)> {
    let sql = query.sql.as_str();
    match &query.params {
        Params::None => Ok((sql.to_owned(), Vec::new())),
        Params::Positional(values) if values.is_empty() => Ok((sql.to_owned(), Vec::new())),
        Params::Named(values) if values.is_empty() => Ok((sql.to_owned(), Vec::new())),
        Params::Positional(values) => positional(sql, values, dialect),
        Params::Named(values) => named(sql, values, dialect),
    }
}

/// How many positional parameters a query takes: as many as [`bind`] would ask for.
///
/// ```
/// use bowshot_sql::{Dialect, parameters};
///
/// assert_eq!(parameters("SELECT * FROM t WHERE a = ? AND b = '?' AND c < ?", Dialect::MySql), 2);
/// assert_eq!(parameters("SELECT a ? 'b' FROM t WHERE c IN ($2, $1, $2)", Dialect::Postgres), 2);
/// assert_eq!(parameters("SELECT 1", Dialect::Postgres), 0);
/// ```
pub fn parameters(sql: &str, dialect: Dialect) -> usize {
    let Ok(tokens) = lex(sql, dialect) else { return 0 };
    let finder = Finder { sql, tokens: &tokens, dialect };
    let marks = [finder.dollars(), finder.percents(), finder.questions()].into_iter().find(|marks| !marks.is_empty());
    let mut next = 0;
    for mark in marks.unwrap_or_default() {
        match mark.meaning {
            Meaning::Next => next += 1,
            Meaning::Number(number) => next = next.max(number),
            Meaning::Name(_) | Meaning::Percent => {}
        }
    }
    next
}

/// Where placeholders stand that the parser may not know, and one that it does for each of them.
pub(crate) fn for_parser(sql: &str, tokens: &[Token], dialect: Dialect) -> Vec<(Range<usize>, &'static str)> {
    let finder = Finder { sql, tokens, dialect };
    let found = [finder.percents(), finder.questions(), finder.named_percents()];
    let marks = found.into_iter().find(|marks| !marks.is_empty()).unwrap_or_default();
    let known = if dialect == Dialect::Postgres { "$1" } else { "?" };
    let stand_in = |mark: &Mark<'_>| if mark.meaning == Meaning::Percent { "%" } else { known };
    marks.into_iter().map(|mark| (mark.range.clone(), stand_in(&mark))).collect()
}

fn positional(sql: &str, values: &[Value], dialect: Dialect) -> Result<(String, Vec<Value>)> {
    let tokens = tokens(sql, dialect)?;
    let finder = Finder { sql, tokens: &tokens, dialect };
    let marks = [finder.dollars(), finder.percents(), finder.questions()].into_iter().find(|marks| !marks.is_empty());
    let count = values.len();
    let given = format!("{count} parameter{} given", if count == 1 { " was" } else { "s were" });
    let Some(mut marks) = marks else {
        return Err(mismatch(format!("{given}, but the query has no placeholder"), POSITIONAL));
    };
    let mut used = vec![false; count];
    let mut next = 0;
    for mark in &mut marks {
        let number = match mark.meaning {
            Meaning::Next => next + 1,
            Meaning::Number(number) => number,
            Meaning::Name(_) | Meaning::Percent => continue,
        };
        next = next.max(number);
        match number.checked_sub(1).and_then(|index| used.get_mut(index)) {
            Some(used) => *used = true,
            None => {
                let written = sql.get(mark.range.clone()).unwrap_or_default();
                let which = if mark.meaning == Meaning::Next { format!(" number {number}") } else { String::new() };
                let hint = if dialect == Dialect::Postgres && written == "?" { OPERATOR } else { POSITIONAL };
                return Err(mismatch(format!("placeholder {written}{which} has no value: {given}"), hint));
            }
        }
        mark.meaning = Meaning::Number(number);
    }
    if let Some(unused) = used.iter().position(|used| !used) {
        return Err(mismatch(format!("{given}, but the query uses no number {}", unused + 1), POSITIONAL));
    }
    Ok(rewrite(sql, &marks, values.iter().collect(), dialect))
}

fn named(sql: &str, given: &[(String, Value)], dialect: Dialect) -> Result<(String, Vec<Value>)> {
    let tokens = tokens(sql, dialect)?;
    let finder = Finder { sql, tokens: &tokens, dialect };
    let is_given = |name: &str| given.iter().any(|(known, _)| known == name);
    let marks = [finder.named_percents(), finder.colons(is_given)].into_iter().find(|marks| !marks.is_empty());
    let mut marks = marks.unwrap_or_default();
    // The parameters by number, in the order in which the text first names them.
    let mut names: Vec<&str> = Vec::new();
    let mut values: Vec<&Value> = Vec::new();
    for mark in &mut marks {
        let Meaning::Name(name) = mark.meaning else { continue };
        let index = match names.iter().position(|known| *known == name) {
            Some(index) => index,
            None => {
                let Some((_, value)) = given.iter().find(|(known, _)| known == name) else {
                    let written = sql.get(mark.range.clone()).unwrap_or_default();
                    let known: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
                    let known = known.join(", ");
                    return Err(mismatch(format!("placeholder {written} has no value: given are {known}"), NAMED));
                };
                names.push(name);
                values.push(value);
                names.len() - 1
            }
        };
        mark.meaning = Meaning::Number(index + 1);
    }
    if let Some((unused, _)) = given.iter().find(|(name, _)| !names.contains(&name.as_str())) {
        return Err(mismatch(format!("parameter \"{unused}\" was given, but the query has no :{unused}"), NAMED));
    }
    Ok(rewrite(sql, &marks, values, dialect))
}

/// Puts the dialect's placeholders in the place of the marks. `values` are the parameters by number.
fn rewrite(sql: &str, marks: &[Mark<'_>], values: Vec<&Value>, dialect: Dialect) -> (String, Vec<Value>) {
    let mut text = String::with_capacity(sql.len() + marks.len());
    let mut in_order = Vec::new();
    let mut done = 0;
    for mark in marks {
        text.push_str(sql.get(done..mark.range.start).unwrap_or_default());
        done = mark.range.end;
        match mark.meaning {
            Meaning::Number(number) => {
                // `LIMIT?` is a placeholder after a keyword, `LIMIT$1` a name.
                if text.as_bytes().last().is_some_and(|byte| is_word(*byte)) {
                    text.push(' ');
                }
                match dialect {
                    Dialect::Postgres => text.push_str(&format!("${number}")),
                    Dialect::SqlServer => text.push_str(&format!("@P{number}")),
                    Dialect::Oracle => text.push_str(&format!(":{number}")),
                    Dialect::Sqlite | Dialect::MySql | Dialect::Standard => {
                        text.push('?');
                        in_order.extend(number.checked_sub(1).and_then(|index| values.get(index)).copied().cloned());
                    }
                }
            }
            Meaning::Percent => text.push('%'),
            Meaning::Next | Meaning::Name(_) => text.push_str(sql.get(mark.range.clone()).unwrap_or_default()),
        }
    }
    text.push_str(sql.get(done..).unwrap_or_default());
    match dialect {
        Dialect::Postgres | Dialect::SqlServer | Dialect::Oracle => (text, values.into_iter().cloned().collect()),
        Dialect::Sqlite | Dialect::MySql | Dialect::Standard => (text, in_order),
    }
}

fn tokens(sql: &str, dialect: Dialect) -> Result<Vec<Token>> {
    lex(sql, dialect).map_err(|unterminated| {
        let position = sql.get(..unterminated.0).map_or(0, |before| before.chars().count()) + 1;
        Error::new(ErrorKind::Config, "a literal, a quoted name or a comment of the query does not end")
            .with_position(position)
    })
}

const POSITIONAL: &str = "write $1, ? or %s where a parameter belongs, and give as many as there are";
const NAMED: &str = "write :name or %(name)s where a parameter belongs, and give exactly the ones that are written";
const OPERATOR: &str = "write $1 in place of ? where a parameter belongs: then every ? is PostgreSQL's operator";

fn mismatch(message: String, hint: &str) -> Error {
    Error::new(ErrorKind::Config, message).with_hint(hint)
}

#[cfg(test)]
mod tests;
