//! A text as a server sees it: its code without blanks and comments.

use crate::lex::{Kind, Token};

/// A piece of code.
#[derive(Clone, Debug)]
pub(super) struct Piece<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    /// A word in small letters, a symbol as it is; empty for literals and quoted names.
    pub(super) low: String,
    /// Its first byte in the text.
    start: usize,
    /// Nothing stands between it and the piece before.
    pub(super) glued: bool,
}

/// The code of a statement.
#[derive(Debug)]
pub(super) struct Code<'a> {
    pub(super) pieces: Vec<Piece<'a>>,
    /// For each parenthesis or bracket that opens, the one that closes it.
    closes: Vec<Option<usize>>,
    /// For each piece, the innermost parenthesis that holds it.
    holders: Vec<Option<usize>>,
}

impl<'a> Code<'a> {
    /// The code without semicolons at its end.
    pub(super) fn of(sql: &'a str, tokens: &[Token]) -> Self {
        let mut pieces: Vec<Piece<'a>> = Vec::new();
        let mut end = None;
        for token in tokens.iter().filter(|token| !token.is_blank()) {
            let text = token.text(sql);
            let low = match token.kind {
                Kind::Word => text.to_lowercase(),
                Kind::Symbol => text.to_owned(),
                _ => String::new(),
            };
            let start = token.range.start;
            pieces.push(Piece { kind: token.kind, text, low, start, glued: end == Some(start) });
            end = Some(token.range.end);
        }
        while pieces.last().is_some_and(|piece| piece.low == ";") {
            pieces.pop();
        }
        let (mut closes, mut holders) = (vec![None; pieces.len()], vec![None; pieces.len()]);
        let mut open: Vec<usize> = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            if let Some(holder) = holders.get_mut(index) {
                *holder = open.last().copied();
            }
            match piece.low.as_str() {
                "(" => open.push(index),
                ")" => {
                    if let Some(close) = open.pop().and_then(|opened| closes.get_mut(opened)) {
                        *close = Some(index);
                    }
                }
                _ => {}
            }
        }
        Code { pieces, closes, holders }
    }

    /// The word or symbol at a place; empty where there is none, or a literal.
    pub(super) fn low(&self, index: usize) -> &str {
        self.pieces.get(index).map_or("", |piece| piece.low.as_str())
    }

    /// The one before.
    pub(super) fn before(&self, index: usize) -> &str {
        index.checked_sub(1).map_or("", |index| self.low(index))
    }

    pub(super) fn kind(&self, index: usize) -> Option<Kind> {
        self.pieces.get(index).map(|piece| piece.kind)
    }

    pub(super) fn is_word(&self, index: usize) -> bool {
        self.kind(index) == Some(Kind::Word)
    }

    /// Whether the piece follows the one before without a blank.
    pub(super) fn is_glued(&self, index: usize) -> bool {
        self.pieces.get(index).is_some_and(|piece| piece.glued)
    }

    /// The byte of the text where a piece begins.
    pub(super) fn start(&self, index: usize) -> Option<usize> {
        self.pieces.get(index).map(|piece| piece.start)
    }

    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Behind the parenthesis that closes the one at `index`; the end where it is never closed.
    pub(super) fn behind(&self, index: usize) -> usize {
        self.closes.get(index).copied().flatten().map_or(self.len(), |close| close + 1)
    }

    /// The word before the parenthesis that holds a piece: the function whose argument it is a part of.
    pub(super) fn function(&self, index: usize) -> &str {
        self.holders.get(index).copied().flatten().map_or("", |holder| self.before(holder))
    }

    /// Whether the words from `index` on are these.
    pub(super) fn has(&self, index: usize, words: &[&str]) -> bool {
        words.iter().zip(index..).all(|(word, index)| self.low(index) == *word)
    }

    /// Words for a message, as they were written.
    pub(super) fn shown(&self, index: usize, count: usize) -> String {
        let words = self.pieces.iter().skip(index).take(count).map(|piece| match piece.kind {
            Kind::Word => piece.text.to_uppercase(),
            _ => piece.text.to_owned(),
        });
        let words = words.collect::<Vec<_>>().join(" ");
        if words.chars().count() > 40 { words.chars().take(39).chain(['…']).collect() } else { words }
    }
}
