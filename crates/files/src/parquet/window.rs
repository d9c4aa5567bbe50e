//! Reads of column chunks, many pages at once.

use std::sync::Arc;

use bowshot_core::{Error, Result};
use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use parquet::errors::ParquetError;

use crate::open::Open;

/// How much of a column chunk is read at once where its pages are small. A page asks for a few bytes of its header and then
/// for itself.
const STEP: u64 = 128 << 10;
/// A larger page is read alone, with the next one's header: a part of the next page would be read again with its rest.
const LARGE: u64 = 32 << 10;
const NEXT_HEADER: u64 = 1 << 10;
const HUGE: u64 = 4 << 20;
/// A footer is rarely longer.
const FOOTER: u64 = 64 << 10;

/// The byte ranges of the columns that are read, each with the part of it that is held in memory.
#[derive(Clone)]
pub(super) struct Window(Arc<Inner>);

struct Inner {
    open: Arc<Open>,
    /// In the order of their starts.
    ranges: Vec<Range>,
    /// The memory of a range that was read to its end, for the next one: columns are often read one after the other.
    spare: Mutex<Bytes>,
}

struct Range {
    start: u64,
    end: u64,
    /// Where the held bytes begin.
    held: Mutex<(u64, Bytes)>,
}

impl Window {
    /// For a footer: its bytes come in one round trip.
    pub(super) fn of_footer(open: &Arc<Open>) -> Result<Self> {
        let start = open.len().saturating_sub(FOOTER);
        let ranges = if open.is_local() { Vec::new() } else { vec![(start, open.len() - start)] };
        Self::new(open, ranges)
    }

    /// For column chunks, given as starts and lengths.
    pub(super) fn new(open: &Arc<Open>, mut ranges: Vec<(u64, u64)>) -> Result<Self> {
        ranges.sort_unstable();
        // From far away all of them are asked for at once.
        let held = if open.is_local() { Vec::new() } else { open.read_all(&ranges)? };
        let mut held = held.into_iter();
        let range = |(start, length): (u64, u64)| Range {
            start,
            end: start.saturating_add(length),
            held: Mutex::new((start, held.next().unwrap_or_default())),
        };
        let ranges = ranges.into_iter().map(range).collect();
        Ok(Window(Arc::new(Inner { open: Arc::clone(open), ranges, spare: Mutex::default() })))
    }

    /// At least `least` bytes from `start`, up to `most` where they are held.
    fn get(&self, start: u64, least: u64, most: u64) -> Result<Bytes> {
        let after = self.0.ranges.partition_point(|range| range.start <= start);
        let range = after.checked_sub(1).and_then(|place| self.0.ranges.get(place));
        let Some(range) = range.filter(|range| start.saturating_add(least) <= range.end) else {
            return self.0.open.read(start, least.max(most.min(self.0.open.len().saturating_sub(start))));
        };
        let mut held = range.held.lock();
        let bytes = match slice(&held, start, least, most) {
            Some(bytes) => bytes,
            None => {
                let length = if least > LARGE { least + NEXT_HEADER } else { STEP };
                let length = length.min(range.end - start);
                *held = (start, self.0.open.read_over(self.memory(&mut held.1), start, length)?);
                match slice(&held, start, least, most) {
                    Some(bytes) => bytes,
                    None => return self.0.open.read(start, least),
                }
            }
        };
        // A page that is as large is not kept for each column: the next one that is read takes its memory.
        if start + least == range.end || least > HUGE {
            *self.0.spare.lock() = std::mem::take(&mut held.1);
        }
        Ok(bytes)
    }

    /// Memory to read over: what a range held, or what the last one did. Pages that are compressed let go of it before the
    /// next one is asked for; where one has not, there is none.
    fn memory(&self, held: &mut Bytes) -> BytesMut {
        let old = if held.is_empty() { std::mem::take(&mut *self.0.spare.lock()) } else { std::mem::take(held) };
        old.try_into_mut().unwrap_or_default()
    }
}

fn slice((begin, bytes): &(u64, Bytes), start: u64, least: u64, most: u64) -> Option<Bytes> {
    let from = usize::try_from(start.checked_sub(*begin)?).ok()?;
    let there = bytes.len().checked_sub(from)?;
    let (least, most) = (usize::try_from(least).ok()?, usize::try_from(most).unwrap_or(usize::MAX));
    (there >= least).then(|| bytes.slice(from..from + there.min(most)))
}

impl Window {
    /// `length` bytes from `start`.
    pub(super) fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.get(start, length as u64, length as u64).map_err(external)
    }

    /// Bytes of a page's header, of which nobody knows the length before: `length` of them, or fewer at the end of the file.
    pub(super) fn header(&self, start: u64, length: u64) -> Result<Bytes, ParquetError> {
        let bytes = self.get(start, 1, length).map_err(external)?;
        // What is held ends within it.
        if (bytes.len() as u64) < length { self.get(start, length, length).map_err(external) } else { Ok(bytes) }
    }
}

fn external(error: Error) -> ParquetError {
    ParquetError::External(Box::new(error))
}

#[cfg(test)]
mod tests {
    use std::fs::metadata;
    use std::io::Write;

    use crate::snapshot::{File, Version};

    use super::*;

    /// A file that is filled with the numbers of its mebibytes, and a window of column chunks of so many each.
    fn window(mebibytes: u8, each: u8) -> (tempfile::NamedTempFile, Window) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        (0..mebibytes).for_each(|number| file.write_all(&[number; 1 << 20]).unwrap());
        let (path, size) = (file.path().to_owned(), u64::from(mebibytes) << 20);
        let version = Version::of(&metadata(&path).unwrap());
        let listed =
            Arc::new(File { name: "numbers".into(), path, below: String::new(), size, version, keys: Vec::new() });
        let starts = (0..mebibytes).step_by(each.into());
        let ranges = starts.map(|start| (u64::from(start) << 20, u64::from(each) << 20)).collect();
        (file, Window::new(&Arc::new(Open::local(&listed).unwrap()), ranges).unwrap())
    }

    #[test]
    fn a_page_is_read_over_one_that_was_let_go_of() {
        let (_file, window) = window(3, 3);
        let page = |number: u64| window.get_bytes(number << 20, 1 << 20).unwrap();
        let first = page(0).as_ptr();
        assert_eq!(page(1).as_ptr(), first);
        let kept = page(2);
        assert!(kept.as_ptr() == first && kept.iter().all(|byte| *byte == 2));
        let other = page(0);
        assert!(other.as_ptr() != first && other.iter().all(|byte| *byte == 0) && kept.iter().all(|byte| *byte == 2));
    }

    #[test]
    fn a_column_that_was_read_leaves_its_memory_to_the_next_one() {
        let (_file, window) = window(4, 2);
        let page = |number: u64| window.get_bytes(number << 20, 1 << 20).unwrap();
        page(0);
        let last = page(1).as_ptr();
        assert_eq!(page(2).as_ptr(), last, "of the next column");
        // Who has not been read to the end keeps it, and who still has a page keeps that.
        let kept = page(1);
        assert!(kept.as_ptr() != last && kept.iter().all(|byte| *byte == 1));
        assert!(page(3).iter().all(|byte| *byte == 3) && kept.iter().all(|byte| *byte == 1));
    }
}
