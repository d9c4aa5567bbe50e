//! From a column's memory to its array.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, BinaryType, Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int16Type,
    Int32Type, Int64Type, IntervalMonthDayNanoType, Time64MicrosecondType, TimestampMicrosecondType, UInt32Type,
    Utf8Type,
};
use arrow_array::{ArrayRef, BooleanArray, FixedSizeBinaryArray, PrimitiveArray};
use arrow_buffer::{
    ArrowNativeType, BooleanBuffer, Buffer, IntervalMonthDayNano, NullBuffer, OffsetBuffer, ScalarBuffer,
};
use arrow_schema::DataType;
use bowshot_cells::{Cells, SLACK, load, ordered, texts};
use bowshot_core::Impossible;
use bowshot_postgres_values::{Column, Reject, temporal};

use crate::form::Form;
use crate::memory::Memory;

/// The values of one column in one batch.
pub(crate) struct Values<'a> {
    pub(crate) memory: &'a mut Memory,
    pub(crate) rows: usize,
    /// Bytes in use of values without a fixed length.
    pub(crate) used: usize,
    /// Rows that are NULL.
    pub(crate) nulls: usize,
    /// What becomes of infinite dates and timestamps.
    pub(crate) infinity: Impossible,
}

impl Values<'_> {
    /// The array, which borrows the memory until it is reclaimed.
    pub(crate) fn array(mut self, column: &Column, form: &Form) -> Result<ArrayRef, Reject> {
        let data_type = column.field.data_type();
        match form {
            Form::Boolean => self.booleans(),
            Form::Int16 => self.plain::<Int16Type>(data_type),
            Form::Int32 => self.plain::<Int32Type>(data_type),
            Form::Int64 => self.plain::<Int64Type>(data_type),
            Form::UInt32 => self.plain::<UInt32Type>(data_type),
            Form::Float32 => self.plain::<Float32Type>(data_type),
            Form::Float64 => self.plain::<Float64Type>(data_type),
            Form::Date => {
                if !temporal::dates(self.memory.values.native(self.rows)) {
                    self.finite::<i32>(i32::MIN, i32::MAX, temporal::date)?;
                }
                self.plain::<Date32Type>(data_type)
            }
            Form::Timestamp => {
                if !temporal::timestamps(self.memory.values.native(self.rows)) {
                    self.finite::<i64>(i64::MIN, i64::MAX, temporal::timestamp)?;
                }
                self.plain::<TimestampMicrosecondType>(data_type)
            }
            Form::Time => {
                self.each::<i64>(temporal::time)?;
                self.plain::<Time64MicrosecondType>(data_type)
            }
            Form::Interval => self.intervals(data_type),
            Form::Uuid => {
                let bytes = self.memory.values.lend(16 * self.rows);
                Ok(Arc::new(FixedSizeBinaryArray::try_new(16, bytes, self.validity())?))
            }
            Form::Money => {
                let rows = self.rows;
                let units = self.memory.values.native::<i64>(rows);
                let units: Vec<i128> = units.iter().map(|&unit| i128::from(unit)).collect();
                self.numbers::<Decimal128Type>(data_type, units.into())
            }
            Form::Decimal(_) => self.plain::<Decimal128Type>(data_type),
            Form::Numeric(digits) => {
                let numbers = self.numerics(|disk| digits.wide(disk))?;
                self.numbers::<Decimal256Type>(data_type, numbers.into())
            }
            Form::Text => {
                let (offsets, bytes) = self.pieces()?;
                let array = texts::<Utf8Type>(offsets, bytes, self.validity())
                    .map_err(|_| Reject::Value { holds: "bytes that are not UTF-8".into(), way_out: "binary" })?;
                Ok(Arc::new(array))
            }
            Form::Binary => {
                let (offsets, bytes) = self.pieces()?;
                Ok(Arc::new(texts::<BinaryType>(offsets, bytes, self.validity())?))
            }
            Form::Enumeration(labels) => {
                let validity = self.validity();
                labels.array(self.memory.values.native(self.rows), validity)
            }
            Form::Sent => self.sent(column),
        }
    }

    /// Which values are not NULL; `None` when all are, so that no buffer is sent.
    fn validity(&mut self) -> Option<NullBuffer> {
        let rows = self.rows;
        (self.nulls > 0)
            .then(|| NullBuffer::new(BooleanBuffer::new(self.memory.validity.lend(rows.div_ceil(8)), 0, rows)))
    }

    fn booleans(mut self) -> Result<ArrayRef, Reject> {
        let bytes = self.memory.values.bytes();
        let values = BooleanBuffer::collect_bool(self.rows, |row| bytes.get(row).is_some_and(|&byte| byte != 0));
        Ok(Arc::new(BooleanArray::new(values, self.validity())))
    }

    /// Values that are Arrow's already.
    fn plain<T: ArrowPrimitiveType>(mut self, data_type: &DataType) -> Result<ArrayRef, Reject> {
        let bytes = self.memory.values.lend(self.rows * size_of::<T::Native>());
        let values = ScalarBuffer::new(bytes, 0, self.rows);
        self.numbers::<T>(data_type, values)
    }

    fn numbers<T: ArrowPrimitiveType>(
        &mut self,
        data_type: &DataType,
        values: ScalarBuffer<T::Native>,
    ) -> Result<ArrayRef, Reject> {
        let array = PrimitiveArray::<T>::try_new(values, self.validity())?;
        Ok(Arc::new(array.with_data_type(data_type.clone())))
    }

    /// Converts every value where it lies. NULLs are zeros.
    fn each<N: ArrowNativeType>(&mut self, convert: impl Fn(N) -> Result<N, Reject>) -> Result<(), Reject> {
        let mut rejected = None;
        for value in self.memory.values.native::<N>(self.rows) {
            match convert(*value) {
                Ok(converted) => *value = converted,
                Err(reject) => rejected = rejected.or(Some(reject)),
            }
        }
        rejected.map_or(Ok(()), Err)
    }

    /// Like [`each`](Self::each), after infinite values were made NULL where that is asked for.
    fn finite<N: ArrowNativeType>(
        &mut self,
        least: N,
        most: N,
        convert: impl Fn(N) -> Result<N, Reject>,
    ) -> Result<(), Reject> {
        if self.infinity == Impossible::Null {
            let values = self.memory.values.native::<N>(self.rows);
            for (row, value) in values.iter_mut().enumerate().filter(|(_, value)| **value == least || **value == most) {
                *value = N::default();
                if let Some(byte) = self.memory.validity.bytes().get_mut(row / 8) {
                    *byte &= !(1 << (row % 8));
                }
                self.nulls += 1;
            }
        }
        self.each(convert)
    }

    /// Microseconds, days and months as PostgreSQL keeps them.
    fn intervals(mut self, data_type: &DataType) -> Result<ArrayRef, Reject> {
        let bytes = self.memory.values.bytes();
        let values = bytes.chunks_exact(16).take(self.rows).map(|value| {
            let microseconds = i64::from_ne_bytes(load(value, 0));
            let days = i32::from_ne_bytes(load(value, 8));
            let months = i32::from_ne_bytes(load(value, 12));
            temporal::interval(months, days, microseconds)
        });
        let values: Vec<IntervalMonthDayNano> = values.collect::<Result<_, _>>()?;
        self.numbers::<IntervalMonthDayNanoType>(data_type, values.into())
    }

    /// The offsets of values that lie one after the other, and their bytes.
    fn pieces(&mut self) -> Result<(OffsetBuffer<i32>, Buffer), Reject> {
        let offsets = ScalarBuffer::new(self.memory.offsets.lend(4 * (self.rows + 1)), 0, self.rows + 1);
        // What C wrote is checked here.
        let offsets = ordered(offsets, self.used)
            .ok_or_else(|| Reject::broken("a column's values do not lie one after the other"))?;
        Ok((offsets, self.memory.values.lend(self.used)))
    }

    fn numerics<N: Default>(&mut self, convert: impl Fn(&[u8]) -> Result<N, Reject>) -> Result<Vec<N>, Reject> {
        let (nulls, rows) = (self.nulls > 0, self.rows);
        let offsets = self.memory.offsets.native::<i32>(rows + 1);
        let bytes = self.memory.values.bytes();
        let mut numbers = Vec::with_capacity(rows);
        let mut start = 0;
        for &mut end in offsets.iter_mut().skip(1) {
            let end = usize::try_from(end).unwrap_or(usize::MAX);
            // NULL has no bytes, a numeric always has a header.
            numbers.push(match bytes.get(start..end) {
                Some([]) if nulls => N::default(),
                Some(disk) => convert(disk)?,
                None => return Err(Reject::broken("a column's values do not lie one after the other")),
            });
            start = end;
        }
        Ok(numbers)
    }

    /// What send functions wrote.
    fn sent(self, column: &Column) -> Result<ArrayRef, Reject> {
        let (has_nulls, rows) = (self.nulls > 0, self.rows);
        let offsets = self.memory.offsets.native::<u32>(rows);
        let bytes = self.memory.values.bytes().get(..self.used + SLACK).unwrap_or_default();
        column.decoder.decode(Cells { bytes, offsets, has_nulls })
    }
}
