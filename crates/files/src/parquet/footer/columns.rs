//! The row groups of a footer, and the column chunks in them.

use std::collections::BTreeSet;

use parquet::errors::ParquetError;

use super::super::codec::unknown;
use super::super::direct::wrong;
use super::super::thrift::{Input, Kind, Output};
use super::elements::Node;

/// The encodings of the format that the crate knows.
const ENCODINGS: std::ops::RangeInclusive<i32> = 0..=9;
/// The compressions.
const CODECS: std::ops::RangeInclusive<i32> = 0..=7;

/// Reads column chunks.
pub(super) struct Chunks<'a> {
    /// The path and the physical type of each leaf.
    leaves: Vec<(String, i32)>,
    name: &'a str,
    pub(super) encrypted: BTreeSet<usize>,
    /// The leaves of which some bound is said to be no value.
    pub(super) inexact: BTreeSet<usize>,
}

/// A row group.
pub(super) struct Group {
    /// As the crate reads it.
    pub(super) bytes: Vec<u8>,
    /// How many rows it has.
    pub(super) rows: i64,
    /// Where its middle is in the file.
    pub(super) middle: i64,
}

/// Where the middle of a row group is for those who cut files into ranges. All of them must compute the same: it is parquet-java's rule, with
/// the dictionary of the first column wherever the footer says that it is, and the size that the footer gives for all columns, if any.
fn middle(chunks: &[Chunk<'_>], stored: Option<i64>) -> i64 {
    let start = chunks.first().map_or(0, |first| first.named_dictionary.map_or(first.data, |at| at.min(first.data)));
    let sum = || chunks.iter().fold(0_i64, |sum, chunk| sum.saturating_add(chunk.stored));
    start.saturating_add(stored.unwrap_or_else(sum) / 2)
}

/// What is needed of a column chunk.
#[derive(Default)]
struct Chunk<'a> {
    encodings: Vec<i32>,
    codec: i32,
    values: i64,
    unpacked: i64,
    stored: i64,
    data: i64,
    dictionary: Option<i64>,
    /// The same, even if it makes no sense.
    named_dictionary: Option<i64>,
    text_bytes: Option<i64>,
    statistics: Option<Statistics<'a>>,
}

/// Bounds of the values.
#[derive(Default)]
struct Statistics<'a> {
    max: Option<&'a [u8]>,
    min: Option<&'a [u8]>,
    nulls: Option<i64>,
    max_value: Option<&'a [u8]>,
    min_value: Option<&'a [u8]>,
    max_exact: Option<bool>,
    min_exact: Option<bool>,
}

impl<'n> Chunks<'n> {
    pub(super) fn new(root: &Node<'_>, name: &'n str) -> Self {
        Chunks { leaves: root.leaves(), name, encrypted: BTreeSet::new(), inexact: BTreeSet::new() }
    }

    /// A row group.
    pub(super) fn group(&mut self, input: &mut Input<'_>, number: usize) -> Result<Group, ParquetError> {
        let (mut chunks, mut total, mut rows, mut stored) = (Vec::new(), 0, None, None);
        input.fields(|input, field, kind| {
            match (field, kind) {
                (1, Kind::List) => chunks = self.chunks(input)?,
                (2, Kind::I64) => total = input.i64()?,
                (3, Kind::I64) => rows = Some(input.i64()?),
                (6, Kind::I64) => stored = Some(input.i64()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let rows = rows.ok_or_else(|| wrong("a row group does not say how many rows it has"))?;
        if chunks.len() != self.leaves.len() {
            let (found, wanted) = (chunks.len(), self.leaves.len());
            return Err(ParquetError::General(format!(
                "row group {number} has {found} columns, and the schema {wanted}"
            )));
        }
        let mut output = Output::default();
        output.element(|output| {
            output.list(1, Kind::Struct, chunks.len());
            for (chunk, (_, physical)) in chunks.iter().zip(&self.leaves) {
                chunk.write(output, *physical);
            }
            output.i64(2, total);
            output.i64(3, rows);
        });
        Ok(Group { bytes: output.bytes, rows, middle: middle(&chunks, stored) })
    }

    fn chunks<'a>(&mut self, input: &mut Input<'a>) -> Result<Vec<Chunk<'a>>, ParquetError> {
        let (Kind::Struct, count) = input.list()? else { return Err(wrong("a row group has no list of columns")) };
        (0..count).map(|leaf| self.chunk(input, leaf)).collect()
    }

    fn chunk<'a>(&mut self, input: &mut Input<'a>, leaf: usize) -> Result<Chunk<'a>, ParquetError> {
        let (mut found, mut encrypted, mut other) = (None, false, None);
        input.fields(|input, number, kind| {
            match (number, kind) {
                (1, Kind::Binary) => other = Some(input.binary()?),
                (3, Kind::Struct) => found = Some(Chunk::read(input)?),
                (8, Kind::Struct) | (9, Kind::Binary) => {
                    encrypted = true;
                    return Ok(false);
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let path = self.leaves.get(leaf).map_or("", |(path, _)| path.as_str());
        if encrypted {
            self.encrypted.insert(leaf);
            return Ok(found.unwrap_or_default());
        }
        let of_name = |path: &[u8]| path.rsplit(|byte| *byte == b'/').next().is_some_and(|last| !last.is_empty());
        let own = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        if let Some(other) = other.filter(|other| of_name(other) && !other.ends_with(own.as_bytes())) {
            let other = String::from_utf8_lossy(other);
            return Err(ParquetError::NYI(format!("column \"{path}\" is in another file, {other}: read that one")));
        }
        let chunk = found.ok_or_else(|| ParquetError::General(format!("column \"{path}\" is nowhere in it")))?;
        if !CODECS.contains(&chunk.codec) {
            return Err(unknown(&format!("codec {} in column \"{path}\"", chunk.codec)));
        }
        if chunk.statistics.as_ref().is_some_and(|known| [known.min_exact, known.max_exact].contains(&Some(false))) {
            self.inexact.insert(leaf);
        }
        Ok(chunk)
    }
}

impl<'a> Chunk<'a> {
    fn read(input: &mut Input<'a>) -> Result<Self, ParquetError> {
        let mut chunk = Chunk::default();
        // Where a damaged footer has none of these, what is read would be another part of the file.
        let mut missing = BTreeSet::from([4, 5, 6, 7, 9]);
        input.fields(|input, number, kind| {
            missing.remove(&number);
            match (number, kind) {
                (2, Kind::List) => chunk.encodings = encodings(input)?,
                (4, Kind::I32) => chunk.codec = input.i32()?,
                (5, Kind::I64) => chunk.values = input.i64()?,
                (6, Kind::I64) => chunk.unpacked = input.i64()?,
                (7, Kind::I64) => chunk.stored = input.i64()?,
                (9, Kind::I64) => chunk.data = input.i64()?,
                (11, Kind::I64) => chunk.dictionary = Some(input.i64()?),
                (12, Kind::Struct) => chunk.statistics = Some(Statistics::read(input)?),
                (16, Kind::Struct) => input.fields(|input, number, kind| {
                    if (number, kind) == (1, Kind::I64) {
                        chunk.text_bytes = Some(input.i64()?);
                        return Ok(true);
                    }
                    Ok(false)
                })?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        if !missing.is_empty() {
            return Err(wrong("a column does not say where its pages are"));
        }
        // Where there is no dictionary, some writers say that it is at 0, others that it is behind the values; and where there is
        // nothing else, that the values are at 0.
        chunk.named_dictionary = chunk.dictionary;
        chunk.dictionary = chunk.dictionary.filter(|at| *at > 0 && (*at < chunk.data || chunk.data <= 0));
        Ok(chunk)
    }

    fn write(&self, output: &mut Output, physical: i32) {
        output.element(|output| {
            output.i64(2, 0);
            output.structure(3, |output| {
                output.i32(1, physical);
                output.numbers(2, &self.encodings);
                output.list(3, Kind::Binary, 0);
                output.i32(4, self.codec);
                output.i64(5, self.values);
                output.i64(6, self.unpacked);
                output.i64(7, self.stored);
                output.i64(9, self.data);
                if let Some(dictionary) = self.dictionary {
                    output.i64(11, dictionary);
                }
                if let Some(statistics) = self.statistics.as_ref().filter(|known| known.are_whole(physical)) {
                    output.structure(12, |output| statistics.write(output));
                }
                if let Some(bytes) = self.text_bytes {
                    output.structure(16, |output| output.i64(1, bytes));
                }
            });
        });
    }
}

/// Those that are known: a page of another one names it.
fn encodings(input: &mut Input<'_>) -> Result<Vec<i32>, ParquetError> {
    let (of, count) = input.list()?;
    let mut found = Vec::new();
    for _ in 0..count {
        match of {
            Kind::I32 => found.push(input.i32()?),
            other => input.skip(other)?,
        }
    }
    found.retain(|encoding| ENCODINGS.contains(encoding) && *encoding != 1);
    Ok(found)
}

impl<'a> Statistics<'a> {
    fn read(input: &mut Input<'a>) -> Result<Self, ParquetError> {
        let mut read = Statistics::default();
        input.fields(|input, number, kind| {
            match (number, kind) {
                (1, Kind::Binary) => read.max = Some(input.binary()?),
                (2, Kind::Binary) => read.min = Some(input.binary()?),
                (3, Kind::I64) => read.nulls = Some(input.i64()?),
                (5, Kind::Binary) => read.max_value = Some(input.binary()?),
                (6, Kind::Binary) => read.min_value = Some(input.binary()?),
                (7, Kind::True | Kind::False) => read.max_exact = Some(kind == Kind::True),
                (8, Kind::True | Kind::False) => read.min_exact = Some(kind == Kind::True),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        Ok(read)
    }

    /// Whether they can be those of values of this physical type.
    fn are_whole(&self, physical: i32) -> bool {
        let length = match physical {
            0 => Some(1),
            1 | 4 => Some(4),
            2 | 5 => Some(8),
            3 => Some(12),
            _ => None,
        };
        let bounds = [self.max, self.min, self.max_value, self.min_value];
        let whole = |bytes: &[u8]| length.is_none_or(|length| bytes.len() == length);
        bounds.into_iter().flatten().all(whole) && self.nulls.is_none_or(|nulls| nulls >= 0)
    }

    fn write(&self, output: &mut Output) {
        let some = |output: &mut Output, number, bytes: Option<&[u8]>| {
            if let Some(bytes) = bytes {
                output.binary(number, bytes);
            }
        };
        some(output, 1, self.max);
        some(output, 2, self.min);
        if let Some(nulls) = self.nulls {
            output.i64(3, nulls);
        }
        some(output, 5, self.max_value);
        some(output, 6, self.min_value);
        if let Some(exact) = self.max_exact {
            output.bool(7, exact);
        }
        if let Some(exact) = self.min_exact {
            output.bool(8, exact);
        }
    }
}
