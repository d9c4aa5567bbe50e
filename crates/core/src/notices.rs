//! What databases say of one piece of work, in bounded memory.

use std::fmt;

use parking_lot::Mutex;

use crate::{Notice, Severity};

/// How many notices are kept of those that people are told, and how many of the others.
const MOST: usize = 100;

/// How many bytes of text are kept of each of the two.
const MOST_BYTES: usize = 256 << 10;

/// How many bytes of each text are kept.
const MOST_TEXT: usize = 8 << 10;

/// What databases say of one piece of work, from any thread.
///
/// A server may say anything any number of times: kept are the first 100 notices that [are told](crate::Severity::is_told), the first
/// 100 others, at most 256 KiB of text of each, and 8 KiB of each text. What is said again is counted, and so is what is left out.
///
/// ```
/// use bowshot_core::{Cancel, Notice, Severity};
///
/// let work = Cancel::new();
/// work.notices().add(Notice::new(Severity::Notice, "the index is old"));
/// work.notices().add(Notice::new(Severity::Notice, "the index is old"));
/// let [notice] = &work.notices().all()[..] else { panic!() };
/// assert_eq!(notice.times(), 2);
/// ```
#[derive(Default)]
pub struct Notices(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// In the order in which they came.
    notices: Vec<Entry>,
    told: Shelf,
    quiet: Shelf,
}

struct Entry {
    notice: Notice,
    /// Nobody was told.
    is_fresh: bool,
}

/// What is kept of one kind.
#[derive(Default)]
struct Shelf {
    count: usize,
    bytes: usize,
    left_out: u64,
    /// Of those, how many people know of.
    told: u64,
}

impl Notices {
    /// Keeps a notice, as far as there is room.
    pub fn add(&self, mut notice: Notice) {
        notice.texts().for_each(cut);
        let bytes: usize = notice.texts().map(|text| text.len()).sum();
        let mut kept = self.0.lock();
        let Kept { notices, told, quiet } = &mut *kept;
        if let Some(entry) = notices.iter_mut().find(|entry| entry.notice.says_the_same(&notice)) {
            entry.notice.count_again();
            return;
        }
        let shelf = if notice.severity().is_told() { told } else { quiet };
        if shelf.count == MOST || shelf.bytes + bytes > MOST_BYTES {
            shelf.left_out = shelf.left_out.saturating_add(1);
            return;
        }
        shelf.count += 1;
        shelf.bytes += bytes;
        notices.push(Entry { notice, is_fresh: true });
    }

    /// All that are kept, in the order in which they came.
    pub fn all(&self) -> Vec<Notice> {
        self.0.lock().notices.iter().map(|entry| entry.notice.clone()).collect()
    }

    /// Those that people are to be told and that no call has returned before; where some found no room, a last one says how many.
    pub fn take_untold(&self) -> Vec<Notice> {
        let mut kept = self.0.lock();
        let more = kept.told.left_out - kept.told.told;
        kept.told.told = kept.told.left_out;
        let untold = |entry: &&mut Entry| entry.is_fresh && entry.notice.severity().is_told();
        let take = |entry: &mut Entry| {
            entry.is_fresh = false;
            entry.notice.clone()
        };
        let mut told: Vec<Notice> = kept.notices.iter_mut().filter(untold).map(take).collect();
        if more > 0 {
            told.push(Notice::new(
                Severity::Notice,
                format!("the database said {more} things more, which were left out"),
            ));
        }
        told
    }

    /// How many notices found no room, of all kinds.
    pub fn left_out(&self) -> u64 {
        let kept = self.0.lock();
        kept.told.left_out.saturating_add(kept.quiet.left_out)
    }
}

impl fmt::Debug for Notices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.all()).finish()
    }
}

/// Cuts a text that is too long.
fn cut(text: &mut String) {
    if text.len() > MOST_TEXT {
        text.truncate(text.floor_char_boundary(MOST_TEXT));
        text.push('…');
        text.shrink_to_fit();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_bounded_and_what_is_left_out_is_counted() {
        let notices = Notices::default();
        for number in 0..1000 {
            notices.add(Notice::new(Severity::Debug, format!("debug {number}")));
            notices.add(Notice::new(Severity::Notice, format!("notice {number}")));
        }
        let all = notices.all();
        assert_eq!((all.len(), notices.left_out()), (200, 1800));
        let told = notices.take_untold();
        assert_eq!(told.len(), 101);
        assert!(told[100].to_string().contains("900 things more"), "{}", told[100]);
        assert_eq!(notices.take_untold(), []);
        assert_eq!((all[0].message(), all[199].message()), ("debug 0", "notice 99"));
        let long = Notices::default();
        for number in 0..100 {
            long.add(Notice::new(Severity::Warning, format!("{number} {}", "€".repeat(1 << 20))));
        }
        let kept: usize = long.all().iter().map(|notice| notice.message().len()).sum();
        assert!(kept <= MOST_BYTES && long.left_out() > 50);
        assert!(long.all()[0].message().ends_with("€…"));
    }

    #[test]
    fn each_is_told_once_and_counted_as_often_as_it_comes() {
        let notices = Notices::default();
        let say = || {
            for severity in [Severity::Info, Severity::Notice, Severity::Warning] {
                notices.add(Notice::new(severity, "hello"));
            }
        };
        say();
        let told: Vec<_> = notices.take_untold().iter().map(Notice::severity).collect();
        assert_eq!(told, [Severity::Notice, Severity::Warning]);
        say();
        assert_eq!(notices.take_untold(), []);
        assert!(notices.all().iter().all(|notice| notice.times() == 2) && notices.all().len() == 3);
    }
}
