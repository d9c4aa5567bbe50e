//! Reads the text of rows, cell by cell, without a tree of values.
//!
//! The text was checked as JSON when its answer was taken apart; what is checked here is that it has the shape of the
//! columns. Nothing here calls itself: how deep values nest is the columns' matter.

/// What is wrong with the text, as the end of a sentence that begins "the answer holds".
pub(crate) type Result<T, E = &'static str> = std::result::Result<T, E>;

/// A place in the text of rows.
#[derive(Default)]
pub(crate) struct Cursor {
    at: usize,
    /// Text that had to be unescaped.
    scratch: String,
}

/// The beginning of a value, or the whole of a simple one.
#[derive(Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Null,
    Bool(bool),
    Number(&'a str),
    Text(&'a str),
    /// Its items follow: [`Cursor::item`].
    List,
    /// Its members follow: [`Cursor::key`].
    Object,
}

impl Cursor {
    /// The next byte that means something.
    fn peek(&mut self, text: &str) -> Option<u8> {
        let bytes = text.as_bytes();
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// How many bytes were read.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// The next value, or where it begins.
    pub(crate) fn token<'a>(&'a mut self, text: &'a str) -> Result<Token<'a>> {
        let first = self.peek(text).ok_or("rows that end early")?;
        match first {
            b'"' => self.string(text).map(Token::Text),
            b'[' => {
                self.at += 1;
                Ok(Token::List)
            }
            b'{' => {
                self.at += 1;
                Ok(Token::Object)
            }
            _ => match self.word(text) {
                "null" => Ok(Token::Null),
                "true" => Ok(Token::Bool(true)),
                "false" => Ok(Token::Bool(false)),
                number if first == b'-' || first.is_ascii_digit() => Ok(Token::Number(number)),
                _ => Err("a value that JSON does not know"),
            },
        }
    }

    /// Up to the next structure.
    fn word<'a>(&mut self, text: &'a str) -> &'a str {
        let rest = text.get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b':' | b' ' | b'\t' | b'\n' | b'\r');
        let length = rest.as_bytes().iter().position(ends).unwrap_or(rest.len());
        self.at += length;
        rest.get(..length).unwrap_or_default()
    }

    /// Whether another item of a list follows; `first` is true before the first one.
    pub(crate) fn item(&mut self, text: &str, first: &mut bool) -> Result<bool> {
        self.more(text, first, b']')
    }

    /// The key of an object's next member; its value follows.
    pub(crate) fn key<'a>(&'a mut self, text: &'a str, first: &mut bool) -> Result<Option<&'a str>> {
        if !self.more(text, first, b'}')? {
            return Ok(None);
        }
        if self.peek(text) != Some(b'"') {
            return Err("a member without a name");
        }
        self.string(text).map(Some)
    }

    /// The colon between a key and its value.
    pub(crate) fn colon(&mut self, text: &str) -> Result<()> {
        if self.peek(text) != Some(b':') {
            return Err("a member without a value");
        }
        self.at += 1;
        Ok(())
    }

    fn more(&mut self, text: &str, first: &mut bool, end: u8) -> Result<bool> {
        let next = self.peek(text).ok_or("a list or an object that does not end")?;
        if next == end {
            self.at += 1;
            return Ok(false);
        }
        if !std::mem::take(first) {
            if next != b',' {
                return Err("items without a comma between them");
            }
            self.at += 1;
        }
        Ok(true)
    }

    /// The text of the next value, whatever it is.
    pub(crate) fn raw<'a>(&mut self, text: &'a str) -> Result<&'a str> {
        let first = self.peek(text).ok_or("rows that end early")?;
        let (start, bytes) = (self.at, text.as_bytes());
        let mut depth = 0_usize;
        let mut quoted = false;
        if !matches!(first, b'"' | b'[' | b'{') {
            return Ok(self.word(text));
        }
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' if quoted => self.at += 1,
                b'"' => quoted = !quoted,
                b'[' | b'{' if !quoted => depth += 1,
                b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 && !quoted {
                return text.get(start..self.at).ok_or("text that does not end");
            }
        }
        Err("a value that does not end")
    }

    /// A string, from its first quote on.
    fn string<'a>(&'a mut self, text: &'a str) -> Result<&'a str> {
        let rest = text.get(self.at + 1..).unwrap_or_default();
        let end = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\')).ok_or("text that does not end")?;
        if rest.as_bytes().get(end) == Some(&b'"') {
            self.at += end + 2;
            return rest.get(..end).ok_or("text that does not end");
        }
        self.scratch.clear();
        let length = unescape(rest, &mut self.scratch)?;
        self.at += length + 2;
        Ok(&self.scratch)
    }
}

/// Writes what stands up to the closing quote; its length.
fn unescape(rest: &str, into: &mut String) -> Result<usize> {
    let mut at = 0;
    loop {
        let tail = rest.get(at..).ok_or("text that does not end")?;
        let plain = tail.bytes().position(|byte| matches!(byte, b'"' | b'\\')).ok_or("text that does not end")?;
        into.push_str(tail.get(..plain).unwrap_or_default());
        at += plain;
        let mark = tail.as_bytes().get(plain..).unwrap_or_default();
        let (character, length) = match mark {
            [b'"', ..] => return Ok(at),
            [b'\\', b'u', ..] => unicode(mark)?,
            [b'\\', escape, ..] => (
                match escape {
                    b'b' => '\u{8}',
                    b'f' => '\u{c}',
                    b'n' => '\n',
                    b'r' => '\r',
                    b't' => '\t',
                    b'"' | b'\\' | b'/' => char::from(*escape),
                    _ => return Err("an escape that JSON does not know"),
                },
                2,
            ),
            _ => return Err("text that does not end"),
        };
        into.push(character);
        at += length;
    }
}

/// `\u0041`, or the two halves of a character beyond 16 bits.
fn unicode(mark: &[u8]) -> Result<(char, usize)> {
    const HALF: &str = "half a character";
    let unit = |at: usize| -> Option<u32> {
        let digits = mark.get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
    };
    let high = unit(0).ok_or("an escape that JSON does not know")?;
    if !(0xD800..0xDC00).contains(&high) {
        return Ok((char::from_u32(high).ok_or(HALF)?, 6));
    }
    let low = unit(6).filter(|low| (0xDC00..0xE000).contains(low)).ok_or(HALF)?;
    let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    Ok((char::from_u32(code).ok_or(HALF)?, 12))
}

#[cfg(test)]
mod tests;
