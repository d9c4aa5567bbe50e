//! Codecs that are tried, and those that failed.

use std::time::{Duration, Instant};

use super::speed::place;
use crate::Codec;

/// A trial that failed is repeated after this many times the time that it took, so that trials cost a few hundredths.
const PAUSE: u32 = 30;
/// Each further failure doubles that, up to this often.
const DOUBLINGS: u32 = 4;
/// Where the cost of a byte has changed by this factor, the world is another one and failures are forgotten.
const CHANGED: f64 = 1.5;

/// A codec that is in use to see whether it does better.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// What was in use before.
    pub(super) from: Codec,
    /// What a byte cost with that.
    pub(super) cost: f64,
    pub(super) since: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Failure {
    /// What a byte cost without it.
    cost: f64,
    since: Instant,
    times: u32,
    /// When it may be tried again; `None` until its messages have left the queue.
    until: Option<Instant>,
}

/// The codecs that did worse than expected.
#[derive(Clone, Debug, Default)]
pub(super) struct Failures([Option<Failure>; Codec::ALL.len()]);

impl Failures {
    /// Notes a trial that failed.
    pub(super) fn add(&mut self, codec: Codec, trial: Trial) {
        if let Some(slot) = self.0.get_mut(place(codec)) {
            let times = slot.map_or(0, |failure| failure.times + 1).min(DOUBLINGS);
            *slot = Some(Failure { cost: trial.cost, since: trial.since, times, until: None });
        }
    }

    /// Forgets that a codec failed.
    pub(super) fn remove(&mut self, codec: Codec) {
        if let Some(slot) = self.0.get_mut(place(codec)) {
            *slot = None;
        }
    }

    /// Takes what a byte costs now, with all of a failure's messages gone.
    pub(super) fn review(&mut self, cost: f64, now: Instant) {
        for slot in &mut self.0 {
            let Some(failure) = slot else { continue };
            if cost > failure.cost * CHANGED || cost * CHANGED < failure.cost {
                *slot = None;
            } else if failure.until.is_none() {
                let took = now.saturating_duration_since(failure.since).min(Duration::from_secs(60));
                failure.until = Some(now + took * PAUSE * 2_u32.pow(failure.times));
            }
        }
    }

    /// Whether a codec may be tried.
    pub(super) fn allow(&self, codec: Codec, now: Instant) -> bool {
        match self.0.get(place(codec)).copied().flatten() {
            None => true,
            Some(failure) => failure.until.is_some_and(|until| until <= now),
        }
    }
}
