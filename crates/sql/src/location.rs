//! From the parser's lines and columns to tokens of the text.

use sqlparser::tokenizer::Location;

use crate::lex::Token;

/// Where each token begins, as the parser counts: lines from 1, ended by `\n` alone, and in them characters, a tab as
/// one, from 1.
#[derive(Debug)]
pub(crate) struct Locations(Vec<(u64, u64)>);

impl Locations {
    /// Counts through the text once.
    pub(crate) fn of(tokens: &[Token], sql: &str) -> Locations {
        let (mut line, mut column) = (1, 1);
        let count = |token: &Token| {
            let begin = (line, column);
            for character in token.text(sql).chars() {
                (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
            }
            begin
        };
        Locations(tokens.iter().map(count).collect())
    }

    /// The index of the token that begins at a location; `None` if none does, as for nodes that the parser made up.
    pub(crate) fn token(&self, location: Location) -> Option<usize> {
        self.0.binary_search(&(location.line, location.column)).ok()
    }
}
