//! A statement's text as it is kept: cut, and without its literals where that is asked for.

use bowshot_core::Error;
use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

use crate::MonitorOptions;

/// What stands for a text whose literals cannot be told from the rest.
pub(crate) const WITHHELD: &str = "(withheld: its literals cannot be told from the rest)";

/// The text to keep.
pub(crate) fn kept(sql: &str, options: &MonitorOptions) -> String {
    // Before it is cut: half a literal would not be known for one.
    if options.redact { cut(&redact(sql), options.sql_bytes) } else { cut(sql, options.sql_bytes) }
}

/// What is kept of an error.
pub(crate) fn kept_error(error: &Error, options: &MonitorOptions) -> Option<String> {
    match options.redact {
        true => error.sqlstate().map(|state| format!("SQLSTATE {state}")),
        false => Some(cut(&error.to_string(), options.sql_bytes)),
    }
}

/// At most `bytes` of the text, whole characters, with `…` where something is missing.
pub(crate) fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// The text with `?` for each literal and without comments. Text in double quotes counts as a literal, since in some
/// databases it is one.
///
/// A backslash escapes a quote in some databases and not in others: such a text is withheld as a whole, as is one that
/// does not end as it should. Doubt counts against the text.
fn redact(sql: &str) -> String {
    if sql.contains('\\') {
        return WITHHELD.to_owned();
    }
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, sql).tokenize() else { return WITHHELD.to_owned() };
    let mut text = String::with_capacity(sql.len());
    for token in tokens {
        match token {
            // The rest of a line's comment, and of a block of it.
            Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => text.push(' '),
            Token::Whitespace(_)
            | Token::Placeholder(_)
            | Token::Comma
            | Token::LParen
            | Token::RParen
            | Token::Period
            | Token::SemiColon => text.push_str(&token.to_string()),
            Token::Word(ref word) if word.quote_style.is_none_or(|quote| quote == '`') => {
                text.push_str(&token.to_string());
            }
            Token::Word(_) => text.push('?'),
            // Operators are what has no letter, digit or quote in it; everything else is a literal of some kind.
            other => {
                let written = other.to_string();
                let literal = written.chars().any(|letter| letter.is_alphanumeric() || letter == '\'' || letter == '"');
                text.push_str(if literal { "?" } else { &written });
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn literals_of_every_kind_become_question_marks() {
        for (sql, kept) in [
            ("SELECT a, 1.5e3 FROM t WHERE b = 'hunter2' AND c >= 7", "SELECT a, ? FROM t WHERE b = ? AND c >= ?"),
            ("SELECT N'hunter2', X'dead', $$hunter2$$, $q$hunter2$q$", "SELECT ?, ?, ?, ?"),
            ("SELECT 'it''s hunter2' || \"hunter2\" -- hunter2", "SELECT ? || ?  "),
            ("SELECT q'[it's hunter2]' FROM t", "SELECT ? FROM t"),
            ("SELECT `a`.b /* hunter2 */ FROM t LIMIT $1", "SELECT `a`.b   FROM t LIMIT $1"),
        ] {
            assert_eq!(redact(sql).trim_end(), kept.trim_end());
        }
    }

    #[test]
    fn what_databases_read_differently_is_withheld() {
        for sql in ["SELECT 'it\\'s hunter2'", "SELECT 'hunter2", "SELECT /* hunter2", "SELECT \"hunter2"] {
            assert_eq!(redact(sql), WITHHELD);
        }
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("Zürich", 6), "Züric…");
        assert_eq!(cut("Zürich", 2), "Z…");
        assert_eq!(cut("Zürich", 7), "Zürich");
        assert_eq!(cut("ü", 0), "…");
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic_and_no_string_stays(before in "\\PC{0,20}", secret in "[a-z]{12}") {
            let _ = redact(&before);
            let sql = format!("SELECT '{secret}' FROM t WHERE x = \"{secret}\"");
            prop_assert!(!redact(&sql).contains(&secret));
        }

        #[test]
        fn a_cut_text_is_never_longer_than_asked(text in "\\PC{0,40}", bytes in 0_usize..60) {
            let kept = cut(&text, bytes);
            prop_assert!(kept.len() <= bytes + '…'.len_utf8());
            prop_assert!(text.starts_with(kept.trim_end_matches('…')) || text.ends_with('…'));
        }
    }
}
