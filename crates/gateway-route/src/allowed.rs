//! What a user with rules may call and cast to.

use std::collections::HashSet;
use std::sync::LazyLock;

use bowshot_sql::{Name, NamePart};

static FUNCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| lines(include_str!("allowed/functions.txt")));
static TABLE_FUNCTIONS: LazyLock<HashSet<&str>> = LazyLock::new(|| lines(include_str!("allowed/table_functions.txt")));
static TYPES: LazyLock<HashSet<&str>> = LazyLock::new(|| lines(include_str!("allowed/types.txt")));
static WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| lines(include_str!("allowed/words.txt")));

/// The lines that are neither empty nor a comment.
fn lines(text: &'static str) -> HashSet<&'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// Whether a call, folded to small letters where it was not quoted, reads nothing but its arguments: a built-in function, under
/// its plain name or in `pg_catalog`, or a word that calls nothing.
///
/// ```
/// use bowshot_gateway_route::is_allowed_function;
/// use bowshot_sql::{Dialect, tables};
///
/// let read = tables("SELECT upper(a), query_to_xml('SELECT …', true, true, '') FROM t", Dialect::Postgres)?;
/// let allowed: Vec<bool> = read.functions.iter().map(is_allowed_function).collect();
/// assert_eq!(allowed, [true, false]);
/// # Ok::<(), bowshot_sql::Unreadable>(())
/// ```
pub fn is_allowed_function(name: &Name) -> bool {
    match name.0.as_slice() {
        [NamePart { text, quoted }] => {
            FUNCTIONS.contains(text.as_str()) || (!quoted && (WORDS.contains(text.as_str()) || is_bare(text)))
        }
        [schema, NamePart { text, .. }] => schema.text == "pg_catalog" && FUNCTIONS.contains(text.as_str()),
        _ => false,
    }
}

/// Words that the lexer takes for calls without parentheses. They name the login at most, and may as well be columns.
fn is_bare(word: &str) -> bool {
    matches!(
        word,
        "current_catalog"
            | "current_role"
            | "current_schema"
            | "current_user"
            | "session_user"
            | "system_user"
            | "user"
    )
}

/// Whether a call may stand where a table stands.
pub(crate) fn is_allowed_table_function(name: &Name) -> bool {
    match name.0.as_slice() {
        [NamePart { text, .. }] => TABLE_FUNCTIONS.contains(text.as_str()),
        [schema, NamePart { text, .. }] => schema.text == "pg_catalog" && TABLE_FUNCTIONS.contains(text.as_str()),
        _ => false,
    }
}

/// Whether a type, as the parser writes it, is built in and names nothing in the catalog: all its words are known.
///
/// ```
/// use bowshot_gateway_route::is_allowed_type;
///
/// assert!(is_allowed_type("TIMESTAMP(3) WITH TIME ZONE") && is_allowed_type("NUMERIC(15,2)[]"));
/// assert!(!is_allowed_type("regclass") && !is_allowed_type("hr.salaries"));
/// ```
pub fn is_allowed_type(name: &str) -> bool {
    let plain = name.chars().all(|letter| letter.is_ascii_alphanumeric() || " ()[]<>,_".contains(letter));
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    let known = |word: &str| {
        word.bytes().all(|byte| byte.is_ascii_digit()) || TYPES.contains(word.to_ascii_lowercase().as_str())
    };
    plain && words.filter(|word| !word.is_empty()).all(known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_in_small_letters_and_hold_nothing_that_reads() {
        const READS: &[&str] = &[
            "crosstab",
            "current_setting",
            "cursor_to_xml",
            "database_to_xml",
            "dblink",
            "file",
            "has_table_privilege",
            "lo_export",
            "lo_get",
            "load_extension",
            "load_file",
            "nextval",
            "object_id",
            "openquery",
            "openrowset",
            "pg_ls_dir",
            "pg_read_binary_file",
            "pg_read_file",
            "pg_sleep",
            "query_to_xml",
            "readfile",
            "schema_to_xml",
            "set_config",
            "sleep",
            "sys_context",
            "table_to_xml",
            "to_regclass",
            "ts_rewrite",
            "ts_stat",
            "url",
            "writefile",
            "xpath_table",
        ];
        for list in [&FUNCTIONS, &TABLE_FUNCTIONS, &TYPES, &WORDS] {
            for word in list.iter() {
                assert_eq!(*word, word.to_ascii_lowercase());
                assert!(!READS.contains(word), "{word}");
            }
        }
        assert!(TABLE_FUNCTIONS.iter().all(|word| FUNCTIONS.contains(word)));
    }
}
