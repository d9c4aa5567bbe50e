//! The old timestamps of 96 bits (Impala, Hive, Spark): a day and the nanoseconds of it.
//!
//! Their range is far beyond that of nanoseconds in 64 bits, and the decoder wraps around in silence. So each such column is
//! decoded twice, in two units, and the two have to agree.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ParquetRecordBatchReader};

use super::read::arrow_failed;
use super::{Meta, is_int96};
use crate::error::damaged;

/// The columns that hold them.
pub(super) fn columns(reader: &ArrowReaderMetadata, name: &str) -> Result<Vec<usize>> {
    let descriptor = reader.parquet_schema();
    let mut found = Vec::new();
    for leaf in (0..descriptor.num_columns()).filter(|leaf| is_int96(descriptor.column(*leaf).physical_type())) {
        let root = descriptor.get_column_root_idx(leaf);
        let flat = reader.schema().fields().get(root).is_some_and(|field| !field.data_type().is_nested());
        if !flat {
            let column = descriptor.column(leaf).path().string();
            return Err(Error::new(ErrorKind::Unsupported, format!("{name} has INT96 timestamps inside of {column}"))
                .with_column(&column)
                .with_hint(
                    "write it again with timestamps of 64 bits; these would be wrong in silence out of their range",
                ));
        }
        found.push(root);
    }
    Ok(found)
}

/// The schema with the user's units; `None` where he wishes none. Columns of another unit are decoded as that.
pub(super) fn wished(schema: &SchemaRef, columns: &[usize], types: &BTreeMap<String, DataType>) -> Option<SchemaRef> {
    let unit = |field: &Field| match types.get(field.name()) {
        Some(DataType::Timestamp(unit, _)) if *unit != TimeUnit::Nanosecond => Some(*unit),
        _ => None,
    };
    let wishes = |place: usize| {
        columns.contains(&place).then(|| schema.fields().get(place)).flatten().and_then(|field| unit(field))
    };
    columns.iter().any(|place| wishes(*place).is_some()).then(|| with_units(schema, wishes))
}

fn with_units(schema: &SchemaRef, unit: impl Fn(usize) -> Option<TimeUnit>) -> SchemaRef {
    let field = |(place, field): (usize, &Arc<Field>)| match unit(place) {
        Some(unit) => Arc::new(field.as_ref().clone().with_data_type(DataType::Timestamp(unit, None))),
        None => Arc::clone(field),
    };
    Arc::new(Schema::new_with_metadata(
        schema.fields().iter().enumerate().map(field).collect::<Vec<_>>(),
        schema.metadata().clone(),
    ))
}

/// The second decoding of these columns.
pub(super) struct Companion {
    reader: ParquetRecordBatchReader,
    /// For each of its columns: where the first decoding has it.
    places: Vec<usize>,
    name: String,
}

impl Companion {
    /// `None` where no such column is read.
    pub(super) fn new(
        meta: &Meta,
        columns: &[usize],
        name: &str,
        start: impl Fn(&SchemaRef, &[usize]) -> Result<ParquetRecordBatchReader>,
    ) -> Result<Option<Self>> {
        let these: Vec<usize> = columns.iter().copied().filter(|column| meta.int96.contains(column)).collect();
        if these.is_empty() {
            return Ok(None);
        }
        let schema = meta.reader.schema();
        let other = |place: usize| {
            let unit = schema.fields().get(place).map(|field| field.data_type());
            let nanos = matches!(unit, Some(DataType::Timestamp(TimeUnit::Nanosecond, _)));
            these.contains(&place).then_some(if nanos { TimeUnit::Second } else { TimeUnit::Nanosecond })
        };
        let places = these.iter().filter_map(|column| columns.iter().position(|other| other == column)).collect();
        Ok(Some(Companion { reader: start(&with_units(schema, other), &these)?, places, name: name.to_owned() }))
    }

    /// An error where a value of the first decoding is not the one in the file.
    pub(super) fn check(&mut self, batch: &RecordBatch, place: &str) -> Result<()> {
        let Some(second) = self.reader.next() else { return Err(damaged(place, "a second read of it ended early")) };
        let second = second.map_err(|error| arrow_failed(place, error))?;
        for (other, place_in_batch) in second.columns().iter().zip(&self.places) {
            let (Some(column), Some(field)) =
                (batch.columns().get(*place_in_batch), batch.schema_ref().fields().get(*place_in_batch))
            else {
                continue;
            };
            if column.len() != other.len() {
                return Err(damaged(place, "two reads of it differ"));
            }
            if let Some(row) = first_difference(column, other) {
                return Err(self.misfit(field, other, row));
            }
        }
        Ok(())
    }

    fn misfit(&self, field: &Field, other: &dyn Array, row: usize) -> Error {
        let (column, file) = (field.name(), &self.name);
        let (what, way) = match field.data_type() {
            DataType::Timestamp(TimeUnit::Nanosecond, _) => {
                let seconds = other.to_data().buffer::<i64>(0).get(row).copied().unwrap_or_default();
                (format!("a timestamp {seconds} seconds from 1970, which timestamp[ns] cannot"), "timestamp[us]")
            }
            other => (format!("a finer timestamp than {other}"), "timestamp[ns]"),
        };
        Error::new(ErrorKind::Value, format!("column \"{column}\" (INT96) of {file} holds {what}"))
            .with_column(column)
            .with_hint(format!("read it in another unit: types={{\"{column}\": \"{way}\"}}"))
    }
}

/// The first row where two units tell different moments.
fn first_difference(column: &dyn Array, other: &dyn Array) -> Option<usize> {
    let (one, two) = (column.to_data(), other.to_data());
    let (values, others) = (one.buffer::<i64>(0), two.buffer::<i64>(0));
    let factor = |array: &dyn Array| match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => 1_000_000_000_i64,
        DataType::Timestamp(TimeUnit::Millisecond, _) => 1_000_000,
        DataType::Timestamp(TimeUnit::Microsecond, _) => 1_000,
        _ => 1,
    };
    let (factor, other_factor) = (factor(column), factor(other));
    let agree = |value: i64, other: i64| {
        if factor == 1 {
            // Nanoseconds may have wrapped around; seconds have not.
            let begin = i128::from(other) * i128::from(other_factor);
            (begin..begin + i128::from(other_factor)).contains(&i128::from(value))
        } else {
            // Nanoseconds wrap around as this product does: they are the same unless digits were cut off.
            value.wrapping_mul(factor) == other
        }
    };
    let mut rows = values.iter().zip(others).take(column.len()).enumerate();
    rows.find(|(row, (value, other))| column.is_valid(*row) && !agree(**value, **other)).map(|(row, _)| row)
}
