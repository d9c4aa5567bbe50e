use std::io::Write;
use std::path::{Path, PathBuf};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use bowshot_core::{ErrorKind, Options, format_type, parse_type};

use crate::support::*;

fn file(folder: &Path, name: &str, text: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn types(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|field| format_type(field.data_type())).collect()
}

#[test]
fn types_are_inferred_and_values_kept() {
    let folder = tempfile::tempdir().unwrap();
    let text = "id,big,price,zip,day,at,instant,yes,name,none\r\n\
                1,18446744073709551615,0.1,007,2024-02-29,2024-01-01 10:00:00,2024-01-01T10:00:00+02:00,true,\"a \"\"b\"\"\",\r\n\
                -2,1,-1e-3,12,1969-12-31,2024-01-01T10:00:00.5,2024-01-01 00:00:00Z,False,\"\",\r\n\
                ,,,,,,,,,\r\n";
    let found = read(&uri(&file(folder.path(), "x.csv", text)), "");
    assert_eq!(
        types(&found),
        ["int64", "uint64", "float64", "utf8", "date32", "timestamp[us]", "timestamp[us, UTC]", "bool", "utf8", "utf8"]
    );
    let names = found.column(8).as_string::<i32>();
    assert_eq!((names.value(0), names.value(1)), ("a \"b\"", ""));
    for column in found.columns() {
        assert!(column.is_null(2));
    }
    assert_eq!(found.column(2).as_primitive::<Float64Type>().value(1), -0.001);
}

/// Records with quoted line ends, split in many ranges.
#[test]
fn ranges_respect_quotes() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("id,text,\"more \"\"names\"\"\"\n");
    let mut wanted = Vec::new();
    for i in 0..60_000 {
        let value = match i % 4 {
            0 => format!("plain {i}"),
            1 => format!("a,\nb \"{i}\"\n\n"),
            2 => "\n".repeat(i % 60),
            _ => "\"\"\n\",\"\n".into(),
        };
        text += &format!("{i},\"{}\",{}\n", value.replace('"', "\"\""), i * 3);
        wanted.push(value);
    }
    let path = file(folder.path(), "x.csv", &text);
    for connections in [1, 2, 7] {
        let options = Options { buffer_bytes: 1, connections: Some(connections), ..Options::default() };
        let plan = plan(&uri(&path), "", &options).unwrap();
        assert!(plan.partitions.len() > 1, "{plan}");
        let found = finish(plan, &options).unwrap();
        let ids = found.column(0).as_primitive::<Int64Type>();
        let texts = found.column(1).as_string::<i32>();
        assert_eq!(found.num_rows(), 60_000);
        for (i, wanted) in wanted.iter().enumerate() {
            assert_eq!((ids.value(i), texts.value(i)), (i as i64, wanted.as_str()));
        }
    }
}

#[test]
fn a_misplaced_quote_is_an_error_wherever_ranges_begin() {
    let folder = tempfile::tempdir().unwrap();
    for bad in ["5\" pipe", "\"open", "\"a\"b"] {
        let mut text = String::from("id,text\n");
        for i in 0..200_000 {
            text += &if i == 90_000 { format!("{i},{bad}\n") } else { format!("{i},\"line\n{i}\"\n") };
        }
        let options = Options { buffer_bytes: 1, ..options() };
        let error = read_with(&uri(&file(folder.path(), "x.csv", &text)), "", &options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Value);
        assert!(error.to_string().contains("?quote="), "{error}");
    }
    let path = file(folder.path(), "y.csv", "id,text\n1,5\" pipe\n");
    assert_eq!(read(&format!("{}?quote=", uri(&path)), "").column(1).as_string::<i32>().value(0), "5\" pipe");
}

#[test]
fn values_that_do_not_fit_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("id,x\n");
    for i in 0..300_000 {
        text += &format!("{i},{i}.5\n");
    }
    for (bad, hint) in [("n/a", "n/a"), ("12345678901234567.89", "12345678901234567.89"), ("007.5", "007.5")] {
        let path = file(folder.path(), "x.csv", format!("{text}1,{bad}\n2,3\n"));
        let error = failure(&uri(&path), "");
        assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("x")));
        assert!(error.to_string().contains("line 300002 of"), "{error}");
        assert!(error.to_string().contains(hint) && error.to_string().contains("types="), "{error}");
    }
    let path = file(folder.path(), "x.csv", format!("{text}1,n/a\n"));
    assert_eq!(read(&format!("{}?null=n/a", uri(&path)), "").num_rows(), 300_001);
    let types = [("x".to_owned(), DataType::Utf8)].into();
    let found = read_with(&uri(&path), "", &Options { types, ..options() }).unwrap();
    assert_eq!(found.column(1).as_string::<i32>().value(300_000), "n/a");
}

#[test]
fn users_types_are_parsed_from_the_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = file(folder.path(), "x.csv", "a,b,c,d\n007,1.10,12345678901234567.89,2024-01-01\n,,,\n");
    let with = |list: &[(&str, &str)]| {
        let types = list.iter().map(|(name, of)| ((*name).to_owned(), parse_type(of).unwrap())).collect();
        read_with(&uri(&path), "", &Options { types, ..options() })
    };
    let found =
        with(&[("a", "int8"), ("b", "decimal128(5, 2)"), ("c", "decimal128(20, 2)"), ("d", "timestamp[ms]")]).unwrap();
    assert_eq!(types(&found), ["int8", "decimal128(5, 2)", "decimal128(20, 2)", "timestamp[ms]"]);
    let found = with(&[("b", "decimal256(50, 3)")]).unwrap();
    assert_eq!(types(&found)[1], "decimal256(50, 3)");
    assert_eq!(with(&[("b", "decimal128(5, 0)")]).unwrap_err().column(), Some("b"));
    assert_eq!(
        with(&[("c", "float64")]).unwrap().column(2).as_primitive::<Float64Type>().value(0),
        12345678901234567.89
    );
}

#[test]
fn dialects_and_compression() {
    let folder = tempfile::tempdir().unwrap();
    let tab = file(folder.path(), "x.tsv", "a\tb\n1\t'x,y'\n");
    assert_eq!(read(&uri(&tab), "SELECT b FROM x").column(0).as_string::<i32>().value(0), "'x,y'");
    let odd = file(folder.path(), "x.txt", "\u{feff}1;'a;''b'\n2;-\n");
    let found = read(&format!("{}?format=csv&delimiter=;&quote='&header=false&null=-", uri(&odd)), "");
    assert_eq!(found.schema().field(1).name(), "column_2");
    assert_eq!(found.column(1).as_string::<i32>().value(0), "a;'b");
    assert!(found.column(1).is_null(1));

    let path = folder.path().join("x.csv.gz");
    let mut writer = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    writer.write_all("\u{feff}id,n\n".as_bytes()).unwrap();
    for i in 0..300_000 {
        writeln!(writer, "{i},{}", i * 2).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(read(&uri(&path), "").num_rows(), 300_000);
    assert_eq!(read(&uri(&path), "SELECT n FROM x LIMIT 5").num_rows(), 5);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(failure(&uri(&path), "").kind(), ErrorKind::Io);
}

#[test]
fn text_that_is_none_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, words) in [
        ("latin.csv", b"a,b\n1,f\xfcr\n".as_slice(), "line 2"),
        ("wide.csv", b"\xff\xfea\0,\0b\0\n\0", "UTF-16"),
        ("uneven.csv", b"a,b\n1,2\n1,2,3\n", "line 3"),
        ("empty.csv", b"", "empty"),
        ("packed.csv", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "a name that ends in .gz"),
        ("archive.csv", b"PK\x03\x04\x14\0", "unzip"),
        ("packed.tsv", b"\x28\xb5\x2f\xfd\x24\x08", "unzstd"),
    ] {
        let error = failure(&uri(&file(folder.path(), name, bytes)), "");
        assert!(error.to_string().contains(words), "{name}: {error}");
    }
    assert_eq!(read(&uri(&file(folder.path(), "names.csv", "a,b\n")), "").num_columns(), 2);
    let one = read(&uri(&file(folder.path(), "one.csv", "a\n1\n\n3\n")), "");
    assert_eq!((one.num_rows(), one.column(0).null_count()), (3, 1));
    let blank = read(&uri(&file(folder.path(), "blank.csv", "a,b\n1,2\n\n3,4")), "");
    assert_eq!(blank.num_rows(), 2);
}

/// Line ends of every program, with each of them as data in a quoted field.
#[test]
fn lines_end_as_the_first_one_does() {
    let folder = tempfile::tempdir().unwrap();
    for (name, end) in [("lf", "\n"), ("crlf", "\r\n"), ("cr", "\r"), ("crcrlf", "\r\r\n")] {
        let text = ["id,name", "1,Ann", "2,\"a\rb\nc\r\nd\r\r\n\"", "", "3,", ""].join(end);
        let found = read(&uri(&file(folder.path(), &format!("{name}.csv"), &text)), "");
        assert_eq!(found.column(0).as_primitive::<Int64Type>().values(), &[1, 2, 3], "{name}");
        let names = found.column(1).as_string::<i32>();
        assert_eq!((names.value(0), names.value(1)), ("Ann", "a\rb\nc\r\nd\r\r\n"), "{name}");
        assert!(names.is_null(2), "{name}");
    }
    let mixed = read(&uri(&file(folder.path(), "mixed.csv", "id\n1\r\n2\r\r\n3\n\n4\r")), "");
    assert_eq!(
        mixed.column(0).as_primitive::<Int64Type>().iter().collect::<Vec<_>>(),
        [Some(1), Some(2), Some(3), None, Some(4)]
    );
    for (name, text, line) in [
        ("a.csv", "id\n1\r2\n3\n", "line 2"),
        ("b.csv", "id,name\r\n1,Ann\r\n2,B\rob\r\n", "line 3"),
        ("c.csv", "id,name\r1,Ann\r2,Bob\n", "line 3"),
        ("d.csv", "id,name\r1,Ann\r\n2,Bob\r\n", "line 3"),
    ] {
        let error = failure(&uri(&file(folder.path(), name, text)), "").to_string();
        assert!(error.contains(line) && error.contains("tr -s '\\r' '\\n'"), "{name}: {error}");
    }
}

#[test]
fn cr_files_are_split_into_ranges() {
    let folder = tempfile::tempdir().unwrap();
    let mut text = String::from("id,text\r");
    for i in 0..200_000 {
        text += &format!("{i},\"a\r\n{i}\n\"\r");
    }
    let path = file(folder.path(), "x.csv", &text);
    let options = Options { buffer_bytes: 1, connections: Some(2), ..Options::default() };
    let plan = plan(&uri(&path), "", &options).unwrap();
    assert!(plan.partitions.len() > 1, "{plan}");
    let found = finish(plan, &options).unwrap();
    assert_eq!(found.num_rows(), 200_000);
    assert_eq!(found.column(1).as_string::<i32>().value(199_999), "a\r\n199999\n");
    text += "x\"y,1\r";
    let error = read_with(&uri(&file(folder.path(), "y.csv", &text)), "", &options).unwrap_err().to_string();
    assert!(error.contains("line 400002"), "{error}");
}

#[test]
fn a_first_line_may_name_the_delimiter() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [
        ("a.csv", "sep=;\nid;name\n1;a,b\n"),
        ("b.csv", "\u{feff}sep=;\r\nid;name\r\n1;a,b\r\n"),
        ("c.csv", "\"sep=;\"\rid;name\r1;a,b\r"),
        ("d.csv", "sep=\t\nid\tname\n1\ta,b\n"),
        ("e.tsv", "SEP=|\nid|name\n1|a,b\n"),
    ] {
        let found = read(&uri(&file(folder.path(), name, text)), "");
        assert_eq!(found.column(0).as_primitive::<Int64Type>().values(), &[1], "{name}");
        assert_eq!(found.column(1).as_string::<i32>().value(0), "a,b", "{name}");
    }
    let path = file(folder.path(), "f.csv", "sep=;\nid;name\n1;a\n2;b;c\n");
    assert!(failure(&uri(&path), "").to_string().contains("line 4"));
    // The user's word counts.
    let found = read(&format!("{}?delimiter=,", uri(&file(folder.path(), "g.csv", "sep=;\na,b\n1,2;3\n"))), "");
    assert_eq!(found.column(1).as_string::<i32>().value(0), "2;3");
    let path = folder.path().join("h.csv.gz");
    let mut writer = flate2::write::GzEncoder::new(std::fs::File::create(&path).unwrap(), flate2::Compression::fast());
    writer.write_all("\u{feff}sep=;\rid;name\r1;a,b\r2;\"\n\"\r".as_bytes()).unwrap();
    writer.finish().unwrap();
    let found = read(&uri(&path), "");
    assert_eq!(found.column(1).as_string::<i32>().iter().collect::<Vec<_>>(), [Some("a,b"), Some("\n")]);
}

#[test]
fn backslashes_escape_where_they_are_said_to() {
    let folder = tempfile::tempdir().unwrap();
    let text = "id,text\n1,\"say \\\"hi\\\", \\\\ \"\"x\"\"\"\n2,a\\,b\\\"c\\\nd\n3,\\N\n4,\"\\\r\n\"\n";
    let escaped = |name: &str, text: &str| format!("{}?escape=%5C", uri(&file(folder.path(), name, text)));
    let found = read(&escaped("x.csv", text), "");
    let texts: Vec<_> = found.column(1).as_string::<i32>().iter().collect();
    assert_eq!(texts, [Some("say \"hi\", \\ \"x\""), Some("a,b\"c\nd"), None, Some("\r\n")]);
    // What programs disagree about.
    for (text, found) in [("id\n1\\n2\n", "\"n\""), ("id\n\"\\N\"\n", "\"N\""), ("id\nx\\", "ends in an escape")] {
        let error = failure(&escaped("y.csv", text), "").to_string();
        assert!(error.contains(found) && error.contains("line 2"), "{error}");
    }
}

/// The type that an error names reads the value that it shows.
#[test]
fn the_advice_of_a_late_value_reads_it() {
    let folder = tempfile::tempdir().unwrap();
    for (usual, late, advice) in [
        ("1", "3.5", "float64"),
        ("1", "-1e3", "float64"),
        ("1", "18446744073709551615", "decimal128(38, 0)"),
        ("9007199254740993", "3.5", "utf8"),
        ("18446744073709551615", "-1", "decimal128(38, 0)"),
        ("1.5", "12345678901234567.89", "utf8"),
        ("1", "007", "utf8"),
        ("1", "n/a", "utf8"),
        ("true", "1", "utf8"),
        ("2024-01-01", "2024-01-01 10:00:00", "utf8"),
        ("10:00:00", "25:00:00", "utf8"),
    ] {
        // More than planning looks at.
        let row = format!("{},{usual}\n", "-".repeat(4_000));
        let text = format!("id,x\n{}1,{late}\n", row.repeat(300));
        let path = file(folder.path(), "x.csv", text);
        let error = failure(&uri(&path), "");
        assert!(error.to_string().contains(&format!("types={{\"x\": \"{advice}\"}}")), "{late}: {error}");
        let types = [("x".to_owned(), parse_type(advice).unwrap())].into();
        let found = read_with(&uri(&path), "", &Options { types, ..options() }).unwrap();
        assert_eq!(found.num_rows(), 301);
    }
}
