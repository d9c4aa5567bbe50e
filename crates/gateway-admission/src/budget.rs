//! What one result may cost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;

/// What one result may cost; `None`: as much as it takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Bytes of its batches, before they are compressed.
    pub bytes: Option<u64>,
    /// From the beginning of its first endpoint to the end of its last one.
    pub time: Option<Duration>,
}

/// What is left of what one result may cost. Clones are the same budget: each endpoint has one.
///
/// It has no clock of its own. Who sends nothing for long asks with 0 bytes, or wakes at the [deadline](Budget::deadline).
///
/// ```
/// use std::time::{Duration, Instant};
/// use bowshot_gateway_admission::{Budget, BudgetLimits};
///
/// let start = Instant::now();
/// let budget = Budget::new(BudgetLimits { bytes: Some(100), time: Some(Duration::from_secs(60)) }, start);
/// let other_endpoint = budget.clone();
/// budget.spend(60, start)?;
/// other_endpoint.spend(40, start)?;
/// assert!(budget.spend(1, start).is_err());
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limits: BudgetLimits,
    start: Instant,
    spent: Mutex<u64>,
}

impl Budget {
    /// The budget of a result that begins at `start`.
    pub fn new(limits: BudgetLimits, start: Instant) -> Self {
        Budget(Arc::new(Inner { limits, start, spent: Mutex::new(0) }))
    }

    /// Notes that so many bytes are about to be sent, at `now`.
    ///
    /// # Errors
    /// Names the limit and the way out: of kind [`Sql`](ErrorKind::Sql) for the bytes, since the same query will be as large the next time,
    /// and of kind [`Timeout`](ErrorKind::Timeout) for the time. Nothing of the result is to be sent after it.
    pub fn spend(&self, bytes: u64, now: Instant) -> Result<()> {
        let Inner { limits, start, spent } = self.0.as_ref();
        let spent = {
            let mut spent = spent.lock();
            *spent = spent.saturating_add(bytes);
            *spent
        };
        if let Some(limit) = limits.bytes.filter(|limit| spent > *limit) {
            let message = format!("the result is larger than the gateway's limit on the bytes of a result, {limit}");
            return Err(Error::new(ErrorKind::Sql, message)
                .with_hint("select fewer rows or columns, or ask for a higher limit"));
        }
        if let Some(limit) = limits.time.filter(|limit| now.saturating_duration_since(*start) > *limit) {
            let seconds = limit.as_secs_f64();
            let message =
                format!("the result took longer than the gateway's limit on the time of a result, {seconds} s");
            return Err(Error::new(ErrorKind::Timeout, message)
                .with_hint("read it faster, select less, or ask for a higher limit"));
        }
        Ok(())
    }

    /// How many bytes were spent, of all endpoints together.
    pub fn spent(&self) -> u64 {
        *self.0.spent.lock()
    }

    /// The last moment at which something may be sent; `None` where there is no limit, or none that a clock can show.
    pub fn deadline(&self) -> Option<Instant> {
        self.0.start.checked_add(self.0.limits.time?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_last_byte_is_allowed_and_the_next_one_is_named() {
        let start = Instant::now();
        let budget = Budget::new(BudgetLimits { bytes: Some(10), time: None }, start);
        budget.spend(10, start + 1000 * SECOND).unwrap();
        let error = budget.clone().spend(1, start).unwrap_err();
        assert_eq!((error.kind(), error.is_temporary()), (ErrorKind::Sql, false));
        assert!(error.message().ends_with("limit on the bytes of a result, 10") && error.hint().is_some(), "{error}");
        assert!(budget.spend(0, start).is_err(), "it stays spent");
        assert!(budget.spend(u64::MAX, start).is_err());
        assert_eq!(budget.spent(), u64::MAX);
    }

    #[test]
    fn the_last_moment_is_allowed_and_the_next_one_is_named() {
        let start = Instant::now();
        let budget = Budget::new(BudgetLimits { bytes: None, time: Some(90 * SECOND) }, start);
        assert_eq!(budget.deadline(), Some(start + 90 * SECOND));
        budget.spend(u64::MAX, start + 90 * SECOND).unwrap();
        let error = budget.spend(0, start + 91 * SECOND).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert!(error.message().ends_with("limit on the time of a result, 90 s") && error.hint().is_some(), "{error}");
        budget.spend(0, start - SECOND).unwrap();
    }

    #[test]
    fn without_limits_everything_is_allowed() {
        let start = Instant::now();
        let budget = Budget::new(BudgetLimits::default(), start);
        budget.spend(u64::MAX, start + 1_000_000 * SECOND).unwrap();
        assert_eq!(budget.deadline(), None);
        let endless = Budget::new(BudgetLimits { bytes: None, time: Some(Duration::MAX) }, start);
        assert_eq!(endless.deadline(), None);
    }

    #[test]
    fn endpoints_that_spend_at_once_are_all_counted() {
        let start = Instant::now();
        let budget = Budget::new(BudgetLimits { bytes: Some(3999), time: None }, start);
        let refused: usize = std::thread::scope(|scope| {
            let spend = || (0..1000).filter(|_| budget.spend(1, start).is_err()).count();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(spend)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!((budget.spent(), refused), (4000, 1));
    }
}
