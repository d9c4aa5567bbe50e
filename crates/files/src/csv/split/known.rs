//! Ranges that were found lately, so that a program which plans its next query over the same files need not look through them again.

use std::collections::VecDeque;
use std::ops::Range;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;

use super::Ends;
use crate::snapshot::{File, Version};

/// Ranges of whole records, each with the number of its first line.
pub(super) type Ranges = Vec<(Range<u64>, u64)>;

/// How many files are remembered, and of how many ranges at most.
const MOST_FILES: usize = 256;
const MOST_RANGES: usize = 4096;

/// A file that was written later than this may be written once more within what its system's clock tells apart.
const SETTLED: Duration = Duration::from_secs(2);

static FOUND: Mutex<VecDeque<(Key, Ranges)>> = Mutex::new(VecDeque::new());

/// All that ranges depend on.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Key {
    pub(super) path: std::path::PathBuf,
    pub(super) size: u64,
    pub(super) version: Version,
    pub(super) start: u64,
    pub(super) first_line: u64,
    pub(super) quote: Option<u8>,
    pub(super) ends: Ends,
    pub(super) target: u64,
}

/// What was found, if it was.
pub(super) fn known(key: &Key) -> Option<Ranges> {
    // A forked child may have the lock of a thread that it does not have.
    let mut found = FOUND.try_lock()?;
    let place = found.iter().position(|(known, _)| known == key)?;
    let entry = found.remove(place)?;
    let ranges = entry.1.clone();
    found.push_front(entry);
    Some(ranges)
}

/// Remembers what was found; `file` is the one of the key.
pub(super) fn keep(key: Key, file: &File, ranges: &Ranges) {
    let settled =
        file.version.written().is_some_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > SETTLED));
    if !settled || ranges.len() > MOST_RANGES {
        return;
    }
    if let Some(mut found) = FOUND.try_lock() {
        found.retain(|(known, _)| known.path != key.path || known.version == key.version);
        found.push_front((key, ranges.clone()));
        found.truncate(MOST_FILES);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &std::path::Path, age: Duration) -> File {
        let written = std::fs::File::create(path).unwrap();
        written.set_modified(SystemTime::now() - age).unwrap();
        let version = Version::of(&written.metadata().unwrap());
        File { name: "x".into(), path: path.into(), below: "x".into(), size: 9, version, keys: Vec::new() }
    }

    fn key(file: &File) -> Key {
        let (path, version) = (file.path.clone(), file.version.clone());
        Key { path, size: file.size, version, start: 0, first_line: 1, quote: None, ends: Ends::Feed, target: 4 }
    }

    #[test]
    fn ranges_are_known_of_the_same_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.csv");
        let ranges: Ranges = vec![(0..4, 1), (4..9, 2)];
        let fresh = file(&path, Duration::ZERO);
        keep(key(&fresh), &fresh, &ranges);
        assert_eq!(known(&key(&fresh)), None, "it may be written again at the same moment");
        let old = file(&path, Duration::from_secs(60));
        keep(key(&old), &old, &ranges);
        assert_eq!(known(&key(&old)), Some(ranges.clone()));
        assert_eq!(known(&Key { target: 5, ..key(&old) }), None);
        let newer = file(&path, Duration::from_secs(30));
        assert_eq!(known(&key(&newer)), None);
        keep(key(&newer), &newer, &ranges);
        assert_eq!((known(&key(&old)), known(&key(&newer))), (None, Some(ranges)), "the older state is forgotten");
    }
}
