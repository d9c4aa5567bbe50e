//! Ranges of rowids with about the same number of rows, found by looking at a few rows only.
//!
//! Rowids may be dense, sparse, skewed or all three. A probe asks how far 200 rows reach from some rowid on: that is the
//! density there, and with it the number of rows in a range can be guessed. The range that seems to hold most is halved
//! until all are light enough; then light neighbours are joined.

use bowshot_core::{Result, Value};

use crate::handle::Database;

/// How many rows a probe passes over.
const PROBE_ROWS: i64 = 200;
/// How often a range is halved at most: a skewed table needs about 60 for every place where its rows lie dense.
const MOST_HALVINGS: usize = 600;

/// The first halvings go to the widest ranges, whatever they seem to hold: few rows at the start of a range may hide many.
const WIDEST_FIRST: usize = 20;

/// Rowids from `first` to `last`, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) first: i64,
    pub(crate) last: i64,
    /// About how many rows.
    pub(crate) rows: u64,
}

/// Where the rowids of a table are asked for.
pub(crate) struct Rowids<'a> {
    pub(crate) database: &'a Database,
    /// Schema and table, quoted.
    pub(crate) table: &'a str,
    /// `rowid`, or the other name of it that no column has.
    pub(crate) rowid: &'a str,
}

impl Rowids<'_> {
    /// At most about `count` ranges that together are all rowids there can be; each has at least about `least` rows.
    /// None for an empty table.
    pub(crate) fn ranges(&self, count: u64, least: u64) -> Result<Vec<Range>> {
        let Some(whole) = self.guess(i64::MIN, i64::MAX)? else { return Ok(Vec::new()) };
        let mut ranges = vec![whole];
        for step in 0..MOST_HALVINGS {
            // A range of no more rows than a probe passes over is known well enough.
            let open = (0..).zip(&ranges).filter(|(_, range)| range.rows > PROBE_ROWS.unsigned_abs());
            let next = if step < WIDEST_FIRST {
                open.max_by_key(|(_, range)| range.last.abs_diff(range.first))
            } else {
                // Half a share each, so that joined neighbours come close to a whole one.
                let light = share(&ranges, count, least) / 2;
                open.filter(|(_, range)| range.rows > light).max_by_key(|(_, range)| range.rows)
            };
            let Some((index, range)) = next.map(|(index, range)| (index, *range)) else { break };
            let middle = midpoint(range.first, range.last);
            let halves = [self.guess(range.first, middle)?, self.guess(middle + 1, range.last)?];
            ranges.splice(index..=index, halves.into_iter().flatten());
        }
        let share = share(&ranges, count, least);
        Ok(joined(&ranges, share))
    }

    /// The part of a range from its first row on, and about how many rows it has; `None` if it has none.
    fn guess(&self, first: i64, last: i64) -> Result<Option<Range>> {
        let Some(start) = self.after(first, 0)?.filter(|start| *start <= last) else { return Ok(None) };
        let rows = match self.after(start, PROBE_ROWS)?.filter(|end| *end <= last) {
            None => PROBE_ROWS.unsigned_abs(),
            Some(end) => {
                let rows = u128::from(last.abs_diff(start)) * u128::from(PROBE_ROWS.unsigned_abs());
                u64::try_from(rows / u128::from(end.abs_diff(start)).max(1)).unwrap_or(u64::MAX)
            }
        };
        Ok(Some(Range { first: start, last, rows }))
    }

    /// The rowid `offset` rows after the first one that is at least `rowid`.
    fn after(&self, rowid: i64, offset: i64) -> Result<Option<i64>> {
        let Rowids { database, table, rowid: name } = self;
        let sql = format!("SELECT {name} FROM {table} WHERE {name} >= ? ORDER BY {name} LIMIT 1 OFFSET ?");
        match database.scalar(&sql, &[Value::Int(rowid), Value::Int(offset)])? {
            Value::Int(rowid) => Ok(Some(rowid)),
            _ => Ok(None),
        }
    }
}

/// How many rows a range should have.
fn share(ranges: &[Range], count: u64, least: u64) -> u64 {
    let rows = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.rows));
    (rows / count.max(1)).max(least).max(1)
}

/// Neighbours joined until each has a share, without gaps, from the lowest rowid that there can be to the highest.
fn joined(ranges: &[Range], share: u64) -> Vec<Range> {
    let mut result: Vec<Range> = Vec::new();
    for range in ranges {
        match result.last_mut() {
            Some(last) if last.rows.saturating_add(range.rows) <= share => {
                last.rows = last.rows.saturating_add(range.rows);
                last.last = range.last;
            }
            // Between two ranges there is nothing.
            Some(last) => {
                let first = last.last.saturating_add(1);
                result.push(Range { first, ..*range });
            }
            None => result.push(Range { first: i64::MIN, ..*range }),
        }
    }
    if let Some(last) = result.last_mut() {
        last.last = i64::MAX;
    }
    result
}

fn midpoint(first: i64, last: i64) -> i64 {
    i64::try_from((i128::from(first) + i128::from(last)).div_euclid(2)).unwrap_or(first)
}
