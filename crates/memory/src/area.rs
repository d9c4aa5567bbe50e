//! Blocks side by side, in areas of huge pages.
//!
//! There is one range of addresses, cut into areas of 64 MiB. One area is open: who wants a block moves the cursor behind it. What of
//! an area was given back is counted; when that is all of it, the area can be opened again. Nothing waits for anything, so that a
//! process may fork at any time.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::numbers::{Numbers, halves, whole};
use crate::range::{self, Range};
use crate::system;

/// Blocks begin and end at multiples of so many bytes.
pub(crate) const UNIT: usize = 512;

/// Units of an area.
const UNITS: u32 = 1 << 17;

/// Bytes of an area.
const AREA: usize = UNITS as usize * UNIT;

/// Areas of the range: 512 GiB. When all are full, blocks come from the system's allocator.
const AREAS: usize = 1 << 13;

static RANGE: Range = Range::new(AREAS * AREA);

/// The areas that are open or full.
static NUMBERS: Numbers<AREAS> = Numbers::new();

/// Where in the range the next block goes, and above it, where the open area ends; in units.
static CURSOR: AtomicU64 = AtomicU64::new(0);

/// How many units of each area were given back.
static GIVEN_BACK: [AtomicU32; AREAS] = [const { AtomicU32::new(0) }; AREAS];

/// A block of `size` zeros, at most an area; `None` where there is no room.
pub(crate) fn take(size: usize) -> Option<*mut u8> {
    let begin = RANGE.begin()?;
    let units = units(size)?;
    let mut seen = CURSOR.load(Ordering::Acquire);
    loop {
        let (at, end) = halves(seen);
        if units <= end - at {
            match CURSOR.compare_exchange_weak(seen, whole(at + units, end), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(place(begin, at)),
                Err(now) => seen = now,
            }
            continue;
        }
        let first = open(begin)?;
        match CURSOR.compare_exchange(seen, whole(first + units, first + UNITS), Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                // The rest of the area before is too small for this one, and so for nobody.
                if at < end {
                    system::settle(place(begin, end - UNITS), AREA);
                    count(begin, at, end - at);
                }
                return Some(place(begin, first));
            }
            Err(now) => {
                NUMBERS.give_back(first / UNITS);
                seen = now;
            }
        }
    }
}

/// Whether a block is of an area.
#[inline]
pub(crate) fn has(block: *mut u8) -> bool {
    RANGE.offset(block).is_some()
}

/// Takes back a block of `size` bytes.
///
/// # Safety
/// It was [taken](take) with this size, is taken back for the first time, and nobody uses it any more.
#[expect(unsafe_code, reason = "what it takes back is somebody's memory")]
pub(crate) unsafe fn give_back(block: *mut u8, size: usize) {
    let at = RANGE.offset(block).and_then(|offset| u32::try_from(offset / UNIT).ok());
    let (Some(begin), Some(units), Some(at)) = (RANGE.begin(), units(size), at) else { return };
    // Before it is counted: afterwards it may be another's.
    system::give_back(block, units as usize * UNIT);
    count(begin, at, units);
}

/// Counts units as given back. Who gives back an area's last ones makes it as new.
fn count(begin: usize, at: u32, units: u32) {
    let area = at / UNITS;
    let Some(given_back) = GIVEN_BACK.get(area as usize) else { return };
    if given_back.fetch_add(units, Ordering::AcqRel) + units == UNITS {
        given_back.store(0, Ordering::Release);
        if system::renew(place(begin, area * UNITS), AREA) {
            NUMBERS.give_back(area);
        }
    }
}

/// The first unit of an area that nobody uses.
fn open(begin: usize) -> Option<u32> {
    let first = NUMBERS.take()? * UNITS;
    system::advise(place(begin, first), AREA);
    Some(first)
}

fn place(begin: usize, unit: u32) -> *mut u8 {
    range::place(begin, unit as usize * UNIT)
}

fn units(size: usize) -> Option<u32> {
    u32::try_from(size.div_ceil(UNIT)).ok().filter(|units| *units <= UNITS)
}
