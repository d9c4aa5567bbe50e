//! One column of a key as whole numbers.

use bowshot_core::Result;

use super::text::Alphabet;
use crate::connect::Session;
use crate::split::KeyColumn;

/// How many bytes of a binary key count.
const BYTES: usize = 8;

/// Days from the year 0 to 0001-01-01, the first date that a literal may be, and to 1970-01-01, where timestamps begin.
const FIRST_DAY: i128 = 366;
const EPOCH: i128 = 719_528;

/// Seconds of a day.
const DAY: i128 = 86_400;

/// The last second that a literal may be: 9999-12-31 23:59:59.
const LAST_DAY: i128 = 3_652_424;

/// One column of a key, and the part of the line's places that is its own.
pub(super) struct Part {
    /// As SQL writes it.
    pub(super) name: String,
    kind: Kind,
    /// What was seen of it, as [`Part::expression`] selects it.
    pub(super) seen: Vec<String>,
    low: i128,
    /// How many of the number's low bits do not count.
    pub(super) shift: u32,
    /// How many places it has.
    pub(super) size: u128,
}

/// How a column's values become numbers, and numbers literals.
pub(super) enum Kind {
    /// Whole numbers, and decimals with this many digits behind the point.
    Number { scale: u32 },
    /// Days since the year 0.
    Date,
    /// Seconds since the year 0; no earlier than this day.
    Time { first: i128 },
    /// The bytes behind those that all have in common.
    Bytes { common: Vec<u8> },
    /// MariaDB's UUIDs, which it keeps with their last digits first.
    Uuid,
    /// Text in the order of its collation.
    Text(Alphabet),
}

impl Kind {
    /// How values of the column become numbers; `None` where their order is not known.
    pub(super) fn of(session: &mut Session, column: &KeyColumn) -> Result<Option<Self>> {
        Ok(Some(match column.data_type.as_str() {
            "tinyint" | "smallint" | "mediumint" | "int" | "bigint" | "year" => Kind::Number { scale: 0 },
            // 36 digits fit the numbers here.
            "decimal" if column.precision <= 36 => Kind::Number { scale: column.scale },
            "date" => Kind::Date,
            "datetime" => Kind::Time { first: FIRST_DAY },
            "timestamp" => Kind::Time { first: EPOCH },
            "binary" | "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => {
                Kind::Bytes { common: Vec::new() }
            }
            "uuid" => Kind::Uuid,
            "char" | "varchar" | "tinytext" | "text" | "mediumtext" | "longtext" => {
                match Alphabet::of(session, &column.charset, &column.collation)? {
                    Some(alphabet) => Kind::Text(alphabet),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        }))
    }
}

impl Part {
    pub(super) fn new(name: String, kind: Kind) -> Self {
        Part { name, kind, seen: Vec::new(), low: 0, shift: 0, size: 1 }
    }

    /// Whether more of its values should be seen before it is settled.
    pub(super) fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text(_))
    }

    /// Learns what its text is written with, from what was seen.
    pub(super) fn learn(&mut self, session: &mut Session) -> Result<()> {
        match &mut self.kind {
            Kind::Text(alphabet) => alphabet.learn(session, &self.seen),
            _ => Ok(()),
        }
    }

    /// What to select of a row.
    pub(super) fn expression(&self) -> String {
        let name = &self.name;
        match &self.kind {
            Kind::Number { scale: 0 } | Kind::Uuid => name.clone(),
            Kind::Number { scale } => format!("TRUNCATE({name} * 1{:0>1$}, 0)", "", *scale as usize),
            Kind::Date => format!("TO_DAYS({name})"),
            Kind::Time { .. } => format!("TO_SECONDS({name})"),
            Kind::Bytes { .. } => format!("HEX(LEFT({name}, 255))"),
            Kind::Text(_) => format!("LEFT({name}, 255)"),
        }
    }

    /// Takes the extent of what was seen, in at most `room` places.
    pub(super) fn settle(&mut self, room: u128) {
        match &mut self.kind {
            Kind::Bytes { common } => *common = common_bytes(&self.seen),
            Kind::Text(alphabet) => alphabet.settle(&self.seen),
            _ => {}
        }
        let numbers: Vec<i128> = self.seen.iter().map(|seen| self.number(seen)).collect();
        let (low, high) = (numbers.iter().min().copied().unwrap_or(0), numbers.iter().max().copied().unwrap_or(0));
        self.low = low;
        self.shift = 0;
        let extent = low.abs_diff(high);
        while (extent >> self.shift) >= room {
            self.shift += 1;
        }
        self.size = (extent >> self.shift) + 1;
    }

    /// The place of a value.
    pub(super) fn place(&self, value: &str) -> u128 {
        let number = self.number(value).max(self.low);
        (number.abs_diff(self.low) >> self.shift).min(self.size - 1)
    }

    /// The first place at or behind this one that a literal can stand at.
    pub(super) fn next_certain(&self, place: u128) -> u128 {
        let Kind::Text(alphabet) = &self.kind else { return place };
        let number = i128::try_from(place << self.shift).map_or(i128::MAX, |number| self.low.saturating_add(number));
        let next = alphabet.next_certain(number);
        if next == number {
            return place;
        }
        let distance = next.abs_diff(self.low);
        (distance >> self.shift) + u128::from((distance >> self.shift) << self.shift != distance)
    }

    /// The literal at a place.
    pub(super) fn literal(&self, place: u128) -> String {
        let number = i128::try_from(place << self.shift).map_or(i128::MAX, |number| self.low.saturating_add(number));
        match &self.kind {
            Kind::Number { scale } => decimal(number, *scale),
            Kind::Date => format!("'{}'", date(number)),
            Kind::Time { .. } => {
                let (day, second) = (number.div_euclid(DAY), number.rem_euclid(DAY));
                format!("'{} {:02}:{:02}:{:02}'", date(day), second / 3600, second / 60 % 60, second % 60)
            }
            Kind::Bytes { common } => {
                let tail = u64::try_from(number).unwrap_or(u64::MAX).to_be_bytes();
                let digits = common.iter().chain(&tail).map(|byte| format!("{byte:02X}"));
                format!("X'{}'", digits.collect::<String>())
            }
            Kind::Uuid => uuid(u64::try_from(number).unwrap_or(u64::MAX)),
            Kind::Text(alphabet) => alphabet.literal(number),
        }
    }

    /// What the server has to confirm of two literals, of which the first should be the lower one. Numbers and times
    /// need no witness.
    pub(super) fn check(&self, low: &str, high: &str) -> Option<String> {
        match &self.kind {
            Kind::Uuid => Some(format!("CAST({low} AS UUID) < CAST({high} AS UUID)")),
            Kind::Text(alphabet) => Some(alphabet.check(low, high)),
            _ => None,
        }
    }

    /// A value as a number; what is no number is as low as can be.
    fn number(&self, value: &str) -> i128 {
        match &self.kind {
            Kind::Number { .. } => value.parse().unwrap_or(0),
            // Dates that no calendar has are NULL here.
            Kind::Date => value.parse().unwrap_or(0).clamp(FIRST_DAY, LAST_DAY),
            Kind::Time { first } => value.parse().unwrap_or(0).clamp(first * DAY, (LAST_DAY + 1) * DAY - 1),
            Kind::Bytes { common } => bytes_number(value, common),
            Kind::Uuid => uuid_number(value),
            Kind::Text(alphabet) => alphabet.number(value),
        }
    }
}

/// A number with a point in front of its last `scale` digits.
fn decimal(number: i128, scale: u32) -> String {
    let power = 10_u128.pow(scale.min(36));
    if power == 1 {
        return number.to_string();
    }
    let (whole, fraction) = (number.unsigned_abs() / power, number.unsigned_abs() % power);
    format!("{}{whole}.{fraction:0width$}", if number < 0 { "-" } else { "" }, width = scale as usize)
}

/// The date of a count of days since the year 0, as the server counts them.
fn date(days: i128) -> String {
    let days = days.clamp(FIRST_DAY, LAST_DAY);
    // Years begin in March here, so that the leap day comes last; an era is 400 years.
    let days = days - 60;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    format!("{:04}-{month:02}-{day:02}", year + 400 * era)
}

fn from_hexadecimal(text: &str) -> Vec<u8> {
    let pair = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|pair| u8::from_str_radix(pair, 16).ok());
    text.as_bytes().chunks(2).filter_map(pair).collect()
}

fn common_bytes(seen: &[String]) -> Vec<u8> {
    let mut seen = seen.iter().map(|text| from_hexadecimal(text));
    let mut common = seen.next().unwrap_or_default();
    for other in seen {
        let same = common.iter().zip(&other).take_while(|(one, other)| one == other).count();
        common.truncate(same);
    }
    common
}

/// The bytes behind the common ones; what does not begin with those lies before or behind all that does.
fn bytes_number(value: &str, common: &[u8]) -> i128 {
    let bytes = from_hexadecimal(value);
    let Some(tail) = bytes.strip_prefix(common) else {
        return if bytes.as_slice() < common { 0 } else { i128::from(u64::MAX) };
    };
    let mut number = [0; BYTES];
    for (to, from) in number.iter_mut().zip(tail) {
        *to = *from;
    }
    u64::from_be_bytes(number).into()
}

/// The groups of a UUID's digits in the order in which MariaDB compares them: the last group first.
fn uuid_number(value: &str) -> i128 {
    let mut groups = value.split('-').rev();
    let mut digits = format!("{}{}", groups.next().unwrap_or_default(), groups.next().unwrap_or_default());
    digits.truncate(16);
    u64::from_str_radix(&digits, 16).unwrap_or(0).into()
}

/// The lowest UUID of this number that MariaDB compares so: of version 1, with the variant's bit. Others it keeps as they are written.
fn uuid(number: u64) -> String {
    let (last, fourth) = (number >> 16, number & 0xFFFF);
    format!("'00000000-0000-1000-{:04x}-{last:012x}'", fourth.max(0x8000))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: Kind, seen: &[&str]) -> Part {
        let mut part = Part::new("k".into(), kind);
        part.seen = seen.iter().map(|seen| (*seen).to_owned()).collect();
        part.settle(1 << 62);
        part
    }

    #[test]
    fn places_turn_back_into_the_literals_that_have_them() {
        for (kind, seen, value, literal) in [
            (Kind::Number { scale: 0 }, ["-9223372036854775808", "0"], "-7", "-7"),
            (Kind::Number { scale: 2 }, ["-150", "99999"], "-105", "-1.05"),
            (Kind::Date, ["366", "3652424"], "738945", "'2023-03-01'"),
            (Kind::Time { first: FIRST_DAY }, ["63846747296", "63900000000"], "63846747297", "'2023-03-22 23:34:57'"),
            (Kind::Bytes { common: Vec::new() }, ["AB00", "ABFF"], "AB0102", "X'AB0102000000000000'"),
            (
                Kind::Uuid,
                ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-0fff-3fffffffffff"],
                "12345678-9abc-4def-8123-0123456789ab",
                "'00000000-0000-1000-8123-0123456789ab'",
            ),
        ] {
            let part = part(kind, &seen);
            let written = part.literal(part.place(value));
            if part.shift == 0 {
                assert_eq!(written, literal);
            }
        }
    }

    #[test]
    fn larger_values_never_have_lower_places() {
        let part = part(Kind::Bytes { common: Vec::new() }, &["AB10", "ABF0"]);
        let places: Vec<u128> =
            ["", "AA", "AB", "AB11", "AB1100", "ABEF", "ABFFFF", "AC"].map(|value| part.place(value)).into();
        assert!(places.is_sorted(), "{places:?}");
        assert_eq!(places[0], 0);
    }

    #[test]
    fn what_does_not_fit_loses_its_low_bits() {
        let mut part = Part::new("k".into(), Kind::Number { scale: 0 });
        part.seen = vec!["0".into(), "1023".into()];
        part.settle(16);
        assert_eq!((part.shift, part.size), (6, 16));
        assert_eq!(part.literal(part.place("100")), "64");
    }
}
