//! Text that may be the name of a table instead of SQL, as in `pandas.read_sql`.

use bowshot_core::{Case, Naming};

/// What a text that was given in the place of a query may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// SQL, and nothing else.
    Statement,
    /// SQL; where the database refuses it, the name of a table.
    StatementFirst,
    /// The name of a table; where there is none of this name, SQL.
    NameFirst,
    /// The name of a table, and nothing else.
    Name,
}

/// The verbs that begin a statement which reads.
const READS: &[&str] = &[
    "check",
    "desc",
    "describe",
    "exists",
    "explain",
    "from",
    "help",
    "list",
    "pivot",
    "pragma",
    "select",
    "show",
    "summarize",
    "table",
    "unpivot",
    "values",
    "with",
];

/// The verbs that begin other statements.
const OTHERS: &[&str] = &[
    "alter", "analyze", "attach", "begin", "call", "commit", "copy", "create", "declare", "delete", "do", "drop",
    "exec", "execute", "export", "grant", "handler", "if", "import", "insert", "install", "kill", "load", "lock",
    "merge", "optimize", "replace", "revoke", "rollback", "set", "start", "truncate", "update", "use", "vacuum",
];

/// No database takes longer names.
const LONGEST_NAME: usize = 255;

/// What the text may be. Text that can only be SQL is known by its verb and by what names hardly hold.
///
/// ```
/// use bowshot_sql::{Reading, reading};
///
/// assert_eq!(reading("SELECT 1 + 1"), Reading::Statement);
/// assert_eq!(reading("show tables"), Reading::StatementFirst);
/// assert_eq!(reading("Order Details"), Reading::NameFirst);
/// assert_eq!(reading("shop.orders"), Reading::Name);
/// ```
pub fn reading(text: &str) -> Reading {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.contains('\0') || trimmed.chars().count() > LONGEST_NAME {
        return Reading::Statement;
    }
    let code = without_beginning(trimmed);
    let mut words = code.split(|character: char| !(character.is_alphanumeric() || character == '_'));
    let is_one_of = |word: &str, verbs: &[&str]| verbs.iter().any(|verb| verb.eq_ignore_ascii_case(word));
    let first = words.next().unwrap_or_default();
    let reads = is_one_of(first, READS);
    if first.len() == trimmed.len() {
        return if reads { Reading::NameFirst } else { Reading::Name };
    }
    if (reads || is_one_of(first, OTHERS)) && !is_word_after(code, first) {
        let from = is_one_of(first, &["select", "with"]) && words.any(|word| word.eq_ignore_ascii_case("from"));
        let plain = code.len() == trimmed.len() && code.chars().all(is_common_in_names);
        return match (plain && !from, reads) {
            (false, _) => Reading::Statement,
            (true, true) => Reading::StatementFirst,
            (true, false) => Reading::NameFirst,
        };
    }
    match parts(trimmed) {
        Some(parts) if parts.iter().all(|part| part.quoted || is_plain(part.text.as_str())) => Reading::Name,
        _ => Reading::NameFirst,
    }
}

/// Whether the verb is the beginning of a dotted name, or of a longer word.
fn is_word_after(code: &str, verb: &str) -> bool {
    code.get(verb.len()..).is_some_and(|rest| rest.starts_with(['.', '$', '-']) && !rest.starts_with("--"))
}

/// The text without the comments and parentheses that a statement may begin with.
fn without_beginning(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|character: char| character.is_whitespace() || character == '(');
        let comment = match rest.get(..2) {
            Some("--") => rest.find('\n').map(|end| end + 1),
            Some("/*") => rest.find("*/").map(|end| end + 2),
            _ => None,
        };
        match comment.and_then(|end| rest.get(end..)) {
            Some(after) => rest = after,
            None => return rest,
        }
    }
}

fn is_common_in_names(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | ' ' | '-' | '.' | '&' | '$' | '#')
}

/// A word that needs no quotes, keywords apart.
fn is_plain(name: &str) -> bool {
    name.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '$'))
}

/// One name between dots, without its quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    text: String,
    quoted: bool,
}

/// The names between the dots of a text, in any database's quotes; `None` where it is no such chain.
fn parts(text: &str) -> Option<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = part(rest)?;
        parts.push(part);
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => break,
            None => return None,
        }
    }
    // SQL Server's `db..t` leaves the schema out.
    let last = parts.len() - 1;
    let empty = |(place, part): (usize, &Part)| part.text.is_empty() && (place == 0 || place == last || last != 2);
    (!parts.iter().enumerate().any(empty)).then_some(parts)
}

/// The first name of a text, and what follows it.
fn part(text: &str) -> Option<(Part, &str)> {
    let close = match text.chars().next() {
        Some(quote @ ('"' | '`')) => quote,
        Some('[') => ']',
        _ => {
            let end = text.find('.').unwrap_or(text.len());
            let (name, rest) = text.split_at_checked(end)?;
            let broken = name.contains(['"', '`', '[', ']']);
            return (!broken).then(|| (Part { text: name.trim().to_owned(), quoted: false }, rest));
        }
    };
    let mut name = String::new();
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((place, character)) = characters.next() {
        if character != close {
            name.push(character);
        } else if characters.next_if(|(_, next)| *next == close).is_some() {
            name.push(close);
        } else {
            let rest = text.get(place + close.len_utf8()..)?;
            return Some((Part { text: name, quoted: true }, rest));
        }
    }
    None
}

/// The tables that a text may name, each quoted, the likeliest first: the names between its dots, the text as one name with dots,
/// and last the names as the database would keep them if they were written without quotes.
///
/// ```
/// use bowshot_sql::{Dialect, table_names};
///
/// let names = |text: &str, dialect: Dialect| -> Vec<String> {
///     table_names(text, &dialect.naming()).into_iter().map(|name| name.quoted).collect()
/// };
/// assert_eq!(names("Order Details", Dialect::Sqlite), [r#""Order Details""#]);
/// assert_eq!(names("[dbo].[t]", Dialect::MySql), ["`dbo`.`t`", "`[dbo].[t]`"]);
/// assert_eq!(names("Shop.Orders", Dialect::Postgres), [r#""Shop"."Orders""#, r#""Shop.Orders""#, r#""shop"."orders""#]);
/// ```
pub fn table_names(text: &str, naming: &Naming) -> Vec<TableReference> {
    let trimmed = text.trim();
    let whole = TableReference::new(&[trimmed], naming);
    let mut names = Vec::new();
    match parts(trimmed) {
        Some(parts) => {
            let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
            let chain = TableReference::new(&texts, naming);
            // Dots in a sentence are those of one name.
            let plain = parts.iter().all(|part| part.quoted || is_plain(&part.text));
            names.extend(if plain { [chain, whole] } else { [whole, chain] });
            if let [first, middle, last] = texts.as_slice()
                && parts.iter().all(|part| !part.quoted)
            {
                names.push(TableReference::new(&[first, &format!("{middle}.{last}")], naming));
                names.push(TableReference::new(&[&format!("{first}.{middle}"), last], naming));
            }
            let folded: Vec<String> = parts.iter().map(|part| folded(part, naming.case)).collect();
            let folded: Vec<&str> = folded.iter().map(String::as_str).collect();
            names.push(TableReference::new(&folded, naming));
        }
        None => names.push(whole),
    }
    if trimmed.len() != text.len() {
        names.push(TableReference::new(&[text], naming));
    }
    let mut seen: Vec<TableReference> = Vec::new();
    for name in names {
        if !seen.contains(&name) {
            seen.push(name);
        }
    }
    seen
}

/// A name as the database keeps it where it is not quoted and need not be.
fn folded(part: &Part, case: Case) -> String {
    if !part.quoted && is_plain(&part.text) { case.fold(&part.text) } else { part.text.clone() }
}

/// A table in a query's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableReference {
    /// Its name with what qualifies it, quoted.
    pub quoted: String,
    /// Its name alone, quoted.
    last: String,
}

impl TableReference {
    fn new(parts: &[&str], naming: &Naming) -> Self {
        let quoted: Vec<String> = parts
            .iter()
            .map(|part| if part.is_empty() && parts.len() > 1 { String::new() } else { naming.quote(part) })
            .collect();
        TableReference { quoted: quoted.join("."), last: quoted.last().cloned().unwrap_or_default() }
    }

    /// The query that reads these of its columns; all where none is named.
    ///
    /// Columns stand behind the table's name where they may: alone, `"x"` is a text to SQLite where the table has no column x,
    /// and a whole row to PostgreSQL where it is the table's own name.
    pub fn select(&self, columns: &[String], naming: &Naming) -> String {
        let column = |name: &String| match naming.qualified {
            true => format!("{}.{}", self.last, naming.quote(name)),
            false => naming.quote(name),
        };
        let chosen: Vec<String> = columns.iter().map(column).collect();
        let chosen = if chosen.is_empty() { "*".to_owned() } else { chosen.join(", ") };
        format!("SELECT {chosen} FROM {}", self.quoted)
    }
}

#[cfg(test)]
mod tests;
