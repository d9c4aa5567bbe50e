use std::sync::Arc;

use arrow_array::{TimestampMicrosecondArray, TimestampNanosecondArray};
use bowshot_core::{ErrorKind, Options, parse_type};
use parquet::data_type::{Int96, Int96Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::support::*;

/// A day of 1970 and the nanoseconds of it.
fn write(path: &std::path::Path, values: &[(i64, u64)]) {
    let schema = Arc::new(parse_message_type("message m { required int96 t; }").unwrap());
    let mut writer = SerializedFileWriter::new(std::fs::File::create(path).unwrap(), schema, Arc::default()).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let mut column = group.next_column().unwrap().unwrap();
    let value = |(day, nanos): &(i64, u64)| {
        let mut value = Int96::new();
        value.set_data(*nanos as u32, (*nanos >> 32) as u32, (*day + 2_440_588) as u32);
        value
    };
    let values: Vec<Int96> = values.iter().map(value).collect();
    column.typed::<Int96Type>().write_batch(&values, None, None).unwrap();
    column.close().unwrap();
    group.close().unwrap();
    writer.close().unwrap();
}

const DAY: i64 = 86_400;

#[test]
fn old_timestamps_are_exact_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let in_unit = |unit: &str| {
        let types = [("t".to_owned(), parse_type(&format!("timestamp[{unit}]")).unwrap())].into();
        read_with(&uri(&path), "", &Options { types, ..options() })
    };
    write(&path, &[(0, 1), (-1, 5), (19_000, 86_399_999_999_999)]);
    let found = read(&uri(&path), "");
    let nanos = found.column(0).as_any().downcast_ref::<TimestampNanosecondArray>().unwrap().clone();
    assert_eq!(nanos.values().to_vec(), [1, 5 - DAY * 1_000_000_000, 19_001 * DAY * 1_000_000_000 - 1]);
    let error = in_unit("us").unwrap_err();
    assert!(error.to_string().contains("finer"), "{error}");

    // Spark's 9999-12-31, which would wrap around.
    write(&path, &[(0, 0), (2_932_896, 1_000)]);
    let error = failure(&uri(&path), "");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("t")));
    assert!(error.to_string().contains("timestamp[us]"), "{error}");
    let found = in_unit("us").unwrap();
    let micros = found.column(0).as_any().downcast_ref::<TimestampMicrosecondArray>().unwrap().clone();
    assert_eq!(micros.values().to_vec(), [0, 2_932_896 * DAY * 1_000_000 + 1]);
}
