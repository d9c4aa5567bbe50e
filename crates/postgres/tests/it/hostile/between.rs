//! Real conversations with notices, parameters and notifications between their messages: the result stays the same.

use std::ops::Range;

use bowshot_core::{Cancel, Options, Query, Request, Result, Source, Stream};
use bowshot_postgres::Postgres;
use bowshot_testkit::message;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::recording::{messages, record};
use super::replay::Replay;
use crate::leftovers::{alone, memory};
use crate::reading::{over, rows};

const KINDS: &str = "SELECT * FROM kinds";

fn conversations() -> Vec<Options> {
    let protocol = |name: &str| Options { protocol: Some(name.into()), ..over(1) };
    ["arrow", "copy", "extended", "cursor"].map(protocol).into()
}

fn notice(text: &str) -> Vec<u8> {
    message(b'N', format!("SHINWEIS\0VNOTICE\0C00000\0M{text}\0Hhint\0\0").as_bytes())
}

/// One of each kind.
fn each() -> Vec<u8> {
    let (parameter, notification) = (b"TimeZone\0Asia/Tokyo\0", b"\0\0\0\x07channel\0payload\0");
    [notice("between"), message(b'S', parameter), message(b'A', notification)].concat()
}

/// The rows that are read, and what was said meanwhile.
fn read(replay: &Replay, options: &Options) -> Result<(Vec<String>, Cancel)> {
    let cancel = Cancel::new();
    let request = Request::new(Query::new(KINDS), options.clone());
    let plan = Postgres::from_uri(&replay.uri())?.plan(&request, &cancel)?;
    let batches = Stream::start(plan, options, cancel.clone()).collect::<Result<Vec<_>>>()?;
    Ok((batches.iter().flat_map(rows).collect(), cancel))
}

/// A recording with these bytes in front of each of these messages.
fn with(recording: &[u8], places: &[Range<usize>], between: &[u8]) -> Vec<u8> {
    let mut script = Vec::new();
    let mut at = 0;
    for place in places {
        script.extend_from_slice(&recording[at..place.start]);
        script.extend_from_slice(between);
        at = place.start;
    }
    script.extend_from_slice(&recording[at..]);
    script
}

#[test]
fn anything_may_come_between_any_two_messages() {
    if !alone("hostile::between::anything_may_come_between_any_two_messages") {
        return;
    }
    let replay = Replay::start();
    let long = "x".repeat(3 << 20);
    for options in conversations() {
        let recording = record(KINDS, &options).remove(0);
        let places = messages(&recording);
        replay.say(vec![recording.clone()]);
        let (expected, said) = read(&replay, &options).unwrap();
        assert_eq!((expected.len(), said.notices().all()), (5, vec![]));
        let check = |script: Vec<u8>, what: &str| {
            replay.say(vec![script]);
            let (rows, said) =
                read(&replay, &options).unwrap_or_else(|error| panic!("{:?} {what}: {error}", options.protocol));
            assert!(rows == expected, "{:?} {what}", options.protocol);
            said
        };
        // Everywhere at once: no row is a batch of its own for that.
        let said = check(with(&recording, &places, &each()), "everywhere");
        let all = said.notices().all();
        let times: Vec<_> = all.iter().map(|notice| (notice.severity().name(), notice.times())).collect();
        let count = places.len() as u64;
        assert_eq!(times, [("NOTICE", count), ("INFO", count)]);
        assert_eq!(all[0].to_string(), format!("NOTICE: between ({count} times); hint"));
        for place in &places {
            let at = std::slice::from_ref(place);
            let said = check(with(&recording, at, &each()), "at one place");
            assert_eq!(said.notices().take_untold().len(), 1);
        }
        let held = memory("VmHWM");
        let thousands: Vec<u8> = (0..3000).flat_map(|number| notice(&format!("number {number}"))).collect();
        for place in places.iter().rev().step_by(places.len().div_ceil(12)) {
            let at = std::slice::from_ref(place);
            let said = check(with(&recording, at, &thousands), "thousands");
            assert_eq!((said.notices().all().len(), said.notices().left_out()), (100, 2900));
            let said = check(with(&recording, at, &[notice(&long), each()].concat()), "a large one");
            assert_eq!(said.notices().all().len(), 3);
        }
        let grown = memory("VmHWM").saturating_sub(held);
        assert!(grown < 60 << 20, "{} MiB", grown >> 20);
    }
}

#[test]
fn whatever_comes_between_may_come_in_pieces() {
    let replay = Replay::start();
    let strategy = (
        prop::collection::vec((any::<prop::sample::Index>(), 0_usize..200_000, any::<u8>()), 1..6),
        prop::collection::vec(any::<prop::sample::Index>(), 1..6),
    );
    for options in conversations() {
        let recording = record(KINDS, &options).remove(0);
        let places = messages(&recording);
        replay.say(vec![recording.clone()]);
        let (expected, _) = read(&replay, &options).unwrap();
        let config = Config { failure_persistence: None, ..Config::with_cases(40) };
        TestRunner::new(config)
            .run(&strategy, |(asides, cuts)| {
                let mut asides: Vec<_> = asides
                    .iter()
                    .map(|(at, length, kind)| (places[at.index(places.len())].start, *length, *kind))
                    .collect();
                asides.sort_unstable();
                let mut script = recording.clone();
                for (at, length, kind) in asides.iter().rev() {
                    let body = match kind % 4 {
                        0 => vec![b'M'; *length],
                        1 => vec![0; *length],
                        2 => [b"VWARNING\0M".as_slice(), &vec![b'x'; *length], b"\0\0"].concat(),
                        _ => [b"TimeZone\0".as_slice(), &vec![b'x'; *length], b"\0"].concat(),
                    };
                    let aside = message([b'N', b'S', b'A'][usize::from(kind / 4 % 3)], &body);
                    script.splice(at..at, aside);
                }
                let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(script.len())).collect();
                cuts.sort_unstable();
                replay.say_in_pieces(vec![script], cuts);
                let (rows, _) = read(&replay, &options).map_err(|error| TestCaseError::fail(error.to_string()))?;
                prop_assert!(rows == expected, "other rows");
                Ok(())
            })
            .unwrap();
    }
}

#[test]
fn a_change_of_the_encoding_is_no_silent_change_of_the_text() {
    let replay = Replay::start();
    for options in conversations() {
        let recording = record(KINDS, &options).remove(0);
        let all = messages(&recording);
        let last = all.iter().rposition(|place| matches!(recording[place.start], b'd' | b'D')).unwrap();
        let change = message(b'S', b"client_encoding\0LATIN1\0");
        replay.say(vec![with(&recording, &all[last..=last], &change)]);
        let error = read(&replay, &options).unwrap_err();
        assert!(error.to_string().contains("client_encoding to LATIN1"), "{error}");
    }
}
