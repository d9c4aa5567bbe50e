//! How many statements may run and wait.

use std::time::Duration;

use bowshot_core::{Error, ErrorKind, Result};

/// How many statements may run and wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdmissionLimits {
    /// How many statements run at once, of all users together. At least 1.
    pub running: usize,
    /// How many statements wait for a place, of all users together. 0: who cannot run at once is refused.
    pub queued: usize,
    /// How long a statement waits at most.
    pub queued_for: Duration,
    /// How many statements of one user run at once. At least 1; as many as may run in all means no limit of his own.
    pub per_user_running: usize,
}

impl Default for AdmissionLimits {
    /// 64 running, 16 of them of one user, and 256 waiting for at most a minute.
    fn default() -> Self {
        AdmissionLimits { running: 64, queued: 256, queued_for: Duration::from_secs(60), per_user_running: 16 }
    }
}

impl AdmissionLimits {
    /// Whether anybody could ever run.
    pub(crate) fn check(&self) -> Result<()> {
        for (name, limit) in [("running", self.running), ("per_user_running", self.per_user_running)] {
            if limit == 0 {
                let message = format!("the limit {name} is 0 statements, so that none would ever run");
                return Err(Error::new(ErrorKind::Config, message).with_hint("set it to 1 or more"));
            }
        }
        Ok(())
    }
}
