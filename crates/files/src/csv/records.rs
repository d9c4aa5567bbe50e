//! Bytes to records and fields, as RFC 4180 says, strictly.
//!
//! A quote opens a field at its beginning and nowhere else, and behind the closing one comes the end of the field. That is
//! what makes a count of quotes tell whether a place is inside of a quoted field, which ranges are split by. What ends a
//! line is settled by the first line of a file: LF with any number of CRs before it, or CR alone. The other one is then
//! data in a quoted field, and a fault elsewhere.

use memchr::{memchr, memchr2};

use super::Rules;
use super::ends::Ends;

/// Where a field is, without its quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) quoted: bool,
    /// Whether there are doubled quotes or escapes in it.
    pub(super) escaped: bool,
}

/// Why bytes are no records.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) kind: FaultKind,
}

#[derive(Debug, PartialEq)]
pub(super) enum FaultKind {
    /// A quote within a field that does not begin with one, or text behind the closing one.
    Quote,
    /// A quoted field has no end.
    Open,
    /// A record has these many fields.
    Width(usize),
    /// A CR where LF ends lines, outside of quotes.
    Return,
    /// An LF where CR ends lines, outside of quotes.
    Feed,
    /// An escape before a letter or a digit, which programs read in different ways, or before the end of the file.
    Escape(Option<char>),
}

/// Whole records, as fields.
#[derive(Debug)]
pub(super) struct Records {
    /// How many fields a record has; the first one tells where this is `None`.
    pub(super) width: Option<usize>,
    pub(super) fields: Vec<Field>,
    pub(super) rows: usize,
    /// What ends a line; the first end of one tells where this is `None`.
    pub(super) ends: Option<Ends>,
    delimiter: u8,
    quote: Option<u8>,
    escape: Option<u8>,
    /// Bytes that end a field, must not be in it, or change what comes after them.
    special: [bool; 256],
}

/// Where a record stops.
enum Stop {
    /// At a delimiter: the next field begins here.
    Field(usize),
    /// The next record begins here.
    Record(usize),
    /// The bytes end before that is known.
    Unknown,
}

impl Records {
    pub(super) fn new(rules: &Rules, width: Option<usize>) -> Self {
        let mut special = [false; 256];
        for byte in [rules.delimiter, b'\n', b'\r'].into_iter().chain(rules.quote).chain(rules.escape) {
            if let Some(special) = special.get_mut(usize::from(byte)) {
                *special = true;
            }
        }
        let Rules { delimiter, quote, escape, ends, .. } = *rules;
        Records { width, fields: Vec::new(), rows: 0, ends, delimiter, quote, escape, special }
    }

    /// Takes apart the whole records of `bytes`, at most `most`; where the first one that is not whole begins.
    ///
    /// `last` says that nothing follows, so that the last record needs no line end.
    pub(super) fn split(&mut self, bytes: &[u8], last: bool, most: usize) -> Result<usize, Fault> {
        self.fields.clear();
        self.rows = 0;
        let mut at = 0;
        while at < bytes.len() && self.rows < most {
            let before = self.fields.len();
            match self.record(bytes, at, last)? {
                Some(end) => {
                    self.count(before, at)?;
                    at = end;
                }
                None => {
                    self.fields.truncate(before);
                    break;
                }
            }
        }
        Ok(at)
    }

    /// Counts a record in; a blank line is none, unless records have one field.
    fn count(&mut self, before: usize, at: usize) -> Result<(), Fault> {
        let fields = self.fields.len() - before;
        let blank = fields == 1 && self.fields.last().is_some_and(|field| !field.quoted && field.start == field.end);
        if blank && self.width != Some(1) {
            self.fields.truncate(before);
            return Ok(());
        }
        if *self.width.get_or_insert(fields) != fields {
            return Err(Fault { at, kind: FaultKind::Width(fields) });
        }
        self.rows += 1;
        Ok(())
    }

    /// One record from `at`; where the next one begins, or `None` where this one is not whole.
    fn record(&mut self, bytes: &[u8], mut at: usize, last: bool) -> Result<Option<usize>, Fault> {
        loop {
            let quote = self.quote.filter(|quote| bytes.get(at) == Some(quote));
            let found = match quote {
                Some(quote) => self.quoted(bytes, at, quote, last)?,
                None => self.plain(bytes, at, last)?,
            };
            let Some((field, end)) = found else { return Ok(None) };
            self.fields.push(field);
            match self.stop(bytes, end, last)? {
                Stop::Field(next) => at = next,
                Stop::Record(next) => return Ok(Some(next)),
                Stop::Unknown => return Ok(None),
            }
        }
    }

    /// A field that does not begin with a quote, and where it ends.
    fn plain(&self, bytes: &[u8], start: usize, last: bool) -> Result<Option<(Field, usize)>, Fault> {
        let mut at = start;
        let mut escaped = false;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let length = rest.iter().position(|byte| self.special.get(usize::from(*byte)) == Some(&true));
            let end = length.map_or(bytes.len(), |length| at + length);
            let byte = bytes.get(end).copied();
            if byte.is_some() && byte == self.escape {
                if end == start && bytes.get(end + 1) == Some(&b'N') {
                    // By itself it is NULL.
                    match bytes.get(end + 2) {
                        None if !last => return Ok(None),
                        Some(next) if self.special.get(usize::from(*next)) != Some(&true) => {}
                        _ => {
                            at = end + 2;
                            continue;
                        }
                    }
                }
                let Some(next) = escape_end(bytes, end, last)? else { return Ok(None) };
                (at, escaped) = (next, true);
                continue;
            }
            if byte.is_some() && byte == self.quote {
                return Err(Fault { at: end, kind: FaultKind::Quote });
            }
            return Ok(Some((Field { start: place(start), end: place(end), quoted: false, escaped }, end)));
        }
    }

    /// A field from its opening quote on, and what comes behind its closing one.
    fn quoted(&self, bytes: &[u8], open: usize, quote: u8, last: bool) -> Result<Option<(Field, usize)>, Fault> {
        let mut at = open + 1;
        let mut escaped = false;
        loop {
            let rest = bytes.get(at..).unwrap_or_default();
            let length = match self.escape {
                Some(escape) => memchr2(quote, escape, rest),
                None => memchr(quote, rest),
            };
            let Some(length) = length else {
                return if last { Err(Fault { at: open, kind: FaultKind::Open }) } else { Ok(None) };
            };
            let end = at + length;
            if bytes.get(end) != Some(&quote) {
                let Some(next) = escape_end(bytes, end, last)? else { return Ok(None) };
                (at, escaped) = (next, true);
                continue;
            }
            match bytes.get(end + 1) {
                Some(next) if *next == quote => (at, escaped) = (end + 2, true),
                // Whether a second quote follows is not known yet.
                None if !last => return Ok(None),
                _ => {
                    let field = Field { start: place(open + 1), end: place(end), quoted: true, escaped };
                    return Ok(Some((field, end + 1)));
                }
            }
        }
    }

    /// What stands behind a field.
    fn stop(&mut self, bytes: &[u8], end: usize, last: bool) -> Result<Stop, Fault> {
        let fault = |kind| Err(Fault { at: end, kind });
        match bytes.get(end) {
            Some(byte) if *byte == self.delimiter => Ok(Stop::Field(end + 1)),
            Some(b'\n') if self.ends == Some(Ends::Return) => fault(FaultKind::Feed),
            Some(b'\n') => {
                self.ends = Some(Ends::Feed);
                Ok(Stop::Record(end + 1))
            }
            Some(b'\r') if self.ends == Some(Ends::Return) => Ok(Stop::Record(end + 1)),
            Some(b'\r') => {
                // A text that was translated twice has CR CR LF.
                let rest = bytes.get(end..).unwrap_or_default();
                let returns = rest.iter().take_while(|byte| **byte == b'\r').count();
                match rest.get(returns) {
                    Some(b'\n') => {
                        self.ends = Some(Ends::Feed);
                        Ok(Stop::Record(end + returns + 1))
                    }
                    None if !last => Ok(Stop::Unknown),
                    None if self.ends == Some(Ends::Feed) => Ok(Stop::Record(bytes.len())),
                    _ if self.ends == Some(Ends::Feed) => fault(FaultKind::Return),
                    _ => {
                        self.ends = Some(Ends::Return);
                        Ok(Stop::Record(end + 1))
                    }
                }
            }
            Some(_) => fault(FaultKind::Quote),
            None => Ok(if last { Stop::Record(bytes.len()) } else { Stop::Unknown }),
        }
    }
}

/// Behind an escape and what it takes the meaning of; `None` where the bytes end before.
pub(super) fn escape_end(bytes: &[u8], escape: usize, last: bool) -> Result<Option<usize>, Fault> {
    let fault = |found| Err(Fault { at: escape, kind: FaultKind::Escape(found) });
    match (bytes.get(escape + 1), bytes.get(escape + 2)) {
        (Some(byte), _) if byte.is_ascii_alphanumeric() => fault(Some(char::from(*byte))),
        // The two are one line end.
        (Some(b'\r'), Some(b'\n')) => Ok(Some(escape + 3)),
        (Some(b'\r'), None) if !last => Ok(None),
        (Some(_), _) => Ok(Some(escape + 2)),
        (None, _) if last => fault(None),
        (None, _) => Ok(None),
    }
}

/// Blocks are kept below 2^32 bytes.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
