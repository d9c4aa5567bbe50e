//! Simulated links.

use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;

const MIB: u64 = 1 << 20;
const QUEUE: u32 = 4;

/// How one codec does: seconds to encode a byte, bytes that are left of it, seconds to decode it.
#[derive(Clone, Copy, Debug)]
struct Work {
    encode: f64,
    ratio: f64,
    decode: f64,
}

fn work(encode: f64, ratio: f64) -> Work {
    Work { encode: 1.0 / encode, ratio, decode: 0.0 }
}

/// What a 2-core machine does with orders: bytes per second, and what is left of them.
fn usual() -> [Work; 3] {
    [work(8e9, 1.0), work(700e6, 0.45), work(250e6, 0.3)]
}

/// Encoder, queue, link and client.
struct Simulation {
    works: [Work; 3],
    /// Seconds since the start, at the encoder.
    time: f64,
    /// When the messages of the queue will have left it.
    queue: VecDeque<f64>,
    /// When the link is free again.
    free: f64,
    /// How often each codec was used.
    used: [u32; 3],
}

impl Simulation {
    fn new(works: [Work; 3]) -> Self {
        Simulation { works, time: 0.0, queue: VecDeque::new(), free: 0.0, used: [0; 3] }
    }

    /// Sends a message of 1 MiB, over a link of so many bits per second, after the source let the encoder wait.
    fn send(&mut self, codec: Codec, bits: f64, source: f64) -> Sent {
        let work = self.works[speed::place(codec)];
        let raw = window::float(MIB);
        let (wire, encode) = (raw * work.ratio, raw * work.encode);
        self.time += source + encode;
        let ready = self.time;
        if self.queue.len() >= usize::try_from(QUEUE).unwrap() {
            self.time = self.time.max(self.queue.pop_front().unwrap());
        }
        self.free = self.free.max(self.time) + (wire * 8.0 / bits).max(raw * work.decode);
        self.queue.push_back(self.free);
        self.used[speed::place(codec)] += 1;
        let span = Duration::from_secs_f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a MiB")]
        let bytes = wire as u64;
        Sent { codec, raw: MIB, wire: bytes, encode: span(encode), blocked: span(self.time - ready) }
    }
}

/// Runs a stream; link speed and waits for the source by message. What it took, and the codec at the end.
fn adaptive(works: [Work; 3], messages: u32, bits: impl Fn(u32) -> f64, source: f64) -> (f64, Codec, Simulation) {
    let start = Instant::now();
    let mut pace = Pace::adaptive(Client::of(Some("bowshot/1")), Codec::None, QUEUE, start);
    let mut simulation = Simulation::new(works);
    for message in 0..messages {
        let sent = simulation.send(pace.codec(), bits(message), source);
        pace.sent(&sent, start + Duration::from_secs_f64(simulation.time));
    }
    (simulation.free, pace.current, simulation)
}

fn fixed(works: [Work; 3], messages: u32, codec: Codec, bits: f64) -> f64 {
    let mut simulation = Simulation::new(works);
    for _ in 0..messages {
        simulation.send(codec, bits, 0.0);
    }
    simulation.free
}

fn best(works: [Work; 3], messages: u32, bits: f64) -> f64 {
    Codec::ALL.into_iter().map(|codec| fixed(works, messages, codec, bits)).fold(f64::INFINITY, f64::min)
}

#[test]
fn loopback_gets_none_a_gigabit_lz4_and_a_hundred_megabit_zstd() {
    for (bits, codec) in
        [(100e9, Codec::None), (40e9, Codec::None), (1e9, Codec::Lz4), (100e6, Codec::Zstd), (10e6, Codec::Zstd)]
    {
        let (took, chosen, _) = adaptive(usual(), 3_000, |_| bits, 0.0);
        assert_eq!(chosen, codec, "{bits} bit/s");
        assert!(took < 1.1 * best(usual(), 3_000, bits), "{bits} bit/s: {took}");
    }
}

#[test]
fn the_choice_follows_a_link_that_changes() {
    let speeds = [100e9, 100e6, 1e9, 100e9, 100e6];
    let phase = 3_000;
    let messages = phase * u32::try_from(speeds.len()).unwrap();
    let (took, chosen, _) =
        adaptive(usual(), messages, |message| speeds[usize::try_from(message / phase).unwrap()], 0.0);
    assert_eq!(chosen, Codec::Zstd);
    let ideal: f64 = speeds.into_iter().map(|bits| best(usual(), phase, bits)).sum();
    assert!(took < 1.1 * ideal, "{took} s, at best {ideal} s");
}

#[test]
fn a_link_between_two_codecs_does_not_make_the_choice_swing() {
    // 3.15 Gbit/s: LZ4 fills it exactly.
    for bits in [2.4e9, 2.52e9, 3e9, 3.15e9, 5.6e9, 5.7e9] {
        let (took, _, simulation) = adaptive(usual(), 10_000, |_| bits, 0.0);
        let most = simulation.used.into_iter().max().unwrap();
        assert!(most > 9_000, "{bits} bit/s: {:?}", simulation.used);
        assert!(took < 1.1 * best(usual(), 10_000, bits));
    }
}

#[test]
fn a_client_that_is_slow_to_decompress_gets_nothing_to_decompress() {
    // Its own work, 3 ns a byte, looks like a link of 2.7 Gbit/s.
    let mut works = usual();
    for (work, decode) in works.iter_mut().zip([3e-9, 4e-9, 6e-9]) {
        work.decode = decode;
    }
    let (took, chosen, _) = adaptive(works, 10_000, |_| 100e9, 0.0);
    assert_eq!(chosen, Codec::None);
    assert!(took < 1.1 * fixed(works, 10_000, Codec::None, 100e9));
}

#[test]
fn a_client_on_the_same_machine_is_not_taken_for_a_slow_link_but_a_tunnel_is() {
    let start = Instant::now();
    for (bits, codec) in [(1e9, Codec::None), (100e6, Codec::Zstd)] {
        let mut pace = Pace::adaptive(Client::of(Some("bowshot/1")), Codec::None, QUEUE, start).near();
        let mut simulation = Simulation::new(usual());
        for _ in 0..1_000 {
            let sent = simulation.send(pace.codec(), bits, 0.0);
            pace.sent(&sent, start + Duration::from_secs_f64(simulation.time));
        }
        assert_eq!(pace.current, codec, "{bits} bit/s");
        assert!(codec != Codec::None || simulation.used == [1_000, 0, 0]);
    }
}

#[test]
fn a_slow_source_gets_no_compression_where_the_link_keeps_up() {
    let (_, chosen, simulation) = adaptive(usual(), 2_000, |_| 1e9, 0.02);
    assert_eq!(chosen, Codec::None);
    assert_eq!(simulation.used, [2_000, 0, 0]);
}

#[test]
fn data_that_cannot_be_compressed_is_not() {
    let works = [work(8e9, 1.0), work(900e6, 1.0), work(400e6, 1.0)];
    let (took, chosen, _) = adaptive(works, 3_000, |_| 1e9, 0.0);
    assert_eq!(chosen, Codec::None);
    assert!(took < 1.02 * fixed(works, 3_000, Codec::None, 1e9));
}

#[test]
fn only_what_the_client_reads_is_chosen_and_a_fixed_choice_stays() {
    let now = Instant::now();
    let (able, unable) = (Client::of(Some("bowshot/1")), Client::of(None));
    for (mut pace, codec) in [
        (Pace::adaptive(unable, Codec::Zstd, QUEUE, now), Codec::None),
        (Pace::fixed(unable, Codec::Zstd, now), Codec::None),
        (Pace::fixed(able, Codec::Zstd, now), Codec::Zstd),
        (Pace::fixed(able, Codec::None, now), Codec::None),
    ] {
        let mut simulation = Simulation::new(usual());
        for _ in 0..1_000 {
            assert_eq!(pace.codec(), codec);
            let sent = simulation.send(codec, 10e6, 0.0);
            pace.sent(&sent, now + Duration::from_secs_f64(simulation.time));
        }
    }
}

#[test]
fn nonsense_from_a_clock_breaks_nothing() {
    let now = Instant::now();
    let mut pace = Pace::adaptive(Client::of(Some("bowshot/1")), Codec::Lz4, 0, now);
    for (raw, span) in [(0, 0), (1, 0), (0, 5), (u64::from(u32::MAX), 0), (1 << 24, 3_000), (1 << 24, 0)].repeat(20) {
        let span = Duration::from_secs(span);
        let sent = Sent { codec: pace.codec(), raw, wire: raw / 3, encode: span, blocked: span };
        pace.sent(&sent, now);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// 10 Mbit/s to 100 Gbit/s, codecs of every sort. The first messages, with which the codecs are measured, may cost as
    /// much as they do without compression.
    #[test]
    fn the_choice_is_within_a_tenth_of_the_best_one(
        exponent in 7.0..11.0_f64,
        none in 4e9..20e9_f64,
        lz4 in (300e6..3e9_f64, 0.02..1.0_f64),
        zstd in (50e6..1.5e9_f64, 0.01..1.0_f64),
    ) {
        let works = [work(none, 1.0), work(lz4.0, lz4.1), work(zstd.0, zstd.1)];
        let (bits, messages) = (10_f64.powf(exponent), 20_000);
        let (took, chosen, simulation) = adaptive(works, messages, |_| bits, 0.0);
        let probing = fixed(works, 32, Codec::None, bits);
        let best = best(works, messages, bits);
        prop_assert!(took <= 1.1 * best + probing, "{bits} bit/s: {took} s, at best {best} s; {chosen} {:?}", simulation.used);
    }
}

#[test]
fn nothing_goes_uncompressed_over_a_slow_link_to_learn_what_that_costs() {
    // With and without a system that takes the first bytes as if the link were fast.
    for swallowed in [0, 3 << 20] {
        let mut now = Instant::now();
        let mut pace = Pace::adaptive(Client::of(Some("bowshot/0.1.0")), Codec::Zstd, 2, now);
        let (mut used, mut handed) = (Vec::new(), 0);
        for _ in 0..200 {
            let codec = pace.codec();
            used.push(codec);
            // 10 MB/s; the encoder is never in the way.
            let wire: u64 = if codec == Codec::Zstd { 1 << 18 } else { 1 << 19 };
            let encode = Duration::from_millis(1);
            let sending = Duration::from_nanos(wire * 100);
            let blocked = if handed < swallowed { Duration::ZERO } else { sending.saturating_sub(encode) };
            handed += wire;
            now += encode + blocked;
            pace.sent(&Sent { codec, raw: 1 << 20, wire, encode, blocked }, now);
        }
        assert!(!used.contains(&Codec::None));
        let lz4 = used.iter().filter(|codec| **codec == Codec::Lz4).count();
        assert!((1..=4).contains(&lz4), "LZ4 is measured now and then: {lz4} of 200");
    }
}
