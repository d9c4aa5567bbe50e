//! The time, as the caller reads it.

use std::time::{Duration, Instant, SystemTime};

/// One reading of both clocks: the one that never jumps, for waiting and expiring, and the one that the world shares, for
/// what other processes wrote down.
///
/// Everything here takes the time as an argument, so that a test needs no sleep.
///
/// ```
/// use std::time::Duration;
/// use bowshot_gateway_access::Now;
///
/// let now = Now::read();
/// let later = now.after(Duration::from_secs(60));
/// assert_eq!(later.monotonic - now.monotonic, Duration::from_secs(60));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// The clock that never jumps.
    pub monotonic: Instant,
    /// The clock on the wall.
    pub wall: SystemTime,
}

impl Now {
    /// Reads both clocks.
    pub fn read() -> Self {
        Now { monotonic: Instant::now(), wall: SystemTime::now() }
    }

    /// Both clocks after `time` has passed; unmoved where that is beyond what a clock can show.
    #[must_use]
    pub fn after(self, time: Duration) -> Self {
        Now {
            monotonic: self.monotonic.checked_add(time).unwrap_or(self.monotonic),
            wall: self.wall.checked_add(time).unwrap_or(self.wall),
        }
    }
}

/// Whole seconds since 1970 began; none before.
pub(crate) fn unix_seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
