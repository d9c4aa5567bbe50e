//! The schema of a footer: a tree, written as a list.

use std::collections::BTreeSet;

use parquet::errors::ParquetError;

use super::super::direct::wrong;
use super::super::intervals::WIDTH;
use super::super::thrift::{Input, Kind, Output};
use super::AsBytes;
use super::logical::Logical;

/// Groups lie no deeper within each other.
const DEEPEST: usize = 128;
/// What old versions of pandas called a column of nothing but NULL. The format never had it.
const NULLS: i32 = 24;
/// `ConvertedType` has these.
const CONVERTED: std::ops::RangeInclusive<i32> = 0..=21;
/// Those of them that are text: UTF8, ENUM and JSON.
const TEXT: [i32; 3] = [0, 4, 19];
/// The physical types.
const PHYSICAL: std::ops::RangeInclusive<i32> = 0..=7;
pub(super) const BYTE_ARRAY: i32 = 6;
const FIXED_LEN_BYTE_ARRAY: i32 = 7;
/// The `ConvertedType` of intervals.
const INTERVAL: i32 = 21;

/// A column, or a group of them.
#[derive(Clone, Debug)]
pub(super) struct Node<'a> {
    pub(super) name: &'a str,
    /// `None`: a group.
    pub(super) physical: Option<i32>,
    length: Option<i32>,
    pub(super) repetition: Option<i32>,
    converted: Option<i32>,
    scale: Option<i32>,
    precision: Option<i32>,
    id: Option<i32>,
    logical: Option<Logical>,
    is_interval: bool,
    pub(super) children: Vec<Node<'a>>,
}

impl<'a> Node<'a> {
    /// The schema that is written here.
    pub(super) fn read(input: &mut Input<'a>, as_bytes: AsBytes<'_>) -> Result<Self, ParquetError> {
        let (Kind::Struct, count) = input.list()? else { return Err(wrong("its schema is no list of columns")) };
        let mut left = count;
        let mut root = Self::tree(input, &mut left, DEEPEST)?;
        for _ in 0..left {
            input.skip(Kind::Struct)?;
        }
        if left > 0 {
            return Err(wrong("its schema has columns that belong to no group"));
        }
        for column in &mut root.children {
            if as_bytes(column.name) {
                column.forget_text();
            }
        }
        Ok(root)
    }

    fn tree(input: &mut Input<'a>, left: &mut usize, depth: usize) -> Result<Self, ParquetError> {
        let depth = depth.checked_sub(1).ok_or_else(|| wrong("its columns lie too deep within each other"))?;
        *left = left.checked_sub(1).ok_or_else(|| wrong("its schema ends within a group"))?;
        let (mut node, children) = Self::element(input)?;
        // A value without a name of its type is a group, if it is none of children that somebody forgot to count.
        if node.physical.is_none() || children > 0 {
            for _ in 0..children {
                node.children.push(Self::tree(input, left, depth)?);
            }
            node.physical = None;
        }
        Ok(node)
    }

    /// One element of the list, and how many children follow it.
    fn element(input: &mut Input<'a>) -> Result<(Self, i32), ParquetError> {
        let mut numbers = [None; 10];
        let (mut name, mut logical) = (None, None);
        input.fields(|input, number, kind| {
            match (number, kind) {
                (4, Kind::Binary) => name = Some(input.binary()?),
                (10, Kind::Struct) => logical = Logical::read(input)?,
                (1..=9, Kind::I32) => {
                    let value = input.i32()?;
                    if let Some(place) = usize::try_from(number).ok().and_then(|place| numbers.get_mut(place)) {
                        *place = Some(value);
                    }
                }
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let [_, physical, length, repetition, _, children, converted, scale, precision, id] = numbers;
        let name = name.ok_or_else(|| wrong("a column has no name"))?;
        let name = std::str::from_utf8(name).map_err(|_| wrong("a column has a name that is not UTF-8"))?;
        let unknown = |what: &str, number: i32| {
            ParquetError::NYI(format!("column \"{name}\" has {what} {number}, which is not known here"))
        };
        if let Some(number) = physical.filter(|number| !PHYSICAL.contains(number)) {
            return Err(unknown("physical type", number));
        }
        if let Some(number) = repetition.filter(|number| !(0..=2).contains(number)) {
            return Err(unknown("repetition", number));
        }
        let logical = logical.or((converted == Some(NULLS)).then_some(Logical::NULLS));
        let is_interval = (physical, length, converted) == (Some(FIXED_LEN_BYTE_ARRAY), Some(WIDTH), Some(INTERVAL));
        let converted = converted.filter(|number| CONVERTED.contains(number) && !is_interval);
        let node = Node {
            name,
            physical,
            length,
            repetition,
            converted,
            scale,
            precision,
            id,
            logical,
            is_interval,
            children: Vec::new(),
        };
        Ok((node, children.unwrap_or(0).max(0)))
    }

    /// Makes bytes of text, here and below.
    fn forget_text(&mut self) {
        if self.physical == Some(BYTE_ARRAY) {
            self.logical = self.logical.filter(|logical| !logical.is_text());
            self.converted = self.converted.filter(|converted| !TEXT.contains(converted));
        }
        self.children.iter_mut().for_each(Node::forget_text);
    }

    pub(super) fn is_group(&self) -> bool {
        self.physical.is_none()
    }

    /// How many elements the list of this tree has.
    pub(super) fn count(&self) -> usize {
        self.children.iter().map(Node::count).fold(1, usize::saturating_add)
    }

    /// The columns below, with their paths.
    pub(super) fn leaves(&self) -> Vec<(String, i32)> {
        let mut leaves = Vec::new();
        self.children.iter().for_each(|child| child.add_leaves("", &mut leaves));
        leaves
    }

    fn add_leaves(&self, above: &str, leaves: &mut Vec<(String, i32)>) {
        let path = if above.is_empty() { self.name.to_owned() } else { format!("{above}.{}", self.name) };
        match self.physical {
            Some(physical) => leaves.push((path, physical)),
            None => self.children.iter().for_each(|child| child.add_leaves(&path, leaves)),
        }
    }

    /// The leaves that are intervals.
    pub(super) fn intervals(&self) -> BTreeSet<usize> {
        let mut leaves = Vec::new();
        self.add_kinds(&mut leaves);
        (0..).zip(leaves).filter_map(|(place, is_interval)| is_interval.then_some(place)).collect()
    }

    fn add_kinds(&self, leaves: &mut Vec<bool>) {
        match self.physical {
            Some(_) => leaves.push(self.is_interval),
            None => self.children.iter().for_each(|child| child.add_kinds(leaves)),
        }
    }

    /// Writes the elements of the tree.
    pub(super) fn write(&self, output: &mut Output, is_root: bool) {
        output.element(|output| {
            let some = |output: &mut Output, number, value: Option<i32>| {
                if let Some(value) = value {
                    output.i32(number, value);
                }
            };
            some(output, 1, self.physical);
            some(output, 2, self.length);
            some(output, 3, self.repetition.filter(|_| !is_root));
            output.binary(4, self.name.as_bytes());
            some(output, 5, self.is_group().then(|| i32::try_from(self.children.len()).unwrap_or(i32::MAX)));
            some(output, 6, self.converted);
            some(output, 7, self.scale);
            some(output, 8, self.precision);
            some(output, 9, self.id);
            if let Some(logical) = self.logical {
                output.structure(10, |output| logical.write(output));
            }
        });
        self.children.iter().for_each(|child| child.write(output, false));
    }
}
