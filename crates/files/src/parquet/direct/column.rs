//! A column chunk as arrays of as many rows as are asked for.

use arrow_array::ArrayRef;
use arrow_buffer::NullBuffer;
use bytes::Bytes;
use parquet::basic::Encoding;
use parquet::errors::ParquetError;

use super::hybrid::Runs;
use super::levels::Levels;
use super::pages::{Page, Pages};
use super::wrong;

/// A column chunk that is being read. Between two reads it holds one page, and what of its dictionary is decoded.
pub(super) trait Column: Send {
    /// The next `rows` rows, or fewer but one, should they have much more than `bytes` bytes.
    fn read(&mut self, rows: usize, bytes: usize) -> Result<ArrayRef, ParquetError>;
    /// Passes over the next `rows` rows.
    fn skip(&mut self, rows: usize) -> Result<(), ParquetError>;
    /// An error where there are more rows behind those that were read.
    fn end(&mut self) -> Result<(), ParquetError>;
}

/// What a column's values are decoded into.
pub(super) trait Decoder: Send {
    /// Whether its values may be written as runs without a dictionary.
    const TAKES_RUNS: bool = false;
    /// Begins a batch of so many rows.
    fn start(&mut self, rows: usize);
    /// The values that indices stand for.
    fn dictionary(&mut self, bytes: Bytes, count: usize) -> Result<(), ParquetError>;
    /// Appends the next `count` values as they are.
    fn plain(&mut self, page: &mut Plain, count: usize) -> Result<(), ParquetError>;
    /// Passes over the next `count` values.
    fn pass(&self, page: &mut Plain, count: usize) -> Result<(), ParquetError>;
    /// Appends the next `count` values of the dictionary, or those that the runs are.
    fn indexed(&mut self, runs: &mut Runs, count: usize) -> Result<(), ParquetError>;
    /// Makes room for the NULLs among the values that were appended last.
    fn spread(&mut self, levels: &Levels);
    /// How many values may be appended now if the batch is to have at most about `bytes` bytes; `page` are those that come next,
    /// unless they are of the dictionary.
    fn room(&self, _page: Option<&Plain>, _bytes: usize) -> usize {
        usize::MAX
    }
    /// The batch.
    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ParquetError>;
}

/// Values as they are: what of a page comes next.
#[derive(Default)]
pub(super) struct Plain {
    /// All of them.
    pub(super) bytes: Bytes,
    /// Where the next one begins.
    pub(super) at: usize,
}

impl Plain {
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }
}

/// Reads a column chunk with a decoder.
pub(super) struct Chunk<D> {
    pages: Pages,
    decoder: D,
    levels: Levels,
    /// How many rows of the current page are left, NULLs among them.
    left: usize,
    kind: Kind,
    plain: Plain,
    runs: Runs,
}

/// How the values of a page are written.
enum Kind {
    /// None is there.
    Nothing,
    Plain,
    Indexed,
    Other,
}

impl<D: Decoder> Chunk<D> {
    pub(super) fn new(pages: Pages, decoder: D) -> Self {
        let levels = Levels::new(pages.nullable());
        Chunk { pages, decoder, levels, left: 0, kind: Kind::Nothing, plain: Plain::default(), runs: Runs::new() }
    }

    /// Turns to the next page.
    fn turn(&mut self) -> Result<(), ParquetError> {
        self.let_go()?;
        match self.pages.next()? {
            Page::Dictionary { bytes, count } => self.decoder.dictionary(bytes, count),
            Page::Data { count, levels, values, encoding } => {
                self.left = count;
                self.levels.start(levels)?;
                self.open(encoding, values)
            }
        }
    }

    /// Lets go of the page that was read.
    fn let_go(&mut self) -> Result<(), ParquetError> {
        (self.kind, self.plain) = (Kind::Nothing, Plain::default());
        self.runs.start(Bytes::new(), 0)?;
        self.levels.start(Bytes::new())
    }

    fn open(&mut self, encoding: Encoding, values: Bytes) -> Result<(), ParquetError> {
        self.kind = match encoding {
            // A page of NULLs may have nothing behind its levels.
            _ if values.is_empty() => Kind::Nothing,
            Encoding::PLAIN => {
                self.plain = Plain { bytes: values, at: 0 };
                Kind::Plain
            }
            // The second is what the first version of the format calls the first.
            Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY => {
                let width = values.first().copied().unwrap_or_default();
                self.runs.start(values.slice(1..), u32::from(width))?;
                Kind::Indexed
            }
            // Behind their length in four bytes, which is that of all that follows.
            Encoding::RLE if D::TAKES_RUNS => {
                let runs = values.get(4..).ok_or_else(|| wrong("a page has no values"))?;
                self.runs.start(values.slice_ref(runs), 1)?;
                Kind::Indexed
            }
            _ => Kind::Other,
        };
        Ok(())
    }

    fn append(&mut self, count: usize) -> Result<(), ParquetError> {
        match self.kind {
            _ if count == 0 => Ok(()),
            Kind::Plain => self.decoder.plain(&mut self.plain, count),
            Kind::Indexed => self.decoder.indexed(&mut self.runs, count),
            Kind::Nothing => Err(wrong("a page has no values")),
            Kind::Other => Err(unknown()),
        }
    }

    fn pass(&mut self, count: usize) -> Result<(), ParquetError> {
        match self.kind {
            _ if count == 0 => Ok(()),
            Kind::Plain => self.decoder.pass(&mut self.plain, count),
            Kind::Indexed => self.runs.skip(count),
            Kind::Nothing => Err(wrong("a page has no values")),
            Kind::Other => Err(unknown()),
        }
    }
}

impl<D: Decoder> Column for Chunk<D> {
    fn read(&mut self, rows: usize, bytes: usize) -> Result<ArrayRef, ParquetError> {
        self.decoder.start(rows);
        let mut wanted = rows;
        while wanted > 0 {
            if self.left == 0 {
                self.turn()?;
                continue;
            }
            let page = matches!(self.kind, Kind::Plain).then_some(&self.plain);
            let now = wanted.min(self.left).min(self.decoder.room(page, bytes));
            if now == 0 {
                break;
            }
            let there = self.levels.take(now)?;
            self.append(there)?;
            self.decoder.spread(&self.levels);
            self.left -= now;
            wanted -= now;
        }
        if self.left == 0 && self.pages.left() == 0 {
            self.let_go()?;
            self.pages.leave();
        }
        let nulls = self.levels.finish();
        self.decoder.finish(nulls)
    }

    fn skip(&mut self, rows: usize) -> Result<(), ParquetError> {
        let mut left = rows;
        while left > 0 {
            if self.left == 0 {
                match self.pages.skip(left)? {
                    Some(count) => left -= count,
                    None => self.turn()?,
                }
                continue;
            }
            let now = left.min(self.left);
            let there = self.levels.skip(now)?;
            self.pass(there)?;
            self.left -= now;
            left -= now;
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), ParquetError> {
        self.pages.end()
    }
}

fn unknown() -> ParquetError {
    wrong("a page has an encoding that the footer does not name")
}
