//! Ranges of whole records, without reading the file from its beginning.
//!
//! In a file that follows the rules, a place is inside of a quoted field exactly where the number of quotes before it is
//! odd. So the file is looked at in blocks, side by side: each counts its quotes and its lines and notes its first line end
//! after an even and after an odd number of its own quotes. Added up from the beginning, they say which of the two is the
//! end of a record. In a file that does not follow the rules, whoever reads the first misplaced quote is still in step, and
//! reports it: wrong ranges behind it are never read in silence.

mod known;

use std::ops::Range;
use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use memchr::{memchr, memchr_iter, memchr2_iter};

use super::ends::Ends;
use crate::open::Open;
use crate::snapshot::File;

/// How much is looked at in one go.
const STEP: u64 = 1 << 20;

/// How large the ranges should be, and who looks for them.
pub(crate) struct Goal<'a> {
    pub(crate) target: u64,
    pub(crate) workers: usize,
    pub(crate) cancel: &'a Cancel,
}

/// What a block shows.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    quotes: u64,
    lines: u64,
    /// Where the byte behind a line end is, and how many lines end before it in the block: after an even number of quotes,
    /// and after an odd one.
    after: [Option<(u64, u64)>; 2],
}

/// Ranges of about `target` bytes that begin at records, each with the number of its first line.
///
/// They are remembered for as long as the file is the same.
pub(crate) fn split(
    open: &Arc<Open>,
    start: u64,
    first_line: u64,
    quote: Option<u8>,
    ends: Ends,
    goal: &Goal<'_>,
) -> Result<Vec<(Range<u64>, u64)>> {
    let File { path, size, version, .. } = open.file.as_ref();
    let (path, version) = (path.clone(), version.clone());
    let key = known::Key { path, size: *size, version, start, first_line, quote, ends, target: goal.target };
    if let Some(ranges) = known::known(&key) {
        return Ok(ranges);
    }
    let ranges = found(open, start, first_line, quote, ends, goal)?;
    known::keep(key, &open.file, &ranges);
    Ok(ranges)
}

/// Looks for them through the whole file.
fn found(
    open: &Arc<Open>,
    start: u64,
    first_line: u64,
    quote: Option<u8>,
    ends: Ends,
    goal: &Goal<'_>,
) -> Result<Vec<(Range<u64>, u64)>> {
    let Goal { target, workers, cancel } = *goal;
    let end = open.len();
    let starts: Vec<u64> = (start..end).step_by(usize::try_from(target).unwrap_or(usize::MAX)).collect();
    let share = starts.len().div_ceil(workers.max(1)).max(1);
    let look = |starts: &[u64]| -> Result<Vec<Block>> {
        starts
            .iter()
            .map(|begin| block(open, *begin..begin.saturating_add(target).min(end), (quote, ends), cancel))
            .collect()
    };
    let blocks = std::thread::scope(|scope| {
        let look = &look;
        let threads: Vec<_> = starts.chunks(share).map(|starts| scope.spawn(move || look(starts))).collect();
        let lost = |_| Error::new(ErrorKind::Internal, "a thread that looked for line ends panicked");
        let mut blocks = Vec::new();
        for thread in threads {
            blocks.extend(thread.join().map_err(lost)??);
        }
        Ok::<_, Error>(blocks)
    })?;
    let mut ranges: Vec<(Range<u64>, u64)> = vec![(start..end, first_line)];
    let (mut quotes, mut lines) = (0_u64, first_line);
    for (place, block) in blocks.iter().enumerate() {
        let [even, odd] = block.after;
        let after = if quotes.is_multiple_of(2) { even } else { odd };
        // The first range begins behind the header already.
        if let Some((at, before)) = after.filter(|(at, _)| place > 0 && *at < end) {
            if let Some((last, _)) = ranges.last_mut() {
                last.end = at;
            }
            ranges.push((at..end, lines + before));
        }
        quotes += block.quotes;
        lines += block.lines;
    }
    Ok(ranges)
}

fn block(open: &Open, range: Range<u64>, marks: (Option<u8>, Ends), cancel: &Cancel) -> Result<Block> {
    let mut block = Block::default();
    let mut at = range.start;
    while at < range.end {
        cancel.check()?;
        let length = STEP.min(range.end - at);
        let bytes = open.read(at, length)?;
        block.look(&bytes, at, marks);
        at += length;
    }
    Ok(block)
}

impl Block {
    fn look(&mut self, bytes: &[u8], at: u64, (quote, ends): (Option<u8>, Ends)) {
        let end = ends.byte();
        match quote {
            None => {
                if let (None, Some(place)) = (self.after[0], memchr(end, bytes)) {
                    self.after[0] = Some((at + place as u64 + 1, self.lines + 1));
                }
            }
            Some(quote) => self.first_ends(bytes, at, quote, end),
        }
        self.quotes += quote.map_or(0, |quote| memchr_iter(quote, bytes).count() as u64);
        self.lines += ends.count(bytes);
    }

    fn first_ends(&mut self, bytes: &[u8], at: u64, quote: u8, end: u8) {
        let (mut quotes, mut lines) = (self.quotes, self.lines);
        for place in memchr2_iter(quote, end, bytes) {
            let [even, odd] = &mut self.after;
            if even.is_some() && odd.is_some() {
                return;
            }
            if bytes.get(place) == Some(&quote) {
                quotes += 1;
                continue;
            }
            lines += 1;
            let side = if quotes.is_multiple_of(2) { even } else { odd };
            side.get_or_insert((at + place as u64 + 1, lines));
        }
    }
}

#[cfg(test)]
mod tests;
