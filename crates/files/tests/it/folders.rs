use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{ErrorKind, Options};

use crate::support::*;
use crate::tickets::assert_travels;

fn batch(columns: Vec<(&str, ArrayRef, bool)>) -> RecordBatch {
    let field = |(name, array, null): &(&str, ArrayRef, bool)| Field::new(*name, array.data_type().clone(), *null);
    let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
    RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, array, _)| array).collect()).unwrap()
}

fn ids(from: i64) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(from..from + 3))
}

#[test]
fn folders_of_keys_are_columns() {
    let folder = tempfile::tempdir().unwrap();
    for (number, below) in ["year=2023/who=a%20b", "year=2024/who=__HIVE_DEFAULT_PARTITION__"].into_iter().enumerate() {
        let path = folder.path().join(below);
        std::fs::create_dir_all(&path).unwrap();
        write_parquet(&path.join("p.parquet"), &batch(vec![("id", ids(number as i64 * 3), false)]), Default::default());
        std::fs::write(path.join("_SUCCESS"), "").unwrap();
        std::fs::write(path.join(".p.parquet.crc"), "x").unwrap();
    }
    std::fs::write(folder.path().join("README.md"), "no data").unwrap();
    let found = read(&uri(folder.path()), "");
    assert_eq!(found.num_rows(), 6);
    assert_eq!(
        found.column_by_name("year").unwrap().as_primitive::<Int64Type>().values().to_vec(),
        [2023, 2023, 2023, 2024, 2024, 2024]
    );
    let who = found.column_by_name("who").unwrap().as_string::<i32>();
    assert_eq!((who.value(0), who.is_null(5)), ("a b", true));
    let keys = read(&uri(folder.path()), "SELECT year FROM data");
    assert_eq!((keys.num_rows(), keys.num_columns()), (6, 1));
    assert_eq!(read(&format!("{}?hive=false", uri(folder.path())), "").num_columns(), 1);
    let one = format!("file:{}/year=2024/**/*.parquet", folder.path().display());
    assert_eq!(read(&one, "SELECT id FROM data LIMIT 2").num_rows(), 2);
}

/// What was deleted from such a table still lies in its folder.
#[test]
fn a_table_whose_log_says_which_files_count_is_refused() {
    for (log, words) in [
        ("_delta_log/00000000000000000000.json", "deltalake"),
        (".hoodie/hoodie.properties", "hudi"),
        ("metadata/v1.metadata.json", "pyiceberg"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("lake/orders");
        std::fs::create_dir_all(table.join(log).parent().unwrap()).unwrap();
        std::fs::write(table.join(log), "{}").unwrap();
        write_parquet(&table.join("p.parquet"), &batch(vec![("id", ids(0), false)]), Default::default());
        for place in [table.as_path(), folder.path()] {
            let error = failure(&uri(place), "");
            assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
            assert!(error.to_string().contains(words), "{error}");
        }
        // Who names the files knows which count.
        assert_eq!(read(&format!("file:{}/*.parquet", table.display()), "").num_rows(), 3);
        assert_eq!(read(&uri(&table.join("p.parquet")), "").num_rows(), 3);
    }
}

#[test]
fn files_have_the_same_columns_or_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text: ArrayRef = Arc::new(StringArray::from(vec![Some("x"), None, Some("y")]));
    write_parquet(
        &path("a.parquet"),
        &batch(vec![("id", ids(0), false), ("t", text.clone(), true)]),
        Default::default(),
    );
    let other = batch(vec![("t", text.clone(), true), ("id", ids(3), true)]);
    write_parquet(&path("b.parquet"), &other, Default::default());
    let found = read(&uri(folder.path()), "");
    assert!(found.schema().field(0).is_nullable());
    assert_eq!(found.column(0).as_primitive::<Int64Type>().values().to_vec(), [0, 1, 2, 3, 4, 5]);
    write_parquet(&path("c.parquet"), &batch(vec![("id", ids(0), true)]), Default::default());
    let error = failure(&uri(folder.path()), "");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Config, Some("t")));
    assert!(error.to_string().contains("c.parquet"), "{error}");
    let narrow: ArrayRef = Arc::new(Int32Array::from(vec![1]));
    let t: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    write_parquet(&path("c.parquet"), &batch(vec![("id", narrow, true), ("t", t, true)]), Default::default());
    let error = failure(&uri(folder.path()), "");
    assert!(error.to_string().contains("int32 in ") && error.column() == Some("id"), "{error}");
    std::fs::write(path("d.csv"), "id,t\n").unwrap();
    assert!(failure(&uri(folder.path()), "").to_string().contains("different formats"));
    assert_eq!(read(&format!("{}/[ab]*.parquet", folder.path().display()).replace("[ab]", "a"), "").num_rows(), 3);
    assert_eq!(read(&format!("{}/a*.parquet", folder.path().display()), "").column(0).data_type(), &DataType::Int64);
}

#[test]
fn files_with_different_columns_are_one_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let (narrow, wide): (ArrayRef, ArrayRef) =
        (Arc::new(Int32Array::from(vec![Some(1), None, Some(i32::MAX)])), Arc::new(Int64Array::from(vec![i64::MAX])));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x"]));
    write_parquet(&path("a.parquet"), &batch(vec![("id", narrow, true)]), Default::default());
    write_parquet(&path("b.parquet"), &batch(vec![("t", text, false), ("id", wide, false)]), Default::default());
    let merged = Options { merge_schemas: true, buffer_bytes: 1, ..options() };
    let wanted = batch(vec![
        ("id", Arc::new(Int64Array::from(vec![Some(1), None, Some(i32::MAX.into()), Some(i64::MAX)])), true),
        ("t", Arc::new(StringArray::from(vec![None, None, None, Some("x")])), true),
    ]);
    let found = read_with(&uri(folder.path()), "", &merged).unwrap();
    assert_same(&found, &wanted);
    assert!(found.schema().fields().iter().all(|field| field.is_nullable()));
    for (query, columns) in [("SELECT t FROM data", vec![1]), ("SELECT t, id FROM data LIMIT 4", vec![1, 0])] {
        assert_same(&read_with(&uri(folder.path()), query, &merged).unwrap(), &wanted.project(&columns).unwrap());
    }
    for query in ["", "SELECT t AS u FROM data", "SELECT id AS t FROM data"] {
        assert_travels(&uri(folder.path()), query, &merged);
    }
    let types = [("id".to_owned(), DataType::Int8)].into();
    let error = read_with(&uri(folder.path()), "", &Options { types, ..merged }).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("id")));
}

#[test]
fn files_of_text_share_their_types() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.csv"), "n,t\n1,x\n").unwrap();
    std::fs::write(folder.path().join("b.csv"), "t,n\ny,2.5\n").unwrap();
    let found = read(&uri(folder.path()), "");
    assert_eq!(found.column(0).data_type(), &DataType::Float64);
    assert_eq!(found.column(1).as_string::<i32>().value(1), "y");
}

#[test]
fn a_file_that_changes_after_planning_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["x.parquet", "x.arrow", "x.csv"] {
        let path = folder.path().join(name);
        let write = |from| match name {
            "x.parquet" => write_parquet(&path, &batch(vec![("id", ids(from), false)]), Default::default()),
            "x.arrow" => crate::arrow::write_file(&path, &batch(vec![("id", ids(from), false)]), 2, None),
            _ => std::fs::write(&path, format!("id\n{from}\n")).unwrap(),
        };
        write(0);
        let planned = plan(&uri(&path), "", &options()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        write(5);
        let error = finish(planned, &options()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SnapshotGone);
        assert!(error.to_string().contains("changed"), "{error}");
        let planned = plan(&uri(&path), "", &options()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(finish(planned, &options()).unwrap_err().kind(), ErrorKind::SnapshotGone);
    }
}
