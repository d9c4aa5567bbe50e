//! A planned query becomes endpoints.

use bowshot_core::{Cancel, Options, Plan, Result};
use bowshot_gateway_share::{ShareLimits, share};

use crate::endpoints::cut;

/// How many endpoints a result shall have.
pub(crate) struct Wish {
    /// What the client asks for; `None`: the source's own number.
    pub(crate) asked: Option<usize>,
    /// What it gets at most.
    pub(crate) most: usize,
    /// Whether the client is far away.
    pub(crate) is_far: bool,
    /// Whether the client reads endpoints in turn.
    pub(crate) in_turn: bool,
    /// Whether the client takes rows as they are stored.
    pub(crate) takes_excerpts: bool,
}

/// The endpoints of a result.
pub(crate) struct Division {
    pub(crate) endpoints: Vec<Plan>,
    /// How many connections of the source read for each.
    pub(crate) connections: usize,
    /// Whether their partitions are those of the plan, in its order.
    pub(crate) is_cut: bool,
}

/// Divides a plan: by its own partitions where the source splits on a snapshot (Plan Partition), else by executing it once for
/// all endpoints that are asked for (Result Partition).
///
/// A client that asks for a number of endpoints, perhaps to give them to others, gets that. Otherwise all connections of the source read
/// for all endpoints, in no more memory than cut endpoints have,
/// - for a client far away, which is dealt what they bring: connections do not share a long way evenly, and of two halves, one may be
///   through long before the other;
/// - for a client that reads endpoints in turn, which gets one, in the order of the partitions: who reads for the second of two
///   would wait until the first one has ended.
///
/// What is handed on as it is stored was cut as far as it is worth it when it was planned; to share it, it would have to be decoded here.
///
/// A result that is ordered stays whole: there are clients that read endpoints in the order in which they arrive.
pub(crate) fn divide(
    plan: Plan,
    is_ordered: bool,
    wish: &Wish,
    options: &Options,
    limits: &ShareLimits,
    cancel: &Cancel,
) -> Result<Division> {
    let one_each = |endpoints| Ok(Division { endpoints, connections: 1, is_cut: true });
    let dealt = |endpoints| Ok(Division { endpoints, connections: 1, is_cut: false });
    if is_ordered || plan.partitions.len() == 1 && wish.takes_excerpts && plan.scan.has_excerpts() {
        return one_each(vec![plan]);
    }
    if plan.partitions.len() > 1 {
        let count = wish.asked.unwrap_or(wish.most).min(wish.most);
        if wish.is_far && wish.asked.is_none() && count > 1 {
            let options = Options { connections: Some(count), ..options.clone() };
            let memory_bytes = count.saturating_mul(options.buffer_bytes);
            let limits = ShareLimits { memory_bytes, spill_bytes: 0, ..limits.clone() };
            return dealt(share(plan, &options, count, &limits, cancel.clone())?);
        }
        if wish.in_turn && wish.asked.is_none() {
            return Ok(Division { endpoints: vec![plan], connections: count, is_cut: true });
        }
        return one_each(cut(plan, count));
    }
    match wish.asked.map(|asked| asked.min(wish.most)) {
        Some(count) if count > 1 => dealt(share(plan, options, count, limits, cancel.clone())?),
        _ => one_each(vec![plan]),
    }
}

#[cfg(test)]
mod tests {
    use bowshot_core::testing::Numbers;
    use bowshot_core::{Query, Request, Source, Stream};

    use super::*;

    fn plans(partitions: usize, is_ordered: bool, asked: Option<usize>, is_far: bool) -> Vec<Plan> {
        let wish = Wish { asked, most: 8, is_far, in_turn: false, takes_excerpts: false };
        let Division { endpoints, connections, .. } = division(partitions, is_ordered, &wish);
        assert_eq!(connections, 1);
        endpoints
    }

    fn division(partitions: usize, is_ordered: bool, wish: &Wish) -> Division {
        let (options, cancel) = (Options::default(), Cancel::new());
        let request = Request::new(Query::new("numbers"), options.clone());
        let plan = Numbers { partitions, rows: 5 }.plan(&request, &cancel).unwrap();
        divide(plan, is_ordered, wish, &options, &ShareLimits::default(), &cancel).unwrap()
    }

    fn endpoints(partitions: usize, is_ordered: bool, asked: Option<usize>) -> usize {
        plans(partitions, is_ordered, asked, false).len()
    }

    #[test]
    fn a_plan_is_cut_where_it_can_be_and_shared_where_that_is_asked_for() {
        assert_eq!(
            (endpoints(20, false, None), endpoints(20, false, Some(3)), endpoints(20, false, Some(99))),
            (8, 3, 8)
        );
        assert_eq!((endpoints(1, false, None), endpoints(1, false, Some(3)), endpoints(1, false, Some(99))), (1, 3, 8));
        assert_eq!(endpoints(1, false, Some(1)), 1);
        assert_eq!((endpoints(20, true, Some(4)), endpoints(1, true, Some(4))), (1, 1), "its order matters");
    }

    #[test]
    fn all_connections_read_for_the_one_endpoint_of_who_reads_them_in_turn() {
        let shape = |partitions, is_ordered, asked, is_far| {
            let wish = Wish { asked, most: 8, is_far, in_turn: true, takes_excerpts: false };
            let Division { endpoints, connections, .. } = division(partitions, is_ordered, &wish);
            (endpoints.len(), endpoints.first().unwrap().partitions.len(), connections)
        };
        assert_eq!(shape(20, false, None, false), (1, 20, 8));
        assert_eq!(shape(20, false, Some(4), false), (4, 5, 1), "as asked");
        assert_eq!(shape(20, false, None, true), (8, 1, 1), "dealt");
        assert_eq!(shape(20, true, None, false), (1, 20, 1), "its order matters");
        assert_eq!(shape(1, false, None, false), (1, 1, 1));
    }

    #[test]
    fn rows_are_dealt_over_a_long_way_unless_endpoints_were_asked_for() {
        let are_dealt = |plans: &[Plan]| plans.iter().all(|plan| plan.partitions.len() == 1);
        let dealt = plans(20, false, None, true);
        assert!(dealt.len() == 8 && are_dealt(&dealt), "20 partitions have become 8 parts of one execution");
        let rows = |plan| -> usize {
            Stream::start(plan, &Options::default(), Cancel::new()).map(|batch| batch.unwrap().num_rows()).sum()
        };
        // The first one gets all, where the others have not begun.
        assert_eq!(dealt.into_iter().map(rows).collect::<Vec<_>>(), [100, 0, 0, 0, 0, 0, 0, 0]);
        assert!(!are_dealt(&plans(20, false, Some(8), true)));
        assert_eq!(plans(20, true, None, true).len(), 1, "its order matters");
    }
}
