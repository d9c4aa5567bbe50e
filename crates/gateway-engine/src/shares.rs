//! Memory in shares: what one sort takes, the others cannot.
//!
//! DataFusion's pool gives a sort that begins early nearly everything, and gives it back when the sort has been read: a join that sorts
//! both of its sides would wait for memory that it holds itself.

use std::fmt;
use std::sync::Arc;

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};

/// How DataFusion calls what merges the spilled parts of a sort: it takes as many at a time as there is memory for.
const MERGE: &str = "ExternalSorterMerge";

/// A pool of which no consumer that can do with less has more than its share.
#[derive(Debug)]
pub(crate) struct Shares {
    pool: Arc<dyn MemoryPool>,
    share: usize,
}

impl Shares {
    /// Shares of this many bytes of a pool.
    pub(crate) fn new(pool: &Arc<dyn MemoryPool>, share: usize) -> Shares {
        Shares { pool: Arc::clone(pool), share }
    }
}

impl MemoryPool for Shares {
    fn name(&self) -> &str {
        "shares"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.pool.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.pool.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        // Nothing can be spilled of what has nothing yet. A merge that gets no more takes fewer files at a time.
        if (consumer.can_spill() || consumer.name().starts_with(MERGE))
            && reservation.size() > 0
            && reservation.size().saturating_add(additional) > self.share
        {
            let (name, share) = (consumer.name(), self.share);
            return Err(DataFusionError::ResourcesExhausted(format!("{name} has its share of {share} bytes")));
        }
        self.pool.try_grow(reservation, additional)
    }

    fn reserved(&self) -> usize {
        self.pool.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.pool.memory_limit()
    }
}

impl fmt::Display for Shares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in shares of {} bytes", self.pool, self.share)
    }
}
