//! A plan cut into endpoints: each has some of the partitions, and together they are the result in its order.
//!
//! This is the Plan Partition of the ConnectorX paper (section 5.2): the source has cut the result on one snapshot
//! already, so that every page of the database is read once, however many endpoints there are.

use std::ops::Range;
use std::sync::Arc;

use bowshot_core::{Cancel, Connection, Estimate, Partition, Plan, Reader, Result, Scan, Site};

/// Cuts `plan` into at most `count` plans of partitions that follow each other, with about as many rows each.
///
/// Their partitions in this order are the plan's. All hold the plan's snapshot, until the last of them is dropped.
///
/// ```
/// use bowshot_core::testing::Numbers;
/// use bowshot_core::{Cancel, Options, Query, Request, Source};
/// use bowshot_gateway::endpoints::cut;
///
/// let request = Request::new(Query::new("numbers"), Options::default());
/// let plan = Numbers { partitions: 10, rows: 50 }.plan(&request, &Cancel::new())?;
/// let endpoints = cut(plan, 4);
/// let sizes: Vec<usize> = endpoints.iter().map(|endpoint| endpoint.partitions.len()).collect();
/// assert_eq!(sizes, [3, 2, 3, 2]);
/// # Ok::<(), bowshot_core::Error>(())
/// ```
pub fn cut(plan: Plan, count: usize) -> Vec<Plan> {
    let parts = ranges(&weights(&plan.partitions), count);
    parts.into_iter().map(|part| endpoint(&plan, part)).collect()
}

/// How much each partition counts: its rows where they are known of all, else one.
fn weights(partitions: &[Partition]) -> Vec<u64> {
    let rows: Option<Vec<u64>> = partitions.iter().map(|partition| partition.rows).collect();
    match rows {
        Some(rows) if rows.iter().any(|&rows| rows > 0) => rows,
        _ => vec![1; partitions.len()],
    }
}

/// At most `count` ranges that follow each other and cover all weights, none empty, with about the same sum.
fn ranges(weights: &[u64], count: usize) -> Vec<Range<usize>> {
    let count = count.clamp(1, weights.len().max(1));
    let total: u128 = weights.iter().map(|&weight| u128::from(weight)).sum();
    let mut cuts = vec![0];
    let (mut index, mut sum) = (0, 0_u128);
    for cut in 1..count {
        // At least one partition for each endpoint before the cut, and for each one behind it.
        let (least, most) = (index + 1, weights.len() - (count - cut));
        while index < least || (index < most && sum * (count as u128) < total * (cut as u128)) {
            sum += weights.get(index).copied().map_or(0, u128::from);
            index += 1;
        }
        cuts.push(index);
    }
    let ends = cuts.iter().skip(1).copied().chain([weights.len()]);
    cuts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

fn endpoint(plan: &Plan, part: Range<usize>) -> Plan {
    let partitions = plan.partitions.get(part.clone()).unwrap_or_default().to_vec();
    // Guesses may be as large as numbers go.
    let rows = partitions.iter().try_fold(0_u64, |sum, partition| Some(sum.saturating_add(partition.rows?)));
    Plan {
        schema: Arc::clone(&plan.schema),
        snapshot: plan.snapshot.clone(),
        partitions,
        reason: plan.reason.clone(),
        estimate: Estimate { rows, bytes: None },
        scan: Arc::new(Shifted { scan: Arc::clone(&plan.scan), first: part.start }),
    }
}

/// A scan whose partition 0 is partition `first` of another one.
struct Shifted {
    scan: Arc<dyn Scan>,
    first: usize,
}

impl Scan for Shifted {
    fn connect(&self, cancel: &Cancel) -> Result<Box<dyn Connection>> {
        let connection = self.scan.connect(cancel)?;
        Ok(Box::new(ShiftedConnection { connection, first: self.first }))
    }

    fn site(&self) -> Site {
        self.scan.site()
    }

    fn has_excerpts(&self) -> bool {
        self.scan.has_excerpts()
    }
}

struct ShiftedConnection {
    connection: Box<dyn Connection>,
    first: usize,
}

impl Connection for ShiftedConnection {
    fn open(&mut self, index: usize) -> Result<Box<dyn Reader + '_>> {
        self.connection.open(self.first + index)
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use bowshot_core::testing::Numbers;
    use bowshot_core::{Options, Query, Request, Source, Stream};
    use proptest::prelude::*;

    use super::*;

    fn values(plan: Plan) -> Vec<i64> {
        let stream = Stream::start(plan, &Options { connections: Some(1), ..Options::default() }, Cancel::new());
        stream.flat_map(|batch| batch.unwrap().column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
    }

    #[test]
    fn the_endpoints_in_their_order_are_the_result() {
        for count in [1, 2, 3, 7, 20, 100] {
            let request = Request::new(Query::new("numbers"), Options::default());
            let plan = Numbers { partitions: 20, rows: 50 }.plan(&request, &Cancel::new()).unwrap();
            let endpoints = cut(plan, count);
            assert_eq!(endpoints.len(), count.min(20));
            let all: Vec<i64> = endpoints.into_iter().flat_map(values).collect();
            assert_eq!(all, (0..1000).collect::<Vec<_>>());
        }
    }

    #[test]
    fn guesses_without_bounds_have_a_sum() {
        let request = Request::new(Query::new("numbers"), Options::default());
        let mut plan = Numbers { partitions: 3, rows: 1 }.plan(&request, &Cancel::new()).unwrap();
        plan.partitions.iter_mut().for_each(|partition| partition.rows = Some(u64::MAX));
        let rows: Vec<_> = cut(plan, 2).into_iter().map(|endpoint| endpoint.estimate.rows).collect();
        assert_eq!(rows, [Some(u64::MAX); 2]);
    }

    proptest! {
        #[test]
        fn ranges_cover_everything_evenly(weights in prop::collection::vec(0_u64..1000, 0..200), count in 0_usize..40) {
            let ranges = ranges(&weights, count);
            let covered: Vec<usize> = ranges.iter().cloned().flatten().collect();
            prop_assert_eq!(covered, (0..weights.len()).collect::<Vec<_>>());
            prop_assert_eq!(ranges.len(), count.clamp(1, weights.len().max(1)));
            if weights.is_empty() {
                return Ok(());
            }
            prop_assert!(ranges.iter().all(|range| !range.is_empty()));
            let sum = |range: &Range<usize>| weights[range.clone()].iter().sum::<u64>();
            let heaviest = *weights.iter().max().unwrap();
            let fair = weights.iter().sum::<u64>().div_ceil(ranges.len() as u64);
            // What was cut off late for a range before it may be missing; never more than a partition on each side.
            prop_assert!(ranges.iter().all(|range| sum(range) <= fair + 2 * heaviest), "{:?}", ranges);
        }
    }
}
