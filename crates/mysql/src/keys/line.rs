//! Keys as places on a line of whole numbers.

use bowshot_core::Result;

use super::part::{Kind, Part};
use crate::catalog::{cell, identifier};
use crate::connect::Session;
use crate::split::Keyed;

/// How many places a line has at most: so many that a place and a distance fit 64 bits with a sign.
const MOST_PLACES: u128 = 1 << 62;

/// The line of a table's keys: the larger of two keys never has the lower place.
///
/// Its columns are like the digits of a number. A column that does not fit keeps its high bits; those behind it are left
/// out.
pub(super) struct Line {
    parts: Vec<Part>,
}

impl Line {
    /// The columns of the key whose order is known, up to the first one of another type; or why there is none.
    pub(super) fn new(session: &mut Session, table: &Keyed) -> Result<std::result::Result<Self, String>> {
        let mut parts = Vec::new();
        for column in &table.columns {
            match Kind::of(session, column)? {
                Some(kind) => parts.push(Part::new(identifier(&column.name), kind)),
                None if parts.is_empty() => {
                    return Ok(Err(format!("the key of {} is of the type {}", table.table.name, column.data_type)));
                }
                None => break,
            }
        }
        Ok(Ok(Line { parts }))
    }

    /// The columns' names as SQL writes them.
    pub(super) fn names(&self) -> Vec<String> {
        self.parts.iter().map(|part| part.name.clone()).collect()
    }

    /// What to select of a row so that [`Line::place`] can read it.
    pub(super) fn expressions(&self) -> Vec<String> {
        self.parts.iter().map(Part::expression).collect()
    }

    /// Whether its first and its last key do not tell enough.
    pub(super) fn needs_samples(&self) -> bool {
        self.parts.len() > 1 || self.parts.iter().any(Part::is_text)
    }

    /// Takes note of a key that there is.
    pub(super) fn see(&mut self, row: &[Option<String>]) {
        for (place, part) in self.parts.iter_mut().enumerate() {
            part.seen.push(cell(row, place).to_owned());
        }
    }

    /// Learns what its text is written with, from what was seen so far.
    pub(super) fn learn(&mut self, session: &mut Session) -> Result<()> {
        self.parts.iter_mut().try_for_each(|part| part.learn(session))
    }

    /// Gives the first column its extent, from what was seen so far.
    pub(super) fn settle_first(&mut self) {
        if let Some(first) = self.parts.first_mut() {
            first.settle(MOST_PLACES);
        }
    }

    /// The literal at one of `count` places of the first column.
    pub(super) fn first_literal(&self, number: u64, count: u64) -> String {
        let literal = |part: &Part| part.literal(part.size / u128::from(count) * u128::from(number));
        self.parts.first().map(literal).unwrap_or_default()
    }

    /// Gives every column its extent, from what was seen.
    pub(super) fn settle(&mut self) {
        let mut room = MOST_PLACES;
        let mut used = 0;
        for part in &mut self.parts {
            if room < 2 {
                break;
            }
            part.settle(room);
            room /= part.size;
            used += 1;
            // What has lost its low bits is not unique any more.
            if part.shift > 0 {
                break;
            }
        }
        self.parts.truncate(used);
    }

    fn size(&self) -> u128 {
        self.parts.iter().map(|part| part.size).product()
    }

    /// Its last place.
    pub(super) fn last(&self) -> i64 {
        i64::try_from(self.size() - 1).unwrap_or(i64::MAX)
    }

    /// A place that is asked for, on the line; `None` behind its end.
    pub(super) fn clamp(&self, place: i64) -> Option<i64> {
        let place = place.max(0);
        (u128::from(place.unsigned_abs()) < self.size()).then_some(place)
    }

    /// The place of a key.
    pub(super) fn place(&self, row: &[Option<String>]) -> Option<i64> {
        let mut place = 0_u128;
        for (index, part) in self.parts.iter().enumerate() {
            place = place * part.size + part.place(cell(row, index));
        }
        i64::try_from(place).ok()
    }

    /// The first place at or behind this one that literals can stand at; `None` behind the line's end.
    pub(super) fn next_certain(&self, place: i64) -> Option<i64> {
        let mut digits = self.digits(self.clamp(place)?);
        for (index, part) in self.parts.iter().enumerate() {
            let digit = digits.get(index).copied().unwrap_or(0);
            let next = part.next_certain(digit);
            if next == digit {
                continue;
            }
            digits.iter_mut().skip(index).for_each(|digit| *digit = 0);
            // Where its own places end, the column in front of it has to go on.
            let (target, value) = if next < part.size { (index, next) } else { (index.checked_sub(1)?, 0) };
            let digit = digits.get_mut(target)?;
            *digit = if target == index { value } else { *digit + 1 };
            let place = self.parts.iter().zip(&digits).fold(0_u128, |place, (part, digit)| place * part.size + digit);
            let place = i64::try_from(place).ok()?;
            return if target == index { self.clamp(place) } else { self.next_certain(place) };
        }
        Some(place.max(0))
    }

    /// A place in every column.
    fn digits(&self, place: i64) -> Vec<u128> {
        let mut rest = u128::from(place.max(0).unsigned_abs());
        let mut digits: Vec<u128> = Vec::with_capacity(self.parts.len());
        for part in self.parts.iter().rev() {
            digits.push(rest % part.size);
            rest /= part.size;
        }
        digits.reverse();
        digits
    }

    /// The literals of the lowest key that may have this place; those that say nothing at the end are left out. Empty
    /// for the first place, which all keys are at or behind.
    pub(super) fn literals(&self, place: i64) -> Vec<String> {
        let mut digits = self.digits(place);
        while digits.last() == Some(&0) {
            digits.pop();
        }
        self.parts.iter().zip(&digits).map(|(part, digit)| part.literal(*digit)).collect()
    }

    /// What the server has to confirm of two literals of a column, of which the first should be the lower one.
    pub(super) fn check(&self, column: usize, low: &str, high: &str) -> Option<String> {
        self.parts.get(column)?.check(low, high)
    }
}
