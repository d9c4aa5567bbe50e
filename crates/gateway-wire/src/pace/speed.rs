//! What is known of each codec.

use std::time::Instant;

use super::Sent;
use super::window::float;
use crate::Codec;

/// How much a new measurement counts.
const WEIGHT: f64 = 0.3;

/// A codec that is not in use is measured again after this many times what that costs, and not sooner than a second.
const AGAIN: f64 = 100.0;
const SOONEST: f64 = 1.0;

/// How one codec did with this stream's data.
#[derive(Clone, Copy, Debug)]
struct Speed {
    /// Seconds to encode a byte.
    encode: f64,
    /// Bytes on the wire for a byte.
    ratio: f64,
    /// When it was measured, with so many bytes.
    at: Instant,
    raw: f64,
}

impl Speed {
    /// Seconds that a byte takes.
    fn cost(&self, link: f64) -> f64 {
        self.encode.max(self.ratio * link)
    }
}

/// How the codecs did; those that were not tried yet are absent.
#[derive(Clone, Debug, Default)]
pub(super) struct Speeds([Option<Speed>; Codec::ALL.len()]);

impl Speeds {
    /// Takes a measurement.
    pub(super) fn add(&mut self, sent: &Sent, now: Instant) {
        let raw = float(sent.raw);
        let (encode, ratio) = (sent.encode.as_secs_f64() / raw, float(sent.wire) / raw);
        let Some(known) = self.0.get_mut(place(sent.codec)) else { return };
        *known = Some(match *known {
            None => Speed { encode, ratio, at: now, raw },
            Some(before) => Speed {
                encode: before.encode + WEIGHT * (encode - before.encode),
                ratio: before.ratio + WEIGHT * (ratio - before.ratio),
                at: now,
                raw,
            },
        });
    }

    /// Whether a codec should be measured, by a message over a link that takes so many seconds for a byte.
    pub(super) fn is_stale(&self, codec: Codec, link: f64, now: Instant) -> bool {
        // No compression does the same with all data.
        codec != Codec::None
            && self.get(codec).is_none_or(|speed| {
                let pause = (AGAIN * speed.raw * speed.cost(link)).max(SOONEST);
                now.saturating_duration_since(speed.at).as_secs_f64() >= pause
            })
    }

    /// Seconds that a byte takes with this codec over a link that takes so many seconds for a byte: the slower one of encoding and
    /// sending, since they go on side by side. No compression leaves every byte, and copies them faster than a link that is waited for:
    /// to learn that from a message over such a link would cost a tenth of a second.
    pub(super) fn predict(&self, codec: Codec, link: f64) -> Option<f64> {
        let known = self.get(codec).map(|speed| speed.cost(link));
        known.or((codec == Codec::None).then_some(link))
    }

    /// Seconds to encode a byte.
    pub(super) fn encode(&self, codec: Codec) -> Option<f64> {
        self.get(codec).map(|speed| speed.encode)
    }

    fn get(&self, codec: Codec) -> Option<Speed> {
        self.0.get(place(codec)).copied().flatten()
    }
}

/// A codec's place in the tables.
pub(super) fn place(codec: Codec) -> usize {
    match codec {
        Codec::None => 0,
        Codec::Lz4 => 1,
        Codec::Zstd => 2,
    }
}
