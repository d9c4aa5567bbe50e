//! Every type of a column, from the bytes of a row to the cell of an array.

use arrow_array::{Array, ArrayRef};
use arrow_cast::display::array_value_to_string;
use arrow_schema::DataType;
use bowshot_core::{ErrorKind, Options, SOURCE_TYPE, format_type, parse_type};

use crate::answers::{Answer, number, text};
use crate::login::read;
use crate::server::{CLASSIC, Database, MODERN, is_query};
use crate::ttc::{self, Column, Row};

/// A column, its bytes, and the type, the cell and Oracle's type that they should become.
type Case = (Column, Option<Vec<u8>>, &'static str, &'static str, &'static str);

/// The moments alone: the name of a zone needs a larger library to be shown.
fn without_zone(array: &ArrayRef) -> ArrayRef {
    match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => arrow_cast::cast(array, &DataType::Timestamp(*unit, None)).unwrap(),
        _ => ArrayRef::clone(array),
    }
}

#[test]
fn every_type_is_read() {
    let scaled = |column: Column, scale| Column { scale, ..column };
    let national = |column: Column| Column { form: 2, ..column };
    let moment = || Some(vec![120, 124, 2, 29, 14, 15, 16, 0x07, 0x5b, 0xca, 0x00]);
    let zoned = || Some([moment().unwrap(), vec![22, 60]].concat());
    let cases: Vec<Case> = vec![
        (ttc::number("A", 10, 2), Some(vec![193, 13, 51]), "decimal128(10, 2)", "12.50", "NUMBER(10,2)"),
        (ttc::number("B", 9, 0), number(-7), "int64", "-7", "NUMBER(9)"),
        (
            ttc::number("C", 0, -127),
            number(3),
            "decimal256(76, 38)",
            "3.00000000000000000000000000000000000000",
            "NUMBER",
        ),
        (ttc::number("D", 126, -127), Some(vec![193, 2, 51]), "float64", "1.5", "FLOAT(126)"),
        (ttc::column("E", 100), Some(vec![191, 192, 0, 0]), "float32", "1.5", "BINARY_FLOAT"),
        (ttc::column("F", 101), Some(vec![191, 248, 0, 0, 0, 0, 0, 0]), "float64", "1.5", "BINARY_DOUBLE"),
        (ttc::column("G", 12), Some(moment().unwrap()[..7].to_vec()), "timestamp[s]", "2024-02-29T13:14:15", "DATE"),
        (scaled(ttc::column("H", 180), 6), moment(), "timestamp[us]", "2024-02-29T13:14:15.123456", "TIMESTAMP(6)"),
        (scaled(ttc::column("I", 180), 9), moment(), "timestamp[ns]", "2024-02-29T13:14:15.123456", "TIMESTAMP(9)"),
        (
            scaled(ttc::column("J", 181), 6),
            zoned(),
            "timestamp[us, UTC]",
            "2024-02-29T13:14:15.123456",
            "TIMESTAMP(6) WITH TIME ZONE",
        ),
        (
            scaled(ttc::column("K", 231), 3),
            moment(),
            "timestamp[us, UTC]",
            "2024-02-29T13:14:15.123456",
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
        ),
        (
            ttc::column("L", 182),
            Some(vec![0x80, 0, 0, 2, 63]),
            "month_day_nano_interval",
            "27 mons",
            "INTERVAL YEAR TO MONTH",
        ),
        (
            ttc::column("M", 183),
            Some(vec![0x80, 0, 0, 3, 60, 60, 60, 0x80, 0, 0, 0]),
            "month_day_nano_interval",
            "3 days",
            "INTERVAL DAY TO SECOND",
        ),
        (ttc::column("N", 1), text("é"), "utf8", "é", "VARCHAR2"),
        (ttc::column("O", 96), text("é  "), "utf8", "é  ", "CHAR"),
        (national(ttc::column("P", 1)), Some(vec![0x20, 0xac]), "utf8", "€", "NVARCHAR2"),
        (ttc::column("Q", 112), text("clob"), "utf8", "clob", "CLOB"),
        (national(ttc::column("R", 112)), Some(vec![0x20, 0xac]), "utf8", "€", "NCLOB"),
        (ttc::column("S", 8), text("long"), "utf8", "long", "LONG"),
        (ttc::column("T", 23), Some(vec![255]), "binary", "ff", "RAW"),
        (ttc::column("U", 24), Some(vec![254]), "binary", "fe", "LONG RAW"),
        (ttc::column("V", 113), Some(vec![253; 400]), "binary", "", "BLOB"),
        (
            ttc::column("W", 11),
            Some(vec![13, 3, 1, 29, 236, 1, 4, 0, 2, 0, 151, 0]),
            "utf8",
            "AAAR3sAAEAAAACXAAA",
            "ROWID",
        ),
        (ttc::column("X", 252), Some(vec![1, 1]), "bool", "true", "BOOLEAN"),
        (Column { size: 0, ..ttc::column("Y", 1) }, None, "utf8", "", "VARCHAR2"),
    ];
    let columns: Vec<Column> = cases.iter().map(|case| case.0.clone()).collect();
    let row: Row = cases.iter().map(|case| case.1.clone()).collect();
    let nulls: Row = cases.iter().map(|_| None).collect();
    for manner in [CLASSIC, MODERN] {
        let rows = vec![row.clone(), nulls.clone(), row.clone(), row.clone()];
        let database = Database::with(manner, Answer::Rows(columns.clone(), rows));
        let batches = read(&database.uri(), "SELECT * FROM t", &Options::default()).unwrap();
        assert_eq!(batches.len(), 1);
        for (index, (column, _, data_type, shown, source)) in cases.iter().enumerate() {
            let (schema, array) = (batches[0].schema(), &without_zone(batches[0].column(index)));
            let field = schema.field(index);
            assert_eq!(&format_type(field.data_type()), data_type, "{}", column.name);
            assert_eq!(parse_type(data_type).as_ref().ok(), Some(field.data_type()), "{}", column.name);
            assert_eq!(field.metadata()[SOURCE_TYPE], *source);
            assert!(array.is_null(1), "{}", column.name);
            for row in [0, 2, 3] {
                if !shown.is_empty() {
                    assert_eq!(array_value_to_string(array, row).unwrap(), *shown, "{}", column.name);
                }
            }
        }
    }
}

#[test]
fn a_value_that_does_not_fit_is_an_error_that_says_where() {
    let huge = vec![vec![Some(vec![193 + 30, 2])]];
    let database = Database::with(CLASSIC, Answer::Rows(vec![ttc::number("BIG", 0, -127)], huge.clone()));
    let error = read(&database.uri(), "SELECT big FROM t", &Options::default()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("BIG")), "{error}");
    assert!(error.to_string().contains("types={\"BIG\": \"utf8\"}"), "{error}");
    let options = Options { types: [("BIG".to_owned(), DataType::Utf8)].into(), ..Options::default() };
    let batches = read(&database.uri(), "SELECT big FROM t", &options).unwrap();
    assert_eq!(array_value_to_string(batches[0].column(0), 0).unwrap(), format!("1{}", "0".repeat(60)));
}

#[test]
fn types_of_the_user_are_honoured_or_refused() {
    let database = Database::with(
        MODERN,
        Answer::Rows(vec![ttc::number("N", 10, 0), ttc::column("T", 1)], vec![vec![number(300), text("7")]]),
    );
    let with = |types: &[(&str, &str)]| {
        let types =
            types.iter().map(|(name, data_type)| ((*name).to_owned(), parse_type(data_type).unwrap())).collect();
        read(&database.uri(), "SELECT * FROM t", &Options { types, ..Options::default() })
    };
    let batches = with(&[("N", "int16"), ("T", "int64")]).unwrap();
    assert_eq!(format_type(batches[0].schema().field(0).data_type()), "int16");
    assert_eq!(array_value_to_string(batches[0].column(1), 0).unwrap(), "7");
    assert_eq!(with(&[("N", "int8")]).unwrap_err().kind(), ErrorKind::Value);
    assert_eq!(with(&[("M", "int8")]).unwrap_err().kind(), ErrorKind::Config);
}

#[test]
fn json_is_made_text_by_the_server() {
    let database = Database::start(MODERN, |sql, _| {
        if sql.contains("JSON_SERIALIZE(\"DOC\" RETURNING CLOB) AS \"DOC\" FROM (SELECT doc FROM t") {
            Answer::Rows(vec![ttc::column("DOC", 112)], vec![vec![text("{\"a\":1}")]])
        } else if is_query(sql) {
            Answer::Rows(vec![ttc::column("DOC", 119)], Vec::new())
        } else {
            Answer::Done
        }
    });
    let batches = read(&database.uri(), "SELECT doc FROM t", &Options::default()).unwrap();
    assert_eq!(array_value_to_string(batches[0].column(0), 0).unwrap(), "{\"a\":1}");
    assert_eq!(batches[0].schema().field(0).metadata()[SOURCE_TYPE], "JSON");
}

#[test]
fn what_cannot_be_read_is_refused_by_name() {
    let object = Column { type_name: Some("ADDRESS"), ..ttc::column("HOME", 109) };
    let database = Database::with(CLASSIC, Answer::Rows(vec![object], Vec::new()));
    let error = read(&database.uri(), "SELECT home FROM t", &Options::default()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("HOME")), "{error}");
    assert!(error.to_string().contains("SYS.ADDRESS"), "{error}");
}
