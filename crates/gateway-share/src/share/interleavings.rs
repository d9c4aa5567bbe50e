//! Readers of all kinds at once: never a row twice, none missing, or an error.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::testing::{Fault, Query, ROWS, rows_of};

/// How one part is read.
#[derive(Clone, Debug)]
struct Habit {
    /// Microseconds before it is opened, and before each batch.
    late: u64,
    slow: u64,
    /// It goes away after so many batches.
    leaves: Option<usize>,
}

#[derive(Debug)]
enum End {
    Reached,
    Left,
    Failed(Error),
}

fn read(part: &Plan, habit: &Habit) -> (Vec<i64>, End) {
    let pause = |micros| thread::sleep(Duration::from_micros(micros));
    let mut rows = Vec::new();
    pause(habit.late);
    let mut connection = part.scan.connect(&Cancel::new()).unwrap();
    let mut reader = connection.open(0).unwrap();
    for count in 0.. {
        if habit.leaves == Some(count) {
            return (rows, End::Left);
        }
        match reader.next() {
            Ok(Some(batch)) => rows.extend(rows_of(&batch)),
            Ok(None) => break,
            Err(error) => return (rows, End::Failed(error)),
        }
        pause(habit.slow);
    }
    (rows, End::Reached)
}

fn habits() -> impl Strategy<Value = Vec<Habit>> {
    let micros = || prop_oneof![Just(0), 0_u64..300, Just(2000)];
    let leaves = prop_oneof![6 => Just(None), 1 => (0_usize..8).prop_map(Some)];
    let habit = (micros(), micros(), leaves).prop_map(|(late, slow, leaves)| Habit { late, slow, leaves });
    prop::collection::vec(habit, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn every_row_is_read_once_or_the_loss_is_told(
        habits in habits(),
        batches in 0_usize..60,
        memory in 0_usize..20,
        spill_bytes in prop_oneof![Just(0_u64), 500_u64..20_000, Just(1 << 30)],
        fault in prop_oneof![5 => Just(Fault::None), 1 => Just(Fault::Error)],
    ) {
        let query = Query::of(batches).then(fault);
        let limits = ShareLimits { memory_bytes: memory * 8 * ROWS, spill_bytes, ..ShareLimits::default() };
        let parts = share(query.plan(), &Options::default(), habits.len(), &limits, Cancel::new()).unwrap();
        let ends: Vec<(Vec<i64>, End)> = thread::scope(|scope| {
            let reading: Vec<_> =
                parts.iter().zip(&habits).map(|(part, habit)| scope.spawn(move || read(part, habit))).collect();
            reading.into_iter().map(|thread| thread.join().unwrap()).collect()
        });

        let mut seen = BTreeSet::new();
        for row in ends.iter().flat_map(|(rows, _)| rows) {
            prop_assert!(seen.insert(*row), "row {} twice", row);
        }
        let is_lost = ends.iter().any(|(rows, end)| matches!(end, End::Left) && !rows.is_empty());
        for (rows, end) in &ends {
            match end {
                End::Reached => {
                    prop_assert!(fault == Fault::None, "a short result that looks whole");
                    prop_assert_eq!(&seen, &query.rows(), "told the end before every row was given to somebody");
                }
                End::Failed(error) if error.kind() == ErrorKind::ConnectionLost => prop_assert!(is_lost),
                End::Failed(error) => prop_assert!(fault == Fault::Error, "{error} after {} rows", rows.len()),
                End::Left => {}
            }
        }
    }
}
