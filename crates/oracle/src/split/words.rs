//! The words of a query, each of which must be known: in Oracle a function without arguments is called without parentheses,
//! and looks like a column.

use std::collections::BTreeSet;

use super::functions;

/// Words of the language that call nothing, besides those that stand among the functions.
const WORDS: &[&str] = &[
    "AT",
    "BINARY_DOUBLE",
    "BINARY_FLOAT",
    "BOTH",
    "BYTE",
    "CONVERSION",
    "DAY",
    "DEFAULT",
    "DOUBLE",
    "END",
    "ERROR",
    "ESCAPE",
    "HOUR",
    "INFINITE",
    "INT",
    "INTEGER",
    "LEADING",
    "LOCAL",
    "MINUTE",
    "MONTH",
    "NAN",
    "NULL",
    "PRECISION",
    "SECOND",
    "TIME",
    "TO",
    "TRAILING",
    "WITH",
    "YEAR",
    "ZONE",
];

/// The first word that may be a call: no column, no name of the table, no word of the language.
pub(super) fn stranger(sql: &str, columns: &BTreeSet<String>, tables: &[&str]) -> Option<String> {
    let mut rest = sql;
    let mut after_as = false;
    while let Some(first) = rest.chars().next() {
        let (length, name) = match first {
            '\'' => (quoted(rest, '\''), None),
            '"' => {
                let length = quoted(rest, '"');
                (length, rest.get(1..length.saturating_sub(1)).map(|inside| inside.replace("\"\"", "\"")))
            }
            '-' if rest.starts_with("--") => (rest.find('\n').unwrap_or(rest.len()), None),
            '/' if rest.starts_with("/*") => (rest.find("*/").map_or(rest.len(), |end| end + 2), None),
            first if first.is_ascii_digit() => (run(rest), None),
            first if is_word(first) => {
                let length = run(rest);
                let word = rest.get(..length).unwrap_or_default().to_uppercase();
                // Strings with quotes of one's own choice are not looked into.
                if matches!(word.as_str(), "Q" | "NQ") && rest.get(length..).is_some_and(|next| next.starts_with('\''))
                {
                    return Some(word);
                }
                (length, Some(word))
            }
            other => (other.len_utf8(), None),
        };
        if let Some(name) = name {
            let quoted = first == '"';
            let language = !quoted && (WORDS.contains(&name.as_str()) || functions::is_known(&name));
            if !after_as && !language && !columns.contains(&name) && !tables.contains(&name.as_str()) {
                return Some(name);
            }
            after_as = !quoted && name == "AS";
        } else if !first.is_whitespace() {
            after_as = false;
        }
        rest = rest.get(length.max(first.len_utf8())..).unwrap_or_default();
    }
    None
}

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$' | '#')
}

/// The length of a word or a number.
fn run(text: &str) -> usize {
    text.find(|letter| !is_word(letter)).unwrap_or(text.len())
}

/// The length of quoted text, its quotes included; doubled quotes do not end it.
fn quoted(text: &str, quote: char) -> usize {
    let mut rest = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = rest.next() {
        if letter == quote && rest.next_if(|(_, next)| *next == quote).is_none() {
            return at + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(sql: &str) -> Option<String> {
        let columns = ["ID", "NAME", "Mixed"].map(str::to_owned).into();
        stranger(sql, &columns, &["ORDERS", "O", "SALES"])
    }

    #[test]
    fn columns_and_the_language_are_no_strangers() {
        for sql in [
            "SELECT id, o.name, \"Mixed\" AS anything FROM sales.orders o WHERE id > 1e5 AND name LIKE 'a''b random' ESCAPE '!'",
            "SELECT /* dbms_random.value */ UPPER(name) FROM orders -- random",
            "SELECT CAST(id AS NUMBER(10)), CASE WHEN id IS NULL THEN 1 ELSE 2 END AS x FROM orders WHERE id = :1",
            "SELECT * FROM orders WHERE name = DATE '2024-01-01'",
        ] {
            assert_eq!(found(sql), None, "{sql}");
        }
    }

    #[test]
    fn what_may_be_a_call_is_one() {
        for (sql, word) in [
            ("SELECT dbms_random.value, id FROM orders", "DBMS_RANDOM"),
            ("SELECT my_random FROM orders", "MY_RANDOM"),
            ("SELECT id FROM orders WHERE id < sysdate", "SYSDATE"),
            ("SELECT id, \"name\" FROM orders", "name"),
            ("SELECT q'[it's]' FROM orders", "Q"),
            ("SELECT id AS x, x FROM orders", "X"),
        ] {
            assert_eq!(found(sql).as_deref(), Some(word), "{sql}");
        }
    }
}
