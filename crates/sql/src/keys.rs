//! Ranges of whole-number keys with about the same number of rows, found by looking at a few rows only.
//!
//! Keys may be dense, sparse, skewed or all three. A probe asks how far 200 rows reach from some key on: that is the
//! density there, and with it the number of rows in a range can be guessed. The range that seems to hold most is halved
//! until all are light enough; then light neighbours are joined.

use bowshot_core::Result;

/// How many rows a probe passes over.
const PROBE_ROWS: i64 = 200;
/// How often a range is halved at most: a skewed table needs about 60 for every place where its rows lie dense.
const MOST_HALVINGS: usize = 600;

/// The first halvings go to the widest ranges, whatever they seem to hold: few rows at the start of a range may hide many.
const WIDEST_FIRST: usize = 20;

/// Keys from `first` to `last`, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRange {
    /// The lowest key that may be in it.
    pub first: i64,
    /// The highest key that may be in it.
    pub last: i64,
    /// About how many rows.
    pub rows: u64,
}

/// At most about `count` ranges that together are all keys there can be; each has at least about `least` rows. None for
/// an empty table.
///
/// `after(key, offset)` is the key `offset` rows after the first one that is at least `key`: `SELECT k FROM t WHERE k >= key
/// ORDER BY k LIMIT 1 OFFSET offset`.
pub fn balanced_ranges(
    count: u64,
    least: u64,
    mut after: impl FnMut(i64, i64) -> Result<Option<i64>>,
) -> Result<Vec<KeyRange>> {
    let Some(whole) = guess(i64::MIN, i64::MAX, &mut after)? else { return Ok(Vec::new()) };
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
        let halves = [guess(range.first, middle, &mut after)?, guess(middle + 1, range.last, &mut after)?];
        ranges.splice(index..=index, halves.into_iter().flatten());
    }
    let share = share(&ranges, count, least);
    Ok(joined(&ranges, share))
}

/// The part of a range from its first row on, and about how many rows it has; `None` if it has none.
fn guess(first: i64, last: i64, after: &mut impl FnMut(i64, i64) -> Result<Option<i64>>) -> Result<Option<KeyRange>> {
    let Some(start) = after(first, 0)?.filter(|start| *start <= last) else { return Ok(None) };
    let rows = match after(start, PROBE_ROWS)?.filter(|end| *end <= last) {
        None => PROBE_ROWS.unsigned_abs(),
        Some(end) => {
            let rows = u128::from(last.abs_diff(start)) * u128::from(PROBE_ROWS.unsigned_abs());
            u64::try_from(rows / u128::from(end.abs_diff(start)).max(1)).unwrap_or(u64::MAX)
        }
    };
    Ok(Some(KeyRange { first: start, last, rows }))
}

/// How many rows a range should have.
fn share(ranges: &[KeyRange], count: u64, least: u64) -> u64 {
    let rows = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.rows));
    (rows / count.max(1)).max(least).max(1)
}

/// Neighbours joined until each has a share, without gaps, from the lowest key that there can be to the highest.
fn joined(ranges: &[KeyRange], share: u64) -> Vec<KeyRange> {
    let mut result: Vec<KeyRange> = Vec::new();
    for range in ranges {
        match result.last_mut() {
            Some(last) if last.rows.saturating_add(range.rows) <= share => {
                last.rows = last.rows.saturating_add(range.rows);
                last.last = range.last;
            }
            // Between two ranges there is nothing.
            Some(last) => {
                let first = last.last.saturating_add(1);
                result.push(KeyRange { first, ..*range });
            }
            None => result.push(KeyRange { first: i64::MIN, ..*range }),
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranges of a table with these keys, and how many rows each really has.
    fn ranges(keys: &[i64], count: u64, least: u64) -> Vec<usize> {
        let after = |key: i64, offset: i64| {
            let start = keys.partition_point(|known| *known < key);
            Ok(usize::try_from(offset).ok().and_then(|offset| keys.get(start + offset)).copied())
        };
        let ranges = balanced_ranges(count, least, after).unwrap();
        if let (Some(first), Some(last)) = (ranges.first(), ranges.last()) {
            assert_eq!((first.first, last.last), (i64::MIN, i64::MAX));
        }
        assert!(ranges.windows(2).all(|pair| pair[0].last + 1 == pair[1].first), "a gap: {ranges:?}");
        let rows = |range: &KeyRange| keys.iter().filter(|key| (range.first..=range.last).contains(key)).count();
        ranges.iter().map(rows).collect()
    }

    #[test]
    fn ranges_are_balanced_whatever_the_keys() {
        let dense: Vec<i64> = (0..100_000).collect();
        let sparse: Vec<i64> = (0..100_000).map(|n| n * 1_000_003 - (1 << 40)).collect();
        let mut skewed: Vec<i64> = (0..90_000).chain((0..10_000).map(|n| (1 << 50) + n * 1_000_000)).collect();
        skewed.sort_unstable();
        for keys in [dense, sparse, skewed] {
            let rows = ranges(&keys, 16, 1_000);
            assert_eq!(rows.iter().sum::<usize>(), keys.len());
            assert!(rows.len() >= 8 && rows.iter().all(|rows| *rows < 20_000), "{rows:?}");
        }
    }

    #[test]
    fn small_tables_have_one_range_and_empty_ones_none() {
        assert_eq!(ranges(&[1, 5, 9], 16, 1_000), [3]);
        assert_eq!(ranges(&[i64::MIN, i64::MAX], 16, 1_000), [2]);
        assert!(ranges(&[], 16, 1_000).is_empty());
    }
}
