//! A finished column, handed to `bowshot/pandas.py` which makes a pandas array of it.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema, SchemaRef, TimeUnit};
use bowshot_core::Result;
use parking_lot::Mutex;
use pyo3::prelude::*;

use super::grow::{Data, Growing, mask};
use super::layout::Kind;
use super::values::{Memory, Values};
use crate::table::Batch;

/// NumPy's NaT.
const NOT_A_TIME: i64 = i64::MIN;

/// A finished column. Each part of it can be taken once.
#[pyclass(frozen, module = "bowshot._bowshot")]
pub(crate) struct FrameColumn {
    /// `int64`, `uint64`, `float64`, `bool`, `instant`, `day`, `text` or `object`.
    #[pyo3(get)]
    kind: &'static str,
    /// How many values are NULL.
    #[pyo3(get)]
    nulls: usize,
    /// The time zone of instants.
    #[pyo3(get)]
    zone: Option<String>,
    length: usize,
    parts: Mutex<Parts>,
}

#[derive(Default)]
struct Parts {
    values: Option<Values>,
    /// Where NULLs have no mark among the values.
    mask: Option<Values>,
    /// Batches of one column, the first one last.
    batches: Vec<RecordBatch>,
}

impl FrameColumn {
    /// Finishes a column: marks or masks its NULLs, without a second copy of its values.
    pub(crate) fn new(mut column: Growing, masked: bool) -> Result<Self> {
        column.shrink();
        let nulls = column.nulls();
        let (null_count, length) = (column.null_count, column.length);
        let schema: SchemaRef = Arc::new(Schema::new(vec![column.final_field()]));
        let (zone, instant) = instant_type(&column.field);
        let bytes = |nulls: Option<&NullBuffer>| Some(Values::new(Memory::Bytes(mask(nulls, length)), "|b1"));
        let mut parts = Parts::default();
        let kind = match (column.kind, column.data) {
            (Kind::Int, Data::Words(mut words)) => {
                if !masked && null_count > 0 && to_floats(&mut words, nulls.as_ref()) {
                    parts.values = Some(Values::new(Memory::Words(words), "<f8"));
                    "float64"
                } else {
                    parts.mask = (masked || null_count > 0).then(|| bytes(nulls.as_ref())).flatten();
                    parts.values = Some(Values::new(Memory::Words(words), "<i8"));
                    "int64"
                }
            }
            (Kind::Unsigned, Data::Words(words)) => {
                parts.mask = (masked || null_count > 0).then(|| bytes(nulls.as_ref())).flatten();
                let large = words.iter().any(|word| *word < 0);
                parts.values = Some(Values::new(Memory::Words(words), if large { "<u8" } else { "<i8" }));
                if large { "uint64" } else { "int64" }
            }
            (Kind::Float, Data::Floats(mut floats)) => {
                if masked {
                    parts.mask = bytes(nulls.as_ref());
                } else {
                    mark(&mut floats, nulls.as_ref(), f64::NAN);
                }
                parts.values = Some(Values::new(Memory::Floats(floats), "<f8"));
                "float64"
            }
            (Kind::Instant, Data::Words(mut words)) => {
                mark(&mut words, nulls.as_ref(), NOT_A_TIME);
                parts.values = Some(Values::new(Memory::Words(words), instant));
                "instant"
            }
            (Kind::Bool, Data::Truths(truths)) => {
                parts.mask = (masked || null_count > 0).then(|| bytes(nulls.as_ref())).flatten();
                parts.values = Some(Values::new(Memory::Bytes(truths), "|b1"));
                "bool"
            }
            (Kind::Day, Data::Days(days)) => {
                parts.mask = (null_count > 0).then(|| bytes(nulls.as_ref())).flatten();
                parts.values = Some(Values::new(Memory::Days(days), "<i4"));
                "day"
            }
            (_, Data::Text(texts)) => {
                parts.batches.push(RecordBatch::try_new(schema, vec![Arc::new(texts.finish(nulls)?)])?);
                "text"
            }
            (_, Data::Arrays(arrays)) => {
                let batches = arrays.into_iter().rev().map(|array| RecordBatch::try_new(schema.clone(), vec![array]));
                parts.batches = batches.collect::<Result<_, _>>()?;
                "object"
            }
            // `Growing::new` pairs each kind with its memory.
            _ => "object",
        };
        Ok(FrameColumn { kind, nulls: null_count, zone, length, parts: Mutex::new(parts) })
    }
}

#[pymethods]
impl FrameColumn {
    fn __len__(&self) -> usize {
        self.length
    }

    /// The values, for `numpy.asarray`.
    fn take_values(&self) -> Option<Values> {
        self.parts.lock().values.take()
    }

    /// True where a value is NULL, for `numpy.asarray`; `None` where NULLs are marked among the values or absent.
    fn take_mask(&self) -> Option<Values> {
        self.parts.lock().mask.take()
    }

    /// The next batch of this column alone, for `pyarrow.record_batch`; `None` after the last one.
    fn take_batch(&self) -> Option<Batch> {
        self.parts.lock().batches.pop().map(Batch)
    }
}

/// Makes floats of integers in place, NULLs NaN. False, with nothing changed, if that would change a value.
fn to_floats(words: &mut [i64], nulls: Option<&NullBuffer>) -> bool {
    let valid = |row: usize| nulls.is_none_or(|nulls| nulls.is_valid(row));
    if words.iter().enumerate().any(|(row, word)| valid(row) && exact(*word).is_none()) {
        return false;
    }
    for (row, word) in words.iter_mut().enumerate() {
        let float = if valid(row) { exact(*word).unwrap_or(f64::NAN) } else { f64::NAN };
        *word = float.to_bits().cast_signed();
    }
    true
}

/// The float that is this integer, if there is one.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "checked by the way back")]
fn exact(word: i64) -> Option<f64> {
    let float = word as f64;
    (float as i128 == i128::from(word)).then_some(float)
}

fn mark<T: Copy>(values: &mut [T], nulls: Option<&NullBuffer>, null: T) {
    let Some(nulls) = nulls else { return };
    for (value, valid) in values.iter_mut().zip(nulls) {
        if !valid {
            *value = null;
        }
    }
}

/// The time zone and NumPy's type of an instant or a duration.
fn instant_type(field: &Field) -> (Option<String>, String) {
    let name = |unit: &TimeUnit| match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    };
    match field.data_type() {
        DataType::Timestamp(unit, zone) => (zone.as_deref().map(str::to_owned), format!("<M8[{}]", name(unit))),
        DataType::Duration(unit) => (None, format!("<m8[{}]", name(unit))),
        _ => (None, String::new()),
    }
}
