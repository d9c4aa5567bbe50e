//! Where syntax trees of strangers' text are walked: they may be as deep as the text is long.

use crate::lex::{Kind, Token};

/// The stack of the thread that parses: a syntax tree is as deep as a chain of operators is long.
const STACK_BYTES: usize = 64 << 20;
/// More pieces than this are not parsed: their tree may be deeper than the stack.
pub(crate) const MOST_TOKENS: usize = 40_000;

/// Whether a text's syntax tree may be deeper than the stack.
pub(crate) fn is_too_long(sql: &str, tokens: &[Token]) -> bool {
    tokens.iter().filter(|token| deepens(token, sql)).count() > MOST_TOKENS
}

/// Whether a token may make the syntax tree deeper. Lists of literals may be as long as they like, and the parser itself
/// bounds how deep parentheses go.
fn deepens(token: &Token, sql: &str) -> bool {
    match token.kind {
        Kind::Space | Kind::Comment | Kind::Text | Kind::QuotedName => false,
        Kind::Word => !token.text(sql).starts_with(|first: char| first.is_ascii_digit()),
        Kind::Symbol => !matches!(token.text(sql), "," | "(" | ")"),
    }
}

/// Does `work` in a thread of its own, and waits for it: so deep a tree fits no ordinary stack, and a mistake of the
/// parser ends no process. `None` where the thread could not be had, or panicked.
pub(crate) fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("bowshot-sql".to_owned()).stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, work).ok().and_then(|thread| thread.join().ok())
    })
}
