//! Whether text that the parser does not understand only reads.

use crate::lex::{Kind, Token};

/// Whether text that was not parsed is a plain read, if it is SQL at all: without INTO a SELECT writes nothing, and with
/// WITH it is taken for one only if no word of it writes.
pub(crate) fn reads(sql: &str, tokens: &[Token]) -> bool {
    let code: Vec<&Token> = tokens.iter().filter(|token| !token.is_blank()).collect();
    let end = code.iter().rposition(|token| !token.is_symbol(sql, ";")).map_or(0, |last| last + 1);
    let code = code.get(..end).unwrap_or_default();
    let first = code.iter().find(|token| !token.is_symbol(sql, "(")).map(|token| token.text(sql).to_ascii_lowercase());
    let writing: &[&str] = match first.as_deref() {
        Some("select" | "values" | "table") => &["into"],
        Some("with") => &["into", "insert", "update", "delete", "merge", "replace"],
        _ => return false,
    };
    let writes = |token: &Token| {
        token.kind == Kind::Word && writing.iter().any(|word| token.text(sql).eq_ignore_ascii_case(word))
    };
    !code.iter().any(|token| writes(token) || token.is_symbol(sql, ";"))
}
