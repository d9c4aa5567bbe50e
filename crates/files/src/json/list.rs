//! Arrays as lists.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeListArray, ListArray};
use arrow_buffer::{NullBufferBuilder, OffsetBuffer};
use arrow_schema::{DataType, FieldRef};

use super::builder::{Builder, Work};
use super::fault::Fault;
use super::scan::Scanner;
use super::wish::Unfit;

/// Builds lists, or large ones.
#[derive(Debug)]
pub(super) struct List {
    data_type: DataType,
    item: FieldRef,
    items: Box<Builder>,
    lengths: Vec<usize>,
    nulls: NullBufferBuilder,
    inferred: bool,
}

impl List {
    /// For arrays of such items; `None` where JSON cannot become one.
    pub(super) fn new(data_type: DataType, item: &FieldRef, inferred: bool) -> Option<Self> {
        let items = Box::new(Builder::new(item.data_type(), inferred)?);
        let nulls = NullBufferBuilder::new(0);
        Some(List { data_type, item: Arc::clone(item), items, lengths: Vec::new(), nulls, inferred })
    }

    /// Takes an array that was opened.
    pub(super) fn append(&mut self, scanner: &mut Scanner<'_>, work: &mut Work) -> Result<(), Fault> {
        let (mut first, mut length) = (true, 0);
        work.weight += 8;
        while scanner.item(&mut first)? {
            self.items.append(scanner, work)?;
            length += 1;
            work.check(scanner.place())?;
        }
        self.lengths.push(length);
        self.nulls.append_non_null();
        Ok(())
    }

    pub(super) fn append_null(&mut self) {
        self.lengths.push(0);
        self.nulls.append_null();
    }

    pub(super) fn finish(&mut self) -> Result<ArrayRef, Unfit> {
        let nulls = self.nulls.finish();
        let lengths = std::mem::take(&mut self.lengths);
        let item = Arc::clone(&self.item);
        let items = self.items.finish()?;
        Ok(match &self.data_type {
            DataType::LargeList(_) => {
                Arc::new(LargeListArray::try_new(item, OffsetBuffer::from_lengths(lengths), items, nulls)?)
            }
            _ => Arc::new(ListArray::try_new(item, OffsetBuffer::from_lengths(lengths), items, nulls)?),
        })
    }

    pub(super) fn is_inferred(&self) -> bool {
        self.inferred
    }
}
