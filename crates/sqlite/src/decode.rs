//! Rows into Arrow arrays: one growing buffer a column, no allocation a row.

use std::ffi::c_int;
use std::sync::Arc;

use arrow_array::types::{
    Date32Type, Decimal128Type, Int8Type, Int16Type, Int32Type, Int64Type, Time64MicrosecondType,
    TimestampMicrosecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, ArrowPrimitiveType, BinaryArray, BooleanArray, Float64Array, Int64Array, NullArray, PrimitiveArray,
    StringArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::{Error, ErrorKind, Result};

use crate::convert::{self, Misfit, Reals};
use crate::handle::{Cell, Content};

/// A batch aims at no more than this, so that the text of one column has 32-bit offsets even if one more value of
/// SQLite's greatest length (10^9 bytes) follows.
const MOST_BYTES: usize = 1 << 30;

/// The columns of a batch that grows row by row.
pub(crate) struct Columns {
    columns: Vec<Column>,
    /// Rows so far.
    rows: usize,
    /// Bytes of text and BLOBs so far.
    bytes: usize,
    /// Bytes that a row takes besides.
    row_bytes: usize,
    /// The size that a batch aims at.
    batch_bytes: usize,
}

/// Where a value does not fit.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) column: usize,
    /// In this batch.
    pub(crate) row: usize,
    pub(crate) misfit: Misfit,
}

impl Columns {
    /// Columns of these types; beside those that the user settled, what is made of them.
    pub(crate) fn new(types: &[(DataType, Option<&DataType>)], batch_bytes: usize) -> Result<Self> {
        let columns: Vec<Column> =
            types.iter().map(|(data_type, wanted)| Column::new(data_type, *wanted)).collect::<Result<_>>()?;
        let row_bytes = columns.iter().map(|column| column.data.row_bytes()).sum::<usize>().max(1);
        Ok(Columns { columns, rows: 0, bytes: 0, row_bytes, batch_bytes: batch_bytes.clamp(1, MOST_BYTES) })
    }

    /// Appends a row, whose values `value` tells by column.
    #[inline(always)]
    pub(crate) fn push<'a, V: Content<'a>>(&mut self, value: impl Fn(c_int) -> V) -> Result<(), Place> {
        let Columns { columns, rows, bytes, .. } = self;
        for (index, column) in (0..).zip(columns) {
            if let Err(misfit) = column.push(&value(index), *rows, bytes) {
                return Err(Place { column: usize::try_from(index).unwrap_or_default(), row: *rows, misfit });
            }
        }
        *rows += 1;
        Ok(())
    }

    /// Whether the batch has the size it aims at.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.bytes + self.rows * self.row_bytes >= self.batch_bytes
    }

    /// How many rows there are.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Hands out what has grown, and begins anew.
    pub(crate) fn finish(&mut self) -> Result<Vec<ArrayRef>, Place> {
        let rows = std::mem::take(&mut self.rows);
        self.bytes = 0;
        let finish = |(index, column): (usize, &mut Column)| {
            column.finish(rows).map_err(|(row, misfit)| Place { column: index, row, misfit })
        };
        self.columns.iter_mut().enumerate().map(finish).collect()
    }
}

struct Column {
    data: Data,
    /// The rows that are NULL.
    nulls: Vec<u32>,
}

/// What a column consists of. The four types that SQLite's own classes are read as come first: they are the hot ones.
enum Data {
    Int64(Vec<i64>),
    /// And for whom.
    Float64(Vec<f64>, Reals),
    Utf8(Bytes),
    /// And whether anything is taken, as its text.
    Binary(Bytes, bool),
    /// Only NULLs.
    Null,
    Bool(Vec<bool>),
    /// Whole numbers, dates and times, narrowed when the batch is done.
    Whole(Vec<i64>, DataType),
    /// uint64 and decimals.
    Big(Vec<i128>, DataType),
}

/// Values of different lengths, one behind the other.
struct Bytes {
    values: Vec<u8>,
    offsets: Vec<i32>,
}

impl Bytes {
    fn new() -> Self {
        Bytes { values: Vec::new(), offsets: vec![0] }
    }

    #[inline(always)]
    fn push(&mut self, value: &[u8]) {
        self.values.extend_from_slice(value);
        self.close();
    }

    #[inline(always)]
    fn close(&mut self) {
        // A batch ends long before its text is too long (MOST_BYTES).
        self.offsets.push(i32::try_from(self.values.len()).unwrap_or(i32::MAX));
    }

    /// Hands out what has grown; keeps the room for as much again.
    fn take(&mut self) -> (OffsetBuffer<i32>, Buffer) {
        let mut offsets = Vec::with_capacity(room(self.offsets.len()));
        offsets.push(0);
        let offsets = std::mem::replace(&mut self.offsets, offsets);
        (OffsetBuffer::new(ScalarBuffer::from(fitted(offsets))), Buffer::from_vec(taken(&mut self.values)))
    }
}

impl Column {
    fn new(data_type: &DataType, wanted: Option<&DataType>) -> Result<Self> {
        let own = wanted.is_none();
        let reals = match wanted {
            None => Reals::Own,
            Some(DataType::Float32) => Reals::Single,
            Some(_) => Reals::Double,
        };
        let data = match data_type {
            DataType::Int64 if own => Data::Int64(Vec::new()),
            DataType::Float64 => Data::Float64(Vec::new(), reals),
            DataType::Utf8 => Data::Utf8(Bytes::new()),
            DataType::Binary => Data::Binary(Bytes::new(), !own),
            DataType::Null => Data::Null,
            DataType::Boolean => Data::Bool(Vec::new()),
            DataType::Int64
            | DataType::Int8
            | DataType::Int16
            | DataType::Int32
            | DataType::UInt8
            | DataType::UInt16
            | DataType::UInt32
            | DataType::Date32
            | DataType::Time64(TimeUnit::Microsecond)
            | DataType::Timestamp(TimeUnit::Microsecond, _) => Data::Whole(Vec::new(), data_type.clone()),
            DataType::UInt64 | DataType::Decimal128(..) => Data::Big(Vec::new(), data_type.clone()),
            _ => {
                let name = bowshot_core::format_type(data_type);
                return Err(Error::new(ErrorKind::Unsupported, format!("SQLite values are not read as {name}")).with_hint(
                    "the types are bool, int8 to int64, uint8 to uint64, float64, utf8, binary, date32, time64[us], \
                     timestamp[us], timestamp[us, UTC] and decimal128(precision, scale)",
                ));
            }
        };
        Ok(Column { data, nulls: Vec::new() })
    }

    /// Branches on the column first, which predicts well: a column's values are nearly always of one class.
    #[inline(always)]
    fn push<'a>(&mut self, value: &impl Content<'a>, row: usize, bytes: &mut usize) -> Result<(), Misfit> {
        match &mut self.data {
            Data::Int64(values) => {
                if let Some(value) = value.integer() {
                    values.push(value);
                    return Ok(());
                }
            }
            Data::Float64(values, _) => {
                if let Some(value) = value.real().or_else(|| value.integer().and_then(convert::exact_double)) {
                    values.push(value);
                    return Ok(());
                }
            }
            Data::Utf8(values) => {
                if let Some(value) = value.text() {
                    values.push(value);
                    *bytes += value.len();
                    return Ok(());
                }
            }
            Data::Binary(values, _) => {
                if let Some(value) = value.blob() {
                    values.push(value);
                    *bytes += value.len();
                    return Ok(());
                }
            }
            _ => {}
        }
        self.push_other(value.cell(), row, bytes)
    }

    /// NULL, and values that are not of the column's own storage class.
    #[inline(never)]
    fn push_other(&mut self, cell: Cell<'_>, row: usize, bytes: &mut usize) -> Result<(), Misfit> {
        if cell == Cell::Null {
            self.nulls.extend(u32::try_from(row));
            match &mut self.data {
                Data::Int64(values) | Data::Whole(values, _) => values.push(0),
                Data::Float64(values, _) => values.push(0.0),
                Data::Utf8(values) | Data::Binary(values, _) => values.close(),
                Data::Null => {}
                Data::Bool(values) => values.push(false),
                Data::Big(values, _) => values.push(0),
            }
            return Ok(());
        }
        match &mut self.data {
            Data::Int64(_) | Data::Null => return Err(convert::WRONG_CLASS),
            Data::Float64(values, reals) => values.push(convert::double(cell, *reals)?),
            Data::Utf8(values) | Data::Binary(values, true) => {
                let before = values.values.len();
                match cell {
                    Cell::Text(text) => values.values.extend_from_slice(text),
                    _ => convert::render(cell, &mut values.values)?,
                }
                values.close();
                *bytes += values.values.len() - before;
            }
            Data::Binary(_, false) => return Err(convert::WRONG_CLASS),
            Data::Bool(values) => values.push(convert::boolean(cell)?),
            Data::Whole(values, data_type) => values.push(convert::whole(cell, data_type)?),
            Data::Big(values, data_type) => values.push(convert::big(cell, data_type)?),
        }
        Ok(())
    }

    /// The array of what has grown; or the row of text that is not UTF-8.
    fn finish(&mut self, rows: usize) -> Result<ArrayRef, (usize, Misfit)> {
        let nulls = validity(&std::mem::take(&mut self.nulls), rows);
        Ok(match &mut self.data {
            Data::Int64(values) => Arc::new(Int64Array::new(taken(values).into(), nulls)),
            Data::Float64(values, _) => Arc::new(Float64Array::new(taken(values).into(), nulls)),
            Data::Utf8(bytes) => {
                let (offsets, values) = bytes.take();
                match StringArray::try_new(offsets.clone(), values.clone(), nulls) {
                    Ok(array) => Arc::new(array),
                    Err(_) => return Err((not_utf8(&offsets, &values), Misfit("it is not UTF-8"))),
                }
            }
            Data::Binary(bytes, _) => {
                let (offsets, values) = bytes.take();
                Arc::new(BinaryArray::new(offsets, values, nulls))
            }
            Data::Null => Arc::new(NullArray::new(rows)),
            Data::Bool(values) => {
                Arc::new(BooleanArray::new(BooleanBuffer::from(std::mem::take(values).as_slice()), nulls))
            }
            Data::Whole(values, data_type) => {
                let values = std::mem::take(values);
                match data_type {
                    DataType::Int8 => narrowed::<Int8Type, _>(values, nulls, data_type),
                    DataType::Int16 => narrowed::<Int16Type, _>(values, nulls, data_type),
                    DataType::Int32 => narrowed::<Int32Type, _>(values, nulls, data_type),
                    DataType::UInt8 => narrowed::<UInt8Type, _>(values, nulls, data_type),
                    DataType::UInt16 => narrowed::<UInt16Type, _>(values, nulls, data_type),
                    DataType::UInt32 => narrowed::<UInt32Type, _>(values, nulls, data_type),
                    DataType::Date32 => narrowed::<Date32Type, _>(values, nulls, data_type),
                    DataType::Time64(_) => narrowed::<Time64MicrosecondType, _>(values, nulls, data_type),
                    DataType::Timestamp(..) => narrowed::<TimestampMicrosecondType, _>(values, nulls, data_type),
                    _ => narrowed::<Int64Type, _>(values, nulls, data_type),
                }
            }
            Data::Big(values, data_type) => {
                let values = std::mem::take(values);
                match data_type {
                    DataType::UInt64 => narrowed::<UInt64Type, _>(values, nulls, data_type),
                    _ => narrowed::<Decimal128Type, _>(values, nulls, data_type),
                }
            }
        })
    }
}

impl Data {
    /// Bytes that a value takes, besides the text and the BLOBs themselves.
    fn row_bytes(&self) -> usize {
        match self {
            Data::Null => 0,
            Data::Bool(_) => 1,
            Data::Utf8(_) | Data::Binary(..) => 4,
            Data::Int64(_) | Data::Float64(..) | Data::Whole(..) => 8,
            Data::Big(..) => 16,
        }
    }
}

/// An array of values whose range was checked when they came.
fn narrowed<T, V>(values: Vec<V>, nulls: Option<NullBuffer>, data_type: &DataType) -> ArrayRef
where
    T: ArrowPrimitiveType,
    T::Native: TryFrom<V>,
{
    let values: Vec<T::Native> = values.into_iter().map(|value| value.try_into().unwrap_or_default()).collect();
    Arc::new(PrimitiveArray::<T>::new(fitted(values).into(), nulls).with_data_type(data_type.clone()))
}

/// Which rows are not NULL; `None` where all are.
fn validity(nulls: &[u32], rows: usize) -> Option<NullBuffer> {
    if nulls.is_empty() {
        return None;
    }
    let mut bits = vec![u8::MAX; rows.div_ceil(8)];
    for null in nulls {
        if let Some(byte) = usize::try_from(null / 8).ok().and_then(|index| bits.get_mut(index)) {
            *byte &= !(1 << (null % 8));
        }
    }
    Some(NullBuffer::new(BooleanBuffer::new(bits.into(), 0, rows)))
}

/// The first row whose bytes are not UTF-8.
fn not_utf8(offsets: &OffsetBuffer<i32>, values: &[u8]) -> usize {
    let invalid = |pair: &[i32]| match (usize::try_from(pair[0]), usize::try_from(pair[1])) {
        (Ok(start), Ok(end)) => values.get(start..end).is_some_and(|value| std::str::from_utf8(value).is_err()),
        _ => false,
    };
    offsets.windows(2).position(invalid).unwrap_or_default()
}

/// Takes what has grown, without the room to spare; the next batch gets as much room at once.
fn taken<T>(values: &mut Vec<T>) -> Vec<T> {
    let next = Vec::with_capacity(room(values.len()));
    fitted(std::mem::replace(values, next))
}

/// Gives room to spare back.
fn fitted<T>(mut values: Vec<T>) -> Vec<T> {
    values.shrink_to_fit();
    values
}

/// The room for a batch like the last one: rows differ a little in size.
fn room(last: usize) -> usize {
    last + last / 32
}
