//! Whole lines of a text, some at a time.

use std::io::Read;

use bowshot_core::{Error, ErrorKind, Result};
use memchr::{memchr_iter, memrchr};

use crate::input::fill;

/// No record is longer.
const LONGEST: usize = 1 << 30;

/// Reads lines on and on.
pub(super) struct Lines {
    input: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    /// Whether the buffer holds the rest.
    ended: bool,
    /// Where the whole lines in the buffer end.
    whole: usize,
    /// How much of them was taken.
    taken: usize,
    /// The number of the next line.
    line: u64,
    name: String,
}

impl Lines {
    /// The lines of an input, of which the first one has this number.
    pub(super) fn new(input: Box<dyn Read + Send>, line: u64, name: &str) -> Self {
        Lines { input, buffer: Vec::new(), ended: false, whole: 0, taken: 0, line, name: name.to_owned() }
    }

    /// Reads on until there is a whole line, where there is none: about `wanted` bytes at once. The first bytes, to be looked at.
    pub(super) fn fill(&mut self, wanted: usize) -> Result<&[u8]> {
        let mut wanted = wanted.max(1);
        while self.taken == self.whole && !self.ended {
            self.buffer.drain(..self.taken);
            (self.taken, self.whole) = (0, 0);
            let before = self.buffer.len();
            let more = wanted.saturating_sub(before);
            self.ended = fill(self.input.as_mut(), &mut self.buffer, more, &self.name)? < more;
            let fresh = self.buffer.get(before..).unwrap_or_default();
            self.whole = match memrchr(b'\n', fresh) {
                _ if self.ended => self.buffer.len(),
                Some(at) => before + at + 1,
                None => 0,
            };
            wanted = wanted.max(self.buffer.len()).saturating_mul(2);
            if self.whole == 0 && self.buffer.len() >= LONGEST {
                let message = format!("line {} of {} is longer than 1 GiB", self.line, self.name);
                return Err(Error::new(ErrorKind::Unsupported, message).with_hint(
                    "JSON lines hold one record per line; convert an array with: jq -c '.[]' old.json > new.jsonl",
                ));
            }
            wanted = wanted.min(LONGEST);
        }
        Ok(self.buffer.get(self.taken..).unwrap_or_default())
    }

    /// Passes over bytes of the next line.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.taken = self.whole.min(self.taken + bytes);
    }

    /// The next line with its number, without its end; `None` where no whole one is in memory.
    pub(super) fn next(&mut self) -> Option<(&[u8], u64)> {
        let rest = self.buffer.get(self.taken..self.whole).filter(|rest| !rest.is_empty())?;
        let length = memchr_iter(b'\n', rest).next();
        let line = rest.get(..length.unwrap_or(rest.len()))?;
        self.taken += length.map_or(rest.len(), |length| length + 1);
        self.line += 1;
        Some((line, self.line - 1))
    }
}
