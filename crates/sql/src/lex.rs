//! Cuts SQL into the pieces that matter here: what is a string, a quoted name or a comment, and what is code.
//!
//! sqlparser's tokenizer gives up on text that it does not know and forgets where bytes stood; this one does neither.

use std::ops::Range;

use crate::Dialect;

/// What a piece of SQL is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// White space.
    Space,
    /// A comment with its delimiters.
    Comment,
    /// A string literal with its quotes, without its prefix (`E`, `U&`, `N`), which is a word before it.
    Text,
    /// A quoted name with its quotes.
    QuotedName,
    /// A name, a keyword or a number.
    Word,
    /// One character of anything else.
    Symbol,
}

/// A piece of SQL. The pieces cover the text without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    /// Bytes of the text.
    pub(crate) range: Range<usize>,
}

impl Token {
    /// What it says.
    pub(crate) fn text<'a>(&self, sql: &'a str) -> &'a str {
        sql.get(self.range.clone()).unwrap_or_default()
    }

    /// Whether it is this one character of code.
    pub(crate) fn is_symbol(&self, sql: &str, symbol: &str) -> bool {
        self.kind == Kind::Symbol && self.text(sql) == symbol
    }

    /// Whether the database skips it.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self.kind, Kind::Space | Kind::Comment)
    }
}

/// The text ends inside a string, a quoted name or a comment; the byte where that began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unterminated(pub(crate) usize);

/// Cuts the whole text.
pub(crate) fn lex(sql: &str, dialect: Dialect) -> Result<Vec<Token>, Unterminated> {
    let lexer = Lexer { bytes: sql.as_bytes(), dialect };
    let mut tokens: Vec<Token> = Vec::new();
    let mut start = 0;
    while start < sql.len() {
        let word_before = tokens.last().filter(|token| token.kind == Kind::Word).map(|token| token.text(sql));
        let (kind, end) = lexer.token(start, word_before).ok_or(Unterminated(start))?;
        tokens.push(Token { kind, range: start..end });
        start = end;
    }
    Ok(tokens)
}

/// Whether a byte may stand in an unquoted name; all of a character beyond ASCII may.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Every delimiter is ASCII, and no byte of a longer UTF-8 character is: bytes can be compared, and all ends are
/// character boundaries.
struct Lexer<'a> {
    bytes: &'a [u8],
    dialect: Dialect,
}

impl Lexer<'_> {
    /// The token that begins at `start` and the byte after it; `None` if it never ends.
    fn token(&self, start: usize, word_before: Option<&str>) -> Option<(Kind, usize)> {
        use Dialect::{MySql, Oracle, Postgres, SqlServer, Sqlite};
        let (byte, next) = (self.at(start)?, self.at(start + 1));
        let dialect = self.dialect;
        match (byte, next) {
            (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, _) => {
                Some((Kind::Space, self.until(start, |byte| !matches!(byte, b' ' | 9..=13))))
            }
            (b'-', Some(b'-')) if dialect != MySql || self.at(start + 2).is_none_or(|byte| byte <= b' ') => {
                Some((Kind::Comment, self.until(start, |byte| byte == b'\n')))
            }
            (b'#', _) if dialect == MySql => Some((Kind::Comment, self.until(start, |byte| byte == b'\n'))),
            // `/*!` and `/*M!` begin code that MySQL and MariaDB run.
            (b'/', Some(b'*')) if !(dialect == MySql && self.is_executable(start + 2)) => {
                Some((Kind::Comment, self.comment(start)?))
            }
            (b'\'', _) => Some((Kind::Text, self.text(start, word_before)?)),
            (b'"', _) if dialect == MySql => Some((Kind::Text, self.quoted(start, b'"', true)?)),
            (b'"', _) => Some((Kind::QuotedName, self.quoted(start, b'"', false)?)),
            (b'`', _) if matches!(dialect, MySql | Sqlite) => {
                Some((Kind::QuotedName, self.quoted(start, b'`', false)?))
            }
            (b'[', _) if dialect == Sqlite => {
                let end = self.until(start, |byte| byte == b']');
                (end < self.bytes.len()).then_some((Kind::QuotedName, end + 1))
            }
            (b'[', _) if dialect == SqlServer => Some((Kind::QuotedName, self.quoted(start, b']', false)?)),
            (b'q' | b'Q', Some(b'\'')) if dialect == Oracle => Some((Kind::Text, self.own_quotes(start + 2)?)),
            (b'n' | b'N', Some(b'q' | b'Q')) if dialect == Oracle && self.at(start + 2) == Some(b'\'') => {
                Some((Kind::Text, self.own_quotes(start + 3)?))
            }
            (b'$', _) if dialect == Postgres => match self.dollar_tag(start) {
                Some(tag_end) => Some((Kind::Text, self.dollar_quoted(start, tag_end)?)),
                None => Some((Kind::Symbol, start + 1)),
            },
            (byte, _) if is_word(byte) => Some((Kind::Word, self.until(start, |byte| !self.goes_on(byte)))),
            _ => Some((Kind::Symbol, start + 1)),
        }
    }

    /// Whether a byte may stand inside an unquoted name.
    fn goes_on(&self, byte: u8) -> bool {
        is_word(byte) || byte == b'$' || (byte == b'#' && matches!(self.dialect, Dialect::SqlServer | Dialect::Oracle))
    }

    /// The end of Oracle's `q'[…]'`, whose delimiter begins at `start`.
    fn own_quotes(&self, start: usize) -> Option<usize> {
        let close = match self.at(start)? {
            b'[' => b']',
            b'{' => b'}',
            b'(' => b')',
            b'<' => b'>',
            other => other,
        };
        let rest = self.bytes.get(start + 1..)?;
        rest.windows(2).position(|pair| pair == [close, b'\'']).map(|length| start + length + 3)
    }

    fn at(&self, index: usize) -> Option<u8> {
        self.bytes.get(index).copied()
    }

    /// The first byte from `start` on for which `ends` holds, or the end of the text.
    fn until(&self, start: usize, ends: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(start..).unwrap_or_default();
        rest.iter().position(|byte| ends(*byte)).map_or(self.bytes.len(), |length| start + length)
    }

    fn is_executable(&self, start: usize) -> bool {
        self.at(start) == Some(b'!') || (self.at(start) == Some(b'M') && self.at(start + 1) == Some(b'!'))
    }

    /// The end of a `/* */` comment: those of PostgreSQL and SQL Server nest, SQLite's may end with the text.
    fn comment(&self, start: usize) -> Option<usize> {
        let (mut depth, mut index) = (1_usize, start + 2);
        loop {
            match (self.at(index), self.at(index + 1)) {
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    index += 2;
                    if depth == 0 {
                        return Some(index);
                    }
                }
                (Some(b'/'), Some(b'*')) if matches!(self.dialect, Dialect::Postgres | Dialect::SqlServer) => {
                    depth += 1;
                    index += 2;
                }
                (Some(_), _) => index += 1,
                (None, _) => return (self.dialect == Dialect::Sqlite).then_some(self.bytes.len()),
            }
        }
    }

    /// The end of a `'…'` literal.
    fn text(&self, start: usize, word_before: Option<&str>) -> Option<usize> {
        let escapes = match self.dialect {
            Dialect::Postgres => word_before.is_some_and(|word| word.eq_ignore_ascii_case("e")),
            Dialect::MySql => true,
            Dialect::Sqlite | Dialect::SqlServer | Dialect::Oracle | Dialect::Standard => false,
        };
        let mut end = self.quoted(start, b'\'', escapes)?;
        if !(escapes && self.dialect == Dialect::Postgres) {
            return Some(end);
        }
        // SQL continues a literal on the next line, and PostgreSQL then keeps reading its escapes.
        loop {
            let next = self.until(end, |byte| !matches!(byte, b' ' | 9..=13));
            let gap = self.bytes.get(end..next).unwrap_or_default();
            if self.at(next) != Some(b'\'') || !gap.contains(&b'\n') {
                return Some(end);
            }
            end = self.quoted(next, b'\'', true)?;
        }
    }

    /// The byte after the closing quote; a doubled quote stays inside, and with `escapes` one after a backslash too.
    fn quoted(&self, start: usize, quote: u8, escapes: bool) -> Option<usize> {
        let mut index = start + 1;
        loop {
            let byte = self.at(index)?;
            if byte == quote && self.at(index + 1) != Some(quote) {
                return Some(index + 1);
            }
            index += if byte == quote || (escapes && byte == b'\\') { 2 } else { 1 };
        }
    }

    /// The byte after the `$tag$` that opens a dollar quote; `None` if this `$` opens none.
    fn dollar_tag(&self, start: usize) -> Option<usize> {
        let end = self.until(start + 1, |byte| !is_word(byte));
        let begins_with_digit = self.at(start + 1).is_some_and(|byte| byte.is_ascii_digit());
        (self.at(end) == Some(b'$') && !begins_with_digit).then_some(end + 1)
    }

    fn dollar_quoted(&self, start: usize, tag_end: usize) -> Option<usize> {
        let tag = self.bytes.get(start..tag_end)?;
        let rest = self.bytes.get(tag_end..)?;
        rest.windows(tag.len()).position(|window| window == tag).map(|length| tag_end + length + tag.len())
    }
}

#[cfg(test)]
mod tests;
