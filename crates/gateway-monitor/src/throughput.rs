//! What was sent in each of the last seconds.

use std::time::Instant;

use serde::Serialize;

/// How many seconds are remembered: five minutes.
pub const THROUGHPUT_SECONDS: usize = 300;

/// What was sent in one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Second {
    /// Rows.
    pub rows: u64,
    /// Bytes of Arrow, before compression.
    pub bytes: u64,
    /// Bytes sent, after compression.
    pub wire_bytes: u64,
}

/// A ring with a place for each second.
#[derive(Debug)]
pub(crate) struct Throughput {
    /// Second n lies at n modulo the length.
    seconds: Vec<Second>,
    start: Instant,
    /// The last second that was written to, counted from `start`.
    last: u64,
}

impl Throughput {
    pub(crate) fn new(start: Instant) -> Self {
        Throughput { seconds: vec![Second::default(); THROUGHPUT_SECONDS], start, last: 0 }
    }

    pub(crate) fn add(&mut self, now: Instant, sent: Second) {
        self.advance(now);
        let place = place(self.last);
        if let Some(second) = self.seconds.get_mut(place) {
            second.rows = second.rows.saturating_add(sent.rows);
            second.bytes = second.bytes.saturating_add(sent.bytes);
            second.wire_bytes = second.wire_bytes.saturating_add(sent.wire_bytes);
        }
    }

    /// The last five minutes, the oldest second first; the last one has only begun.
    pub(crate) fn seconds(&mut self, now: Instant) -> Vec<Second> {
        self.advance(now);
        let mut seconds = self.seconds.clone();
        seconds.rotate_left(place(self.last + 1));
        seconds
    }

    /// Empties the places of the seconds that have begun since the last call.
    fn advance(&mut self, now: Instant) {
        let current = now.saturating_duration_since(self.start).as_secs();
        let begun = usize::try_from(current.saturating_sub(self.last)).unwrap_or(usize::MAX);
        for offset in (1..).take(begun.min(THROUGHPUT_SECONDS)) {
            let place = place(self.last + offset);
            if let Some(second) = self.seconds.get_mut(place) {
                *second = Second::default();
            }
        }
        self.last = self.last.max(current);
    }
}

fn place(second: u64) -> usize {
    let length = u64::try_from(THROUGHPUT_SECONDS).unwrap_or(u64::MAX);
    usize::try_from(second % length).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;

    const ONE: Second = Second { rows: 1, bytes: 8, wire_bytes: 4 };

    fn rows(throughput: &mut Throughput, now: Instant) -> Vec<u64> {
        throughput.seconds(now).iter().map(|second| second.rows).collect()
    }

    #[test]
    fn the_current_second_is_the_last_one() {
        let start = Instant::now();
        let mut throughput = Throughput::new(start);
        throughput.add(start, ONE);
        throughput.add(start + Duration::from_millis(1_999), ONE);
        throughput.add(start + Duration::from_millis(1_000), ONE);
        let seen = rows(&mut throughput, start + Duration::from_secs(3));
        assert_eq!(seen.len(), THROUGHPUT_SECONDS);
        assert_eq!(seen[THROUGHPUT_SECONDS - 4..], [1, 2, 0, 0]);
    }

    proptest! {
        #[test]
        fn what_was_sent_is_seen_for_five_minutes_and_not_longer(gaps in prop::collection::vec(0_u64..700, 1..40)) {
            let start = Instant::now();
            let mut throughput = Throughput::new(start);
            let mut times = Vec::new();
            let mut second = 0;
            for gap in gaps {
                second += gap;
                times.push(second);
                throughput.add(start + Duration::from_secs(second), ONE);
            }
            let seen = rows(&mut throughput, start + Duration::from_secs(second));
            let recent = times.iter().filter(|time| second - **time < THROUGHPUT_SECONDS as u64).count();
            prop_assert_eq!(seen.iter().sum::<u64>(), recent as u64);
            prop_assert!(seen[THROUGHPUT_SECONDS - 1] > 0);
        }
    }
}
