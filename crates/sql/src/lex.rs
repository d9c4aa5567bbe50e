//! Cuts SQL into the pieces that matter here: what is a string, a quoted name or a comment, and what is code.
//!
//! sqlparser's tokenizer gives up on text that it does not know and forgets where bytes stood; this one does neither.

mod rules;

use std::ops::Range;

use crate::Dialect;

pub(crate) use rules::{Backslash, Brackets, Executable, Hash, Rules};

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
    lex_by(sql, Rules::of(dialect))
}

/// Cuts the whole text by other rules than those of a dialect's defaults.
pub(crate) fn lex_by(sql: &str, rules: Rules) -> Result<Vec<Token>, Unterminated> {
    let mut lexer = Lexer { bytes: sql.as_bytes(), rules, in_executable: false };
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

fn is_blank_or_control(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7f
}

/// Whether a word before a literal is its prefix `E`. Older versions read `1E'…'` as a number and such a literal.
fn is_e(word: &str) -> bool {
    let digits = word.trim_start_matches(|character: char| character.is_ascii_digit());
    digits.eq_ignore_ascii_case("e")
}

/// Every delimiter is ASCII, and no byte of a longer UTF-8 character is: bytes can be compared, and all ends are
/// character boundaries.
struct Lexer<'a> {
    bytes: &'a [u8],
    rules: Rules,
    /// Inside of a comment that the server runs, which the next `*/` ends.
    in_executable: bool,
}

impl Lexer<'_> {
    /// The token that begins at `start` and the byte after it; `None` if it never ends.
    fn token(&mut self, start: usize, word_before: Option<&str>) -> Option<(Kind, usize)> {
        let (byte, next) = (self.at(start)?, self.at(start + 1));
        let rules = self.rules;
        match (byte, next) {
            (b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c, _) => {
                Some((Kind::Space, self.until(start, |byte| !matches!(byte, b' ' | 9..=13))))
            }
            (b'-', Some(b'-')) if !rules.dash_needs_blank || self.at(start + 2).is_none_or(is_blank_or_control) => {
                Some((Kind::Comment, self.line(start)))
            }
            (b'/', Some(b'/')) if rules.slashes => Some((Kind::Comment, self.line(start))),
            (b'#', _) if self.is_hash_comment(next) => Some((Kind::Comment, self.line(start))),
            (b'/', Some(b'*')) => self.slash_star(start),
            (b'*', Some(b'/')) if self.in_executable => {
                self.in_executable = false;
                Some((Kind::Comment, start + 2))
            }
            (b'\'', _) => Some((Kind::Text, self.text(start, word_before)?)),
            (b'"', _) if rules.double_is_text => {
                Some((Kind::Text, self.quoted(start, b'"', rules.backslash == Backslash::Always)?))
            }
            (b'"', _) => Some((Kind::QuotedName, self.quoted(start, b'"', rules.escaped_names)?)),
            (b'`', _) if rules.backticks => Some((Kind::QuotedName, self.quoted(start, b'`', rules.escaped_names)?)),
            (b'[', _) if rules.brackets == Brackets::Plain => {
                let end = self.until(start, |byte| byte == b']');
                (end < self.bytes.len()).then_some((Kind::QuotedName, end + 1))
            }
            (b'[', _) if rules.brackets == Brackets::Doubled => {
                Some((Kind::QuotedName, self.quoted(start, b']', false)?))
            }
            (b'q' | b'Q', Some(b'\'')) if rules.own_quotes => Some((Kind::Text, self.own_quotes(start + 2)?)),
            (b'n' | b'N', Some(b'q' | b'Q')) if rules.own_quotes && self.at(start + 2) == Some(b'\'') => {
                Some((Kind::Text, self.own_quotes(start + 3)?))
            }
            (b'$', _) if rules.dollar_quotes => match self.dollar_tag(start) {
                Some(tag_end) => Some((Kind::Text, self.dollar_quoted(start, tag_end)?)),
                None => Some((Kind::Symbol, start + 1)),
            },
            // `1$$` is a number before a literal, where there are such literals.
            (b'0'..=b'9', _) if rules.dollar_quotes => {
                Some((Kind::Word, self.until(start, |byte| byte == b'$' || !self.goes_on(byte))))
            }
            (byte, _) if is_word(byte) => Some((Kind::Word, self.until(start, |byte| !self.goes_on(byte)))),
            _ => Some((Kind::Symbol, start + 1)),
        }
    }

    /// A comment, or the beginning of one that the server runs.
    fn slash_star(&mut self, start: usize) -> Option<(Kind, usize)> {
        match (self.executable(start + 2), self.rules.executable) {
            // Its delimiters are code as well, so that nothing is cut out of the middle of it.
            (Some(_), Executable::Always) => Some((Kind::Symbol, start + 1)),
            (Some(Some(inside)), _) => {
                self.in_executable = true;
                Some((Kind::Comment, inside))
            }
            _ => Some((Kind::Comment, self.comment(start)?)),
        }
    }

    /// The end of a comment that a line ends.
    fn line(&self, start: usize) -> usize {
        self.until(start, |byte| byte == b'\n' || (byte == b'\r' && self.rules.return_ends_line))
    }

    fn is_hash_comment(&self, next: Option<u8>) -> bool {
        match self.rules.hash {
            Hash::Never => false,
            Hash::Comment => true,
            Hash::BeforeBlank => matches!(next, Some(b' ' | b'!')),
        }
    }

    /// Whether a comment is one that MySQL or MariaDB may run (`/*!`, `/*M!`), `start` being behind its `/*`; then, where its code
    /// begins if this server runs it.
    fn executable(&self, start: usize) -> Option<Option<usize>> {
        if self.rules.executable == Executable::Never {
            return None;
        }
        let (of_mariadb, start) = match (self.at(start), self.at(start + 1)) {
            (Some(b'!'), _) => (false, start + 1),
            (Some(b'M'), Some(b'!')) => (true, start + 2),
            _ => return None,
        };
        let (version, inside) = self.version(start);
        Some(self.rules.executable.runs(of_mariadb, version).then_some(inside))
    }

    /// The five or six digits of a version, and what follows them.
    fn version(&self, start: usize) -> (Option<u32>, usize) {
        let digits = self.until(start, |byte| !byte.is_ascii_digit()).min(start + 6);
        let text = self.bytes.get(start..digits).and_then(|digits| std::str::from_utf8(digits).ok());
        match text.filter(|text| text.len() >= 5).and_then(|text| text.parse().ok()) {
            Some(version) => (Some(version), digits),
            None => (None, start),
        }
    }

    /// Whether a byte may stand inside an unquoted name.
    fn goes_on(&self, byte: u8) -> bool {
        is_word(byte) || byte == b'$' || (byte == b'#' && self.rules.hash_in_names)
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

    /// The end of a `/* */` comment: in some databases they nest, SQLite's may end with the text.
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
                (Some(b'/'), Some(b'*')) if self.rules.nested => {
                    depth += 1;
                    index += 2;
                }
                (Some(_), _) => index += 1,
                (None, _) => return self.rules.open_end.then_some(self.bytes.len()),
            }
        }
    }

    /// The end of a `'…'` literal.
    fn text(&self, start: usize, word_before: Option<&str>) -> Option<usize> {
        let after_e = self.rules.backslash == Backslash::AfterE && word_before.is_some_and(is_e);
        let escapes = after_e || self.rules.backslash == Backslash::Always;
        let mut end = self.quoted(start, b'\'', escapes)?;
        if !after_e {
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
