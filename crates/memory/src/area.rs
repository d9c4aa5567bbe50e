//! Blocks side by side, in areas of huge pages.
//!
//! There is one range of addresses, cut into areas of 64 MiB. One area is open: who wants a block moves the cursor behind it. What of
//! an area was given back is counted; when that is all of it, the area can be opened again. Nothing waits for anything, so that a
//! process may fork at any time.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use crate::system;

/// Blocks begin and end at multiples of so many bytes.
pub(crate) const UNIT: usize = 512;

/// Units of an area.
const UNITS: u32 = 1 << 17;

/// Bytes of an area.
const AREA: usize = UNITS as usize * UNIT;

/// Areas of the range: 512 GiB. When all are full, blocks come from the system's allocator.
const AREAS: usize = 1 << 13;

/// Bytes of the range.
const RANGE: usize = AREAS * AREA;

/// Where the range begins; 0 before the first block, [`NONE`] where the system gives no such range.
static BASE: AtomicUsize = AtomicUsize::new(0);

/// No address: it is odd.
const NONE: usize = 1;

/// Where in the range the next block goes, and above it, where the open area ends; in units.
static CURSOR: AtomicU64 = AtomicU64::new(0);

/// How many areas were opened for the first time.
static OPENED: AtomicU32 = AtomicU32::new(0);

/// How many units of each area were given back.
static GIVEN_BACK: [AtomicU32; AREAS] = [const { AtomicU32::new(0) }; AREAS];

/// The areas that can be opened again, as a stack ("Treiber's"): the number of the last one, from 1, with a count of the changes
/// above it, by which a change that others made meanwhile is seen; and for each area the one below it.
static LAST: AtomicU64 = AtomicU64::new(0);
static BELOW: [AtomicU32; AREAS] = [const { AtomicU32::new(0) }; AREAS];

/// A block of `size` zeros, at most an area; `None` where there is no room.
pub(crate) fn take(size: usize) -> Option<*mut u8> {
    let base = base()?;
    let units = units(size)?;
    let mut seen = CURSOR.load(Ordering::Acquire);
    loop {
        let (at, end) = halves(seen);
        if units <= end - at {
            match CURSOR.compare_exchange_weak(seen, whole(at + units, end), Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return Some(place(base, at)),
                Err(now) => seen = now,
            }
            continue;
        }
        let first = open()?;
        match CURSOR.compare_exchange(seen, whole(first + units, first + UNITS), Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                // The rest of the area before is too small for this one, and so for nobody.
                if at < end {
                    system::settle(place(base, end - UNITS), AREA);
                    count(base, at, end - at);
                }
                return Some(place(base, first));
            }
            Err(now) => {
                close(first / UNITS);
                seen = now;
            }
        }
    }
}

/// Whether a block is of an area.
#[inline]
pub(crate) fn has(block: *mut u8) -> bool {
    let base = BASE.load(Ordering::Acquire);
    base > NONE && block.addr().wrapping_sub(base) < RANGE
}

/// Takes back a block of `size` bytes.
///
/// # Safety
/// It was [taken](take) with this size, is taken back for the first time, and nobody uses it any more.
#[expect(unsafe_code, reason = "what it takes back is somebody's memory")]
pub(crate) unsafe fn give_back(block: *mut u8, size: usize) {
    let base = BASE.load(Ordering::Acquire);
    let (Some(units), Ok(at)) = (units(size), u32::try_from((block.addr() - base) / UNIT)) else { return };
    // Before it is counted: afterwards it may be another's.
    system::give_back(block, units as usize * UNIT);
    count(base, at, units);
}

/// Counts units as given back. Who gives back an area's last ones makes it as new.
fn count(base: usize, at: u32, units: u32) {
    let area = at / UNITS;
    let Some(given_back) = GIVEN_BACK.get(area as usize) else { return };
    if given_back.fetch_add(units, Ordering::AcqRel) + units == UNITS {
        given_back.store(0, Ordering::Release);
        if system::renew(place(base, area * UNITS), AREA) {
            close(area);
        }
    }
}

/// The first unit of an area that nobody uses.
fn open() -> Option<u32> {
    let mut seen = LAST.load(Ordering::Acquire);
    while let (number @ 1.., changes) = halves(seen) {
        let below = BELOW.get(number as usize - 1)?.load(Ordering::Acquire);
        match LAST.compare_exchange_weak(
            seen,
            whole(below, changes.wrapping_add(1)),
            Ordering::AcqRel,
            Ordering::Acquire,
        ) {
            Ok(_) => return Some((number - 1) * UNITS),
            Err(now) => seen = now,
        }
    }
    let next = |opened: u32| ((opened as usize) < AREAS).then_some(opened + 1);
    let opened = OPENED.fetch_update(Ordering::AcqRel, Ordering::Acquire, next).ok()?;
    Some(opened * UNITS)
}

/// Puts an area that nobody uses to those that can be opened again.
fn close(area: u32) {
    let Some(below) = BELOW.get(area as usize) else { return };
    let mut seen = LAST.load(Ordering::Acquire);
    loop {
        let (number, changes) = halves(seen);
        below.store(number, Ordering::Release);
        let new = whole(area + 1, changes.wrapping_add(1));
        match LAST.compare_exchange_weak(seen, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(now) => seen = now,
        }
    }
}

/// Where the range begins, which the first one reserves.
fn base() -> Option<usize> {
    let mut base = BASE.load(Ordering::Acquire);
    if base == 0 {
        let start = system::reserve(RANGE);
        let new = start.map_or(NONE, |start| start.expose_provenance());
        base = match BASE.compare_exchange(0, new, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => new,
            Err(others) => {
                start.into_iter().for_each(|start| system::release(start, RANGE));
                others
            }
        };
    }
    (base != NONE).then_some(base)
}

fn place(base: usize, unit: u32) -> *mut u8 {
    std::ptr::with_exposed_provenance_mut(base + unit as usize * UNIT)
}

fn units(size: usize) -> Option<u32> {
    u32::try_from(size.div_ceil(UNIT)).ok().filter(|units| *units <= UNITS)
}

/// The lower and the upper half.
#[expect(clippy::cast_possible_truncation, reason = "that is what halves are")]
fn halves(both: u64) -> (u32, u32) {
    (both as u32, (both >> 32) as u32)
}

fn whole(lower: u32, upper: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(lower)
}
