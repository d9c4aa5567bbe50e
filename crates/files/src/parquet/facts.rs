//! What footers know for certain of all values of a column.
//!
//! Statistics must be more than bounds here: of texts, they may be cut off, and of floating-point numbers they know neither NaN nor the sign
//! of zero. Where a file does not say enough, nothing is known.

use arrow_array::{Array, ArrayRef, UInt64Array};
use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::arrow_reader::statistics::StatisticsConverter;
use parquet::basic::Type as Physical;
use parquet::errors::ParquetError;

use super::Meta;
use crate::guard::contained;

/// Which end of the values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Least,
    Greatest,
}

impl Meta {
    /// How many rows the file has.
    pub(crate) fn count(&self) -> Option<u64> {
        self.groups().iter().map(super::rows).try_fold(0_u64, u64::checked_add)
    }

    /// How many of a column's values are NULL, by its place in the file.
    pub(crate) fn nulls(&self, place: usize, name: &str) -> Option<u64> {
        let of_groups = self.known(place, name, |leaf, known| self.nulls_of_groups(leaf, known))?;
        of_groups.into_iter().try_fold(0_u64, |sum, nulls| sum.checked_add(nulls?))
    }

    /// The least or greatest values of the row groups, in the column's type; those that hold nothing but NULL have none.
    pub(crate) fn ends(&self, place: usize, end: End, name: &str) -> Option<Vec<ArrayRef>> {
        self.known(place, name, |leaf, known| {
            let found = match end {
                End::Least => known.row_group_mins(self.groups())?,
                End::Greatest => known.row_group_maxes(self.groups())?,
            };
            if !self.are_values(leaf, found.data_type()) {
                return Ok(None);
            }
            let nulls = self.nulls_of_groups(leaf, known)?;
            let mut ends = Vec::new();
            for (number, (group, nulls)) in self.groups().iter().zip(nulls.into_iter().flatten()).enumerate() {
                let rows = super::rows(group);
                if rows == 0 || nulls == Some(rows) {
                    continue;
                }
                // Bounds of older files are those of another order.
                let trusted = group.column(leaf).statistics().is_some_and(|known| !known.is_min_max_deprecated());
                if !trusted || !found.is_valid(number) {
                    return Ok(None);
                }
                ends.push(found.slice(number, 1));
            }
            Ok(Some(ends))
        })
    }

    /// What is told of a plain column; `None` where the footer is damaged or says too little.
    fn known<T>(
        &self,
        place: usize,
        name: &str,
        tell: impl FnOnce(usize, &StatisticsConverter<'_>) -> Result<Option<T>, ParquetError>,
    ) -> Option<T> {
        let stored = self.places.get(place).copied().flatten()?;
        let leaf = self.leaf(stored)?;
        let field = self.reader.schema().fields().get(stored)?;
        if field.data_type().is_nested() || self.encrypted.contains(&stored) {
            return None;
        }
        let told = contained(
            || name.to_owned(),
            || {
                let known = StatisticsConverter::from_column_index(leaf, field, self.reader.parquet_schema());
                let known = known.map(|known| known.with_missing_null_counts_as_zero(false));
                Ok(known.and_then(|known| tell(leaf, &known)).ok().flatten())
            },
        );
        told.ok().flatten()
    }

    /// For each row group, how many of a leaf's values are NULL, where it says so.
    fn nulls_of_groups(
        &self,
        leaf: usize,
        known: &StatisticsConverter<'_>,
    ) -> Result<Option<Vec<Option<u64>>>, ParquetError> {
        let is_required = self.reader.parquet_schema().column(leaf).max_def_level() == 0;
        let counts: UInt64Array = known.row_group_null_counts(self.groups())?;
        let nulls = counts.iter().zip(self.groups()).map(|(nulls, group)| {
            let rows = super::rows(group);
            let nulls = if is_required || rows == 0 { Some(0) } else { nulls };
            // More NULLs than rows are a lie.
            nulls.filter(|nulls| *nulls <= rows)
        });
        Ok(Some(nulls.collect()))
    }

    /// Whether a leaf's bounds are values of it, in an order that all readers share.
    fn are_values(&self, leaf: usize, data_type: &DataType) -> bool {
        let is_ordered = data_type.is_integer()
            || matches!(
                data_type,
                DataType::Boolean
                    | DataType::Date32
                    | DataType::Timestamp(TimeUnit::Millisecond | TimeUnit::Microsecond, _)
                    | DataType::Decimal128(..)
            );
        // Writers cut off bytes of any length.
        let is_fixed = self.reader.parquet_schema().column(leaf).physical_type() != Physical::BYTE_ARRAY;
        is_ordered && is_fixed && self.is_ordered(leaf) && !self.inexact.contains(&leaf)
    }
}
