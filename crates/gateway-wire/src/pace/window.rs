//! What a few messages in a row have cost.

use std::time::Duration;

use super::Sent;

/// A window ends with this many bytes before compression.
const ENOUGH_BYTES: u64 = 8 << 20;
/// Or, with a few messages at least, after this time.
const ENOUGH_TIME: Duration = Duration::from_millis(250);
const FEW: u32 = 2;
const SOME: u32 = 4;

/// The messages since something changed, without the first ones.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Window {
    /// So many messages still tell of what was before them: those that wait in the queue are of the codec before.
    skip: u32,
    messages: u32,
    raw: u64,
    wire: u64,
    /// The time that went into encoding and waiting for the client.
    busy: Duration,
    blocked: Duration,
    /// The time that passed, without long waits for the source.
    passed: Duration,
}

impl Window {
    /// A new one, after so many messages.
    pub(super) fn after(skip: u32) -> Window {
        Window { skip, ..Window::default() }
    }

    /// Takes a message, and the time that the source was waited for.
    pub(super) fn add(&mut self, sent: &Sent, idle: Duration) {
        if self.skip > 0 {
            self.skip -= 1;
            return;
        }
        let busy = sent.encode + sent.blocked;
        self.messages += 1;
        self.raw += sent.raw;
        self.wire += sent.wire;
        self.busy += busy;
        self.blocked += sent.blocked;
        // While the source is waited for, the link works off the queue; in a long wait, that runs empty.
        self.passed += busy + idle.min(busy);
    }

    /// Whether it tells enough.
    pub(super) fn is_full(&self) -> bool {
        let some = self.messages >= SOME && self.raw >= ENOUGH_BYTES;
        some || (self.messages >= FEW && self.raw > 0 && self.passed >= ENOUGH_TIME)
    }

    /// Seconds a byte before compression.
    pub(super) fn cost(&self) -> f64 {
        self.busy.as_secs_f64() / float(self.raw)
    }

    /// The share of the time that was spent waiting for the client.
    pub(super) fn blocked(&self) -> f64 {
        match self.passed.as_secs_f64() {
            0.0 => 0.0,
            passed => self.blocked.as_secs_f64() / passed,
        }
    }

    /// Seconds that the link takes for a byte of it; right while it never runs out of bytes.
    pub(super) fn link(&self) -> f64 {
        self.passed.as_secs_f64() / float(self.wire)
    }
}

/// Bytes to calculate with; never 0, to divide by.
pub(super) fn float(bytes: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a measurement, of far less than 2^53 bytes")]
    let bytes = bytes.max(1) as f64;
    bytes
}
