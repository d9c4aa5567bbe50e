//! Row groups that are left out by their statistics: never one with a row that is asked for.

use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, RecordBatch, Scalar, StringArray};
use arrow_ord::cmp;
use bowshot_core::{Condition, Options, Partitioning, Test};
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use proptest::prelude::*;
use tempfile::TempDir;

use crate::support::{many_types, options, plan, read_with, uri, write_parquet};

/// Rows of a row group.
const GROUP: usize = 16;

fn written(batch: &RecordBatch, truncate: Option<usize>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.parquet");
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(GROUP))
        .set_statistics_truncate_length(truncate)
        .build();
    write_parquet(&path, batch, properties);
    (folder, path)
}

fn with(conditions: Vec<Condition>) -> Options {
    Options { prune: conditions, ..options() }
}

fn alone(column: &str, test: Test) -> Condition {
    Condition { any: vec![(column.to_owned(), test)] }
}

/// The rows that are read, by their number.
fn rows(path: &Path, conditions: Vec<Condition>) -> Vec<i64> {
    let read = read_with(&uri(path), "SELECT id FROM data", &with(conditions)).unwrap();
    read.column(0).as_primitive::<Int64Type>().values().to_vec()
}

/// The rows that pass a test, by Arrow's own kernels.
fn passing(batch: &RecordBatch, column: &str, test: &Test) -> Vec<i64> {
    let column = batch.column_by_name(column).unwrap();
    let scalar = |value: &ArrayRef| Scalar::new(Arc::clone(value));
    let passes = match test {
        Test::Equal(value) => cmp::eq(column, &scalar(value)),
        Test::Less(value) => cmp::lt(column, &scalar(value)),
        Test::LessOrEqual(value) => cmp::lt_eq(column, &scalar(value)),
        Test::Greater(value) => cmp::gt(column, &scalar(value)),
        Test::GreaterOrEqual(value) => cmp::gt_eq(column, &scalar(value)),
        Test::Null => Ok((0..column.len()).map(|row| Some(column.is_null(row))).collect()),
        Test::NotNull => Ok((0..column.len()).map(|row| Some(column.is_valid(row))).collect()),
    }
    .unwrap();
    (0..passes.len()).filter(|row| passes.is_valid(*row) && passes.value(*row)).map(|row| row as i64).collect()
}

fn comparisons(value: &ArrayRef) -> [Test; 5] {
    let value = || Arc::clone(value);
    [
        Test::Equal(value()),
        Test::Less(value()),
        Test::LessOrEqual(value()),
        Test::Greater(value()),
        Test::GreaterOrEqual(value()),
    ]
}

#[test]
fn no_row_of_any_type_is_lost_and_most_groups_are_not_read() {
    let batch = many_types(20 * GROUP);
    for truncate in [None, Some(2)] {
        let (_folder, path) = written(&batch, truncate);
        let schema = batch.schema();
        for field in schema.fields().iter().filter(|field| !field.data_type().is_nested()) {
            let column = batch.column_by_name(field.name()).unwrap();
            let mut tests = vec![Test::Null, Test::NotNull];
            for row in [0, 1, 7, 10 * GROUP, 20 * GROUP - 3].into_iter().filter(|row| column.is_valid(*row)) {
                tests.extend(comparisons(&column.slice(row, 1)));
            }
            for test in tests {
                // Dictionaries are compared as their values by the kernels, and never left out.
                let read = rows(&path, vec![alone(field.name(), test.clone())]);
                let expected = passing(&batch, field.name(), &test);
                assert!(expected.iter().all(|row| read.binary_search(row).is_ok()), "{field} {test:?}");
            }
        }
        for (name, row) in [("id", 100), ("d18", 103), ("date", 99), ("ts_utc", 99), ("seconds", 99)] {
            let value = batch.column_by_name(name).unwrap().slice(row, 1);
            let read = rows(&path, vec![alone(name, Test::Equal(value))]);
            assert_eq!(read.len(), GROUP, "{name}: one row group of twenty");
        }
    }
}

#[test]
fn conditions_hold_together_and_their_tests_in_turn() {
    let batch = many_types(10 * GROUP);
    let (_folder, path) = written(&batch, None);
    let id = |number: i64| Arc::new(Int64Array::from(vec![number])) as ArrayRef;
    let between = vec![alone("id", Test::GreaterOrEqual(id(20))), alone("id", Test::Less(id(40)))];
    assert_eq!(rows(&path, between), (16..48).collect::<Vec<_>>());
    let either = Condition { any: vec![("id".into(), Test::Equal(id(3))), ("id".into(), Test::Greater(id(150)))] };
    assert_eq!(rows(&path, vec![either]), (0..16).chain(144..160).collect::<Vec<_>>());
    assert_eq!(rows(&path, vec![alone("id", Test::Less(id(0)))]), [0; 0]);
    assert_eq!(rows(&path, vec![alone("id", Test::Null)]), [0; 0]);
    // What is not known of leaves nothing out.
    assert_eq!(rows(&path, vec![alone("nothing", Test::Null)]).len(), 160);
    let text: ArrayRef = Arc::new(StringArray::from(vec!["7"]));
    assert_eq!(rows(&path, vec![alone("id", Test::Equal(text))]).len(), 160, "a value of another type");
    let either = Condition { any: vec![("id".into(), Test::Equal(id(3))), ("list".into(), Test::NotNull)] };
    assert_eq!(rows(&path, vec![either]).len(), 160, "a list has no statistics of its own");

    let some = plan(&uri(&path), "data", &with(vec![alone("id", Test::Less(id(20)))])).unwrap();
    assert!(some.reason.ends_with(
        "8 of 10 row groups are left out: by their statistics and folders, they hold no row that is asked for"
    ));
    assert!(some.estimate.bytes < plan(&uri(&path), "data", &options()).unwrap().estimate.bytes);
    let single = Options { partitioning: Partitioning::Single, ..with(vec![alone("id", Test::Less(id(20)))]) };
    assert_eq!(read_with(&uri(&path), "SELECT id FROM data", &single).unwrap().num_rows(), 32);
}

#[test]
fn folders_are_left_out_whatever_lies_in_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("day=1", "a\n1\n"), ("day=2", "a\n2\n"), ("day=__HIVE_DEFAULT_PARTITION__", "a\n3\n")] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("x.csv"), text).unwrap();
    }
    let day = |number: i64| Arc::new(Int64Array::from(vec![number])) as ArrayRef;
    let read = |condition: Condition| {
        let read = read_with(&uri(folder.path()), "SELECT a FROM data", &with(vec![condition])).unwrap();
        read.column(0).as_primitive::<Int64Type>().values().to_vec()
    };
    assert_eq!(read(alone("day", Test::Equal(day(2)))), [2]);
    assert_eq!(read(alone("day", Test::Less(day(2)))), [1]);
    assert_eq!(read(alone("day", Test::GreaterOrEqual(day(1)))), [1, 2]);
    assert_eq!(read(alone("day", Test::Null)), [3]);
    assert_eq!(read(alone("day", Test::NotNull)), [1, 2]);
    assert_eq!(read(Condition { any: vec![("day".into(), Test::Null), ("day".into(), Test::Equal(day(1)))] }), [1, 3]);
    let of_the_file = Condition { any: vec![("day".into(), Test::Equal(day(1))), ("a".into(), Test::Equal(day(3)))] };
    assert_eq!(read(of_the_file), [1, 2, 3], "nothing is known of what a line holds");
    let text: ArrayRef = Arc::new(StringArray::from(vec!["2"]));
    assert_eq!(read(alone("day", Test::Equal(text))), [1, 2, 3], "a value of another type");
    assert_eq!(read(alone("day", Test::Equal(day(7)))), [0; 0]);
}

#[test]
fn nothing_is_known_of_numbers_that_may_be_nan() {
    let numbers = (0..4 * GROUP).map(|row| if row % GROUP == 5 { f64::NAN } else { (row / GROUP) as f64 });
    let number: ArrayRef = Arc::new(Float64Array::from_iter_values(numbers));
    let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..4 * GROUP as i64));
    let batch = RecordBatch::try_from_iter([("id", id), ("number", number)]).unwrap();
    let (_folder, path) = written(&batch, None);
    // Of the values that the statistics know, none is greater than 3; NaN is.
    let beyond: ArrayRef = Arc::new(Float64Array::from(vec![10.0]));
    let test = Test::Greater(beyond);
    assert_eq!(passing(&batch, "number", &test).len(), 4);
    assert_eq!(rows(&path, vec![alone("number", test)]).len(), 4 * GROUP);
}

#[test]
fn what_is_left_out_is_not_read() {
    let (_folder, path) = written(&many_types(4 * GROUP), None);
    let reader = SerializedFileReader::new(std::fs::File::open(&path).unwrap()).unwrap();
    let (start, length) = reader.metadata().row_group(1).column(0).byte_range();
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.write_all_at(&vec![0xff; usize::try_from(length).unwrap()], start).unwrap();
    drop(file);
    read_with(&uri(&path), "SELECT id FROM data", &options()).unwrap_err();
    let id: ArrayRef = Arc::new(Int64Array::from(vec![2 * GROUP as i64]));
    let read = rows(&path, vec![alone("id", Test::GreaterOrEqual(id))]);
    assert_eq!(read, (32..64).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_text_is_lost_however_short_its_bounds_are(
        texts in prop::collection::vec(prop::option::of("[aé\u{10ffff}]{0,6}"), 1..80),
        asked in "[aé\u{10ffff}]{0,6}",
        truncate in 1_usize..4,
    ) {
        let id: ArrayRef = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64));
        let text: ArrayRef = Arc::new(StringArray::from(texts));
        let batch = RecordBatch::try_from_iter_with_nullable([("id", id, false), ("text", text, true)]).unwrap();
        let (_folder, path) = written(&batch, Some(truncate));
        let asked: ArrayRef = Arc::new(StringArray::from(vec![asked]));
        for test in comparisons(&asked) {
            let read = rows(&path, vec![alone("text", test.clone())]);
            let expected = passing(&batch, "text", &test);
            prop_assert!(expected.iter().all(|row| read.contains(row)), "{:?}", test);
        }
    }
}
