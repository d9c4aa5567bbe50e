//! SQL over files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BinaryViewArray, Date32Array, Decimal128Array, Float64Array, Int64Array, RecordBatch, StringArray,
    StringViewArray,
};
use arrow_ipc::writer::FileWriter;
use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{Params, Query, Value};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

use crate::common::{options, serve, text_file};

/// Rows `from..to` of a table whose every cell follows from its number.
fn batch(from: i64, to: i64) -> RecordBatch {
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("price", DataType::Decimal128(15, 2), false),
        Field::new("day", DataType::Date32, true),
        Field::new("share", DataType::Float64, true),
        Field::new("name", DataType::Utf8, true),
    ]);
    let prices = Decimal128Array::from_iter_values((from..to).map(|n| i128::from(n) * 101));
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from_iter_values(from..to)),
        Arc::new(prices.with_precision_and_scale(15, 2).unwrap()),
        Arc::new(Date32Array::from_iter((from..to).map(|n| (n % 7 != 0).then(|| i32::try_from(n).unwrap())))),
        Arc::new(Float64Array::from_iter(
            (from..to).map(|n| (n % 5 != 0).then(|| f64::from(i32::try_from(n).unwrap()) / 8.0)),
        )),
        Arc::new(StringArray::from_iter((from..to).map(|n| (n % 3 != 0).then(|| format!("name {n}"))))),
    ];
    RecordBatch::try_new(Arc::new(schema), columns).unwrap()
}

fn parquet(path: &Path, batch: &RecordBatch) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1000)).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn a_plain_read_is_the_source_s_own_with_text_as_it_is_sent() {
    let folder = tempfile::tempdir().unwrap();
    let texts = || (0..40_000).map(|n| (n % 3 != 0).then(|| format!("a name of more than twelve bytes {n}")));
    let views: ArrayRef = Arc::new(StringViewArray::from_iter(texts()));
    let bytes: ArrayRef = Arc::new(BinaryViewArray::from_iter(texts()));
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..40_000));
    let columns = [("id", ids, false), ("text", views, true), ("bytes", bytes, true)];
    parquet(&folder.path().join("lake/a.parquet"), &RecordBatch::try_from_iter_with_nullable(columns).unwrap());
    let served = serve(&[("lake", &folder.path().join("lake").display().to_string(), None)]);
    let types = |sql: &str| -> Vec<DataType> {
        let plan = served.plan(sql).unwrap();
        plan.schema.fields().iter().map(|field| field.data_type().clone()).collect()
    };
    assert_eq!(types("SELECT * FROM lake"), [DataType::Int64, DataType::Utf8, DataType::Binary]);
    assert_eq!(types("SELECT bytes, id FROM lake"), [DataType::Binary, DataType::Int64]);
    assert_eq!(types("SELECT bytes AS b, id FROM lake"), [DataType::BinaryView, DataType::Int64]);
    assert_eq!(types("SELECT text, id + 1 FROM lake"), [DataType::Utf8View, DataType::Int64]);
    let plan = served.plan("SELECT * FROM lake").unwrap();
    assert!(plan.snapshot.is_some() && plan.reason.contains("nothing of"), "{}", plan.reason);
    let computed = served.sorted("SELECT id + 0, text, bytes FROM lake");
    assert_eq!(served.sorted("SELECT * FROM lake"), computed);
    assert_eq!(computed.len(), 40_000);
    assert_eq!(served.rows("SELECT count(*), min(id), max(text) FROM lake").len(), 1);
    assert_eq!(served.rows("SELECT id FROM lake ORDER BY id LIMIT 2"), ["0", "1"]);
    assert_eq!(served.rows("SELECT id FROM lake LIMIT 7").len(), 7);
    // A value that is given, and that the plan needs no more: its type is still told.
    let asked =
        Query { sql: "SELECT id FROM lake WHERE $1 = 1".into(), params: Params::Positional(vec![Value::Int(1)]) };
    let plan = served.plan_with(asked, &options()).unwrap();
    assert_eq!(plan.scan.parameters().len(), 1);
}

#[test]
fn a_folder_of_parquet_is_a_table_whose_cells_are_those_of_its_files() {
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("orders");
    parquet(&lake.join("a.parquet"), &batch(0, 5000));
    parquet(&lake.join("b.parquet"), &batch(5000, 9000));
    let served = serve(&[("lake", &lake.display().to_string(), None)]);
    let plan = served.plan("SELECT id + 0 AS id, price, day, share, name FROM lake.orders").unwrap();
    assert_eq!(plan.schema.as_ref(), batch(0, 1).schema().as_ref());
    assert!(plan.snapshot.is_none() && plan.reason.contains("lake"));
    let mut expected = crate::common::lines(&[batch(0, 9000)]);
    expected.sort();
    assert_eq!(served.sorted("SELECT * FROM lake.orders"), expected);
    assert_eq!(
        served.rows("SELECT count(*), sum(id), min(day), max(price) FROM orders"),
        ["9000|40495500|1970-01-02|9088.99"]
    );
    let filtered = "SELECT id FROM orders WHERE price BETWEEN 50.50 AND 52.52 AND name IS NOT NULL ORDER BY id DESC";
    assert_eq!(served.rows(filtered), ["52", "50"]);
    assert_eq!(served.rows("SELECT count(*) FROM orders WHERE name = 'name 4999'"), ["1"]);
    assert_eq!(served.rows("SELECT id FROM orders ORDER BY id LIMIT 2 OFFSET 4999"), ["4999", "5000"]);
}

#[test]
fn only_the_columns_that_a_query_needs_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.parquet");
    parquet(&path, &batch(0, 3000));
    let served = serve(&[("lake", &path.display().to_string(), None)]);
    assert_eq!(served.rows("SELECT sum(price) FROM orders"), ["4543485.00"]);
    assert_eq!(served.asked("orders"), ["SELECT \"price\" FROM \"orders\""]);
    assert_eq!(served.rows("SELECT id, day FROM orders LIMIT 1"), ["0|NULL"]);
    assert_eq!(served.asked("orders"), ["SELECT \"id\", \"day\" FROM \"orders\" LIMIT 1"]);
    let rows = served.rows("SELECT 1 FROM orders WHERE random() >= 0");
    assert_eq!(rows.len(), 3000);
}

#[test]
fn row_groups_that_cannot_hold_a_row_are_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.parquet");
    parquet(&path, &batch(0, 5000));
    let served = serve(&[("lake", &path.display().to_string(), None)]);
    for (filter, count, left_out) in [
        ("id = 4321", "1", 4),
        ("id BETWEEN 990 AND 1010", "21", 3),
        ("4000 <= id", "1000", 4),
        ("id IN (1, 4999)", "2", 3),
        ("id = 1 OR id > 4500 AND name IS NOT NULL", "334", 3),
        ("price < 10.10", "10", 4),
        ("price < 10.1", "10", 4),
        ("day = DATE '1970-01-03' AND id < 3000", "1", 4),
        ("day >= DATE '1983-01-01'", "216", 4),
        ("name >= 'name 998' AND id > 10", "1", 4),
        ("id < 0", "0", 5),
        ("id IS NULL", "0", 5),
        ("NOT id > 100", "101", 4),
        // A sum, a floating-point number and what is not equal say nothing.
        ("id + 1 = 8", "1", 0),
        ("share > 600", "160", 0),
        ("id <> 7", "4999", 0),
    ] {
        let sql = format!("SELECT count(*) FROM orders WHERE {filter}");
        assert_eq!(served.rows(&sql), [count], "{filter}");
        let plan = served.rows(&format!("EXPLAIN {sql}")).join(" ");
        let told = format!("{left_out} of 5 row groups are left out");
        if left_out == 5 {
            // Of no rows, the planner knows the number.
            continue;
        }
        assert!(if left_out == 0 { !plan.contains("left out") } else { plan.contains(&told) }, "{filter}: {plan}");
    }
    // The first rows are those that the filter lets through.
    assert_eq!(served.rows("SELECT id FROM orders WHERE id > 10 AND share > 600 ORDER BY id LIMIT 1"), ["4801"]);
    assert_eq!(served.rows("SELECT id FROM orders WHERE id >= 4990 AND id % 7 = 0 LIMIT 5").len(), 2);
}

#[test]
fn csv_json_arrow_files_patterns_and_hive_folders_are_tables_too() {
    let folder = tempfile::tempdir().unwrap();
    let csv =
        text_file(folder.path(), "people.csv", "id,name,born\n1,Ada,1815-12-10\n2,\"Grace, H\",1906-12-09\n3,,\n");
    text_file(folder.path(), "log/y=2024/a.csv", "n\n1\n2\n");
    text_file(folder.path(), "log/y=2025/b.csv", "n\n3\n");
    let arrow = folder.path().join("facts.arrow");
    let mut writer = FileWriter::try_new(File::create(&arrow).unwrap(), &batch(0, 1).schema()).unwrap();
    writer.write(&batch(0, 100)).unwrap();
    writer.write(&batch(100, 200)).unwrap();
    writer.finish().unwrap();
    parquet(&folder.path().join("p1.parquet"), &batch(0, 10));
    parquet(&folder.path().join("p2.parquet"), &batch(10, 20));
    let (log, pattern) = (folder.path().join("log").display().to_string(), folder.path().join("p*.parquet"));
    let arrow = arrow.display().to_string();
    let pattern = pattern.display().to_string();
    let json = "{\"id\":1,\"at\":{\"city\":\"London\"}}\n{\"id\":2,\"tags\":[\"x\",\"y\"]}\n";
    let json = text_file(folder.path(), "places.jsonl", json);
    let served = serve(&[
        ("people", &csv, None),
        ("log", &log, None),
        ("facts", &arrow, None),
        ("parts", &pattern, None),
        ("places", &json, None),
    ]);
    assert_eq!(
        served.rows("SELECT * FROM people ORDER BY id"),
        ["1|Ada|1815-12-10", "2|Grace, H|1906-12-09", "3|NULL|NULL"]
    );
    assert_eq!(served.sorted("SELECT y, sum(n) FROM log GROUP BY y"), ["2024|3", "2025|3"]);
    assert_eq!(served.sorted("SELECT * FROM facts"), {
        let mut rows = crate::common::lines(&[batch(0, 200)]);
        rows.sort();
        rows
    });
    assert_eq!(served.rows("SELECT count(*), sum(id) FROM parts.data"), ["20|190"]);
    let joined = "SELECT p.name, f.price FROM people p JOIN facts f USING (id) WHERE p.id < 3 ORDER BY p.id";
    assert_eq!(served.rows(joined), ["Ada|1.01", "Grace, H|2.02"]);
    let nested =
        "SELECT p.name, l.at['city'], cardinality(l.tags) FROM people p JOIN places l USING (id) ORDER BY p.id";
    assert_eq!(served.rows(nested), ["Ada|London|NULL", "Grace, H|NULL|2"]);
}

#[test]
fn a_plain_read_is_split_and_an_ordered_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let lake = folder.path().join("orders");
    for file in 0..4 {
        parquet(&lake.join(format!("{file}.parquet")), &batch(file * 150_000, (file + 1) * 150_000));
    }
    let served = serve(&[("lake", &lake.display().to_string(), None)]);
    let plan = served.plan("SELECT * FROM orders").unwrap();
    assert_eq!(plan.partitions.len(), 2, "{plan}");
    let grouped = "SELECT id % 10 AS k, count(*) FROM orders GROUP BY 1";
    assert_eq!(served.rows(grouped).len(), 10);
    for ordered in [
        "SELECT * FROM orders ORDER BY id",
        "SELECT name FROM orders ORDER BY id DESC",
        "SELECT id % 10, count(*) AS c FROM orders GROUP BY 1 ORDER BY 1",
        "(SELECT id FROM orders ORDER BY day LIMIT 100) LIMIT 50",
    ] {
        assert_eq!(served.plan(ordered).unwrap().partitions.len(), 1, "{ordered}");
    }
    let ids = served.rows("SELECT id FROM orders ORDER BY id");
    assert!(ids.iter().enumerate().all(|(place, id)| *id == place.to_string()) && ids.len() == 600_000);
}

#[test]
fn batches_have_about_the_size_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("orders.parquet");
    parquet(&path, &batch(0, 200_000));
    let served = serve(&[("lake", &path.display().to_string(), None)]);
    let sizes: Vec<usize> =
        served.batches("SELECT id * 2 AS id, name FROM orders").iter().map(bowshot_core::bytes_of).collect();
    assert!(sizes.iter().all(|bytes| *bytes <= 2 << 20), "{sizes:?}");
    assert!(sizes.len() <= 12, "{sizes:?}");
}
