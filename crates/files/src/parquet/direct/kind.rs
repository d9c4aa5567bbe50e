//! The table of what is decoded directly: from a physical type to an Arrow type.

use arrow_array::types::{
    BinaryType, BinaryViewType, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, LargeBinaryType, LargeUtf8Type, StringViewType, Time32MillisecondType, Time64MicrosecondType,
    Time64NanosecondType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type, Utf8Type,
};
use arrow_schema::{DataType, TimeUnit};
use parquet::basic::{LogicalType, TimeUnit as FileUnit, Type as Physical};
use parquet::schema::types::ColumnDescriptor;

use super::column::Column;
use super::pages::Pages;
use super::{booleans, decimals, fixed, texts, views};

/// Makes a column of its pages.
pub(super) type Make = fn(Pages, &DataType) -> Box<dyn Column>;

/// How a column's pages become arrays of this type; `None` where they do not as they are.
pub(super) fn kind(column: &ColumnDescriptor, data_type: &DataType) -> Option<Make> {
    Some(match (column.physical_type(), data_type) {
        (Physical::BOOLEAN, DataType::Boolean) => |pages, _| booleans::column(pages),
        // Values out of their range wrap around, as other readers of the format have it.
        (Physical::INT32, DataType::Int8) => {
            |pages, of| fixed::column::<Int8Type, 4>(pages, of, |[low, ..]| i8::from_le_bytes([low]))
        }
        (Physical::INT32, DataType::UInt8) => |pages, of| fixed::column::<UInt8Type, 4>(pages, of, |[low, ..]| low),
        (Physical::INT32, DataType::Int16) => {
            |pages, of| fixed::column::<Int16Type, 4>(pages, of, |[low, high, ..]| i16::from_le_bytes([low, high]))
        }
        (Physical::INT32, DataType::UInt16) => {
            |pages, of| fixed::column::<UInt16Type, 4>(pages, of, |[low, high, ..]| u16::from_le_bytes([low, high]))
        }
        (Physical::INT32, DataType::Int32) => |pages, of| fixed::column::<Int32Type, 4>(pages, of, i32::from_le_bytes),
        (Physical::INT32, DataType::UInt32) => {
            |pages, of| fixed::column::<UInt32Type, 4>(pages, of, u32::from_le_bytes)
        }
        (Physical::INT32, DataType::Date32) => {
            |pages, of| fixed::column::<Date32Type, 4>(pages, of, i32::from_le_bytes)
        }
        (Physical::INT64, DataType::Int64) => |pages, of| fixed::column::<Int64Type, 8>(pages, of, i64::from_le_bytes),
        (Physical::INT64, DataType::UInt64) => {
            |pages, of| fixed::column::<UInt64Type, 8>(pages, of, u64::from_le_bytes)
        }
        (Physical::FLOAT, DataType::Float32) => {
            |pages, of| fixed::column::<Float32Type, 4>(pages, of, f32::from_le_bytes)
        }
        (Physical::DOUBLE, DataType::Float64) => {
            |pages, of| fixed::column::<Float64Type, 8>(pages, of, f64::from_le_bytes)
        }
        (Physical::INT32, DataType::Decimal128(precision, scale)) if is_decimal(column, *precision, *scale) => {
            |pages, of| fixed::column::<Decimal128Type, 4>(pages, of, |bytes| i32::from_le_bytes(bytes).into())
        }
        (Physical::INT64, DataType::Decimal128(precision, scale)) if is_decimal(column, *precision, *scale) => {
            |pages, of| fixed::column::<Decimal128Type, 8>(pages, of, |bytes| i64::from_le_bytes(bytes).into())
        }
        (Physical::FIXED_LEN_BYTE_ARRAY, DataType::Decimal128(precision, scale))
            if is_decimal(column, *precision, *scale) =>
        {
            decimals::of_length(column.type_length())?
        }
        (Physical::INT32, DataType::Time32(TimeUnit::Millisecond)) => {
            |pages, of| fixed::column::<Time32MillisecondType, 4>(pages, of, i32::from_le_bytes)
        }
        (Physical::INT64, DataType::Time64(TimeUnit::Microsecond)) => {
            |pages, of| fixed::column::<Time64MicrosecondType, 8>(pages, of, i64::from_le_bytes)
        }
        (Physical::INT64, DataType::Time64(TimeUnit::Nanosecond)) => {
            |pages, of| fixed::column::<Time64NanosecondType, 8>(pages, of, i64::from_le_bytes)
        }
        (Physical::INT64, DataType::Timestamp(unit, _)) => match (file_unit(column)?, unit) {
            (FileUnit::MILLIS, TimeUnit::Millisecond) => {
                |pages, of| fixed::column::<TimestampMillisecondType, 8>(pages, of, i64::from_le_bytes)
            }
            (FileUnit::MICROS, TimeUnit::Microsecond) => {
                |pages, of| fixed::column::<TimestampMicrosecondType, 8>(pages, of, i64::from_le_bytes)
            }
            (FileUnit::NANOS, TimeUnit::Nanosecond) => {
                |pages, of| fixed::column::<TimestampNanosecondType, 8>(pages, of, i64::from_le_bytes)
            }
            _ => return None,
        },
        (Physical::BYTE_ARRAY, DataType::Utf8) => |pages, _| texts::column::<Utf8Type>(pages),
        (Physical::BYTE_ARRAY, DataType::LargeUtf8) => |pages, _| texts::column::<LargeUtf8Type>(pages),
        (Physical::BYTE_ARRAY, DataType::Binary) => |pages, _| texts::column::<BinaryType>(pages),
        (Physical::BYTE_ARRAY, DataType::LargeBinary) => |pages, _| texts::column::<LargeBinaryType>(pages),
        (Physical::BYTE_ARRAY, DataType::Utf8View) => |pages, _| views::column::<StringViewType>(pages),
        (Physical::BYTE_ARRAY, DataType::BinaryView) => |pages, _| views::column::<BinaryViewType>(pages),
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
