//! Reads beside writers.

use std::collections::{BTreeMap, BTreeSet};

use bowshot_core::Result;

use super::{DATA, Writer, numbers};
use crate::reading::{Read, by, over, read, read_list};

/// Two hundred transfers, each a transaction of its own.
fn transfers(round: usize) -> String {
    let transfer = |number: usize| {
        let (from, to) = ((round * 7919 + number * 104_729) % 20_000 + 1, (round * 31 + number * 15_485) % 20_000 + 1);
        format!(
            "UPDATE accounts SET balance = balance + CASE id WHEN {from} THEN -7 ELSE 7 END \
             WHERE id IN ({from}, {to}) AND {from} <> {to};\n"
        )
    };
    (0..20).map(transfer).collect()
}

/// Reads while money moves; every read must find all of it, and at least two must find it in different places.
#[track_caller]
fn finds_all_the_money(reading: impl Fn() -> Result<Read>) {
    let writer = Writer::start(transfers);
    let mut places = BTreeSet::new();
    for _ in 0..8 {
        let read = reading().unwrap();
        assert!(read.partitions > 1, "{}", read.reason);
        let balances = numbers(&read, 1);
        assert_eq!((balances.len(), balances.iter().sum::<i64>()), (20_000, 20_000_000));
        let ids: BTreeSet<i64> = numbers(&read, 0).into_iter().collect();
        assert_eq!(ids.len(), 20_000, "an account is missing or there twice");
        places.insert(numbers(&read, 0).iter().zip(&balances).map(|(id, balance)| (id % 97) * balance).sum::<i64>());
    }
    assert!(places.len() > 1 && writer.rounds() > 0, "nothing moved: {} rounds", writer.rounds());
}

#[test]
fn ranges_of_pages_see_one_state() {
    finds_all_the_money(|| read(&DATA.uri(), "SELECT id, balance FROM accounts", &over(4)));
}

#[test]
fn ranges_of_a_column_see_one_state() {
    finds_all_the_money(|| read(&DATA.uri(), "SELECT id, balance FROM accounts", &by("id", 5, None)));
    // Here the ranges themselves move.
    finds_all_the_money(|| read(&DATA.uri(), "SELECT id, balance FROM accounts", &by("balance", 5, None)));
}

#[test]
fn lists_of_queries_see_one_state() {
    let part = |part: usize| format!("SELECT id, balance FROM accounts WHERE id % 3 = {part}");
    let queries = [part(0), part(1), part(2)];
    finds_all_the_money(|| read_list(&DATA.uri(), &queries.each_ref().map(String::as_str), &over(3)));
}

#[test]
fn without_a_shared_snapshot_one_connection_reads() {
    let uri = DATA.uri_of("reader", "reader");
    let read_whole = read(&uri, "SELECT id, balance FROM accounts", &over(4)).unwrap();
    assert_eq!(read_whole.partitions, 1);
    assert!(read_whole.reason.starts_with("the server shares no snapshot"), "{}", read_whole.reason);
    let part = |part: usize| format!("SELECT id, balance FROM accounts WHERE id % 3 = {part}");
    let queries = [part(0), part(1), part(2)];
    finds_all_the_money(|| {
        let read = read_list(&uri, &queries.each_ref().map(String::as_str), &over(3))?;
        assert!(read.snapshot.is_none() && read.reason.contains("over one connection"), "{}", read.reason);
        Ok(read)
    });
}

#[test]
fn a_table_grows_shrinks_and_is_vacuumed() {
    let writer = Writer::start(|round| {
        let (first, last) = (100_000 + round * 500, 100_000 + round * 500 + 499);
        let insert = format!(
            "INSERT INTO changing SELECT i, s * i, rpad('', 900, 'y') \
             FROM generate_series({first}, {last}) i, (VALUES (1), (-1)) v(s);"
        );
        let delete = match round % 3 {
            0 => format!("DELETE FROM changing WHERE pair BETWEEN {} AND {};", round * 400, round * 400 + 800),
            1 => format!("DELETE FROM changing WHERE pair BETWEEN {first} AND {last};"),
            _ => "UPDATE changing SET amount = amount WHERE pair % 10 = 3;".to_owned(),
        };
        format!("{insert}\n{delete}\nVACUUM changing;\n")
    });
    let mut counts = BTreeSet::new();
    while writer.rounds() < 12 {
        for options in [over(4), by("pair", 4, None)] {
            let read = read(&DATA.uri(), "SELECT pair, amount FROM changing", &options).unwrap();
            let (pairs, amounts) = (numbers(&read, 0), numbers(&read, 1));
            assert_eq!(amounts.iter().sum::<i64>(), 0, "{}", read.reason);
            let mut times = BTreeMap::new();
            for pair in pairs {
                *times.entry(pair).or_insert(0) += 1;
            }
            assert!(times.values().all(|&times| times == 2), "half a pair: {}", read.reason);
            counts.insert(times.len());
        }
    }
    assert!(counts.len() > 1, "nothing changed");
}
