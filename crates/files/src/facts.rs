//! Facts about all rows of files, from what Parquet's footers and the names of folders say.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Int64Array, Scalar, new_null_array};
use arrow_ord::cmp::lt;
use arrow_schema::{DataType, Field};
use bowshot_core::{Aggregate, Result};

use crate::dataset::{Data, Dataset, Origin};
use crate::hive;
use crate::parquet::{End, Meta};
use crate::view::View;

/// The facts that are asked for; `None` where one of them is not known for certain.
pub(crate) fn all(dataset: &Dataset, view: &View, asked: &[Aggregate]) -> Result<Option<Vec<ArrayRef>>> {
    let (Data::Parquet(metas), None) = (&dataset.data, view.limit) else { return Ok(None) };
    let facts = Facts { dataset, view, metas };
    asked.iter().map(|aggregate| facts.one(aggregate)).collect()
}

struct Facts<'a> {
    dataset: &'a Dataset,
    view: &'a View,
    metas: &'a [Arc<Meta>],
}

/// A column of the result that comes from the files as it is.
struct Column<'a> {
    /// Among all columns.
    place: usize,
    field: &'a Field,
}

impl Facts<'_> {
    fn one(&self, aggregate: &Aggregate) -> Result<Option<ArrayRef>> {
        match aggregate {
            Aggregate::Rows => Ok(self.sum(|_, meta| meta.count())),
            Aggregate::Values(column) => Ok(self.column(column).and_then(|column| self.values(&column))),
            Aggregate::Least(column) => self.end(column, End::Least),
            Aggregate::Greatest(column) => self.end(column, End::Greatest),
        }
    }

    /// `None` for a column that has another type in the result: its values are still to be turned into that.
    fn column(&self, name: &str) -> Option<Column<'_>> {
        let at = self.view.schema.index_of(name).ok()?;
        let (field, place) = (self.view.schema.fields().get(at)?, *self.view.places.get(at)?);
        let read = self.view.casts.schema();
        (read.fields().get(at)?.data_type() == field.data_type()).then_some(Column { place, field })
    }

    fn sum(&self, of: impl Fn(usize, &Meta) -> Option<u64>) -> Option<ArrayRef> {
        let counts = self.metas.iter().enumerate().map(|(file, meta)| of(file, meta));
        let sum = counts.into_iter().try_fold(0_u64, |sum, count| sum.checked_add(count?))?;
        Some(Arc::new(Int64Array::from(vec![i64::try_from(sum).ok()?])))
    }

    fn values(&self, column: &Column<'_>) -> Option<ArrayRef> {
        self.sum(|file, meta| {
            let rows = meta.count()?;
            match self.dataset.origin(file, column.place) {
                Origin::File(place) => rows.checked_sub(meta.nulls(place, &self.dataset.files.get(file)?.name)?),
                Origin::Nothing => Some(0),
                Origin::Folder(key) => Some(if self.key(file, key)?.is_some() { rows } else { 0 }),
            }
        })
    }

    fn end(&self, name: &str, end: End) -> Result<Option<ArrayRef>> {
        let Some(column) = self.column(name) else { return Ok(None) };
        let mut best: Option<ArrayRef> = None;
        for (file, meta) in self.metas.iter().enumerate() {
            let Some(found) = self.ends(file, meta, &column, end) else { return Ok(None) };
            for other in found {
                best = match best {
                    Some(best) if !is_better(&best, &other, end)? => Some(best),
                    _ => Some(other),
                };
            }
        }
        Ok(Some(best.unwrap_or_else(|| new_null_array(column.field.data_type(), 1))))
    }

    /// What may be the least or greatest value of a file, in the result's type.
    fn ends(&self, file: usize, meta: &Meta, column: &Column<'_>, end: End) -> Option<Vec<ArrayRef>> {
        let wanted = column.field.data_type();
        match self.dataset.origin(file, column.place) {
            Origin::File(place) => {
                let found = meta.ends(place, end, &self.dataset.files.get(file)?.name)?;
                found.iter().all(|value| value.data_type() == wanted).then_some(found)
            }
            Origin::Nothing => Some(Vec::new()),
            Origin::Folder(key) => {
                let value = self.key(file, key)?;
                if value.is_none() || meta.count()? == 0 {
                    return Some(Vec::new());
                }
                let is_ordered = wanted.is_integer() || matches!(wanted, DataType::Date32 | DataType::Decimal128(..));
                is_ordered.then(|| vec![hive::column(value, wanted, 1)])
            }
        }
    }

    /// The value of a folder's key; the inner `None` is NULL.
    fn key(&self, file: usize, key: usize) -> Option<Option<&str>> {
        Some(self.dataset.files.get(file)?.keys.get(key)?.1.as_deref())
    }
}

fn is_better(best: &ArrayRef, other: &ArrayRef, end: End) -> Result<bool> {
    let (best, other) = (Scalar::new(Arc::clone(best)), Scalar::new(Arc::clone(other)));
    let less = if end == End::Least { lt(&other, &best)? } else { lt(&best, &other)? };
    Ok(less.is_valid(0) && less.value(0))
}

#[cfg(test)]
mod tests {
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Decimal128Type, Int64Type};
    use arrow_array::{Decimal128Array, Float64Array, RecordBatch, StringArray};
    use bowshot_core::{Cancel, Options, Query, Request, Source};
    use bytes::Bytes;
    use parquet::arrow::ArrowWriter;
    use parquet::file::metadata::{ParquetMetaDataReader, ParquetMetaDataWriter};
    use parquet::file::statistics::{Statistics, ValueStatistics};

    use super::*;
    use crate::Files;

    fn written() -> Vec<u8> {
        let price = Decimal128Array::from(vec![Some(5 << 90), None, Some(-7)]).with_precision_and_scale(38, 2).unwrap();
        let columns: [(&str, ArrayRef); 4] = [
            ("price", Arc::new(price)),
            ("name", Arc::new(StringArray::from(vec![None, Some("b"), None]))),
            ("share", Arc::new(Float64Array::from(vec![1.0, 2.0, f64::NAN]))),
            ("id", Arc::new(Int64Array::from(vec![4, 5, 6]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut file = Vec::new();
        let mut writer = ArrowWriter::try_new(&mut file, batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        file
    }

    /// The same file, whose footer says of the bounds of a column that they may be no values.
    fn with_mere_bounds(file: &[u8], column: usize, bounds: Statistics) -> Vec<u8> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&Bytes::copy_from_slice(file)).unwrap();
        let mut group = metadata.row_group(0).clone().into_builder();
        let mut columns = group.take_columns();
        columns[column] = columns[column].clone().into_builder().set_statistics(bounds).build().unwrap();
        let group = group.set_column_metadata(columns).build().unwrap();
        let metadata = metadata.into_builder().set_row_groups(vec![group]).build();
        let length = u32::from_le_bytes(file[file.len() - 8..file.len() - 4].try_into().unwrap());
        let mut changed = file[..file.len() - 8 - length as usize].to_vec();
        ParquetMetaDataWriter::new(&mut changed, &metadata).finish().unwrap();
        changed
    }

    fn ask(file: &[u8], sql: &str, asked: &[Aggregate]) -> Option<Vec<ArrayRef>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        std::fs::write(&path, file).unwrap();
        let source = Files::from_uri(path.to_str().unwrap()).unwrap();
        let plan = source.plan(&Request::new(Query::new(sql), Options::default()), &Cancel::new()).unwrap();
        plan.scan.aggregates(asked).unwrap()
    }

    #[test]
    fn counts_and_ends_are_those_of_all_rows() {
        let asked = [
            Aggregate::Rows,
            Aggregate::Values("name".into()),
            Aggregate::Least("price".into()),
            Aggregate::Greatest("price".into()),
        ];
        let found = ask(&written(), "", &asked).unwrap();
        let counts: Vec<_> = found.iter().take(2).map(|count| count.as_primitive::<Int64Type>().value(0)).collect();
        assert_eq!(counts, [3, 1]);
        let ends: Vec<_> = found.iter().skip(2).map(|end| end.as_primitive::<Decimal128Type>().value(0)).collect();
        assert_eq!(ends, [-7, 5 << 90]);
    }

    #[test]
    fn what_is_not_sure_is_not_known() {
        for column in ["name", "share", "other"] {
            assert!(ask(&written(), "", &[Aggregate::Greatest(column.into())]).is_none(), "{column}");
        }
        assert!(ask(&written(), "SELECT * FROM data LIMIT 2", &[Aggregate::Rows]).is_none());
    }

    #[test]
    fn a_bound_is_no_value_where_the_footer_says_so() {
        let bounds = |exact| {
            let bounds = ValueStatistics::new(Some(0_i64), Some(9), None, Some(0), false);
            Statistics::Int64(bounds.with_min_is_exact(exact).with_max_is_exact(true))
        };
        let least = [Aggregate::Least("id".into())];
        let found = ask(&with_mere_bounds(&written(), 3, bounds(true)), "", &least).unwrap();
        assert_eq!(found.first().unwrap().as_primitive::<Int64Type>().value(0), 0);
        assert!(ask(&with_mere_bounds(&written(), 3, bounds(false)), "", &least).is_none());
    }
}
