//! The grammar of JSON (RFC 8259), strictly, over the bytes of one line.

use memchr::memchr2;

use super::fault::{Fault, FaultKind};

/// How many values may lie within each other.
pub(super) const DEEPEST: usize = 50;

/// Reads a line from its beginning to its end.
#[derive(Clone, Debug)]
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
}

/// A value, or the beginning of one: the inside of objects and arrays comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value<'a> {
    Null,
    Truth(bool),
    /// As it is written, and whether it has neither a point nor an exponent.
    Number(&'a str, bool),
    Text(Text<'a>),
    Object,
    Array,
}

/// What stands between quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Text<'a> {
    /// As it is written.
    pub(super) raw: &'a str,
    pub(super) escaped: bool,
    /// Where its opening quote is.
    pub(super) at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Scanner { bytes, at: 0, depth: 0 }
    }

    /// Where the next value, key or mark begins, or the line's end.
    pub(super) fn place(&mut self) -> usize {
        while let Some(b' ' | b'\t' | b'\r') = self.bytes.get(self.at) {
            self.at += 1;
        }
        self.at
    }

    /// Whether nothing is left.
    pub(super) fn is_done(&mut self) -> bool {
        self.place() == self.bytes.len()
    }

    /// What is written between two places.
    pub(super) fn written(&self, start: usize) -> &'a [u8] {
        self.bytes.get(start..self.at).unwrap_or_default()
    }

    /// The next value.
    pub(super) fn value(&mut self) -> Result<Value<'a>, Fault> {
        let start = self.place();
        match self.bytes.get(start) {
            Some(b'"') => self.text().map(Value::Text),
            Some(b'0'..=b'9' | b'-') => self.number(),
            Some(b'{') => self.open(Value::Object),
            Some(b'[') => self.open(Value::Array),
            Some(b't') => self.word(b"true", Value::Truth(true)),
            Some(b'f') => self.word(b"false", Value::Truth(false)),
            Some(b'n') => self.word(b"null", Value::Null),
            Some(b'N' | b'I' | b'u') => Err(FaultKind::Word.at(start)),
            Some(b'+' | b'.') => Err(FaultKind::Number.at(start)),
            None => Err(FaultKind::Unfinished.at(start)),
            Some(_) => Err(FaultKind::Expected("a value").at(start)),
        }
    }

    /// The object that a line is, opened.
    pub(super) fn record(&mut self) -> Result<(), Fault> {
        let start = self.place();
        match self.bytes.get(start) {
            Some(b'{') => self.value().map(|_| ()),
            Some(b'[' | b'"' | b'0'..=b'9' | b'-' | b't' | b'f' | b'n') => Err(FaultKind::NotObject.at(start)),
            _ => Err(FaultKind::Expected("{").at(start)),
        }
    }

    /// The next key of an object that was opened, up to behind its colon; `None` at the object's end. `first` is true at first.
    pub(super) fn key(&mut self, first: &mut bool) -> Result<Option<Text<'a>>, Fault> {
        if !self.goes_on(b'}', first, "a comma or }")? {
            return Ok(None);
        }
        let start = self.place();
        match self.bytes.get(start) {
            Some(b'"') => {}
            None => return Err(FaultKind::Unfinished.at(start)),
            Some(_) => return Err(FaultKind::Expected("a key in quotes").at(start)),
        }
        let key = self.text()?;
        let colon = self.place();
        match self.bytes.get(colon) {
            Some(b':') => self.at += 1,
            None => return Err(FaultKind::Unfinished.at(colon)),
            Some(_) => return Err(FaultKind::Expected("a colon").at(colon)),
        }
        Ok(Some(key))
    }

    /// Whether an array that was opened has another item. `first` is true at first.
    pub(super) fn item(&mut self, first: &mut bool) -> Result<bool, Fault> {
        self.goes_on(b']', first, "a comma or ]")
    }

    /// Passes over a value and all in it.
    pub(super) fn pass(&mut self) -> Result<(), Fault> {
        let value = self.value()?;
        self.pass_rest(value)
    }

    /// Passes over what is in a value that was opened.
    pub(super) fn pass_rest(&mut self, value: Value<'_>) -> Result<(), Fault> {
        let mut first = true;
        match value {
            Value::Object => {
                while self.key(&mut first)?.is_some() {
                    self.pass()?;
                }
            }
            Value::Array => {
                while self.item(&mut first)? {
                    self.pass()?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// An error unless the line ends here.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        if self.is_done() { Ok(()) } else { Err(FaultKind::Behind.at(self.at)) }
    }

    fn open(&mut self, value: Value<'a>) -> Result<Value<'a>, Fault> {
        if self.depth == DEEPEST {
            return Err(FaultKind::Deep.at(self.at));
        }
        self.depth += 1;
        self.at += 1;
        Ok(value)
    }

    /// Whether something follows before `close`, behind a comma unless it is the first.
    fn goes_on(&mut self, close: u8, first: &mut bool, expected: &'static str) -> Result<bool, Fault> {
        let start = self.place();
        let first = std::mem::replace(first, false);
        match self.bytes.get(start) {
            Some(byte) if *byte == close => {
                self.at += 1;
                self.depth = self.depth.saturating_sub(1);
                Ok(false)
            }
            None => Err(FaultKind::Unfinished.at(start)),
            Some(_) if first => Ok(true),
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(_) => Err(FaultKind::Expected(expected).at(start)),
        }
    }

    fn word(&mut self, word: &[u8], value: Value<'a>) -> Result<Value<'a>, Fault> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let goes_on = rest.get(word.len()).is_some_and(|next| next.is_ascii_alphanumeric());
        if !rest.starts_with(word) || goes_on {
            return Err(FaultKind::Word.at(self.at));
        }
        self.at += word.len();
        Ok(value)
    }

    fn digits(&mut self) -> usize {
        let before = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at - before
    }

    fn takes(&mut self, one: impl Fn(u8) -> bool) -> bool {
        let taken = self.bytes.get(self.at).is_some_and(|byte| one(*byte));
        self.at += usize::from(taken);
        taken
    }

    fn number(&mut self) -> Result<Value<'a>, Fault> {
        let start = self.at;
        self.takes(|byte| byte == b'-');
        if self.bytes.get(self.at) == Some(&b'I') {
            return Err(FaultKind::Word.at(start));
        }
        let first = self.at;
        let digits = self.digits();
        let mut right = digits == 1 || (digits > 1 && self.bytes.get(first) != Some(&b'0'));
        let mut whole = true;
        if self.takes(|byte| byte == b'.') {
            whole = false;
            right &= self.digits() > 0;
        }
        if self.takes(|byte| matches!(byte, b'e' | b'E')) {
            whole = false;
            self.takes(|byte| matches!(byte, b'+' | b'-'));
            right &= self.digits() > 0;
        }
        right &= !self.bytes.get(self.at).is_some_and(|next| next.is_ascii_alphanumeric() || *next == b'.');
        match std::str::from_utf8(self.written(start)) {
            Ok(written) if right => Ok(Value::Number(written, whole)),
            _ => Err(FaultKind::Number.at(start)),
        }
    }

    /// A text from its opening quote to behind its closing one.
    fn text(&mut self) -> Result<Text<'a>, Fault> {
        let quote = self.at;
        let start = quote + 1;
        let mut at = start;
        let mut escaped = false;
        loop {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let Some(length) = memchr2(b'"', b'\\', rest) else {
                return Err(FaultKind::Unfinished.at(self.bytes.len()));
            };
            at += length;
            if self.bytes.get(at) == Some(&b'"') {
                break;
            }
            escaped = true;
            at = self.escape(at)?;
        }
        let written = self.bytes.get(start..at).unwrap_or_default();
        if let Some(place) = written.iter().position(|byte| *byte < 0x20) {
            let byte = written.get(place).copied().unwrap_or_default();
            return Err(FaultKind::Control(byte).at(start + place));
        }
        let raw = std::str::from_utf8(written).map_err(|error| {
            let byte = written.get(error.valid_up_to()).copied().unwrap_or_default();
            FaultKind::Utf8(byte).at(start + error.valid_up_to())
        })?;
        self.at = at + 1;
        Ok(Text { raw, escaped, at: quote })
    }

    /// Where an escape ends that begins at `at`.
    fn escape(&self, at: usize) -> Result<usize, Fault> {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 2),
            Some(b'u') => match self.bytes.get(at + 2..at + 6) {
                Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => Ok(at + 6),
                Some(_) => Err(FaultKind::Escape.at(at)),
                None => Err(FaultKind::Unfinished.at(self.bytes.len())),
            },
            Some(_) => Err(FaultKind::Escape.at(at)),
            None => Err(FaultKind::Unfinished.at(self.bytes.len())),
        }
    }
}

impl<'a> Text<'a> {
    /// What it says; written into `scratch` where there are escapes.
    pub(super) fn said<'b>(&self, scratch: &'b mut String) -> Result<&'b str, Fault>
    where
        'a: 'b,
    {
        if !self.escaped {
            return Ok(self.raw);
        }
        scratch.clear();
        let mut rest = self.raw;
        while let Some((before, behind)) = rest.split_once('\\') {
            scratch.push_str(before);
            let place = self.at + 1 + before.len() + (self.raw.len() - rest.len());
            let (said, length) = unescaped(behind).ok_or(FaultKind::Surrogate.at(place))?;
            scratch.push(said);
            rest = behind.get(length..).unwrap_or_default();
        }
        scratch.push_str(rest);
        Ok(scratch)
    }
}

/// The character of an escape whose backslash stands before `text`, and the length of the escape without it.
fn unescaped(text: &str) -> Option<(char, usize)> {
    let said = match text.bytes().next()? {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text),
        other => char::from(other),
    };
    Some((said, 1))
}

/// `uXXXX`, or two of them that are a surrogate pair.
fn unicode(text: &str) -> Option<(char, usize)> {
    let unit = |digits: Option<&str>| u32::from_str_radix(digits?, 16).ok();
    let high = unit(text.get(1..5))?;
    if let Some(said) = char::from_u32(high) {
        return Some((said, 5));
    }
    let low = unit(text.get(5..).and_then(|rest| rest.strip_prefix("\\u")).and_then(|rest| rest.get(..4)))?;
    let pair = (0xd800..0xdc00).contains(&high) && (0xdc00..0xe000).contains(&low);
    let said = pair.then(|| char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))).flatten()?;
    Some((said, 11))
}

#[cfg(test)]
mod tests;
