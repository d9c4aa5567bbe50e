//! Small files, written page by page: what old, new and careless writers make of them.

use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Query, Request, Result, Source, Stream};

use super::thrift::{Kind, Output};
use crate::Files;

/// A footer's names of things.
const SNAPPY: i32 = 1;
const LZO: i32 = 3;
const INT32: i32 = 1;
const BYTE_ARRAY: i32 = 6;

/// A page, its codec, its file's writer, and its values where they are read.
type PageCase = (Vec<u8>, i32, &'static str, Option<Vec<i32>>);

/// A page with its header.
fn page(header: impl FnOnce(&mut Output), bytes: &[u8]) -> Vec<u8> {
    let mut output = Output::default();
    output.element(header);
    [output.bytes, bytes.to_vec()].concat()
}

fn length(bytes: &[u8]) -> i32 {
    i32::try_from(bytes.len()).unwrap()
}

/// A page of the second version, of values without NULL.
fn second(values: i32, stored: &[u8], unpacked: i32, compressed: Option<bool>, checksum: Option<i32>) -> Vec<u8> {
    page(
        |output| {
            output.i32(1, 3);
            output.i32(2, unpacked);
            output.i32(3, length(stored));
            if let Some(checksum) = checksum {
                output.i32(4, checksum);
            }
            output.structure(8, |output| {
                [(1, values), (2, 0), (3, values), (4, 0), (5, 0), (6, 0)].iter().for_each(|(n, v)| output.i32(*n, *v));
                if let Some(compressed) = compressed {
                    output.bool(7, compressed);
                }
            });
        },
        stored,
    )
}

/// An element of the schema; a group has children.
fn element(output: &mut Output, name: &str, physical: Option<i32>, children: i32, more: impl FnOnce(&mut Output)) {
    output.element(|output| {
        if let Some(physical) = physical {
            output.i32(1, physical);
        }
        output.i32(3, 0);
        output.binary(4, name.as_bytes());
        if physical.is_none() {
            output.i32(5, children);
        }
        more(output);
    });
}

/// A column chunk whose pages begin at 4, unless `more` says otherwise.
fn chunk(output: &mut Output, pages: &[u8], physical: i32, codec: i32, values: i64, more: impl FnOnce(&mut Output)) {
    output.element(|output| {
        output.i64(2, 0);
        output.structure(3, |output| {
            output.i32(1, physical);
            output.numbers(2, &[0, 3, 77]);
            output.list(3, Kind::Binary, 0);
            output.i32(4, codec);
            output.i64(5, values);
            output.i64(6, 100);
            output.i64(7, i64::from(length(pages)));
            output.i64(9, 4);
            more(output);
        });
    });
}

/// A file of these pages and this footer.
fn write(path: &Path, pages: &[u8], footer: impl FnOnce(&mut Output)) {
    let mut output = Output::default();
    output.element(footer);
    let end = length(&output.bytes).to_le_bytes();
    std::fs::write(path, [b"PAR1", pages, &output.bytes, &end, b"PAR1"].concat()).unwrap();
}

/// The usual footer of one required column of integers, which is in a group where the crate is to read it.
fn footer(output: &mut Output, pages: &[u8], codec: i32, writer: &str, nested: bool) {
    output.i32(1, 2);
    output.list(2, Kind::Struct, if nested { 3 } else { 2 });
    element(output, "schema", None, 1, |_| ());
    if nested {
        element(output, "s", None, 1, |_| ());
    }
    element(output, "v", Some(INT32), 0, |_| ());
    output.i64(3, 5);
    output.list(4, Kind::Struct, 1);
    output.element(|output| {
        output.list(1, Kind::Struct, 1);
        chunk(output, pages, INT32, codec, 5, |_| ());
        output.i64(2, 100);
        output.i64(3, 5);
    });
    output.binary(6, writer.as_bytes());
}

fn read(path: &Path, query: &str, options: &Options) -> Result<Vec<RecordBatch>> {
    let source = Files::from_uri(&format!("file://{}", path.display()))?;
    let plan = source.plan(&Request::new(Query::new(query), options.clone()), &Cancel::new())?;
    Stream::start(plan, options, Cancel::new()).collect()
}

fn integers(path: &Path) -> Result<Vec<i32>> {
    let batches = read(path, "", &Options::default())?;
    let values = batches.iter().flat_map(|batch| {
        let column = batch.column(0);
        let column = column.as_struct_opt().map_or(column, |structs| structs.column(0));
        column.as_primitive::<Int32Type>().values().to_vec()
    });
    Ok(values.collect())
}

fn failure(path: &Path, query: &str) -> Error {
    read(path, query, &Options::default()).unwrap_err()
}

const OLD: &str = "parquet-cpp version 1.5.1-SNAPSHOT";
const NEW: &str = "parquet-cpp-arrow version 26.0.1";

#[test]
fn a_page_is_unpacked_if_it_is_packed_whatever_its_flag_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let plain: Vec<u8> = (1..=5_i32).flat_map(i32::to_le_bytes).collect();
    let packed = snap::raw::Encoder::new().compress_vec(&plain).unwrap();
    let sizes = |bytes: &[u8]| length(bytes);
    let checksum = crc32fast::hash(&packed).cast_signed();
    let cases: Vec<PageCase> = vec![
        (second(5, &plain, sizes(&plain), Some(false), None), SNAPPY, NEW, Some(vec![1, 2, 3, 4, 5])),
        (second(5, &plain, sizes(&plain), Some(false), None), 0, NEW, Some(vec![1, 2, 3, 4, 5])),
        (second(5, &plain, sizes(&plain), Some(true), None), 0, NEW, Some(vec![1, 2, 3, 4, 5])),
        (second(5, &packed, sizes(&plain), Some(true), None), SNAPPY, NEW, Some(vec![1, 2, 3, 4, 5])),
        (second(5, &packed, sizes(&plain), None, None), SNAPPY, NEW, Some(vec![1, 2, 3, 4, 5])),
        (second(5, &packed, sizes(&plain), Some(true), Some(checksum)), SNAPPY, NEW, Some(vec![1, 2, 3, 4, 5])),
        // The flag is wrong.
        (second(5, &packed, sizes(&plain), Some(false), None), SNAPPY, OLD, Some(vec![1, 2, 3, 4, 5])),
        (second(5, &packed, sizes(&plain), Some(false), None), SNAPPY, NEW, Some(vec![1, 2, 3, 4, 5])),
        // Both cannot be.
        (second(5, &plain, sizes(&plain) + 1, Some(false), None), SNAPPY, NEW, None),
        (second(5, &plain, sizes(&plain) - 4, Some(false), None), SNAPPY, NEW, None),
        (second(5, &packed, sizes(&plain), Some(false), None), 0, NEW, None),
        (second(5, &plain, sizes(&plain), Some(true), None), SNAPPY, NEW, None),
        (second(5, &packed, sizes(&packed), Some(true), None), SNAPPY, NEW, None),
        (second(5, &packed, sizes(&plain) - 4, Some(true), None), SNAPPY, NEW, None),
        (second(5, &packed, sizes(&plain), Some(true), Some(!checksum)), SNAPPY, NEW, None),
    ];
    for nested in [false, true] {
        for (number, (pages, codec, writer, wanted)) in cases.iter().enumerate() {
            write(&path, pages, |output| footer(output, pages, *codec, writer, nested));
            let found = integers(&path);
            let kinds = found.as_ref().err().map(Error::kind);
            assert!(kinds.is_none_or(|kind| kind == ErrorKind::Io), "{number}: {kinds:?}");
            assert_eq!(found.ok(), *wanted, "{number}, nested: {nested}");
        }
    }
}

#[test]
fn a_footer_with_what_nobody_knows_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let plain: Vec<u8> = (1..=5_i32).flat_map(i32::to_le_bytes).collect();
    let pages = second(5, &plain, length(&plain), Some(false), None);
    write(&path, &pages, |output| {
        output.i32(1, 2);
        output.list(2, Kind::Struct, 6);
        element(output, "schema", None, 5, |_| ());
        // A type that the format never had, and one of a newer version, with a parameter.
        element(output, "v", Some(INT32), 0, |output| {
            output.i32(6, 99);
            output.structure(10, |output| output.structure(77, |output| output.i32(1, 3)));
            output.i64(900, 1);
        });
        // A unit that nobody knows yet.
        element(output, "t", Some(INT32), 0, |output| {
            output.structure(10, |output| {
                output.structure(7, |output| {
                    output.bool(1, true);
                    output.structure(2, |output| output.structure(9, |_| ()));
                });
            });
        });
        element(output, "nulls", Some(INT32), 0, |output| output.i32(6, 24));
        element(output, "lzo", Some(INT32), 0, |_| ());
        element(output, "secret", Some(INT32), 0, |_| ());
        // Nobody counted the rows.
        output.i64(3, 0);
        output.list(4, Kind::Struct, 1);
        output.element(|output| {
            output.list(1, Kind::Struct, 5);
            chunk(output, &pages, INT32, 0, 5, |output| {
                // No dictionary, said as some do; statistics that are cut off; a private field with the number of another one.
                output.i64(11, 0);
                output.structure(12, |output| output.binary(5, &[1]));
                output.list(15, Kind::Struct, 1);
                output.element(|output| output.i32(1, 1));
            });
            chunk(output, &pages, INT32, 0, 5, |_| ());
            chunk(output, &pages, INT32, 0, 5, |_| ());
            chunk(output, &pages, INT32, LZO, 5, |_| ());
            output.element(|output| {
                output.i64(2, 4);
                output.structure(8, |output| output.structure(2, |_| ()));
                output.binary(9, &[1, 2, 3]);
            });
            output.i64(2, 100);
            output.i64(3, 5);
        });
        output.list(5, Kind::Struct, 2);
        output.element(|output| output.binary(1, &[0xff]));
        output.element(|output| output.binary(1, b"note"));
        // Orders of other columns.
        output.list(7, Kind::Struct, 1);
        output.element(|output| output.structure(2, |_| ()));
        output.structure(300, |output| output.i32(1, 1));
    });
    let batches = read(&path, "SELECT v, t FROM x", &Options::default()).unwrap();
    for column in batches[0].columns() {
        assert_eq!(column.as_primitive::<Int32Type>().values(), &[1, 2, 3, 4, 5]);
    }
    let error = failure(&path, "SELECT lzo FROM x");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("lzo")));
    assert!(error.to_string().contains("compressed with LZO"), "{error}");
    for query in ["SELECT v, secret FROM x", ""] {
        let error = failure(&path, query);
        assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("secret")));
        assert!(error.to_string().contains("encrypted"), "{error}");
    }
}

#[test]
fn a_group_without_columns_is_null() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let plain: Vec<u8> = (1..=5_i32).flat_map(i32::to_le_bytes).collect();
    let pages = second(5, &plain, length(&plain), Some(false), None);
    write(&path, &pages, |output| {
        output.i32(1, 2);
        output.list(2, Kind::Struct, 7);
        element(output, "schema", None, 3, |_| ());
        element(output, "empty", None, 1, |_| ());
        element(output, "inner", None, 0, |_| ());
        element(output, "s", None, 2, |_| ());
        element(output, "hollow", None, 0, |_| ());
        element(output, "v", Some(INT32), 0, |_| ());
        element(output, "last", Some(INT32), 0, |_| ());
        output.i64(3, 5);
        output.list(4, Kind::Struct, 1);
        output.element(|output| {
            output.list(1, Kind::Struct, 2);
            (0..2).for_each(|_| chunk(output, &pages, INT32, 0, 5, |_| ()));
            output.i64(2, 100);
            output.i64(3, 5);
        });
    });
    let batches = read(&path, "", &Options::default()).unwrap();
    let batch = &batches[0];
    let names: Vec<_> = batch.schema().fields().iter().map(|field| field.name().clone()).collect();
    assert_eq!(names, ["empty", "s", "last"]);
    assert_eq!(batch.column(0).null_count(), 5);
    let structs = batch.column(1).as_struct();
    assert_eq!(structs.column_names(), ["hollow", "v"]);
    assert_eq!(structs.column(0).null_count(), 5);
    assert_eq!(structs.column(1).as_primitive::<Int32Type>().values(), &[1, 2, 3, 4, 5]);
    let last = read(&path, "SELECT last, empty FROM x LIMIT 3", &Options::default()).unwrap();
    assert_eq!(last[0].column(0).as_primitive::<Int32Type>().values(), &[1, 2, 3]);
    let empty = read(&path, "SELECT empty FROM x", &Options::default()).unwrap();
    assert_eq!(empty.iter().map(RecordBatch::num_rows).sum::<usize>(), 5);
}

#[test]
fn an_enum_or_a_name_that_decides_is_named_where_nobody_knows_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let plain: Vec<u8> = (1..=5_i32).flat_map(i32::to_le_bytes).collect();
    let pages = second(5, &plain, length(&plain), Some(false), None);
    let file = |physical: i32, codec: i32, other: Option<&str>| {
        write(&path, &pages, |output| {
            output.i32(1, 2);
            output.list(2, Kind::Struct, 2);
            element(output, "schema", None, 1, |_| ());
            element(output, "v", Some(physical), 0, |_| ());
            output.list(4, Kind::Struct, 1);
            output.element(|output| {
                output.list(1, Kind::Struct, 1);
                match other {
                    Some(other) => output.element(|output| output.binary(1, other.as_bytes())),
                    None => chunk(output, &pages, INT32, codec, 5, |_| ()),
                }
                output.i64(3, 5);
            });
        });
    };
    for (physical, codec, other, words) in [
        (9, 0, None, "physical type 9"),
        (INT32, 42, None, "codec 42"),
        (INT32, 0, Some("folder/other.parquet"), "another file, folder/other.parquet"),
    ] {
        file(physical, codec, other);
        let error = failure(&path, "");
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn text_is_bytes_where_the_user_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let plain = b"\x02\0\0\0a\xe9";
    let pages = second(1, plain, length(plain), Some(false), None);
    write(&path, &pages, |output| {
        output.i32(1, 2);
        output.list(2, Kind::Struct, 2);
        element(output, "schema", None, 1, |_| ());
        element(output, "c", Some(BYTE_ARRAY), 0, |output| {
            output.i32(6, 0);
            output.structure(10, |output| output.structure(1, |_| ()));
        });
        output.list(4, Kind::Struct, 1);
        output.element(|output| {
            output.list(1, Kind::Struct, 1);
            chunk(output, &pages, BYTE_ARRAY, 0, 1, |_| ());
            output.i64(3, 1);
        });
    });
    let error = failure(&path, "");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
    for of in [DataType::Binary, DataType::LargeBinary, DataType::BinaryView] {
        let types = [("c".to_owned(), of.clone())].into();
        let found = read(&path, "", &Options { types, ..Options::default() }).unwrap();
        assert_eq!(found[0].column(0).data_type(), &of);
    }
}

#[test]
fn row_groups_are_cut_where_their_pages_are_small() {
    use std::sync::Arc;

    use arrow_array::{ArrayRef, Int64Array};
    use parquet::arrow::ArrowWriter;
    use parquet::file::properties::WriterProperties;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.parquet");
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..4 << 20));
    let batch = RecordBatch::try_from_iter([("n", numbers)]).unwrap();
    let plan = |page: usize, buffer_bytes: usize| {
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_data_page_size_limit(page)
            .set_data_page_row_count_limit(usize::MAX)
            .set_write_batch_size(if page == usize::MAX { 4 << 20 } else { 1 << 14 })
            .set_max_row_group_row_count(Some(2 << 20));
        let file = std::fs::File::create(&path).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
        let source = Files::from_uri(&format!("file://{}", path.display())).unwrap();
        let options = Options { connections: Some(2), buffer_bytes, ..Options::default() };
        let plan = source.plan(&Request::new(Query::new(""), options), &Cancel::new()).unwrap();
        plan.partitions.len()
    };
    // Two row groups of 16 MiB: in many pages, in one page each, and in one that is more than a worker may have beside others.
    assert!(plan(1 << 20, 4 << 20) > 8);
    assert_eq!(plan(usize::MAX, 4 << 20), 2);
    assert_eq!(plan(usize::MAX, 1 << 20), 1);
    let rows = read(&path, "", &Options { buffer_bytes: 1 << 20, ..Options::default() }).unwrap();
    assert!(rows.iter().all(|batch| batch.get_array_memory_size() < 8 << 20));
    let found =
        rows.iter().flat_map(|batch| batch.column(0).as_primitive::<arrow_array::types::Int64Type>().values().to_vec());
    assert!(found.eq(0..4 << 20));
}
