//! Row groups as one batch each: flat columns of the usual encodings, decoded straight into what becomes the array.
//!
//! The crate's reader can stop after any number of rows, and pays for that with an array in between, zeroed before it is
//! written, and a second pass that makes decimals of integers. Who keeps the whole result stops nowhere. Files with a
//! column of another kind are left to the crate's reader, whose results these are: the tests compare them.

mod fixed;
mod hybrid;
mod levels;
mod pages;
mod views;

use std::ops::Range;
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::types::{
    BinaryViewType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int32Type, Int64Type, StringViewType,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::Result;
use parquet::basic::{Encoding, LogicalType, TimeUnit as FileUnit, Type as Physical};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};
use parquet::schema::types::ColumnDescriptor;

use super::window::Window;
use super::{Meta, failed, rows};
use crate::error::damaged;
use crate::guard::contained;
use crate::read::{Batches, Columns};

/// Row groups that follow each other, each as one batch.
pub(super) struct Whole<'a> {
    pub(super) meta: &'a Meta,
    pub(super) window: Window,
    /// In their order in the file.
    pub(super) columns: Vec<usize>,
    pub(super) groups: Range<usize>,
    pub(super) place: String,
}

/// Whether all of these columns are read so.
pub(super) fn serves(meta: &Meta, columns: &[usize], groups: &Range<usize>) -> bool {
    let fields = meta.reader.schema().fields();
    let all = meta.reader.metadata().row_groups().get(groups.clone()).unwrap_or_default();
    // Small ones the crate's reader puts together.
    if groups.len() > 1 && all.iter().map(rows).fold(0, u64::saturating_add) / (groups.len() as u64) < LEAST_ROWS {
        return false;
    }
    columns.iter().all(|column| {
        let Some(leaf) = leaf(meta, *column) else { return false };
        let known = fields
            .get(*column)
            .is_some_and(|field| kind(meta.reader.parquet_schema().column(leaf).as_ref(), field.data_type()).is_some());
        known && groups.clone().all(|group| chunk(meta, group, leaf).is_some_and(is_usual))
    })
}

impl Batches for Whole<'_> {
    fn next(&mut self) -> Result<Option<Columns>> {
        let Whole { meta, window, columns, groups, place } = self;
        let Some(group) = groups.next() else { return Ok(None) };
        let missing = || damaged(place, "a column is not where the footer says");
        let count = meta.reader.metadata().row_groups().get(group).map(rows).ok_or_else(missing)?;
        let count = usize::try_from(count).map_err(|_| missing())?;
        contained(
            || place.clone(),
            || {
                let column = |column: &usize| -> Result<ArrayRef> {
                    let leaf = leaf(meta, *column).ok_or_else(missing)?;
                    let descriptor = meta.reader.parquet_schema().column(leaf);
                    let field = meta.reader.schema().fields().get(*column).ok_or_else(missing)?;
                    let read = kind(descriptor.as_ref(), field.data_type()).ok_or_else(missing)?;
                    let chunk = chunk(meta, group, leaf).ok_or_else(missing)?;
                    let nullable = descriptor.max_def_level() > 0;
                    let pages = pages::Pages::new(window, chunk, count, nullable);
                    pages.and_then(|pages| read(pages, field.data_type())).map_err(|error| failed(place, error))
                };
                Ok(Some(Columns { columns: columns.iter().map(column).collect::<Result<_>>()?, rows: count }))
            },
        )
    }
}

/// The one leaf of a column that is flat.
fn leaf(meta: &Meta, column: usize) -> Option<usize> {
    let descriptor = meta.reader.parquet_schema();
    let mut leaves = (0..descriptor.num_columns()).filter(|leaf| descriptor.get_column_root_idx(*leaf) == column);
    let leaf = leaves.next()?;
    let flat = descriptor.column(leaf).max_rep_level() == 0 && descriptor.column(leaf).path().parts().len() == 1;
    (flat && leaves.next().is_none()).then_some(leaf)
}

fn chunk(meta: &Meta, group: usize, leaf: usize) -> Option<&ColumnChunkMetaData> {
    meta.reader.metadata().row_groups().get(group).and_then(|group: &RowGroupMetaData| group.columns().get(leaf))
}

fn is_usual(chunk: &ColumnChunkMetaData) -> bool {
    let usual = [Encoding::PLAIN, Encoding::RLE, Encoding::RLE_DICTIONARY, Encoding::PLAIN_DICTIONARY];
    chunk.encodings().all(|encoding| usual.contains(&encoding))
}

/// Row groups of fewer rows in the mean are small.
const LEAST_ROWS: u64 = 4_096;

type Read = fn(pages::Pages, &DataType) -> Result<ArrayRef, ParquetError>;

/// How a column's pages become an array of this type; `None` where they do not as they are.
fn kind(column: &ColumnDescriptor, data_type: &DataType) -> Option<Read> {
    Some(match (column.physical_type(), data_type) {
        (Physical::INT32, DataType::Int32) => |pages, of| fixed::read::<Int32Type, 4>(pages, of, i32::from_le_bytes),
        (Physical::INT32, DataType::UInt32) => |pages, of| fixed::read::<UInt32Type, 4>(pages, of, u32::from_le_bytes),
        (Physical::INT32, DataType::Date32) => |pages, of| fixed::read::<Date32Type, 4>(pages, of, i32::from_le_bytes),
        (Physical::INT64, DataType::Int64) => |pages, of| fixed::read::<Int64Type, 8>(pages, of, i64::from_le_bytes),
        (Physical::INT64, DataType::UInt64) => |pages, of| fixed::read::<UInt64Type, 8>(pages, of, u64::from_le_bytes),
        (Physical::FLOAT, DataType::Float32) => {
            |pages, of| fixed::read::<Float32Type, 4>(pages, of, f32::from_le_bytes)
        }
        (Physical::DOUBLE, DataType::Float64) => {
            |pages, of| fixed::read::<Float64Type, 8>(pages, of, f64::from_le_bytes)
        }
        (Physical::INT32, DataType::Decimal128(precision, scale)) if is_decimal(column, *precision, *scale) => {
            |pages, of| fixed::read::<Decimal128Type, 4>(pages, of, |bytes| i32::from_le_bytes(bytes).into())
        }
        (Physical::INT64, DataType::Decimal128(precision, scale)) if is_decimal(column, *precision, *scale) => {
            |pages, of| fixed::read::<Decimal128Type, 8>(pages, of, |bytes| i64::from_le_bytes(bytes).into())
        }
        (Physical::INT64, DataType::Timestamp(unit, _)) => match (file_unit(column)?, unit) {
            (FileUnit::MILLIS, TimeUnit::Millisecond) => {
                |pages, of| fixed::read::<TimestampMillisecondType, 8>(pages, of, i64::from_le_bytes)
            }
            (FileUnit::MICROS, TimeUnit::Microsecond) => {
                |pages, of| fixed::read::<TimestampMicrosecondType, 8>(pages, of, i64::from_le_bytes)
            }
            (FileUnit::NANOS, TimeUnit::Nanosecond) => {
                |pages, of| fixed::read::<TimestampNanosecondType, 8>(pages, of, i64::from_le_bytes)
            }
            _ => return None,
        },
        (Physical::BYTE_ARRAY, DataType::Utf8View) => |pages, _| views::read::<StringViewType>(pages),
        (Physical::BYTE_ARRAY, DataType::BinaryView) => |pages, _| views::read::<BinaryViewType>(pages),
        _ => return None,
    })
}

fn is_decimal(column: &ColumnDescriptor, precision: u8, scale: i8) -> bool {
    column.type_precision() == i32::from(precision) && column.type_scale() == i32::from(scale)
}

fn file_unit(column: &ColumnDescriptor) -> Option<FileUnit> {
    match column.logical_type_ref() {
        Some(LogicalType::Timestamp(of)) => Some(of.unit),
        _ => None,
    }
}

/// The error of bytes that are not what the format says.
fn wrong(what: &str) -> ParquetError {
    ParquetError::General(what.to_owned())
}

/// An array that others may share.
fn shared(array: impl arrow_array::Array + 'static) -> ArrayRef {
    Arc::new(array)
}
