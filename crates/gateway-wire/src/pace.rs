//! The choice of a codec by what a stream measures.

mod speed;
mod trial;
mod window;

use std::time::{Duration, Instant};

use crate::{Client, Codec};
use speed::Speeds;
use trial::{Failures, Trial};
use window::Window;

/// A codec has to be better by this factor before it is tried.
const BETTER: f64 = 0.95;
/// And has to have been by this one to be kept.
const KEPT: f64 = 0.98;
/// A lighter one is kept though it is worse by up to this factor: it leaves more for others.
const SAME: f64 = 1.02;
/// With less than this share of the time spent waiting for the client, the link is not what holds the stream up.
const WAITING: f64 = 0.05;
/// So many bytes the system may take for a link before anybody has to wait for it (Linux' `tcp_wmem`): until then, nothing tells a
/// slow one from a fast one.
const SWALLOWED: u64 = 4 << 20;

/// What happened to the messages of one batch.
#[derive(Clone, Copy, Debug)]
pub struct Sent {
    /// How they are compressed.
    pub codec: Codec,
    /// Bytes of their bodies before compression: [`body_bytes`](crate::body_bytes).
    pub raw: u64,
    /// Bytes that were handed over.
    pub wire: u64,
    /// Wall time of encoding.
    pub encode: Duration,
    /// Time that handing over had to wait, since the queue to the client was full.
    pub blocked: Duration,
}

/// Chooses the codec of a stream's next messages: none on loopback, LZ4 at about 1 Gbit/s, ZSTD at about 100 Mbit/s, and
/// another one when the speed changes.
///
/// This is what the paper on client protocols (Raasveldt and Mühleisen, VLDB 2017) leaves as future work: "use the network speed as a
/// heuristic for which compression method to use", "dynamically adapted to changing network conditions".
///
/// # The model
/// Between encoder and client stands a queue of a few messages, so that encoding and sending go on side by side, and a
/// stream is as slow as the slower one of them. With a codec that takes `e` seconds to encode a byte and leaves `r` bytes
/// of it, over a link that takes `w` seconds for a byte, a byte costs `max(e, r * w)`. The sum `e + r * w` would hold without a
/// queue; where both are alike, it is wrong by a factor of 2. `e` is wall time of this stream's one encoder, so that busy cores
/// are in it; the source has threads of its own, and waiting for it tells nothing. `w` is measured while the encoder
/// has to wait for the client: only then has the link no time to spare.
///
/// # The choice
/// - While the client is waited for, each codec encodes one batch, so that `e` and `r` are this data's own; again
///   from time to time, for at most 1 % of the time. No compression needs none: `r` is 1, and `e` is nothing beside `w`.
/// - The codec that the model says is better by 5 % is tried, and kept only if a byte did cost less, all in all: a client
///   that is slow to decompress looks like a slow link.
/// - While the client is not waited for, the link may be faster than anybody knows, and the next lighter codec is tried, once more
///   was sent than the system takes for a link that it has yet to carry.
/// - A trial that fails is repeated after 30 times its duration, then 60, up to 480: trials cost at most a few hundredths. When
///   the cost of a byte changes by half, failures are forgotten.
///
/// Nothing in it asks for the time or for anything else: it is a function of what it is told.
///
/// ```
/// use std::time::{Duration, Instant};
/// use bowshot_gateway_wire::{Client, Codec, Pace, Sent};
///
/// let client = Client::of(Some("bowshot/0.1.0"));
/// let mut now = Instant::now();
/// let mut pace = Pace::adaptive(client, Codec::None, 4, now);
/// // A link of 10 MB/s, an encoder that halves 1 GB/s: each MiB waits for a tenth of a second, or half of it.
/// for _ in 0..100 {
///     let codec = pace.codec();
///     let (wire, encode) = if codec == Codec::None { (1 << 20, 100) } else { (1 << 19, 1_000) };
///     let encode = Duration::from_micros(encode);
///     let blocked = Duration::from_nanos(wire * 100) - encode;
///     now += encode + blocked;
///     pace.sent(&Sent { codec, raw: 1 << 20, wire, encode, blocked }, now);
/// }
/// assert_eq!(pace.codec(), Codec::Lz4);
/// ```
#[derive(Clone, Debug)]
pub struct Pace {
    /// What may be chosen.
    codecs: Vec<Codec>,
    current: Codec,
    /// Codecs to measure with one batch each, the next one last.
    samples: Vec<Codec>,
    /// How many batches wait between the encoder and the link.
    queue: u32,
    /// A link that takes fewer seconds for a byte is not what holds the stream up.
    fast: f64,
    speeds: Speeds,
    window: Window,
    trial: Option<Trial>,
    failures: Failures,
    last: Instant,
    /// Bytes handed over since the stream began.
    wire: u64,
}

impl Pace {
    /// Chooses among what the client reads, and begins with `start`, or with no compression where the client cannot read that.
    ///
    /// A good start is none on the same machine and LZ4 elsewhere, as the paper says. `queue` is how many batches
    /// may wait between encoder and connection: their time tells of the codec before.
    pub fn adaptive(client: Client, start: Codec, queue: u32, now: Instant) -> Pace {
        let codecs: Vec<Codec> = Codec::ALL.into_iter().filter(|codec| client.reads(*codec)).collect();
        Pace::new(codecs, if client.reads(start) { start } else { Codec::None }, queue, now)
    }

    /// For a client on the same machine: what looks like a slow link is a client at work, to which decompressing would add, as long
    /// as it takes 64 MB in a second. Slower ones may be the near end of a tunnel.
    pub fn near(self) -> Pace {
        Pace { fast: 1.0 / 64e6, ..self }
    }

    /// Always says `codec`, or no compression where the client cannot read that.
    pub fn fixed(client: Client, codec: Codec, now: Instant) -> Pace {
        let codec = if client.reads(codec) { codec } else { Codec::None };
        Pace::new(vec![codec], codec, 0, now)
    }

    fn new(codecs: Vec<Codec>, current: Codec, queue: u32, now: Instant) -> Pace {
        Pace {
            codecs,
            current,
            samples: Vec::new(),
            queue,
            fast: 0.0,
            speeds: Speeds::default(),
            window: Window::default(),
            trial: None,
            failures: Failures::default(),
            last: now,
            wire: 0,
        }
    }

    /// The codec of the next batch.
    pub fn codec(&self) -> Codec {
        self.samples.last().copied().unwrap_or(self.current)
    }

    /// Takes what happened to a batch that was handed over at `now`. Batches come in the order in which they were encoded.
    pub fn sent(&mut self, sent: &Sent, now: Instant) {
        let passed = now.saturating_duration_since(self.last);
        self.last = now;
        self.wire = self.wire.saturating_add(sent.wire);
        if self.codecs.len() < 2 || sent.raw == 0 {
            return;
        }
        self.speeds.add(sent, now);
        if self.samples.last() == Some(&sent.codec) {
            self.samples.pop();
            // What is measured next begins when the samples are through.
            self.window = Window::after(self.queue);
        } else if self.samples.is_empty() && sent.codec == self.current {
            self.window.add(sent, passed.saturating_sub(sent.encode + sent.blocked));
            if self.window.is_full() {
                self.decide(now);
            }
        }
    }

    fn decide(&mut self, now: Instant) {
        let window = std::mem::take(&mut self.window);
        match self.trial.take() {
            Some(trial) => self.judge(trial, &window),
            None => {
                self.failures.review(window.cost(), now);
                if window.blocked() > WAITING {
                    self.relieve(&window, now);
                } else if self.wire > SWALLOWED {
                    self.lighten(&window, now);
                }
            }
        }
    }

    /// Keeps the codec that was tried, or goes back.
    fn judge(&mut self, trial: Trial, window: &Window) {
        let kept = if self.current < trial.from { SAME } else { KEPT };
        if window.cost() <= trial.cost * kept {
            self.failures.remove(self.current);
        } else {
            // The trial told how fast the link is, and so how those would do that were not tried.
            let link = if window.blocked() > WAITING { window.link() } else { 0.0 };
            for codec in self.codecs.iter().copied().filter(|codec| *codec != trial.from) {
                let worse = self.speeds.predict(codec, link).is_some_and(|cost| cost > trial.cost);
                if codec == self.current || worse {
                    self.failures.add(codec, trial);
                }
            }
            self.current = trial.from;
            self.window = Window::after(self.queue);
        }
    }

    /// The link holds the stream up: looks for a codec that fits it better.
    fn relieve(&mut self, window: &Window, now: Instant) {
        if window.link() < self.fast {
            return;
        }
        let others: Vec<Codec> = self.codecs.iter().copied().filter(|codec| *codec != self.current).collect();
        let costs = others.iter().map(|codec| self.speeds.predict(*codec, window.link()).map(|cost| (*codec, cost)));
        let Some(costs) = costs.collect::<Option<Vec<_>>>() else {
            let unknown = |codec: &Codec| self.speeds.predict(*codec, window.link()).is_none();
            self.samples = others.into_iter().filter(unknown).collect();
            return;
        };
        let worth = |codec| if codec < self.current { SAME } else { BETTER };
        let better = costs
            .into_iter()
            .filter(|(codec, cost)| *cost <= window.cost() * worth(*codec) && self.failures.allow(*codec, now));
        match better.min_by(|(_, one), (_, other)| one.total_cmp(other)) {
            Some((codec, _)) => self.attempt(codec, window, now),
            None => {
                let stale = |codec: &Codec| self.speeds.is_stale(*codec, window.link(), now);
                self.samples = others.into_iter().filter(stale).collect();
            }
        }
    }

    /// The link has time to spare: looks for a codec that is less work.
    fn lighten(&mut self, window: &Window, now: Instant) {
        let current = self.speeds.encode(self.current).unwrap_or(f64::INFINITY);
        let lighter = self.codecs.iter().copied().filter(|codec| match self.speeds.encode(*codec) {
            Some(encode) => encode < current * BETTER,
            None => *codec < self.current,
        });
        // The nearest one: the further ones would cost most if the link were just fast enough.
        let allowed = lighter.filter(|codec| *codec != self.current && self.failures.allow(*codec, now));
        if let Some(codec) = allowed.max() {
            self.attempt(codec, window, now);
        }
    }

    fn attempt(&mut self, codec: Codec, window: &Window, now: Instant) {
        self.trial = Some(Trial { from: self.current, cost: window.cost(), since: now });
        self.current = codec;
        self.window = Window::after(self.queue);
    }
}

#[cfg(test)]
mod tests;
