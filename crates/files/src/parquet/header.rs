//! The header in front of each page. See `PageHeader` in
//! [parquet.thrift](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).

use parquet::basic::Encoding;
use parquet::errors::ParquetError;

use super::direct::wrong;
use super::thrift::{Input, Kind};

/// What stands in front of a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub(super) page: PageKind,
    /// How many bytes the page has in the file, and how many when it is unpacked.
    pub(super) stored: usize,
    pub(super) unpacked: usize,
    pub(super) checksum: Option<u32>,
}

/// What a page holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PageKind {
    Dictionary {
        values: u32,
        encoding: Encoding,
    },
    /// Of the first version: levels and values are compressed together.
    Data {
        values: u32,
        encoding: Encoding,
        definition: Encoding,
        repetition: Encoding,
    },
    /// Of the second version: its levels are never compressed.
    DataV2 {
        values: u32,
        nulls: u32,
        rows: u32,
        encoding: Encoding,
        definition: u32,
        repetition: u32,
        compressed: bool,
    },
    /// Nothing that values need: an index, or something newer.
    Other,
}

/// What of a structure was read.
#[derive(Default)]
struct Read {
    numbers: [Option<i32>; 7],
    /// The field 7 of a page of the second version.
    compressed: Option<bool>,
}

impl Read {
    fn fields(input: &mut Input<'_>) -> Result<Self, ParquetError> {
        let mut read = Read::default();
        input.fields(|input, number, kind| {
            match (number, kind) {
                (1..=6, Kind::I32) => {
                    let value = input.i32()?;
                    if let Some(place) = usize::try_from(number).ok().and_then(|place| read.numbers.get_mut(place)) {
                        *place = Some(value);
                    }
                }
                (7, Kind::True | Kind::False) => read.compressed = Some(kind == Kind::True),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(read)
    }

    fn number(&self, place: usize) -> Result<i32, ParquetError> {
        self.numbers.get(place).copied().flatten().ok_or_else(|| wrong("the header of a page lacks a field"))
    }

    fn count(&self, place: usize) -> Result<u32, ParquetError> {
        u32::try_from(self.number(place)?).map_err(|_| wrong("the header of a page has a number below zero"))
    }

    fn encoding(&self, place: usize) -> Result<Encoding, ParquetError> {
        encoding(self.number(place)?)
    }
}

impl Header {
    /// The header that begins here.
    pub(super) fn read(input: &mut Input<'_>) -> Result<Self, ParquetError> {
        let (mut head, mut checksum) = (Read::default(), None);
        let (mut data, mut dictionary, mut second) = (None, None, None);
        input.fields(|input, number, kind| {
            match (number, kind) {
                (1..=3, Kind::I32) => {
                    let value = input.i32()?;
                    if let Some(place) = usize::try_from(number).ok().and_then(|place| head.numbers.get_mut(place)) {
                        *place = Some(value);
                    }
                }
                (4, Kind::I32) => checksum = Some(input.i32()?.cast_unsigned()),
                (5, Kind::Struct) => data = Some(Read::fields(input)?),
                (7, Kind::Struct) => dictionary = Some(Read::fields(input)?),
                (8, Kind::Struct) => second = Some(Read::fields(input)?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let missing = || wrong("the header of a page does not say what the page holds");
        let page = match head.number(1)? {
            0 => {
                let data = data.ok_or_else(missing)?;
                PageKind::Data {
                    values: data.count(1)?,
                    encoding: data.encoding(2)?,
                    definition: data.encoding(3)?,
                    repetition: data.encoding(4)?,
                }
            }
            2 => {
                let dictionary = dictionary.ok_or_else(missing)?;
                PageKind::Dictionary { values: dictionary.count(1)?, encoding: dictionary.encoding(2)? }
            }
            3 => {
                let second = second.ok_or_else(missing)?;
                PageKind::DataV2 {
                    values: second.count(1)?,
                    nulls: second.count(2)?,
                    rows: second.count(3)?,
                    encoding: second.encoding(4)?,
                    definition: second.count(5)?,
                    repetition: second.count(6)?,
                    compressed: second.compressed.unwrap_or(true),
                }
            }
            _ => PageKind::Other,
        };
        let size = |number: u32| usize::try_from(number).map_err(|_| wrong("a page is too large"));
        Ok(Header { page, unpacked: size(head.count(2)?)?, stored: size(head.count(3)?)?, checksum })
    }
}

/// The encoding of a number in the format.
fn encoding(number: i32) -> Result<Encoding, ParquetError> {
    let known = Encoding::VARIANTS.iter().find(|encoding| **encoding as i32 == number);
    known
        .copied()
        .ok_or_else(|| ParquetError::NYI(format!("its values have encoding {number}, which is not known here")))
}
