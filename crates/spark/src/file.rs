//! A file that Spark itself lists and cuts, planned and read by one task.

use bowshot_core::{Cancel, Options, Partitioning, Query, Request, Result};

use crate::filter::Filter;
use crate::statement::columns_of;
use crate::{Reading, prune};

impl Reading {
    /// Starts to read columns of a file, or of the row groups of a range of it (`file:/x.parquet?range=0-1000`). Row groups that hold no row
    /// that passes all filters are left out; Spark filters the others.
    ///
    /// # Errors
    /// Those of planning and of opening: a column that the file does not have, a damaged footer.
    pub fn open_file(uri: &str, columns: &[String], filters: &[Filter], cancel: Cancel) -> Result<Self> {
        let source = bowshot_connect::connect(uri)?;
        let options = Options { connections: Some(1), partitioning: Partitioning::Single, ..Options::default() };
        let mut request = Request::new(Query::new(columns_of("data", columns)), options);
        let mut plan = source.plan(&request, &cancel)?;
        // Only the columns' types say what the filters compare.
        request.options.prune = prune::conditions(filters, &plan.schema);
        if !request.options.prune.is_empty() {
            plan = source.plan(&request, &cancel)?;
        }
        Self::of_plan(plan, columns, cancel)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::cast::AsArray;
    use arrow_array::types::Int64Type;
    use arrow_array::{Int64Array, RecordBatch};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    use super::*;
    use crate::{Comparison, Literal};

    /// The numbers of column `a` in a file of row groups of ten rows, as a task reads them.
    fn read(uri: &str, filters: &[Filter]) -> Vec<i64> {
        let reading = Reading::open_file(uri, &["a".to_owned()], filters, Cancel::new()).unwrap();
        let mut found = Vec::new();
        while let Some(batch) = reading.next().unwrap() {
            found.extend_from_slice(batch.column(0).as_primitive::<Int64Type>().values());
        }
        found
    }

    #[test]
    fn ranges_have_each_row_group_once_and_filters_leave_some_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        let numbers = Arc::new(Int64Array::from_iter_values(0..100));
        let batch = RecordBatch::try_from_iter([("a", numbers as _)]).unwrap();
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(10)).build();
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let length = std::fs::metadata(&path).unwrap().len();
        let part = |start: u64, end: u64| format!("file:{}?hive=false&range={start}-{end}", path.display());
        for step in [100, 333, length] {
            let starts = (0..length).step_by(usize::try_from(step).unwrap());
            let all: Vec<i64> = starts.flat_map(|start| read(&part(start, start + step), &[])).collect();
            assert_eq!(all, (0..100).collect::<Vec<_>>(), "{step}");
        }
        let above = Filter::Compare("a".into(), Comparison::Greater, Literal::Integer(85));
        assert_eq!(read(&part(0, length), &[above]), (80..100).collect::<Vec<_>>());
        assert_eq!(read(&part(length, length), &[]), Vec::<i64>::new());
    }
}
