//! Real conversations with something wrong in them.

use bowshot_core::Options;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::recording::{messages, record};
use super::replay::Replay;
use super::survives;
use crate::leftovers::{alone, memory};
use crate::reading::over;

const KINDS: &str = "SELECT * FROM kinds";

/// Conversations of every protocol, and of a plan that is split.
fn conversations() -> Vec<(&'static str, Options)> {
    let protocol = |name: &str| Options { protocol: Some(name.into()), ..over(1) };
    vec![
        (KINDS, protocol("arrow")),
        (KINDS, protocol("copy")),
        (KINDS, protocol("extended")),
        (KINDS, protocol("cursor")),
        ("SELECT id FROM big", over(2)),
        ("SELECT id FROM big", Options { protocol: Some("copy".into()), ..over(2) }),
    ]
}

/// What may happen to one message.
fn distortions(message: &[u8]) -> Vec<Vec<u8>> {
    let (tag, body) = (message[0], &message[5..]);
    let with_length = |length: u32, body: &[u8]| [&[tag], length.to_be_bytes().as_slice(), body].concat();
    let length = u32::try_from(body.len() + 4).unwrap();
    let mut distorted: Vec<Vec<u8>> =
        [0, 3, 4, length - 1, length + 1, length + 1000, 1 << 30, i32::MAX as u32, u32::MAX, 1 << 31]
            .into_iter()
            .map(|length| with_length(length, body))
            .collect();
    distorted.extend([
        Vec::new(),
        [message, message].concat(),
        message[..message.len() / 2].to_vec(),
        with_length(4, b""),
        with_length(length, &vec![0; body.len()]),
        with_length(length, &vec![0xff; body.len()]),
        with_length(length, &vec![0x7f; body.len()]),
        // An error without fields, with fields that do not end, and in no encoding.
        b"E\0\0\0\x04".to_vec(),
        b"E\0\0\0\x0bMabcdef".to_vec(),
        b"E\0\0\0\x0aM\xff\xfe\xfd\0\0".to_vec(),
        [b"N\0\0\0\x05\0".as_slice(), message].concat(),
        b"D\0\0\0\x06\xff\xff".to_vec(),
        b"T\0\0\0\x06\x7f\xff".to_vec(),
        b"T\0\0\0\x06\x80\x00".to_vec(),
        b"d\0\0\0\x06\x00\x01".to_vec(),
        b"G\0\0\0\x07\0\0\0".to_vec(),
        b"W\0\0\0\x07\0\0\0".to_vec(),
        b"c\0\0\0\x04".to_vec(),
        b"s\0\0\0\x04".to_vec(),
        b"Z\0\0\0\x05I".to_vec(),
    ]);
    distorted
}

#[test]
fn every_message_may_be_wrong() {
    if !alone("hostile::mutations::every_message_may_be_wrong") {
        return;
    }
    let replay = Replay::start();
    let mut cases = 0;
    for (sql, options) in conversations() {
        let recorded = record(sql, &options);
        if options.workers() == 1 {
            replay.say(recorded.clone());
            assert_eq!(survives(&replay.uri(), sql, &options, &"the recording itself").unwrap().count(), 5);
        }
        let held = memory("VmHWM");
        for (connection, recording) in recorded.iter().enumerate() {
            for place in interesting(recording) {
                for distorted in distortions(&recording[place.clone()]) {
                    let mut scripts = recorded.clone();
                    scripts[connection].splice(place.clone(), distorted.iter().copied());
                    replay.say(scripts);
                    let what = (sql, &options.protocol, connection, &place, &distorted[..distorted.len().min(40)]);
                    // A right result or an error; a mistake of ours panics.
                    let _ = survives(&replay.uri(), sql, &options, &what);
                    cases += 1;
                }
            }
        }
        let grown = memory("VmHWM").saturating_sub(held);
        assert!(grown < 100 << 20, "{sql} {:?}: {} MiB", options.protocol, grown >> 20);
    }
    assert!(cases > 1000, "{cases}");
}

/// The first messages of each kind and the last ones: the many rows between are alike.
fn interesting(recording: &[u8]) -> Vec<std::ops::Range<usize>> {
    let all = messages(recording);
    let mut seen = std::collections::BTreeMap::new();
    let mut chosen: Vec<_> = all
        .iter()
        .filter(|place| {
            let count = seen.entry(recording[place.start]).or_insert(0);
            *count += 1;
            *count <= 6
        })
        .cloned()
        .collect();
    chosen.extend(all.iter().rev().take(3).filter(|place| !chosen.contains(place)).cloned().collect::<Vec<_>>());
    chosen
}

/// Something that happens to a run of bytes.
#[derive(Clone, Debug)]
enum Mutation {
    Replace(Vec<u8>),
    Insert(Vec<u8>),
    Remove(usize),
    Repeat(usize),
    Truncate,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let extreme =
        prop::sample::select(vec![0_u32, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, u32::MAX, 1 << 30, 1 << 16]);
    prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 1..5).prop_map(Mutation::Replace),
        4 => extreme.prop_map(|number| Mutation::Replace(number.to_be_bytes().to_vec())),
        2 => prop::collection::vec(any::<u8>(), 1..9).prop_map(Mutation::Insert),
        2 => (1_usize..40).prop_map(Mutation::Remove),
        1 => (1_usize..200).prop_map(Mutation::Repeat),
        1 => Just(Mutation::Truncate),
    ]
}

fn apply(script: &mut Vec<u8>, place: prop::sample::Index, mutation: &Mutation) {
    let at = place.index(script.len().max(1)).min(script.len());
    let end = |count: usize| (at + count).min(script.len());
    match mutation {
        Mutation::Replace(bytes) => drop(script.splice(at..end(bytes.len()), bytes.iter().copied())),
        Mutation::Insert(bytes) => drop(script.splice(at..at, bytes.iter().copied())),
        Mutation::Remove(count) => drop(script.drain(at..end(*count))),
        Mutation::Repeat(count) => {
            let copy = script[at..end(*count)].to_vec();
            script.splice(at..at, copy);
        }
        Mutation::Truncate => script.truncate(at),
    }
}

#[test]
fn any_bytes_may_be_wrong() {
    if !alone("hostile::mutations::any_bytes_may_be_wrong") {
        return;
    }
    let replay = Replay::start();
    for (sql, options) in conversations() {
        let recorded = record(sql, &options);
        // Bytes of the many rows of the split table are all alike; those before them are not.
        let most = 60_000;
        let held = memory("VmHWM");
        let strategy =
            (any::<prop::sample::Index>(), prop::collection::vec((any::<prop::sample::Index>(), mutation()), 1..4));
        let config = Config { failure_persistence: None, ..Config::with_cases(400) };
        TestRunner::new(config)
            .run(&strategy, |(connection, mutations)| {
                let mut scripts = recorded.clone();
                let script = &mut scripts[connection.index(recorded.len())];
                let rest = script.split_off(script.len().min(most));
                for (place, mutation) in &mutations {
                    apply(script, *place, mutation);
                }
                script.extend(rest);
                replay.say(scripts);
                // A right result or an error; a mistake of ours panics.
                let _ = survives(&replay.uri(), sql, &options, &mutations);
                Ok(())
            })
            .unwrap();
        let grown = memory("VmHWM").saturating_sub(held);
        assert!(grown < 100 << 20, "{sql} {:?}: {} MiB", options.protocol, grown >> 20);
    }
}
