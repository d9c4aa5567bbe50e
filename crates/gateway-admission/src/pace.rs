//! How long statements run, from which follows when to come back.

use std::time::Duration;

/// The bounds of a hint: less is no pause, and more is no better than an answer now.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);

/// How much the last statement counts in the average: one part in so many.
const WEIGHT: u32 = 8;

/// How long statements have held their places, the last ones counting most.
#[derive(Default)]
pub(crate) struct Pace(Option<Duration>);

impl Pace {
    /// Notes that a statement has held its place for so long.
    pub(crate) fn note(&mut self, held: Duration) {
        self.0 = Some(match self.0 {
            Some(average) => average.saturating_sub(average / WEIGHT).saturating_add(held / WEIGHT),
            None => held,
        });
    }

    /// When a place should be free for one who comes behind `ahead` others, where `places` statements run at once.
    pub(crate) fn wait(&self, ahead: usize, places: usize) -> Duration {
        let times = u32::try_from(ahead).unwrap_or(u32::MAX).saturating_add(1);
        let places = u32::try_from(places).unwrap_or(u32::MAX).max(1);
        let average = self.0.unwrap_or_default();
        average.saturating_mul(times).checked_div(places).unwrap_or(LONGEST).clamp(SHORTEST, LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn the_hint_follows_how_long_statements_run_and_how_many_wait() {
        let mut pace = Pace::default();
        assert_eq!(pace.wait(100, 1), SECOND, "nothing is known yet");
        pace.note(4 * SECOND);
        assert_eq!(pace.wait(0, 1), 4 * SECOND);
        assert_eq!(pace.wait(7, 4), 8 * SECOND);
        assert_eq!(pace.wait(usize::MAX, 1), LONGEST);
        for _ in 0..100 {
            pace.note(SECOND * 12);
        }
        let wait = pace.wait(0, 1);
        assert!(wait > 11 * SECOND && wait <= 12 * SECOND, "{wait:?}");
        pace.note(Duration::MAX);
        pace.note(Duration::MAX);
        assert_eq!(pace.wait(1, 0), LONGEST);
    }
}
