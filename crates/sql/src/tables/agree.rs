//! Whether the parser and we cut a text into the same pieces.

use sqlparser::tokenizer::{Token as Parsed, Whitespace};

use crate::from::Text;
use crate::grammar;
use crate::lex::Kind;

const DISAGREE: &str = "can be cut into names and strings in two ways";

/// What is doubtful where they do not: two readers of which one is wrong.
pub(super) fn doubt(text: &Text<'_>) -> Option<&'static str> {
    (!agree(text)).then_some(DISAGREE)
}

/// Each word and each quoted piece of the parser's must begin where one of ours begins, and there must be as many quoted
/// pieces and comments.
fn agree(text: &Text<'_>) -> bool {
    let Ok(parsed) = grammar::tokenize(text.sql, text.dialect) else { return false };
    let mut quoted = 0_usize;
    for piece in &parsed {
        match &piece.token {
            Parsed::Word(word) => {
                quoted += usize::from(word.quote_style.is_some());
                if text.locations.token(piece.span.start).is_none() {
                    return false;
                }
            }
            Parsed::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => {
                quoted += 1;
                if text.locations.token(piece.span.start).is_none() {
                    return false;
                }
            }
            Parsed::SingleQuotedString(_)
            | Parsed::DoubleQuotedString(_)
            | Parsed::DollarQuotedString(_)
            | Parsed::SingleQuotedByteStringLiteral(_)
            | Parsed::NationalStringLiteral(_)
            | Parsed::QuoteDelimitedStringLiteral(_)
            | Parsed::NationalQuoteDelimitedStringLiteral(_)
            | Parsed::EscapedStringLiteral(_)
            | Parsed::UnicodeStringLiteral(_) => quoted += 1,
            // `x'1F'`, but also `0x1F`.
            Parsed::HexStringLiteral(_) => {
                let ours = text.locations.token(piece.span.start).and_then(|index| text.tokens.get(index));
                quoted += usize::from(ours.is_some_and(|token| !token.text(text.sql).starts_with('0')));
            }
            Parsed::TripleSingleQuotedString(_)
            | Parsed::TripleDoubleQuotedString(_)
            | Parsed::DoubleQuotedByteStringLiteral(_)
            | Parsed::TripleSingleQuotedByteStringLiteral(_)
            | Parsed::TripleDoubleQuotedByteStringLiteral(_)
            | Parsed::SingleQuotedRawStringLiteral(_)
            | Parsed::DoubleQuotedRawStringLiteral(_)
            | Parsed::TripleSingleQuotedRawStringLiteral(_)
            | Parsed::TripleDoubleQuotedRawStringLiteral(_) => return false,
            _ => {}
        }
    }
    let ours = text.tokens.iter().filter(|token| matches!(token.kind, Kind::Text | Kind::QuotedName | Kind::Comment));
    ours.count() == quoted
}
