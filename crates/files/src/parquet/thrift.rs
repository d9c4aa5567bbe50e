//! Thrift's compact protocol, as far as Parquet's footers and page headers need it: read from a stranger, and written.
//!
//! See [thrift-compact-protocol.md](https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md). Nothing is
//! allocated for what the bytes claim, and structures lie within each other no deeper than [`DEEPEST`].

use parquet::errors::ParquetError;

use super::direct::wrong;

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    True,
    False,
    Byte,
    I16,
    I32,
    I64,
    Double,
    Binary,
    List,
    Set,
    Map,
    Struct,
    Uuid,
}

/// No structure of Parquet lies deeper.
const DEEPEST: usize = 32;

impl Kind {
    const ALL: [Kind; 13] = [
        Kind::True,
        Kind::False,
        Kind::Byte,
        Kind::I16,
        Kind::I32,
        Kind::I64,
        Kind::Double,
        Kind::Binary,
        Kind::List,
        Kind::Set,
        Kind::Map,
        Kind::Struct,
        Kind::Uuid,
    ];

    fn of(number: u8) -> Result<Kind, ParquetError> {
        let place = usize::from(number & 0x0f).checked_sub(1);
        place
            .and_then(|place| Kind::ALL.get(place))
            .copied()
            .ok_or_else(|| wrong("a field has a type that Thrift has not"))
    }

    fn number(self) -> u8 {
        Kind::ALL
            .iter()
            .position(|kind| *kind == self)
            .and_then(|place| u8::try_from(place + 1).ok())
            .unwrap_or_default()
    }
}

/// What has not been read of some bytes.
#[derive(Clone)]
pub(super) struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Input(bytes)
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.0.len()
    }

    pub(super) fn byte(&mut self) -> Result<u8, ParquetError> {
        let (first, rest) = self.0.split_first().ok_or_else(ended)?;
        self.0 = rest;
        Ok(*first)
    }

    fn bytes(&mut self, count: usize) -> Result<&'a [u8], ParquetError> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(ended)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn unsigned(&mut self) -> Result<u64, ParquetError> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(wrong("a number has more than 64 bits"))
    }

    pub(super) fn i64(&mut self) -> Result<i64, ParquetError> {
        let number = self.unsigned()?;
        Ok((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
    }

    pub(super) fn i32(&mut self) -> Result<i32, ParquetError> {
        i32::try_from(self.i64()?).map_err(|_| wrong("a number has more than 32 bits"))
    }

    pub(super) fn binary(&mut self) -> Result<&'a [u8], ParquetError> {
        let length = usize::try_from(self.unsigned()?).map_err(|_| ended())?;
        self.bytes(length)
    }

    /// The next field of a structure; `None` behind the last one.
    pub(super) fn field(&mut self, last: &mut i16) -> Result<Option<(i16, Kind)>, ParquetError> {
        let head = self.byte()?;
        if head & 0x0f == 0 {
            return Ok(None);
        }
        let number = match head >> 4 {
            0 => i16::try_from(self.i64()?).ok(),
            more => last.checked_add(i16::from(more)),
        };
        *last = number.ok_or_else(|| wrong("a field has a number that Thrift has not"))?;
        Ok(Some((*last, Kind::of(head)?)))
    }

    /// How the values of a list are written, and how many there are; each takes a byte at least.
    pub(super) fn list(&mut self) -> Result<(Kind, usize), ParquetError> {
        let head = self.byte()?;
        // Some writers leave the type of an empty list out.
        if head == 0 {
            return Ok((Kind::Byte, 0));
        }
        let count = match head >> 4 {
            15 => usize::try_from(self.unsigned()?).map_err(|_| ended())?,
            few => usize::from(few),
        };
        if count > self.left() {
            return Err(ended());
        }
        Ok((Kind::of(head)?, count))
    }

    /// The fields of a structure: those of the right type that `take` wants are its to read, the others are passed over.
    pub(super) fn fields(
        &mut self,
        mut take: impl FnMut(&mut Self, i16, Kind) -> Result<bool, ParquetError>,
    ) -> Result<(), ParquetError> {
        let mut last = 0;
        while let Some((number, kind)) = self.field(&mut last)? {
            if !take(self, number, kind)? {
                self.skip(kind)?;
            }
        }
        Ok(())
    }

    /// Passes over a value.
    pub(super) fn skip(&mut self, kind: Kind) -> Result<(), ParquetError> {
        self.skip_within(kind, DEEPEST)
    }

    fn skip_within(&mut self, kind: Kind, depth: usize) -> Result<(), ParquetError> {
        let depth = depth.checked_sub(1).ok_or_else(|| wrong("its structures lie too deep within each other"))?;
        match kind {
            Kind::True | Kind::False => Ok(()),
            Kind::Byte => self.byte().map(drop),
            Kind::I16 | Kind::I32 | Kind::I64 => self.unsigned().map(drop),
            Kind::Double => self.bytes(8).map(drop),
            Kind::Uuid => self.bytes(16).map(drop),
            Kind::Binary => self.binary().map(drop),
            Kind::List | Kind::Set => {
                let (of, count) = self.list()?;
                (0..count).try_for_each(|_| self.skip_element(of, depth))
            }
            Kind::Map => {
                let count = usize::try_from(self.unsigned()?).ok().filter(|count| *count <= self.left());
                let count = count.ok_or_else(ended)?;
                let kinds = if count == 0 { 0 } else { self.byte()? };
                for _ in 0..count {
                    self.skip_element(Kind::of(kinds >> 4)?, depth)?;
                    self.skip_element(Kind::of(kinds)?, depth)?;
                }
                Ok(())
            }
            Kind::Struct => {
                let mut last = 0;
                while let Some((_, kind)) = self.field(&mut last)? {
                    self.skip_within(kind, depth)?;
                }
                Ok(())
            }
        }
    }

    /// A truth value takes a byte within a list.
    fn skip_element(&mut self, kind: Kind, depth: usize) -> Result<(), ParquetError> {
        match kind {
            Kind::True | Kind::False => self.byte().map(drop),
            other => self.skip_within(other, depth),
        }
    }
}

fn ended() -> ParquetError {
    wrong("it ends within a structure")
}

/// Writes structures. Fields have to be written in the order of their numbers.
#[derive(Default)]
pub(super) struct Output {
    pub(super) bytes: Vec<u8>,
    /// The number of the last field, for each structure that is open.
    last: Vec<i16>,
}

impl Output {
    fn unsigned(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(u8::try_from(number & 0x7f).unwrap_or_default() | 0x80);
            number >>= 7;
        }
        self.bytes.push(u8::try_from(number).unwrap_or_default());
    }

    fn signed(&mut self, number: i64) {
        self.unsigned(((number << 1) ^ (number >> 63)).cast_unsigned());
    }

    fn field(&mut self, number: i16, kind: Kind) {
        let last = self.last.last().copied().unwrap_or_default();
        let more = u8::try_from(number - last).ok().filter(|more| (1..16).contains(more));
        self.bytes.push(more.unwrap_or_default() << 4 | kind.number());
        if more.is_none() {
            self.signed(number.into());
        }
        if let Some(last) = self.last.last_mut() {
            *last = number;
        }
    }

    pub(super) fn i32(&mut self, number: i16, value: i32) {
        self.field(number, Kind::I32);
        self.signed(value.into());
    }

    pub(super) fn i64(&mut self, number: i16, value: i64) {
        self.field(number, Kind::I64);
        self.signed(value);
    }

    pub(super) fn byte(&mut self, number: i16, value: u8) {
        self.field(number, Kind::Byte);
        self.bytes.push(value);
    }

    pub(super) fn bool(&mut self, number: i16, value: bool) {
        self.field(number, if value { Kind::True } else { Kind::False });
    }

    pub(super) fn binary(&mut self, number: i16, value: &[u8]) {
        self.field(number, Kind::Binary);
        self.unsigned(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    /// A list of numbers of 32 bits.
    pub(super) fn numbers(&mut self, number: i16, values: &[i32]) {
        self.list(number, Kind::I32, values.len());
        values.iter().for_each(|value| self.signed((*value).into()));
    }

    /// The beginning of a list, whose values follow.
    pub(super) fn list(&mut self, number: i16, of: Kind, count: usize) {
        self.field(number, Kind::List);
        match u8::try_from(count).ok().filter(|count| *count < 15) {
            Some(few) => self.bytes.push(few << 4 | of.number()),
            None => {
                self.bytes.push(0xf0 | of.number());
                self.unsigned(count as u64);
            }
        }
    }

    /// A structure in a field.
    pub(super) fn structure(&mut self, number: i16, write: impl FnOnce(&mut Self)) {
        self.field(number, Kind::Struct);
        self.element(write);
    }

    /// A structure in a list, or one that stands alone.
    pub(super) fn element(&mut self, write: impl FnOnce(&mut Self)) {
        self.last.push(0);
        write(self);
        self.last.pop();
        self.bytes.push(0);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut output = Output::default();
        output.element(|output| {
            output.i32(1, -7);
            output.structure(3, |output| output.binary(1, b"ab"));
            output.numbers(20, &[1; 20]);
            output.i64(21, i64::MIN);
            output.bool(400, true);
        });
        let mut input = Input::new(&output.bytes);
        let mut found = Vec::new();
        input
            .fields(|input, number, kind| {
                found.push((number, kind));
                match number {
                    1 => assert_eq!(input.i32().unwrap(), -7),
                    21 => assert_eq!(input.i64().unwrap(), i64::MIN),
                    _ => return Ok(false),
                }
                Ok(true)
            })
            .unwrap();
        assert_eq!(input.left(), 0);
        let kinds = [(1, Kind::I32), (3, Kind::Struct), (20, Kind::List), (21, Kind::I64), (400, Kind::True)];
        assert_eq!(found, kinds);
    }

    #[test]
    fn what_is_claimed_takes_no_time_and_no_memory() {
        // A list of 2^40 truth values; structures within structures.
        assert!(Input::new(&[0xf1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]).list().is_err());
        assert!(Input::new(&[0x1c; 4096]).skip(Kind::Struct).is_err());
        assert!(Input::new(&[0xff; 20]).i64().is_err());
    }

    proptest! {
        #[test]
        fn bytes_of_a_stranger_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut input = Input::new(&bytes);
            let _ = input.skip(Kind::Struct);
            prop_assert!(input.left() <= bytes.len());
        }
    }
}
