//! A file's footer, as the crate reads it.
//!
//! Footers of old, new and private writers hold what the crate refuses, though nothing of it matters to a reader: types that nobody
//! knows, fields of their own, statistics that are cut off, groups without columns. So what is needed is taken out of the footer here,
//! checked, and handed to the crate as a footer of its own. See `FileMetaData` in
//! [parquet.thrift](https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift).

mod columns;
mod elements;
mod hollow;
mod logical;

use std::collections::BTreeSet;
use std::sync::Arc;

use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData, ParquetMetaDataReader};

use super::direct::wrong;
use super::thrift::{Input, Kind, Output};
use super::writer::Writer;
use columns::Chunks;
use elements::Node;
pub(super) use hollow::Hollow;

/// The crate counts row groups in 16 bits: those of larger files are read in parts.
const GROUPS: usize = 32_000;

/// What a footer says.
pub(super) struct Footer {
    pub(super) metadata: Arc<ParquetMetaData>,
    pub(super) writer: Writer,
    /// The groups without columns, which the crate does not know of.
    pub(super) hollow: Hollow,
    /// The leaves that are encrypted in some row group.
    pub(super) encrypted: BTreeSet<usize>,
    /// The leaves of which some bound is said to be no value, only a bound.
    pub(super) inexact: BTreeSet<usize>,
    /// The leaves that are intervals, which the crate knows as bytes.
    pub(super) intervals: BTreeSet<usize>,
    /// For each row group, where its middle is in the file.
    pub(super) middles: Vec<i64>,
}

/// The parts of a footer.
#[derive(Default)]
struct Parts<'a> {
    version: i32,
    root: Option<Node<'a>>,
    groups: Vec<Vec<u8>>,
    middles: Vec<i64>,
    rows: i64,
    pairs: Vec<(&'a [u8], Option<&'a [u8]>)>,
    created_by: Option<&'a str>,
    /// For each leaf, whether its statistics follow the order of its type.
    orders: Vec<bool>,
    encrypted: BTreeSet<usize>,
    inexact: BTreeSet<usize>,
}

/// Which columns, by the places of their roots, are to be read as bytes though they are text.
pub(super) type AsBytes<'a> = &'a dyn Fn(&str) -> bool;

impl Footer {
    /// Reads a footer; text of the columns that `as_bytes` names is not checked to be text.
    pub(super) fn read(bytes: &[u8], name: &str, as_bytes: AsBytes<'_>) -> Result<Self, ParquetError> {
        let parts = Parts::read(bytes, name, as_bytes)?;
        let root = parts.root.as_ref().ok_or_else(|| wrong("its footer has no schema"))?;
        let (pruned, hollow) = hollow::split(root);
        let leaves = pruned.leaves();
        let mut whole: Option<ParquetMetaData> = None;
        let mut at = 0;
        while whole.is_none() || at < parts.groups.len() {
            let end = parts.groups.len().min(at + GROUPS);
            let groups = parts.groups.get(at..end).unwrap_or_default();
            let part = ParquetMetaDataReader::decode_metadata(&parts.written(&pruned, leaves.len(), groups))?;
            whole = Some(match whole {
                None => part,
                Some(before) => joined(&before, &part),
            });
            at = end;
        }
        let metadata = Arc::new(whole.ok_or_else(|| wrong("its footer is empty"))?);
        let (writer, intervals) = (Writer::new(parts.created_by), pruned.intervals());
        let Parts { encrypted, inexact, middles, .. } = parts;
        Ok(Footer { metadata, writer, hollow, encrypted, inexact, intervals, middles })
    }
}

fn joined(before: &ParquetMetaData, part: &ParquetMetaData) -> ParquetMetaData {
    let file: FileMetaData = before.file_metadata().clone();
    ParquetMetaData::new(file, [before.row_groups(), part.row_groups()].concat())
}

impl<'a> Parts<'a> {
    fn read(bytes: &'a [u8], name: &str, as_bytes: AsBytes<'_>) -> Result<Self, ParquetError> {
        let mut parts = Parts::default();
        let mut chunks = None;
        Input::new(bytes).fields(|input, number, kind| {
            match (number, kind) {
                (1, Kind::I32) => parts.version = input.i32()?,
                (2, Kind::List) if parts.root.is_none() => {
                    let root = Node::read(input, as_bytes)?;
                    chunks = Some(Chunks::new(&hollow::split(&root).0, name));
                    parts.root = Some(root);
                }
                (4, Kind::List) if parts.groups.is_empty() => {
                    let chunks = chunks.as_mut().ok_or_else(|| wrong("its footer has no schema"))?;
                    parts.groups(input, chunks)?;
                }
                (5, Kind::List) => parts.pairs(input)?,
                (6, Kind::Binary) => parts.created_by = std::str::from_utf8(input.binary()?).ok(),
                (7, Kind::List) => parts.orders(input)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        if let Some(chunks) = chunks {
            (parts.encrypted, parts.inexact) = (chunks.encrypted, chunks.inexact);
        }
        Ok(parts)
    }

    /// Row groups: what they say of their rows is what counts.
    fn groups(&mut self, input: &mut Input<'a>, chunks: &mut Chunks<'_>) -> Result<(), ParquetError> {
        let (Kind::Struct, count) = input.list()? else { return Ok(()) };
        for number in 0..count {
            let group = chunks.group(input, number)?;
            self.groups.push(group.bytes);
            self.middles.push(group.middle);
            self.rows = self.rows.saturating_add(group.rows);
        }
        Ok(())
    }

    /// What programs note of a file. What is no text is left out.
    fn pairs(&mut self, input: &mut Input<'a>) -> Result<(), ParquetError> {
        let (of, count) = input.list()?;
        for _ in 0..count {
            if of != Kind::Struct {
                input.skip(of)?;
                continue;
            }
            let (mut key, mut value) = (None, None);
            input.fields(|input, number, kind| {
                match (number, kind) {
                    (1, Kind::Binary) => key = Some(input.binary()?),
                    (2, Kind::Binary) => value = Some(input.binary()?),
                    _ => return Ok(false),
                }
                Ok(true)
            })?;
            let is_text = |bytes: &&[u8]| std::str::from_utf8(bytes).is_ok();
            if let Some(key) = key.filter(is_text)
                && value.as_ref().is_none_or(is_text)
            {
                self.pairs.push((key, value));
            }
        }
        Ok(())
    }

    fn orders(&mut self, input: &mut Input<'_>) -> Result<(), ParquetError> {
        let (of, count) = input.list()?;
        for _ in 0..count {
            let mut of_type = false;
            if of == Kind::Struct {
                input.fields(|_, number, _| {
                    of_type |= number == 1;
                    Ok(false)
                })?;
            } else {
                input.skip(of)?;
            }
            self.orders.push(of_type);
        }
        Ok(())
    }

    /// The footer that the crate reads, with these row groups.
    fn written(&self, root: &Node<'_>, leaves: usize, groups: &[Vec<u8>]) -> Vec<u8> {
        let mut output = Output::default();
        output.element(|output| {
            output.i32(1, self.version);
            output.list(2, Kind::Struct, root.count());
            root.write(output, true);
            output.i64(3, self.rows);
            output.list(4, Kind::Struct, groups.len());
            groups.iter().for_each(|group| output.bytes.extend_from_slice(group));
            output.list(5, Kind::Struct, self.pairs.len());
            for (key, value) in &self.pairs {
                output.element(|output| {
                    output.binary(1, key);
                    if let Some(value) = value {
                        output.binary(2, value);
                    }
                });
            }
            if let Some(created_by) = self.created_by {
                output.binary(6, created_by.as_bytes());
            }
            // An order that is not known, or of other columns, is none.
            if self.orders.len() == leaves && self.orders.iter().all(|of_type| *of_type) {
                output.list(7, Kind::Struct, leaves);
                self.orders.iter().for_each(|_| output.element(|output| output.structure(1, |_| ())));
            }
        });
        output.bytes
    }
}
