//! Intervals, of which all three numbers count, at whatever depth.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::IntervalMonthDayNanoType;
use arrow_buffer::IntervalMonthDayNano;
use arrow_schema::{DataType, IntervalUnit};
use bowshot_core::ErrorKind;
use parquet::data_type::{ByteArray, FixedLenByteArray, FixedLenByteArrayType};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::support::*;

/// An interval, intervals in a list in a struct, and as many bytes that are none.
const MESSAGE: &str = "message m {
    OPTIONAL FIXED_LEN_BYTE_ARRAY(12) i (INTERVAL);
    OPTIONAL GROUP s {
        REQUIRED FIXED_LEN_BYTE_ARRAY(12) b;
        OPTIONAL GROUP l (LIST) { REPEATED GROUP list { OPTIONAL FIXED_LEN_BYTE_ARRAY(12) element (INTERVAL); } }
    }
    REQUIRED FIXED_LEN_BYTE_ARRAY(12) raw;
}";

fn bytes(numbers: [u32; 3]) -> FixedLenByteArray {
    ByteArray::from(numbers.map(u32::to_le_bytes).concat()).into()
}

/// Values, and how deep they are and where their rows begin.
type Values<'a> = (&'a [FixedLenByteArray], Option<&'a [i16]>, Option<&'a [i16]>);

/// Three rows: an interval, none, and another one.
fn write(path: &Path, last: [u32; 3]) {
    let schema = Arc::new(parse_message_type(MESSAGE).unwrap());
    let mut writer =
        SerializedFileWriter::new(File::create(path).unwrap(), schema, Arc::new(WriterProperties::default())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let some = [bytes([1, 2, 3]), bytes(last)];
    let three = [bytes([1, 2, 3]), bytes([4, 5, 6]), bytes([7, 8, 9])];
    let columns: [Values<'_>; 4] = [
        (&some, Some(&[1, 0, 1]), None),
        (&three[..2], Some(&[1, 0, 1]), None),
        // [first, NULL], no struct, [another]
        (&some, Some(&[4, 3, 0, 4]), Some(&[0, 1, 0, 0])),
        (&three, None, None),
    ];
    for (values, definitions, repetitions) in columns {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<FixedLenByteArrayType>().write_batch(values, definitions, repetitions).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
}

#[test]
fn months_days_and_milliseconds_are_read_at_every_depth() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("i.parquet");
    write(&path, [14, 0, u32::MAX]);
    let found = read(&uri(&path), "");
    let interval = DataType::Interval(IntervalUnit::MonthDayNano);
    assert_eq!(found.schema().field(0).data_type(), &interval);
    assert_eq!(found.schema().field(0).metadata()["bowshot.type"], "FIXED_LEN_BYTE_ARRAY (INTERVAL)");
    assert_eq!(found.schema().field(2).data_type(), &DataType::FixedSizeBinary(12));
    let expected = [
        Some(IntervalMonthDayNano::new(1, 2, 3_000_000)),
        None,
        Some(IntervalMonthDayNano::new(14, 0, 4_294_967_295_000_000)),
    ];
    let of = |array: &dyn Array| array.as_primitive::<IntervalMonthDayNanoType>().iter().collect::<Vec<_>>();
    assert_eq!(of(found.column(0)), expected);
    let structs = found.column(1).as_struct();
    assert_eq!((structs.column(0).data_type(), structs.null_count()), (&DataType::FixedSizeBinary(12), 1));
    let lists = structs.column(1).as_list::<i32>();
    assert_eq!((of(&lists.value(0)), of(&lists.value(2))), (vec![expected[0], None], vec![expected[2]]));
    // Columns by themselves, and in another order.
    let some = read(&uri(&path), "SELECT raw, i FROM data");
    assert_eq!((of(some.column(1)), some.num_columns()), (expected.to_vec(), 2));
    assert_eq!(read(&uri(&path), "SELECT raw FROM data").num_rows(), 3);
}

#[test]
fn a_number_without_a_sign_that_arrow_lacks_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for (last, words) in [([u32::MAX, 0, 0], "4294967295 months"), ([0, 1 << 31, 0], "2147483648 days")] {
        let path = folder.path().join("i.parquet");
        write(&path, last);
        let error = failure(&uri(&path), "SELECT i FROM data");
        assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("i")), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert_eq!(read(&uri(&path), "SELECT raw FROM data").num_rows(), 3);
    }
}
