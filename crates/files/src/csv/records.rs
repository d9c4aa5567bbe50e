//! Bytes to records and fields, as RFC 4180 says, strictly.
//!
//! A quote opens a field at its beginning and nowhere else, and behind the closing one comes the end of the field. That is
//! what makes a count of quotes tell whether a place is inside of a quoted field, which ranges are split by.

use memchr::memchr;

use super::Rules;

/// Where a field is, without its quotes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) quoted: bool,
    /// Whether quotes within it are written twice.
    pub(super) doubled: bool,
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
}

/// Whole records, as fields.
#[derive(Debug)]
pub(super) struct Records {
    /// How many fields a record has; the first one tells where this is `None`.
    pub(super) width: Option<usize>,
    pub(super) fields: Vec<Field>,
    pub(super) rows: usize,
    delimiter: u8,
    quote: Option<u8>,
    /// Bytes that end a field or must not be in it.
    special: [bool; 256],
}

impl Records {
    pub(super) fn new(rules: &Rules, width: Option<usize>) -> Self {
        let mut special = [false; 256];
        for byte in [rules.delimiter, b'\n'].into_iter().chain(rules.quote) {
            if let Some(special) = special.get_mut(usize::from(byte)) {
                *special = true;
            }
        }
        Records { width, fields: Vec::new(), rows: 0, delimiter: rules.delimiter, quote: rules.quote, special }
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
            let byte = bytes.get(at).copied();
            let (end, after) = match (byte, self.quote) {
                (Some(byte), Some(quote)) if byte == quote => {
                    let Some((field, after)) = quoted(bytes, at, quote, last)? else { return Ok(None) };
                    self.fields.push(field);
                    (after, after)
                }
                _ => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let length = rest.iter().position(|byte| self.special.get(usize::from(*byte)) == Some(&true));
                    let end = length.map_or(bytes.len(), |length| at + length);
                    if self.quote.is_some() && bytes.get(end).copied() == self.quote {
                        return Err(Fault { at: end, kind: FaultKind::Quote });
                    }
                    let ended =
                        bytes.get(end) != Some(&self.delimiter) && end > at && bytes.get(end - 1) == Some(&b'\r');
                    let text = if ended { end - 1 } else { end };
                    self.fields.push(Field { start: place(at), end: place(text), quoted: false, doubled: false });
                    (end, end)
                }
            };
            match bytes.get(end) {
                Some(byte) if *byte == self.delimiter => at = after + 1,
                Some(b'\n') => return Ok(Some(after + 1)),
                Some(b'\r') if bytes.get(end + 1) == Some(&b'\n') => return Ok(Some(end + 2)),
                Some(b'\r') if end + 1 == bytes.len() => return Ok(last.then_some(bytes.len())),
                Some(_) => return Err(Fault { at: end, kind: FaultKind::Quote }),
                None => return Ok(last.then_some(bytes.len())),
            }
        }
    }
}

/// A field from its opening quote on, and what comes behind its closing one.
fn quoted(bytes: &[u8], open: usize, quote: u8, last: bool) -> Result<Option<(Field, usize)>, Fault> {
    let mut at = open + 1;
    let mut doubled = false;
    loop {
        let Some(length) = memchr(quote, bytes.get(at..).unwrap_or_default()) else {
            return if last { Err(Fault { at: open, kind: FaultKind::Open }) } else { Ok(None) };
        };
        let end = at + length;
        match bytes.get(end + 1) {
            Some(next) if *next == quote => {
                doubled = true;
                at = end + 2;
            }
            // Whether a second quote follows is not known yet.
            None if !last => return Ok(None),
            _ => {
                let field = Field { start: place(open + 1), end: place(end), quoted: true, doubled };
                return Ok(Some((field, end + 1)));
            }
        }
    }
}

/// Blocks are kept below 2^32 bytes.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csv::Dialect;
    use crate::format::Format;

    fn split(text: &str, last: bool) -> Result<(Vec<Vec<String>>, usize), Fault> {
        let mut records = Records::new(&Dialect::default().completed(Format::Csv), None);
        let end = records.split(text.as_bytes(), last, usize::MAX)?;
        let text = |field: &Field| text[field.start as usize..field.end as usize].to_owned();
        let width = records.width.unwrap_or(1);
        Ok((records.fields.chunks(width).map(|record| record.iter().map(text).collect()).collect(), end))
    }

    #[test]
    fn records_are_taken_apart() {
        let (records, end) = split("a,b\r\n\r\n\"x,\ny\",\"\"\n,\"q\"\"r\"\nrest,", false).unwrap();
        assert_eq!(records, [["a", "b"], ["x,\ny", ""], ["", "q\"\"r"]]);
        assert_eq!(end, 25);
        assert_eq!(split("a,b\nc,", true).unwrap().0, [["a", "b"], ["c", ""]]);
        assert_eq!(split("a,\"b\"", false).unwrap(), (vec![], 0));
        assert_eq!(split("a,b\r", true).unwrap().0, [["a", "b"]]);
        assert_eq!(split("a\rb,c\n", true).unwrap().0, [["a\rb", "c"]]);
    }

    #[test]
    fn what_is_no_record_is_named() {
        for (text, at, kind) in [
            ("a,b\nc,d\"e\n", 7, FaultKind::Quote),
            ("a,\"b\"c\n", 5, FaultKind::Quote),
            ("a,\"b\n", 2, FaultKind::Open),
            ("a,b\nc\n", 4, FaultKind::Width(1)),
        ] {
            assert_eq!(split(text, true).unwrap_err(), Fault { at, kind }, "{text}");
        }
    }
}
