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
}

/// Divides a plan: by its own partitions where the source splits on a snapshot (Plan Partition), else by executing it once for
/// all endpoints that are asked for (Result Partition).
///
/// A result that is ordered stays whole: there are clients that read endpoints in the order in which they arrive.
pub(crate) fn divide(
    plan: Plan,
    is_ordered: bool,
    wish: &Wish,
    options: &Options,
    limits: &ShareLimits,
    cancel: &Cancel,
) -> Result<Vec<Plan>> {
    if is_ordered {
        return Ok(vec![plan]);
    }
    if plan.partitions.len() > 1 {
        return Ok(cut(plan, wish.asked.unwrap_or(wish.most).min(wish.most)));
    }
    match wish.asked.map(|asked| asked.min(wish.most)) {
        Some(count) if count > 1 => share(plan, options, count, limits, cancel.clone()),
        _ => Ok(vec![plan]),
    }
}

#[cfg(test)]
mod tests {
    use bowshot_core::testing::Numbers;
    use bowshot_core::{Query, Request, Source};

    use super::*;

    fn endpoints(partitions: usize, is_ordered: bool, asked: Option<usize>) -> usize {
        let (options, cancel) = (Options::default(), Cancel::new());
        let request = Request::new(Query::new("numbers"), options.clone());
        let plan = Numbers { partitions, rows: 5 }.plan(&request, &cancel).unwrap();
        divide(plan, is_ordered, &Wish { asked, most: 8 }, &options, &ShareLimits::default(), &cancel).unwrap().len()
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
}
