//! The first look at a file: its names, what its values look like, and where records begin.

use std::ops::Range;
use std::sync::Arc;

use super::Rules;
use super::decode::Block;
use super::evidence::Evidence;
use super::read::fault;
use super::records::Records;
use super::separator::separator;
use super::split::{Goal, split};
use crate::error::damaged;
use crate::format::compression;
use crate::input::{byte_order_mark, fill, input};
use crate::open::Open;
use bowshot_core::{Cancel, Error, ErrorKind, Result};

/// What planning learns of one file.
pub(crate) struct Head {
    /// With what the first lines have settled.
    pub(super) rules: Rules,
    pub(super) names: Vec<String>,
    pub(super) evidence: Vec<Evidence>,
    /// Ranges of bytes, and the number of their first line.
    pub(super) pieces: Vec<(Range<u64>, u64)>,
    /// Whether the file is compressed: the only piece is a range of its text.
    pub(super) compressed: bool,
}

/// How much of the beginning is looked at for types, and how much where each further piece begins.
const SAMPLE: usize = 1 << 20;
const PROBE: u64 = 64 << 10;
/// A header is never longer.
const LONGEST: usize = 64 << 20;

impl Head {
    pub(crate) fn load(open: Arc<Open>, rules: &Rules, target: u64, workers: usize, cancel: &Cancel) -> Result<Self> {
        let name = &open.file.name;
        let mut text = Vec::new();
        let mut input = input(&open, 0, open.len())?;
        let mut last = fill(input.as_mut(), &mut text, SAMPLE, name)? < SAMPLE;
        let mut front = byte_order_mark(&text, name)?;
        let mut rules = rules.clone();
        let mut line = 1;
        if let Some((delimiter, length)) = separator(text.get(front..).unwrap_or_default(), last) {
            if !rules.named {
                rules.delimiter = delimiter;
            }
            (front, line) = (front + length, 2);
        }
        let mut records = Records::new(&rules, None);
        let body = loop {
            let rest = text.get(front..).unwrap_or_default();
            let found = records.split(rest, last, 1);
            rules.ends = records.ends;
            let end = found.map_err(|found| fault(name, rest, line, rules.ends(), &found))?;
            if records.rows == 1 || last {
                break front + if rules.header { end } else { 0 };
            }
            if text.len() > LONGEST {
                return Err(damaged(name, "its first line does not end"));
            }
            last = fill(input.as_mut(), &mut text, SAMPLE, name)? < SAMPLE;
        };
        let names = names(&rules, &records, text.get(front..).unwrap_or_default(), name)?;
        let mut evidence = vec![Evidence::default(); names.len()];
        let line = line + rules.ends().count(text.get(front..body).unwrap_or_default());
        see(&rules, text.get(body..).unwrap_or_default(), last, &mut evidence)
            .map_err(|(found, bytes)| fault(name, &bytes, line, rules.ends(), &found))?;
        let compressed = compression(name).is_some();
        let start = body as u64;
        // An escaped quote does not count: only a look from the beginning tells where records begin.
        let one = compressed || rules.escape.is_some();
        let pieces = if one || !open.is_local() || open.len() - start <= target + target / 2 {
            vec![(start..open.len().max(start), line)]
        } else {
            split(&open, start, line, rules.quote, rules.ends(), &Goal { target, workers, cancel })?
        };
        for (range, _) in pieces.iter().skip(1) {
            let length = PROBE.min(range.end - range.start);
            let bytes = open.read(range.start, length)?;
            // What is wrong here is told by whoever reads up to it.
            let _ = see(&rules, &bytes, range.start + length == range.end, &mut evidence);
        }
        Ok(Head { rules, names, evidence, pieces, compressed })
    }
}

/// The names in the header, or numbers.
fn names(rules: &Rules, records: &Records, bytes: &[u8], file: &str) -> Result<Vec<String>> {
    let width = records.width.unwrap_or(0);
    if !rules.header {
        return Ok((1..=width).map(|number| format!("column_{number}")).collect());
    }
    let block = block(rules, records, bytes, width);
    let mut scratch = Vec::new();
    let name = |column: usize| match block.value(0, column, &mut scratch) {
        None | Some([]) => Ok(format!("column_{}", column + 1)),
        Some(text) => match std::str::from_utf8(text) {
            Ok(name) => Ok(name.to_owned()),
            Err(_) => {
                Err(Error::new(ErrorKind::Value, format!("the name of column {} of {file} is not UTF-8", column + 1))
                    .with_hint("write the file again in UTF-8: iconv -f LATIN1 -t UTF-8"))
            }
        },
    };
    (0..width).map(name).collect()
}

fn block<'a>(rules: &'a Rules, records: &'a Records, bytes: &'a [u8], width: usize) -> Block<'a> {
    let quote = rules.quote.unwrap_or(b'"');
    Block {
        bytes,
        fields: &records.fields,
        width,
        rows: records.rows,
        nulls: &rules.nulls,
        quote,
        escape: rules.escape,
    }
}

/// Looks at the whole records of some bytes; on a fault at those before it, and hands the bytes back.
fn see(
    rules: &Rules,
    bytes: &[u8],
    last: bool,
    evidence: &mut [Evidence],
) -> Result<(), (super::records::Fault, Vec<u8>)> {
    let mut records = Records::new(rules, Some(evidence.len()));
    records.split(bytes, last, usize::MAX).map_err(|found| (found, bytes.to_vec()))?;
    let block = block(rules, &records, bytes, evidence.len());
    let mut scratch = Vec::new();
    for (column, evidence) in evidence.iter_mut().enumerate() {
        for row in 0..block.rows {
            if let Some(text) = block.value(row, column, &mut scratch) {
                evidence.see(text);
            }
        }
    }
    Ok(())
}
