//! Which numbers of a column mean something to a destination, looked at a whole column at a time.

use arrow_array::{Array, ArrayRef};
use arrow_buffer::{ArrowNativeType, ScalarBuffer};
use arrow_schema::{DataType, TimeUnit};
use bowshot_core::Result;

use super::Destination;
use super::refusal::{Column, shown};

/// The numbers from `lowest` to `highest` that `step` divides.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    lowest: i64,
    highest: i64,
    step: i64,
}

/// Days that Polars' calendar has: those of the years -262143 to 262142.
const FIRST_DAY: i64 = -96_465_292;
const LAST_DAY: i64 = 95_026_236;
const DAY: i64 = 86_400;

impl Bounds {
    /// What the destination can hold of a type; `None`: everything.
    pub(super) fn of(data_type: &DataType, destination: Destination) -> Option<Self> {
        if destination == Destination::Arrow {
            return None;
        }
        let polars = destination == Destination::Polars;
        let bounds = |lowest, highest, step| Some(Bounds { lowest, highest, step });
        match data_type {
            DataType::Date32 if polars => bounds(FIRST_DAY, LAST_DAY, 1),
            DataType::Date64 => {
                let (first, last) =
                    if polars { (FIRST_DAY, LAST_DAY) } else { (i64::from(i32::MIN), i64::from(i32::MAX)) };
                bounds(first * DAY * 1000, last * DAY * 1000, DAY * 1000)
            }
            DataType::Time32(unit) | DataType::Time64(unit) => {
                // `datetime.time` counts microseconds.
                let fine = *unit == TimeUnit::Nanosecond && destination == Destination::Numpy;
                bounds(0, DAY * a_second(unit) - 1, if fine { 1000 } else { 1 })
            }
            DataType::Timestamp(unit, zone) if polars && *unit != TimeUnit::Nanosecond => {
                // A zone's local time may be on another day.
                let margin = i64::from(zone.is_some());
                let (first, after) = (FIRST_DAY + margin, LAST_DAY + 1 - margin);
                bounds(first * DAY * a_second(unit), after * DAY * a_second(unit) - 1, 1)
            }
            // NumPy's NaT is the lowest number.
            DataType::Timestamp(..) | DataType::Duration(_) if destination == Destination::Numpy => {
                bounds(-i64::MAX, i64::MAX, 1)
            }
            // Polars counts milliseconds.
            DataType::Duration(TimeUnit::Second) if polars => bounds(-i64::MAX / 1000, i64::MAX / 1000, 1),
            _ => None,
        }
    }

    /// An error that names the first value outside.
    pub(super) fn check(&self, array: &ArrayRef, column: &Column) -> Result<()> {
        if array.len() == array.null_count() {
            return Ok(());
        }
        let found = match array.data_type().primitive_width() {
            Some(4) => self.first(&numbers::<i32>(array), array),
            Some(8) => self.first(&numbers::<i64>(array), array),
            _ => None,
        };
        let Some((row, number)) = found else { return Ok(()) };
        let elsewhere = column.destination == Destination::Numpy
            && Bounds::of(array.data_type(), Destination::PandasArrow).is_none_or(|bounds| bounds.hold(number));
        Err(column.misfit(&shown(array, row, number), elsewhere))
    }

    fn hold(&self, number: i64) -> bool {
        (self.lowest..=self.highest).contains(&number) && number % self.step == 0
    }

    /// The first valid number outside, and its row.
    fn first<T: ArrowNativeType + Into<i64>>(&self, numbers: &[T], array: &ArrayRef) -> Option<(usize, i64)> {
        // One pass without a branch; what stands in the place of a NULL is looked at only if something is outside.
        let (lowest, highest) = numbers.iter().fold((i64::MAX, i64::MIN), |(lowest, highest), number| {
            let number: i64 = (*number).into();
            (lowest.min(number), highest.max(number))
        });
        let whole = self.step == 1 || numbers.iter().all(|number| Into::<i64>::into(*number) % self.step == 0);
        if whole && lowest >= self.lowest && highest <= self.highest {
            return None;
        }
        let mut rows = numbers.iter().map(|number| (*number).into()).enumerate();
        rows.find(|(row, number)| array.is_valid(*row) && !self.hold(*number))
    }
}

/// The numbers behind a column of a fixed width.
fn numbers<T: ArrowNativeType>(array: &ArrayRef) -> ScalarBuffer<T> {
    let data = array.to_data();
    match data.buffers().first() {
        Some(buffer) => ScalarBuffer::new(buffer.clone(), data.offset(), data.len()),
        None => ScalarBuffer::from(Vec::new()),
    }
}

fn a_second(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::Second => 1,
        TimeUnit::Millisecond => 1_000,
        TimeUnit::Microsecond => 1_000_000,
        TimeUnit::Nanosecond => 1_000_000_000,
    }
}
