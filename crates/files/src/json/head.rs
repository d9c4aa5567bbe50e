//! The first look at a file: its keys, what its values look like, and where ranges of lines begin.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Result};

use super::evidence::{Fields, Look, MOST_KEYS};
use super::fault::Fault;
use super::lines::Lines;
use super::message;
use super::scan::Scanner;
use crate::csv::{Ends, Goal, split};
use crate::format::compression;
use crate::input::{byte_order_mark, input, skip};
use crate::open::Open;

/// What planning learns of one file.
pub(crate) struct Head {
    pub(super) fields: Fields,
    /// Ranges of bytes, and the number of their first line.
    pub(super) pieces: Vec<(Range<u64>, u64)>,
    /// Whether the file is compressed: the only piece is a range of its text.
    pub(super) compressed: bool,
}

/// How much to look at, and who looks.
pub(crate) struct Looking<'a> {
    /// Columns whose types the user settles: these may hold anything.
    pub(crate) settled: BTreeSet<String>,
    /// Whether to look at every record.
    pub(crate) all: bool,
    /// How large the ranges should be.
    pub(crate) target: u64,
    pub(crate) workers: usize,
    pub(crate) cancel: &'a Cancel,
}

/// How much of the beginning is looked at for types, and how much where each further piece begins.
const SAMPLE: usize = 1 << 20;
const PROBE: u64 = 64 << 10;

impl Head {
    pub(crate) fn load(open: &Arc<Open>, looking: &Looking<'_>) -> Result<Self> {
        let name = &open.file.name;
        let Looking { all, target, workers, cancel, .. } = *looking;
        let mut lines = Lines::new(input(open, 0, open.len())?, 1, name);
        let front = byte_order_mark(lines.fill(SAMPLE)?, name)?;
        lines.skip(front);
        let mut fields = Fields::default();
        if !all {
            sample(open, &mut lines, looking, &mut fields)?;
        }
        drop(lines);
        let start = front as u64;
        let compressed = compression(name).is_some();
        let pieces = if compressed || !open.is_local() || open.len() - start <= target + target / 2 {
            vec![(start..open.len().max(start), 1)]
        } else {
            split(open, start, 1, None, Ends::Feed, &Goal { target, workers, cancel })?
        };
        if all {
            fields = every(open, &pieces, looking)?;
        } else {
            for (range, line) in pieces.iter().skip(1) {
                let length = PROBE.min(range.end - range.start);
                probe(open, range.start..range.start + length, *line, looking, &mut fields);
            }
        }
        Ok(Head { fields, pieces, compressed })
    }
}

/// Looks at the whole lines of the beginning; at more, where there is no record among them.
fn sample(open: &Arc<Open>, lines: &mut Lines, looking: &Looking<'_>, fields: &mut Fields) -> Result<()> {
    let mut records = 0;
    while records == 0 && !lines.fill(SAMPLE)?.is_empty() {
        looking.cancel.check()?;
        records = see(open, lines, looking, fields)?;
    }
    Ok(())
}

/// Looks at the beginning of a further piece, up to its last whole line. What is wrong here is told by whoever reads it.
fn probe(open: &Arc<Open>, range: Range<u64>, line: u64, looking: &Looking<'_>, fields: &mut Fields) {
    let ends = range.end == open.len();
    let Ok(bytes) = open.read(range.start, range.end - range.start) else { return };
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |at| at + 1);
    let whole = if ends { bytes.len() } else { whole };
    let mut lines = Lines::new(Box::new(std::io::Cursor::new(bytes.slice(..whole))), line, &open.file.name);
    if lines.fill(whole).is_ok() {
        let _ = see(open, &mut lines, looking, fields);
    }
}

/// Looks at every line, the pieces side by side.
fn every(open: &Arc<Open>, pieces: &[(Range<u64>, u64)], looking: &Looking<'_>) -> Result<Fields> {
    let some = |pieces: &[(Range<u64>, u64)]| -> Result<Fields> {
        let mut fields = Fields::default();
        for (range, line) in pieces {
            let mut input = input(open, range.start, range.end)?;
            if compression(&open.file.name).is_some() {
                skip(input.as_mut(), range.start, &open.file.name)?;
            }
            let mut lines = Lines::new(input, *line, &open.file.name);
            while !lines.fill(SAMPLE)?.is_empty() {
                looking.cancel.check()?;
                see(open, &mut lines, looking, &mut fields)?;
            }
        }
        Ok(fields)
    };
    let share = pieces.len().div_ceil(looking.workers.max(1)).max(1);
    let found = std::thread::scope(|scope| {
        let some = &some;
        let threads: Vec<_> = pieces.chunks(share).map(|pieces| scope.spawn(move || some(pieces))).collect();
        let lost = |_| Error::new(ErrorKind::Internal, "a thread that looked at records panicked");
        threads.into_iter().map(|thread| thread.join().map_err(lost)?).collect::<Vec<Result<Fields>>>()
    });
    let mut all = Fields::default();
    for fields in found {
        all.merge(fields?);
    }
    Ok(all)
}

/// Looks at the lines in memory; how many records they have.
fn see(open: &Arc<Open>, lines: &mut Lines, looking: &Looking<'_>, fields: &mut Fields) -> Result<usize> {
    let keys_left = MOST_KEYS.saturating_sub(fields.count());
    let settled = &looking.settled;
    let mut look = Look { file: &open.file, line: 0, settled, keys_left, scratch: String::new() };
    let mut records = 0;
    while let Some((line, number)) = lines.next() {
        look.line = number;
        let seen = record(line, &mut look, fields);
        records += usize::from(seen.map_err(|fault| message::error(&open.file.name, line, number, &fault))?);
    }
    Ok(records)
}

/// Looks at the record of a line; false where the line is blank.
fn record(line: &[u8], look: &mut Look<'_>, fields: &mut Fields) -> std::result::Result<bool, Fault> {
    let mut scanner = Scanner::new(line);
    if scanner.is_done() {
        return Ok(false);
    }
    scanner.record()?;
    fields.see(&mut scanner, look, true)?;
    scanner.end()?;
    Ok(true)
}
