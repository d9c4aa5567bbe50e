//! Row groups that can be left out, by the statistics in the footer.
//!
//! Statistics are bounds: the least value is not less than the group's minimum, the greatest not greater than its maximum; texts may be cut
//! off in them. Where a file does not say so for certain, its groups are read.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, Datum, Scalar, UInt64Array};
use arrow_ord::cmp::{gt, gt_eq, lt, lt_eq};
use arrow_schema::{ArrowError, DataType};
use bowshot_core::Test;
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::ColumnOrder;
use parquet::file::metadata::RowGroupMetaData;

use super::Meta;
use crate::guard::contained;

/// A condition on columns by their places in one file: one of the tests must hold.
pub(crate) type Resolved<'a> = Vec<(usize, &'a Test)>;

impl Meta {
    /// For each row group, whether it may hold a row that fulfils all conditions.
    pub(crate) fn may_hold(&self, conditions: &[Resolved<'_>], name: &str) -> Vec<bool> {
        let mut kept = vec![true; self.groups().len()];
        for condition in conditions {
            let mut any = vec![false; kept.len()];
            for (place, test) in condition {
                // What cannot be understood of a damaged footer leaves nothing out: reading will say it.
                let Some(stored) = self.places.get(*place).copied().flatten() else {
                    any.fill(true);
                    continue;
                };
                let holds = contained(|| name.to_owned(), || Ok(self.column_may_hold(stored, test).ok().flatten()));
                let holds = holds.ok().flatten().unwrap_or_else(|| vec![true; kept.len()]);
                any.iter_mut().zip(holds).for_each(|(any, holds)| *any |= holds);
            }
            kept.iter_mut().zip(any).for_each(|(kept, any)| *kept &= any);
        }
        kept
    }

    pub(super) fn groups(&self) -> &[RowGroupMetaData] {
        self.reader.metadata().row_groups()
    }

    /// `None` where the statistics of the column say nothing.
    fn column_may_hold(&self, place: usize, test: &Test) -> Result<Option<Vec<bool>>, ArrowError> {
        let Some(leaf) = self.leaf(place) else { return Ok(None) };
        let field = self.reader.schema().field(place);
        let statistics = StatisticsConverter::from_column_index(leaf, field, self.reader.parquet_schema())?
            .with_missing_null_counts_as_zero(false);
        let nulls = statistics.row_group_null_counts(self.groups())?;
        let value = match test {
            Test::Null => return Ok(Some(self.with_nulls(&nulls))),
            Test::NotNull => return Ok(Some(self.with_values(&nulls))),
            Test::Equal(value)
            | Test::Less(value)
            | Test::LessOrEqual(value)
            | Test::Greater(value)
            | Test::GreaterOrEqual(value) => value,
        };
        let (least, greatest) = (statistics.row_group_mins(self.groups())?, statistics.row_group_maxes(self.groups())?);
        let same = |array: &ArrayRef| array.data_type() == value.data_type();
        if !self.is_ordered(leaf) || !is_exact(value.data_type()) || !same(&least) || !same(&greatest) {
            return Ok(None);
        }
        let value: &dyn Datum = &Scalar::new(Arc::clone(value));
        let (least, greatest): (&dyn Datum, &dyn Datum) = (&least, &greatest);
        let outside = match test {
            Test::Equal(_) => either(&gt(least, value)?, &lt(greatest, value)?),
            Test::Less(_) => gt_eq(least, value)?,
            Test::LessOrEqual(_) => gt(least, value)?,
            Test::Greater(_) => lt_eq(greatest, value)?,
            Test::GreaterOrEqual(_) => lt(greatest, value)?,
            Test::Null | Test::NotNull => return Ok(None),
        };
        // No comparison holds for NULL.
        let mut holds = self.with_values(&nulls);
        for (place, (holds, group)) in holds.iter_mut().zip(self.groups()).enumerate() {
            // Bounds of older files are those of another order.
            let trusted = group.column(leaf).statistics().is_some_and(|known| !known.is_min_max_deprecated());
            *holds &= !(trusted && outside.is_valid(place) && outside.value(place));
        }
        Ok(Some(holds))
    }

    /// The leaf that a column of plain values is; the old timestamps have no order in their statistics.
    pub(super) fn leaf(&self, place: usize) -> Option<usize> {
        let descriptor = self.reader.parquet_schema();
        let is_plain = descriptor.root_schema().get_fields().get(place)?.is_primitive();
        let leaf = (0..descriptor.num_columns()).find(|leaf| descriptor.get_column_root_idx(*leaf) == place)?;
        (is_plain && !super::is_int96(descriptor.column(leaf).physical_type())).then_some(leaf)
    }

    /// Whether the file says that its statistics follow the order of the column's type.
    pub(super) fn is_ordered(&self, leaf: usize) -> bool {
        let order = self.reader.metadata().file_metadata().column_orders().and_then(|orders| orders.get(leaf));
        matches!(order, Some(ColumnOrder::TYPE_DEFINED_ORDER(_)))
    }

    fn with_nulls(&self, nulls: &UInt64Array) -> Vec<bool> {
        nulls.iter().map(|nulls| nulls != Some(0)).collect()
    }

    fn with_values(&self, nulls: &UInt64Array) -> Vec<bool> {
        nulls.iter().zip(self.groups()).map(|(nulls, group)| nulls != Some(super::rows(group))).collect()
    }
}

/// Types whose values Parquet orders as Arrow's kernels do. Floating-point numbers are none: NaN is in no bound, and greater than all.
fn is_exact(of: &DataType) -> bool {
    of.is_integer()
        || matches!(
            of,
            DataType::Date32
                | DataType::Time32(_)
                | DataType::Time64(_)
                | DataType::Timestamp(..)
                | DataType::Decimal128(..)
                | DataType::Decimal256(..)
                | DataType::Utf8
                | DataType::LargeUtf8
                | DataType::Utf8View
        )
}

fn either(one: &BooleanArray, other: &BooleanArray) -> BooleanArray {
    let is_true = |array: &BooleanArray, place: usize| array.is_valid(place) && array.value(place);
    (0..one.len()).map(|place| Some(is_true(one, place) || is_true(other, place))).collect()
}
