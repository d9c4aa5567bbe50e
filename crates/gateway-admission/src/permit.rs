//! The right to run, until it is dropped.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::admission::Inner;

/// The right of a statement to run. Dropping it frees its place.
#[must_use = "the place is free again when the permit is dropped"]
pub struct Permit {
    admission: Arc<Inner>,
    user: Arc<str>,
    since: Instant,
    waited: Duration,
}

impl Permit {
    pub(crate) fn new(admission: Arc<Inner>, user: Arc<str>) -> Self {
        Permit { admission, user, since: Instant::now(), waited: Duration::ZERO }
    }

    /// The same permit, of one who waited for so long.
    pub(crate) fn after(mut self, waited: Duration) -> Self {
        self.waited = waited;
        self
    }

    /// How long the statement waited for it.
    pub fn waited(&self) -> Duration {
        self.waited
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.admission.leave(&self.user, self.since.elapsed());
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("user", &self.user).field("waited", &self.waited).finish_non_exhaustive()
    }
}
