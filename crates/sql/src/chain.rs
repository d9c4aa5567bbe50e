//! Names with all their dots, where they stand.

use std::ops::Range;

use crate::lex::Token;
use crate::{Dialect, Name, NamePart};

/// A name with its dots, outside of strings and comments.
#[derive(Debug)]
pub(crate) struct Chain {
    pub(crate) name: Name,
    pub(crate) range: Range<usize>,
    /// A parenthesis follows.
    pub(crate) called: bool,
}

/// Every name of a text, keywords among them. A `.*` at the end is not part of the name.
pub(crate) fn chains(sql: &str, tokens: &[Token], dialect: Dialect) -> Vec<Chain> {
    let code: Vec<&Token> = tokens.iter().filter(|token| !token.is_blank()).collect();
    let mut rest = code.as_slice();
    let mut chains = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        let Some(part) = NamePart::from_token(first, sql, dialect) else { continue };
        let mut range = first.range.clone();
        let mut parts = vec![part];
        while let [dot, next, after @ ..] = rest
            && dot.is_symbol(sql, ".")
            && let Some(part) = NamePart::from_token(next, sql, dialect)
        {
            parts.push(part);
            range.end = next.range.end;
            rest = after;
        }
        let called = rest.first().is_some_and(|next| next.is_symbol(sql, "("));
        chains.push(Chain { name: Name(parts), range, called });
    }
    chains
}
