//! Values that announce more than they hold.

use super::recording::{messages, record};
use super::replay::Replay;
use super::survives;
use crate::leftovers::{alone, memory};
use crate::reading::over;

/// Every four bytes of every row, as numbers that are too large for what they count.
#[test]
fn every_length_may_be_a_lie() {
    if !alone("hostile::values::every_length_may_be_a_lie") {
        return;
    }
    let replay = Replay::start();
    let sql = "SELECT * FROM kinds LIMIT 1";
    let recorded = record(sql, &over(1));
    let recording = &recorded[0];
    let rows: Vec<_> = messages(recording).into_iter().filter(|place| recording[place.start] == b'd').collect();
    let held = memory("VmHWM");
    for row in rows {
        for at in row.start + 5..row.end.saturating_sub(3) {
            for number in [0x7fff_ffff_u32, 0xffff_fffe] {
                let mut script = recording.clone();
                script[at..at + 4].copy_from_slice(&number.to_be_bytes());
                replay.say(vec![script]);
                // A right result or an error; a mistake of ours panics.
                let _ = survives(&replay.uri(), sql, &over(1), &(at - row.start, number));
            }
        }
    }
    let grown = memory("VmHWM").saturating_sub(held);
    assert!(grown < 100 << 20, "{} MiB", grown >> 20);
}
