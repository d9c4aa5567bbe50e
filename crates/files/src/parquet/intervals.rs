//! Intervals: [months, days and milliseconds](https://github.com/apache/parquet-format/blob/master/LogicalTypes.md#interval) in twelve
//! bytes. The crate keeps one or two of the three and drops the rest, so that it is told of bytes only, which become intervals of all
//! three here, at whatever depth.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, FixedSizeBinaryArray, IntervalMonthDayNanoArray, make_array};
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{ArrowError, DataType, Field, IntervalUnit, Schema, SchemaRef};
use bowshot_core::{Error, Misfit, Result};

use super::read::arrow_failed;
use crate::nested::mapped;
use crate::read::{Batches, Columns};

/// How many bytes one has.
pub(super) const WIDTH: i32 = 12;
const BYTES: DataType = DataType::FixedSizeBinary(WIDTH);
const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// The leaves of a file that are intervals.
#[derive(Default)]
pub(super) struct Intervals(BTreeSet<usize>);

impl Intervals {
    pub(super) fn new(leaves: BTreeSet<usize>) -> Self {
        Intervals(leaves)
    }

    /// The schema with intervals where the crate decodes their bytes.
    pub(super) fn schema(&self, decoded: &SchemaRef) -> SchemaRef {
        if self.0.is_empty() {
            return Arc::clone(decoded);
        }
        let mut place = 0;
        let mut leaf = |of: &DataType| {
            let is_interval = self.0.contains(&place) && *of == BYTES;
            place += 1;
            if is_interval { INTERVAL } else { of.clone() }
        };
        let field =
            |field: &Arc<Field>| Arc::new(field.as_ref().clone().with_data_type(mapped(field.data_type(), &mut leaf)));
        let fields: Vec<_> = decoded.fields().iter().map(field).collect();
        Arc::new(Schema::new_with_metadata(fields, decoded.metadata().clone()))
    }

    /// The batches of some columns with intervals in place of their bytes.
    pub(super) fn made(
        &self,
        batches: Box<dyn Batches>,
        decoded: &SchemaRef,
        columns: &[usize],
        file: &str,
    ) -> Box<dyn Batches> {
        let schema = self.schema(decoded);
        let fields: Vec<_> = columns.iter().filter_map(|column| schema.fields().get(*column).cloned()).collect();
        let is_decoded = |(field, column): (&Arc<Field>, &usize)| {
            decoded.fields().get(*column).is_some_and(|decoded| decoded.data_type() == field.data_type())
        };
        if fields.iter().zip(columns).all(is_decoded) {
            return batches;
        }
        Box::new(Made { batches, fields, file: file.to_owned() })
    }
}

struct Made {
    batches: Box<dyn Batches>,
    fields: Vec<Arc<Field>>,
    file: String,
}

impl Batches for Made {
    fn next(&mut self) -> Result<Option<Columns>> {
        let Some(Columns { columns, rows }) = self.batches.next()? else { return Ok(None) };
        let column = |(array, field): (ArrayRef, &Arc<Field>)| {
            converted(&array, field.data_type()).map_err(|fault| match fault {
                Fault::Months(count) => self.misfit(field, format!("{count} months")),
                Fault::Days(count) => self.misfit(field, format!("{count} days")),
                Fault::Arrow(error) => arrow_failed(&self.file, error),
            })
        };
        let columns = columns.into_iter().zip(&self.fields).map(column).collect::<Result<_>>()?;
        Ok(Some(Columns { columns, rows }))
    }
}

impl Made {
    fn misfit(&self, field: &Field, holds: String) -> Error {
        let misfit = Misfit::new(field.name(), "INTERVAL", &INTERVAL, holds).at(format!("in {}", self.file));
        misfit.or("name the other columns in the query").into()
    }
}

enum Fault {
    Months(u32),
    Days(u32),
    Arrow(ArrowError),
}

/// An array with intervals where `wanted` has them and it has their bytes.
fn converted(array: &ArrayRef, wanted: &DataType) -> Result<ArrayRef, Fault> {
    if array.data_type() == wanted {
        return Ok(Arc::clone(array));
    }
    if let (Some(bytes), true) = (array.as_fixed_size_binary_opt(), *wanted == INTERVAL) {
        return Ok(Arc::new(intervals(bytes)?));
    }
    let below: Vec<&DataType> = match wanted {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        DataType::List(item)
        | DataType::LargeList(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _) => vec![item.data_type()],
        _ => Vec::new(),
    };
    let data = array.to_data();
    let children = data.child_data().iter().zip(below);
    let children = children.map(|(child, wanted)| Ok(converted(&make_array(child.clone()), wanted)?.to_data()));
    let children = children.collect::<Result<Vec<_>, Fault>>()?;
    let made = data.into_builder().data_type(wanted.clone()).child_data(children).build();
    Ok(make_array(made.map_err(Fault::Arrow)?))
}

fn intervals(bytes: &FixedSizeBinaryArray) -> Result<IntervalMonthDayNanoArray, Fault> {
    let mut values = Vec::with_capacity(bytes.len());
    for row in 0..bytes.len() {
        // What lies under a NULL is nobody's.
        let value = if bytes.is_valid(row) { interval(bytes.value(row))? } else { IntervalMonthDayNano::ZERO };
        values.push(value);
    }
    Ok(IntervalMonthDayNanoArray::new(values.into(), bytes.nulls().cloned()))
}

/// Three numbers without a sign, of which Arrow has one.
fn interval(bytes: &[u8]) -> Result<IntervalMonthDayNano, Fault> {
    let number = |at: usize| {
        let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        u32::from_le_bytes(bytes.unwrap_or_default())
    };
    let months = i32::try_from(number(0)).map_err(|_| Fault::Months(number(0)))?;
    let days = i32::try_from(number(4)).map_err(|_| Fault::Days(number(4)))?;
    Ok(IntervalMonthDayNano::new(months, days, i64::from(number(8)) * 1_000_000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_three_numbers_count() {
        let of = |numbers: [u32; 3]| interval(&numbers.map(u32::to_le_bytes).concat());
        let found = of([1, 2, u32::MAX]).ok().unwrap();
        assert_eq!((found.months, found.days, found.nanoseconds), (1, 2, 4_294_967_295_000_000));
        assert!(matches!(of([1 << 31, 0, 0]), Err(Fault::Months(2_147_483_648))));
        assert!(matches!(of([0, u32::MAX, 0]), Err(Fault::Days(u32::MAX))));
    }
}
