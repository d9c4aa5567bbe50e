//! How often something may fail.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How many failures are borne at once, and how long each takes to be forgiven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Failures that are borne at once.
    pub burst: u32,
    /// The time after which one more is borne.
    pub every: Duration,
}

/// A token bucket for each key, as the
/// [generic cell rate algorithm](https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm) keeps it: one instant, at which
/// all is forgiven.
///
/// An attempt pays before it is made and gets its token back if it succeeds, so that attempts made at the same time cannot
/// all pass on the same last token. That is why this is not a library: they give nothing back.
pub(crate) struct Attempts<K> {
    rate: Rate,
    most: usize,
    forgiven: Mutex<HashMap<K, Instant>>,
}

impl<K: Eq + Hash + Clone> Attempts<K> {
    /// Remembers at most `most` keys.
    pub(crate) fn new(rate: Rate, most: usize) -> Self {
        Attempts { rate, most, forgiven: Mutex::new(HashMap::new()) }
    }

    /// Pays for an attempt.
    ///
    /// # Errors
    /// How long to wait until one can be paid for.
    pub(crate) fn pay(&self, key: &K, now: Instant) -> Result<(), Duration> {
        let mut forgiven = self.forgiven.lock();
        let paid = self.next(forgiven.get(key), now)?;
        if !forgiven.contains_key(key) && forgiven.len() >= self.most {
            make_room(&mut forgiven, self.most, now);
        }
        forgiven.insert(key.clone(), paid);
        Ok(())
    }

    /// Whether an attempt could be paid for.
    ///
    /// # Errors
    /// How long to wait until it could.
    pub(crate) fn ask(&self, key: &K, now: Instant) -> Result<(), Duration> {
        self.next(self.forgiven.lock().get(key), now).map(|_| ())
    }

    /// Takes a payment back, after a success.
    pub(crate) fn give_back(&self, key: &K, now: Instant) {
        let mut forgiven = self.forgiven.lock();
        let Some(at) = forgiven.get_mut(key) else { return };
        match at.checked_sub(self.rate.every) {
            Some(before) if before > now => *at = before,
            _ => {
                forgiven.remove(key);
            }
        }
    }

    fn next(&self, forgiven: Option<&Instant>, now: Instant) -> Result<Instant, Duration> {
        let owed = forgiven.map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
        let next = owed.saturating_add(self.rate.every);
        let most = self.rate.every.saturating_mul(self.rate.burst);
        match now.checked_add(next) {
            Some(at) if next <= most => Ok(at),
            _ => Err(next.saturating_sub(most)),
        }
    }
}

/// Forgets who is forgiven; if that is nobody, who is nearest to it. Thus inventing names frees nobody who is watched.
fn make_room<K: Eq + Hash + Clone>(forgiven: &mut HashMap<K, Instant>, most: usize, now: Instant) {
    forgiven.retain(|_, at| *at > now);
    if forgiven.len() >= most {
        let nearest = forgiven.iter().min_by_key(|(_, at)| **at).map(|(key, _)| key.clone());
        if let Some(key) = nearest {
            forgiven.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn attempts(burst: u32, most: usize) -> Attempts<u32> {
        Attempts::new(Rate { burst, every: 10 * SECOND }, most)
    }

    #[test]
    fn after_a_burst_one_attempt_is_borne_at_a_time() {
        let attempts = attempts(3, 10);
        let start = Instant::now();
        for _ in 0..3 {
            attempts.pay(&1, start).unwrap();
        }
        assert_eq!(attempts.pay(&1, start), Err(10 * SECOND));
        assert_eq!(attempts.ask(&1, start + 4 * SECOND), Err(6 * SECOND));
        attempts.pay(&1, start + 10 * SECOND).unwrap();
        assert_eq!(attempts.pay(&1, start + 10 * SECOND), Err(10 * SECOND));
        attempts.pay(&2, start).unwrap();
    }

    #[test]
    fn an_attempt_in_a_thousand_days_is_always_borne() {
        let attempts = attempts(3, 10);
        let start = Instant::now();
        for day in 0..1_000_u32 {
            attempts.pay(&1, start + day * 86_400 * SECOND).unwrap();
        }
    }

    #[test]
    fn a_success_costs_nothing_and_forgives_nothing() {
        let attempts = attempts(3, 10);
        let start = Instant::now();
        for _ in 0..100 {
            attempts.pay(&1, start).unwrap();
            attempts.give_back(&1, start);
        }
        assert!(attempts.forgiven.lock().is_empty());
        attempts.pay(&1, start).unwrap();
        attempts.pay(&1, start).unwrap();
        attempts.pay(&1, start).unwrap();
        attempts.give_back(&1, start);
        attempts.pay(&1, start).unwrap();
        attempts.pay(&1, start).unwrap_err();
    }

    #[test]
    fn inventing_names_does_not_free_who_is_watched() {
        let attempts = attempts(3, 100);
        let start = Instant::now();
        for _ in 0..3 {
            attempts.pay(&0, start).unwrap();
        }
        for name in 1..10_000 {
            attempts.pay(&name, start).unwrap();
        }
        assert_eq!(attempts.forgiven.lock().len(), 100);
        attempts.pay(&0, start).unwrap_err();
    }

    #[test]
    fn a_rate_of_nothing_refuses_and_does_not_panic() {
        let start = Instant::now();
        attempts(0, 10).pay(&1, start).unwrap_err();
        let endless = Attempts::new(Rate { burst: u32::MAX, every: Duration::MAX }, 10);
        endless.pay(&1, start).unwrap_err();
    }
}
