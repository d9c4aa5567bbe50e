//! The right to read one part, once.

use std::sync::Arc;

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Registration, Result};

use crate::shared::Shared;

/// The right to read one part. Dropping it gives the part up.
pub(crate) struct Seat {
    pub(crate) shared: Arc<Shared>,
    pub(crate) index: usize,
    /// Whether it was given a batch.
    given: bool,
    /// Whether it was told that there is no more.
    ended: bool,
    /// What ends the result when the caller of [`share`](crate::share()) says so, as long as there is a part.
    _cancelled: Arc<Registration>,
}

impl Seat {
    pub(crate) fn new(shared: Arc<Shared>, index: usize, cancelled: Arc<Registration>) -> Self {
        Seat { shared, index, given: false, ended: false, _cancelled: cancelled }
    }

    /// The next batch for this part.
    pub(crate) fn take(&mut self, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        if self.ended {
            return Ok(None);
        }
        let batch = self.shared.take(cancel)?;
        self.given |= batch.is_some();
        self.ended = batch.is_none();
        Ok(batch)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.shared.leave(self.index, self.given, self.ended);
    }
}
