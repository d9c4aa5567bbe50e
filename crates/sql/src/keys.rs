//! Ranges of whole-number keys with about the same number of rows, found by looking at a few rows only.
//!
//! Keys may be dense, sparse, skewed or all three. A probe asks how far 200 rows reach from some key on: that is the
//! density there, and with it the number of rows in a range can be guessed. Ranges that seem to hold too much are halved
//! until all are light enough; then light neighbours are joined. What one step has to know is asked for together, since the
//! database may be far away.

use bowshot_core::Result;

/// How many rows a probe passes over.
const PROBE_ROWS: i64 = 200;
/// How often ranges are halved at most: a skewed table needs about 60 for every place where its rows lie dense.
const MOST_HALVINGS: usize = 600;

/// The first steps halve all ranges, whatever they seem to hold: few rows at the start of a range may hide many.
const BLIND_STEPS: usize = 5;

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

/// Which key comes `offset` rows after the first one that is at least `from`?
///
/// `SELECT k FROM t WHERE k >= from ORDER BY k LIMIT 1 OFFSET offset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// The lowest key that counts.
    pub from: i64,
    /// How many rows to pass over.
    pub offset: i64,
}

/// At most about `count` ranges that together are all keys there can be; each has at least about `least` rows. None for
/// an empty table.
///
/// `highest` is the highest key that there is, as near as is known: from further away it takes more steps. `ask` answers
/// probes, each with a key or with `None` where there is none. It is asked about ten times; where rows lie in a few places
/// only, some dozen times.
pub fn balanced_ranges(
    highest: i64,
    count: u64,
    least: u64,
    mut ask: impl FnMut(&[Probe]) -> Result<Vec<Option<i64>>>,
) -> Result<Vec<KeyRange>> {
    let mut ranges: Vec<Stretch> = stretches(&[(i64::MIN, highest)], &mut ask)?.into_iter().flatten().collect();
    let mut left = MOST_HALVINGS;
    for step in 0.. {
        // Half a share each, so that joined neighbours come close to a whole one. A range of no more rows than a probe passes
        // over is known well enough.
        let light = if step < BLIND_STEPS { 0 } else { share(&ranges, count, least) / 2 };
        let heavy = |range: &Stretch| range.rows() > light.max(PROBE_ROWS.unsigned_abs());
        let chosen: Vec<bool> = ranges.iter().map(|range| heavy(range) && take(&mut left)).collect();
        let halved = ranges.iter().zip(&chosen).filter(|(_, chosen)| **chosen);
        let behind: Vec<(i64, i64)> = halved.map(|(range, _)| (range.middle() + 1, range.last)).collect();
        if behind.is_empty() {
            break;
        }
        let mut found = stretches(&behind, &mut ask)?.into_iter();
        ranges = ranges
            .into_iter()
            .zip(chosen)
            .flat_map(|(range, chosen)| match chosen {
                // What was seen of its beginning is what there is to know of the first half.
                true => [Some(Stretch { last: range.middle(), ..range }), found.next().flatten()],
                false => [Some(range), None],
            })
            .flatten()
            .collect();
    }
    let share = share(&ranges, count, least);
    Ok(joined(&ranges, share))
}

/// Keys from one that there is to the highest that there may be, with what was seen of them.
#[derive(Clone, Copy)]
struct Stretch {
    first: i64,
    last: i64,
    /// The key `PROBE_ROWS` rows behind the first one, wherever it lies.
    reach: Option<i64>,
}

impl Stretch {
    /// About how many rows it has.
    fn rows(&self) -> u64 {
        let Some(reach) = self.reach.filter(|reach| *reach <= self.last) else { return PROBE_ROWS.unsigned_abs() };
        let rows = u128::from(self.last.abs_diff(self.first)) * u128::from(PROBE_ROWS.unsigned_abs());
        u64::try_from(rows / u128::from(reach.abs_diff(self.first)).max(1)).unwrap_or(u64::MAX)
    }

    /// The last key of its first half.
    fn middle(&self) -> i64 {
        i64::try_from((i128::from(self.first) + i128::from(self.last)).div_euclid(2)).unwrap_or(self.first)
    }
}

/// Takes one of those that are left.
fn take(left: &mut usize) -> bool {
    let is_one = *left > 0;
    *left = left.saturating_sub(1);
    is_one
}

/// Each of these ranges from its first row on; `None` for one without rows.
fn stretches(
    ranges: &[(i64, i64)],
    ask: &mut impl FnMut(&[Probe]) -> Result<Vec<Option<i64>>>,
) -> Result<Vec<Option<Stretch>>> {
    let probes = |(from, _): &(i64, i64)| [0, PROBE_ROWS].map(|offset| Probe { from: *from, offset });
    let answers = ask(&ranges.iter().flat_map(probes).collect::<Vec<_>>())?;
    let stretch = |(answers, (_, last)): (&[Option<i64>], &(i64, i64))| match answers {
        [Some(first), reach] if first <= last => Some(Stretch { first: *first, last: *last, reach: *reach }),
        _ => None,
    };
    Ok(answers.chunks(2).zip(ranges).map(stretch).collect())
}

/// How many rows a range should have.
fn share(ranges: &[Stretch], count: u64, least: u64) -> u64 {
    let rows = ranges.iter().fold(0_u64, |sum, range| sum.saturating_add(range.rows()));
    (rows / count.max(1)).max(least).max(1)
}

/// Neighbours joined until each has a share, without gaps, from the lowest key that there can be to the highest.
fn joined(ranges: &[Stretch], share: u64) -> Vec<KeyRange> {
    let mut result: Vec<KeyRange> = Vec::new();
    for range in ranges {
        let (last, rows) = (range.last, range.rows());
        match result.last_mut() {
            Some(before) if before.rows.saturating_add(rows) <= share => {
                before.rows = before.rows.saturating_add(rows);
                before.last = last;
            }
            // Between two ranges there is nothing.
            Some(before) => {
                let first = before.last.saturating_add(1);
                result.push(KeyRange { first, last, rows });
            }
            None => result.push(KeyRange { first: i64::MIN, last, rows }),
        }
    }
    if let Some(last) = result.last_mut() {
        last.last = i64::MAX;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ranges of a table with these keys, how many rows each really has, and how often the table was asked.
    fn ranges(keys: &[i64], highest: i64, count: u64, least: u64) -> (Vec<usize>, usize) {
        let mut asked = 0;
        let answer = |probe: &Probe| {
            let start = keys.partition_point(|known| *known < probe.from);
            usize::try_from(probe.offset).ok().and_then(|offset| keys.get(start + offset)).copied()
        };
        let ask = |probes: &[Probe]| {
            asked += 1;
            Ok(probes.iter().map(answer).collect())
        };
        let ranges = balanced_ranges(highest, count, least, ask).unwrap();
        if let (Some(first), Some(last)) = (ranges.first(), ranges.last()) {
            assert_eq!((first.first, last.last), (i64::MIN, i64::MAX));
        }
        assert!(ranges.windows(2).all(|pair| pair[0].last + 1 == pair[1].first), "a gap: {ranges:?}");
        let rows = |range: &KeyRange| keys.iter().filter(|key| (range.first..=range.last).contains(key)).count();
        (ranges.iter().map(rows).collect(), asked)
    }

    #[test]
    fn ranges_are_balanced_whatever_the_keys() {
        let dense: Vec<i64> = (0..100_000).collect();
        let sparse: Vec<i64> = (0..100_000).map(|n| n * 1_000_003 - (1 << 40)).collect();
        let mut skewed: Vec<i64> = (0..90_000).chain((0..10_000).map(|n| (1 << 50) + n * 1_000_000)).collect();
        skewed.sort_unstable();
        for (keys, most) in [(dense, 8), (sparse, 8), (skewed, 60)] {
            for (highest, most) in [(*keys.last().unwrap(), most), (i64::MAX, 80)] {
                let (rows, asked) = ranges(&keys, highest, 16, 1_000);
                assert_eq!(rows.iter().sum::<usize>(), keys.len());
                assert!(rows.len() >= 8 && rows.iter().all(|rows| *rows < 20_000), "{rows:?}");
                assert!(asked <= most, "{asked} round trips for {rows:?}");
            }
        }
    }

    #[test]
    fn small_tables_have_one_range_and_empty_ones_none() {
        assert_eq!(ranges(&[1, 5, 9], 9, 16, 1_000), (vec![3], 1));
        assert_eq!(ranges(&[i64::MIN, i64::MAX], i64::MAX, 16, 1_000), (vec![2], 1));
        assert_eq!(ranges(&[], i64::MAX, 16, 1_000), (vec![], 1));
    }
}
