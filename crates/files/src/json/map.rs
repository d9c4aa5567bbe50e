//! Objects as maps, where the user says so: their keys are data.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::{MapArray, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, FieldRef};

use super::builder::{Builder, Work};
use super::fault::{Fault, FaultKind};
use super::scan::Scanner;
use super::wish::Unfit;

/// Builds maps from text to values of one type.
#[derive(Debug)]
pub(super) struct Map {
    entries: FieldRef,
    sorted: bool,
    keys: StringBuilder,
    values: Builder,
    lengths: Vec<usize>,
    nulls: NullBufferBuilder,
    /// The keys of the object at hand.
    known: HashSet<String>,
    inferred: bool,
}

impl Map {
    /// For objects as such entries; `None` where JSON cannot become one.
    pub(super) fn new(entries: &FieldRef, sorted: bool, inferred: bool) -> Option<Self> {
        let DataType::Struct(fields) = entries.data_type() else { return None };
        let [key, value] = fields.as_ref() else { return None };
        // Keys keep the order that they have.
        if *key.data_type() != DataType::Utf8 || sorted {
            return None;
        }
        let values = Builder::new(value.data_type(), inferred)?;
        let (keys, nulls) = (StringBuilder::with_capacity(0, 0), NullBufferBuilder::new(0));
        let (lengths, known) = (Vec::new(), HashSet::new());
        Some(Map { entries: Arc::clone(entries), sorted, keys, values, lengths, nulls, known, inferred })
    }

    /// Takes an object that was opened.
    pub(super) fn append(&mut self, scanner: &mut Scanner<'_>, work: &mut Work) -> Result<(), Fault> {
        self.known.clear();
        let mut first = true;
        work.weight += 8;
        while let Some(key) = scanner.key(&mut first)? {
            let name = key.said(&mut work.scratch)?.to_owned();
            work.weight += 4 + name.len();
            self.keys.append_value(&name);
            if let Some(name) = self.known.replace(name) {
                return Err(FaultKind::Twice(name).at(key.at));
            }
            self.values.append(scanner, work)?;
            work.check(scanner.place())?;
        }
        self.lengths.push(self.known.len());
        self.nulls.append_non_null();
        Ok(())
    }

    pub(super) fn append_null(&mut self) {
        self.lengths.push(0);
        self.nulls.append_null();
    }

    pub(super) fn finish(&mut self) -> Result<MapArray, Unfit> {
        let nulls = self.nulls.finish();
        let offsets = OffsetBuffer::from_lengths(std::mem::take(&mut self.lengths));
        let DataType::Struct(fields) = self.entries.data_type() else { return Err(Unfit::internal()) };
        let entries =
            StructArray::try_new(fields.clone(), vec![Arc::new(self.keys.finish()), self.values.finish()?], None)?;
        Ok(MapArray::try_new(Arc::clone(&self.entries), offsets, entries, nulls, self.sorted)?)
    }

    pub(super) fn is_inferred(&self) -> bool {
        self.inferred
    }
}
