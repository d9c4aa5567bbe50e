//! Every type: its bytes, its Arrow type, its cells.

use arrow_schema::DataType;
use bowshot_core::{ErrorKind, Options, SOURCE_TYPE, format_type, parse_type};

use super::mock::Mock;
use super::support::{failure, read, texts, uri};
use super::tokens::{self, column, compact_row, described, done, row};

/// A type of column as the server describes it and sends it.
struct Case {
    /// Number and name in `sys.types`, precision, scale.
    described: (i32, &'static str, u8, u8),
    type_info: Vec<u8>,
    data_type: &'static str,
    /// Values as they stand in a row, and what they are.
    values: Vec<(Vec<u8>, Option<&'static str>)>,
}

fn case(
    described: (i32, &'static str, u8, u8),
    type_info: &[u8],
    data_type: &'static str,
    values: &[(&[u8], Option<&'static str>)],
) -> Case {
    let values = values.iter().map(|(bytes, text)| (bytes.to_vec(), *text)).collect();
    Case { described, type_info: type_info.to_vec(), data_type, values }
}

fn mock(case: &Case) -> Mock {
    let (id, type_name, precision, scale) = case.described;
    let rows: Vec<u8> = case.values.iter().flat_map(|(bytes, _)| row(std::slice::from_ref(bytes))).collect();
    let result = [tokens::columns(&[column("c", &case.type_info)]), rows, done()].concat();
    Mock::result(vec![described("c", id, type_name, precision, scale)], result)
}

fn check(case: &Case) {
    let mock = mock(case);
    let batch = read(&uri(mock.port), "SELECT c FROM t", &Options::default()).unwrap();
    let field = batch.schema().field(0).clone();
    let name = case.described.1;
    assert_eq!(format_type(field.data_type()), case.data_type, "{name}");
    assert_eq!(field.metadata()[SOURCE_TYPE], if name == "timestamp" { "rowversion" } else { name });
    let expected: Vec<_> = case.values.iter().map(|(_, text)| text.map(str::to_owned)).collect();
    assert_eq!(texts(&batch, 0), expected, "{name}");
}

/// As bytes, written so that their places show.
fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).unwrap()).collect()
}

#[test]
fn whole_numbers_and_truth() {
    check(&case(
        (104, "bit", 1, 0),
        &[0x68, 1],
        "bool",
        &[(&[1, 1], Some("true")), (&[1, 0], Some("false")), (&[0], None)],
    ));
    check(&case((104, "bit", 1, 0), &[0x32], "bool", &[(&[1], Some("true"))]));
    check(&case((48, "tinyint", 3, 0), &[0x26, 1], "uint8", &[(&[1, 255], Some("255")), (&[0], None)]));
    check(&case((48, "tinyint", 3, 0), &[0x30], "uint8", &[(&[200], Some("200"))]));
    check(&case((52, "smallint", 5, 0), &[0x26, 2], "int16", &[(&[2, 0, 0x80], Some("-32768")), (&[0], None)]));
    check(&case((52, "smallint", 5, 0), &[0x34], "int16", &[(&[0xFF, 0x7F], Some("32767"))]));
    check(&case((56, "int", 10, 0), &[0x26, 4], "int32", &[(&[4, 0, 0, 0, 0x80], Some("-2147483648")), (&[0], None)]));
    check(&case((56, "int", 10, 0), &[0x38], "int32", &[(&[0xFF, 0xFF, 0xFF, 0x7F], Some("2147483647"))]));
    let lowest: &[u8] = &[8, 0, 0, 0, 0, 0, 0, 0, 0x80];
    check(&case((127, "bigint", 19, 0), &[0x26, 8], "int64", &[(lowest, Some("-9223372036854775808")), (&[0], None)]));
    check(&case((127, "bigint", 19, 0), &[0x7F], "int64", &[(&lowest[1..], Some("-9223372036854775808"))]));
}

#[test]
fn floating_point() {
    check(&case((59, "real", 24, 0), &[0x6D, 4], "float32", &[(&[4, 0, 0, 0x80, 0x3F], Some("1.0")), (&[0], None)]));
    check(&case((59, "real", 24, 0), &[0x3B], "float32", &[(&[0xCD, 0xCC, 0xCC, 0x3D], Some("0.1"))]));
    let tenth: &[u8] = &[8, 0x9A, 0x99, 0x99, 0x99, 0x99, 0x99, 0xB9, 0x3F];
    check(&case((62, "float", 53, 0), &[0x6D, 8], "float64", &[(tenth, Some("0.1")), (&[0], None)]));
    check(&case((62, "float", 53, 0), &[0x3E], "float64", &[(&tenth[1..], Some("0.1"))]));
}

#[test]
fn decimals_and_money_are_exact() {
    check(&case(
        (106, "decimal(9,2)", 9, 2),
        &[0x6A, 5, 9, 2],
        "decimal128(9, 2)",
        &[(&[5, 1, 0x39, 0x30, 0, 0], Some("123.45")), (&[5, 0, 1, 0, 0, 0], Some("-0.01")), (&[0], None)],
    ));
    // 99999999999999999999999999999999999999 is 0x4B3B4CA85A86C47A098A223FFFFFFFFF.
    let mut most = vec![17, 0];
    most.extend(hex("FFFFFFFF3F228A097AC4865AA84C3B4B"));
    check(&case(
        (108, "numeric(38,10)", 38, 10),
        &[0x6C, 17, 38, 10],
        "decimal128(38, 10)",
        &[(&most, Some("-9999999999999999999999999999.9999999999"))],
    ));
    check(&case(
        (60, "money", 19, 4),
        &[0x6E, 8],
        "decimal128(19, 4)",
        &[
            (&[8, 0, 0, 0, 0x80, 0, 0, 0, 0], Some("-922337203685477.5808")),
            (&[8, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF], Some("922337203685477.5807")),
            (&[8, 0, 0, 0, 0, 0x39, 0x30, 0, 0], Some("1.2345")),
            (&[0], None),
        ],
    ));
    check(&case((60, "money", 19, 4), &[0x3C], "decimal128(19, 4)", &[(&[0, 0, 0, 0, 1, 0, 0, 0], Some("0.0001"))]));
    check(&case(
        (122, "smallmoney", 10, 4),
        &[0x6E, 4],
        "decimal128(10, 4)",
        &[(&[4, 0, 0, 0, 0x80], Some("-214748.3648")), (&[0], None)],
    ));
    check(&case((122, "smallmoney", 10, 4), &[0x7A], "decimal128(10, 4)", &[(&[1, 0, 0, 0], Some("0.0001"))]));
}

#[test]
fn dates_and_times() {
    check(&case(
        (40, "date", 10, 0),
        &[0x28],
        "date32",
        &[
            (&[3, 0x80, 0x46, 0x0B], Some("2024-02-29")),
            (&[3, 0, 0, 0], Some("0001-01-01")),
            (&[3, 0xDA, 0xB9, 0x37], Some("9999-12-31")),
            (&[0], None),
        ],
    ));
    check(&case(
        (41, "time(7)", 16, 7),
        &[0x29, 7],
        "time64[ns]",
        &[(&hex("05 FF BF 69 2A C9"), Some("23:59:59.999999900")), (&[0], None)],
    ));
    check(&case((41, "time(0)", 8, 0), &[0x29, 0], "time64[ns]", &[(&hex("03 7F 51 01"), Some("23:59:59"))]));
    check(&case((41, "time(3)", 12, 3), &[0x29, 3], "time64[ns]", &[(&hex("04 FF 5B 26 05"), Some("23:59:59.999"))]));
    check(&case(
        (58, "smalldatetime", 16, 0),
        &[0x6F, 4],
        "timestamp[s]",
        &[(&hex("04 FF FF 9F 05"), Some("2079-06-06T23:59:00")), (&[0], None)],
    ));
    check(&case(
        (58, "smalldatetime", 16, 0),
        &[0x3A],
        "timestamp[s]",
        &[(&[0, 0, 0, 0], Some("1900-01-01T00:00:00"))],
    ));
    // 300ths of a second, as milliseconds: .003, .007, .997.
    check(&case(
        (61, "datetime", 23, 3),
        &[0x6F, 8],
        "timestamp[ms]",
        &[
            (&hex("08 00 00 00 00 01 00 00 00"), Some("1900-01-01T00:00:00.003")),
            (&hex("08 00 00 00 00 02 00 00 00"), Some("1900-01-01T00:00:00.007")),
            (&hex("08 46 2E FF FF 00 00 00 00"), Some("1753-01-01T00:00:00")),
            (&hex("08 7F 24 2D 00 FF 81 8B 01"), Some("9999-12-31T23:59:59.997")),
            (&[0], None),
        ],
    ));
    check(&case((61, "datetime", 23, 3), &[0x3D], "timestamp[ms]", &[(&[0; 8], Some("1900-01-01T00:00:00"))]));
    check(&case(
        (42, "datetime2(6)", 26, 6),
        &[0x2A, 6],
        "timestamp[us]",
        &[
            (&hex("08 FF 5F D7 1D 14 DA B9 37"), Some("9999-12-31T23:59:59.999999")),
            (&hex("08 00 00 00 00 00 00 00 00"), Some("0001-01-01T00:00:00")),
            (&[0], None),
        ],
    ));
    check(&case(
        (42, "datetime2(0)", 19, 0),
        &[0x2A, 0],
        "timestamp[us]",
        &[(&hex("06 01 00 00 80 46 0B"), Some("2024-02-29T00:00:01"))],
    ));
    check(&case(
        (42, "datetime2(7)", 27, 7),
        &[0x2A, 7],
        "timestamp[ns]",
        &[(&hex("08 07 00 00 00 00 80 46 0B"), Some("2024-02-29T00:00:00.000000700")), (&[0], None)],
    ));
    // 01:00 in UTC, shown as such whatever its offset was.
    check(&case(
        (43, "datetimeoffset(7)", 34, 7),
        &[0x2B, 7],
        "timestamp[ns, UTC]",
        &[(&hex("0A 00 68 C4 61 08 80 46 0B 78 00"), Some("2024-02-29T01:00:00Z")), (&[0], None)],
    ));
    check(&case(
        (43, "datetimeoffset(3)", 30, 3),
        &[0x2B, 3],
        "timestamp[us, UTC]",
        &[(&hex("09 80 EE 36 00 80 46 0B 88 FF"), Some("2024-02-29T01:00:00Z"))],
    ));
}

#[test]
fn text_of_every_kind() {
    const LATIN: [u8; 5] = [9, 4, 0xD0, 0, 52];
    const UTF8: [u8; 5] = [9, 4, 0xD0, 0x04, 0];
    const JAPANESE: [u8; 5] = [0x11, 4, 0xD0, 0, 0];
    let of = |token: u8, length: u16, collation: [u8; 5]| {
        [vec![token], length.to_le_bytes().to_vec(), collation.to_vec()].concat()
    };
    check(&case(
        (167, "varchar(10)", 0, 0),
        &of(0xA7, 10, LATIN),
        "utf8",
        &[(&[2, 0, 0x80, b'1'], Some("€1")), (&[0, 0], Some("")), (&[0xFF, 0xFF], None)],
    ));
    check(&case((175, "char(3)", 0, 0), &of(0xAF, 3, LATIN), "utf8", &[(&[3, 0, b'a', b' ', b' '], Some("a  "))]));
    check(&case((167, "varchar(10)", 0, 0), &of(0xA7, 10, UTF8), "utf8", &[(&[2, 0, 0xC3, 0xA4], Some("ä"))]));
    check(&case((167, "varchar(10)", 0, 0), &of(0xA7, 10, JAPANESE), "utf8", &[(&[2, 0, 0x93, 0xFA], Some("日"))]));
    check(&case(
        (231, "nvarchar(10)", 0, 0),
        &of(0xE7, 20, LATIN),
        "utf8",
        &[(&[4, 0, 0x3D, 0xD8, 0, 0xDE], Some("😀")), (&[0xFF, 0xFF], None)],
    ));
    check(&case((239, "nchar(2)", 0, 0), &of(0xEF, 4, LATIN), "utf8", &[(&[4, 0, 0xE4, 0, b' ', 0], Some("ä "))]));
    // In two chunks that cut a character, with and without the whole length, empty, and NULL.
    let chunks: &[(&[u8], _)] = &[
        (&hex("04 00 00 00 00 00 00 00  03 00 00 00 3D D8 00  01 00 00 00 DE  00 00 00 00"), Some("😀")),
        (&hex("FE FF FF FF FF FF FF FF  02 00 00 00 61 00  00 00 00 00"), Some("a")),
        (&hex("00 00 00 00 00 00 00 00  00 00 00 00"), Some("")),
        (&[0xFF; 8], None),
    ];
    check(&case((231, "nvarchar(max)", 0, 0), &of(0xE7, 0xFFFF, LATIN), "utf8", chunks));
    check(&case((244, "json", 0, 0), &of(0xE7, 0xFFFF, LATIN), "utf8", chunks));
    check(&case((255, "vector(3)", 0, 0), &of(0xE7, 0xFFFF, LATIN), "utf8", chunks));
    // Whatever number it has in the catalogue.
    check(&case((165, "vector(3)", 0, 0), &of(0xE7, 0xFFFF, LATIN), "utf8", chunks));
    check(&case((241, "xml", 0, 0), &[0xF1, 0], "utf8", chunks));
    // A schema for its content, and the mark of its byte order.
    let xml = [vec![0xF1, 1], tokens::short_text("shop"), tokens::short_text("dbo"), vec![1, 0, b'x', 0]].concat();
    check(&case(
        (241, "xml", 0, 0),
        &xml,
        "utf8",
        &[(&hex("FE FF FF FF FF FF FF FF  04 00 00 00 FF FE 61 00  00 00 00 00"), Some("a"))],
    ));
    check(&case(
        (167, "varchar(max)", 0, 0),
        &of(0xA7, 0xFFFF, LATIN),
        "utf8",
        &[(&hex("02 00 00 00 00 00 00 00  01 00 00 00 E4  01 00 00 00 80  00 00 00 00"), Some("ä€"))],
    ));
    // text and ntext, behind a pointer of 16 bytes and a time stamp.
    let name = [vec![2], vec![3, 0], tokens::utf16("dbo"), vec![1, 0], tokens::utf16("t")].concat();
    let pointer = |value: &[u8]| {
        [vec![16], vec![7; 24], u32::try_from(value.len()).unwrap().to_le_bytes().to_vec(), value.to_vec()].concat()
    };
    let old = |token: u8| [vec![token, 0xFF, 0xFF, 0xFF, 0x7F], LATIN.to_vec(), name.clone()].concat();
    check(&case((35, "text", 0, 0), &old(0x23), "utf8", &[(&pointer(&[0xE4]), Some("ä")), (&[0], None)]));
    check(&case((99, "ntext", 0, 0), &old(0x63), "utf8", &[(&pointer(&[0xE4, 0]), Some("ä")), (&[0], None)]));
    let image = [vec![0x22, 0xFF, 0xFF, 0xFF, 0x7F], name.clone()].concat();
    check(&case((34, "image", 0, 0), &image, "binary", &[(&pointer(&[0xDE, 0xAD]), Some("dead")), (&[0], None)]));
}

#[test]
fn bytes_identifiers_and_types_of_the_clr() {
    let binary: &[(&[u8], _)] = &[(&[2, 0, 0xDE, 0xAD], Some("dead")), (&[0, 0], Some("")), (&[0xFF, 0xFF], None)];
    check(&case((165, "varbinary(8)", 0, 0), &[0xA5, 8, 0], "binary", binary));
    check(&case((173, "binary(2)", 0, 0), &[0xAD, 2, 0], "binary", &binary[..1]));
    check(&case(
        (189, "timestamp", 0, 0),
        &[0xAD, 8, 0],
        "binary",
        &[(&hex("08 00 00 00 00 00 00 00 07 D1"), Some("00000000000007d1"))],
    ));
    let chunks: &[(&[u8], _)] = &[
        (&hex("03 00 00 00 00 00 00 00  02 00 00 00 DE AD  01 00 00 00 BE  00 00 00 00"), Some("deadbe")),
        (&[0xFF; 8], None),
    ];
    check(&case((165, "varbinary(max)", 0, 0), &[0xA5, 0xFF, 0xFF], "binary", chunks));
    let clr = [
        vec![0xF0, 0xFF, 0xFF],
        tokens::short_text("shop"),
        tokens::short_text("sys"),
        tokens::short_text("hierarchyid"),
        vec![1, 0, b'x', 0],
    ]
    .concat();
    check(&case((240, "hierarchyid", 0, 0), &clr, "binary", chunks));
    // 00112233-4455-6677-8899-AABBCCDDEEFF, whose first three numbers are little-endian.
    check(&case(
        (36, "uniqueidentifier", 0, 0),
        &[0x24, 16],
        "fixed_size_binary[16]",
        &[(&hex("10 33221100 5544 7766 8899AABBCCDDEEFF"), Some("00112233445566778899aabbccddeeff")), (&[0], None)],
    ));
    // An int, a datetime2(3), a varchar and nothing.
    check(&case(
        (98, "sql_variant", 0, 0),
        &[0x62, 0x49, 0x1F, 0, 0],
        "utf8",
        &[
            (&hex("06 00 00 00 38 00 2A 00 00 00"), Some("42")),
            (&hex("0A 00 00 00 2A 01 03 01 00 00 00 80 46 0B"), Some("2024-02-29 00:00:00.001")),
            (&hex("0A 00 00 00 A7 07 09 04 D0 00 34 0A 00 80"), Some("€")),
            (&[0, 0, 0, 0], None),
        ],
    ));
}

#[test]
fn rows_may_leave_out_their_nulls() {
    let ten: Vec<_> = (0..10).map(|_| column("c", tokens::INT)).collect();
    let mut values: Vec<Option<Vec<u8>>> = (0..10).map(|_| None).collect();
    values[0] = Some(tokens::int(7));
    values[9] = Some(tokens::int(-9));
    let result = [tokens::columns(&ten), compact_row(&values), done()].concat();
    let mock = Mock::result(vec![described("c", 56, "int", 10, 0); 10], result);
    let batch = read(&uri(mock.port), "SELECT 1", &Options::default()).unwrap();
    let first: Vec<_> = (0..10).map(|index| texts(&batch, index)[0].clone()).collect();
    let mut expected = vec![None; 10];
    expected[0] = Some("7".to_owned());
    expected[9] = Some("-9".to_owned());
    assert_eq!(first, expected);
}

#[test]
fn the_user_chooses_types() {
    let offset = case(
        (43, "datetimeoffset(7)", 34, 7),
        &[0x2B, 7],
        "",
        &[(&hex("0A 00 68 C4 61 08 80 46 0B 78 00"), Some("2024-02-29 03:00:00.0000000 +02:00"))],
    );
    let late = case(
        (42, "datetime2(7)", 27, 7),
        &[0x2A, 7],
        "",
        &[(&hex("08 00 00 00 00 00 DA B9 37"), Some("9999-12-31 00:00:00.0000000"))],
    );
    let guid = case(
        (36, "uniqueidentifier", 0, 0),
        &[0x24, 16],
        "",
        &[(&hex("10 33221100 5544 7766 8899AABBCCDDEEFF"), Some("00112233-4455-6677-8899-AABBCCDDEEFF"))],
    );
    let types =
        |name: &str| Options { types: [("c".to_owned(), parse_type(name).unwrap())].into(), ..Options::default() };
    for case in [&offset, &late, &guid] {
        for name in ["utf8", "large_utf8"] {
            let batch = read(&uri(mock(case).port), "SELECT c FROM t", &types(name)).unwrap();
            assert_eq!(batch.schema().field(0).data_type(), &parse_type(name).unwrap());
            assert_eq!(texts(&batch, 0), [case.values[0].1.map(str::to_owned)]);
        }
    }
    let batch = read(&uri(mock(&late).port), "SELECT c FROM t", &types("timestamp[us]")).unwrap();
    assert_eq!(texts(&batch, 0), [Some("9999-12-31T00:00:00".to_owned())]);
    let batch = read(&uri(mock(&offset).port), "SELECT c FROM t", &types("timestamp[s, UTC]")).unwrap();
    assert_eq!(texts(&batch, 0), [Some("2024-02-29T01:00:00Z".to_owned())]);
    // Not with a seventh digit.
    let fine = case((42, "datetime2(7)", 27, 7), &[0x2A, 7], "", &[(&hex("08 01 00 00 00 00 80 46 0B"), None)]);
    let error = read(&uri(mock(&fine).port), "SELECT c FROM t", &types("timestamp[us]")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert!(error.message().contains("holds 2024-02-29 00:00:00.0000001, which timestamp[us] cannot"), "{error}");
    // A cast of what was read.
    let number = case((56, "int", 10, 0), tokens::INT, "", &[(&tokens::int(7), None)]);
    let batch = read(&uri(mock(&number).port), "SELECT c FROM t", &types("int64")).unwrap();
    assert_eq!(batch.schema().field(0).data_type(), &DataType::Int64);
    let large = case((56, "int", 10, 0), tokens::INT, "", &[(&tokens::int(300), None)]);
    let error = read(&uri(mock(&large).port), "SELECT c FROM t", &types("int8")).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
}

#[test]
fn what_arrow_cannot_hold_is_said_with_the_way_out() {
    let late = case((42, "datetime2(7)", 27, 7), &[0x2A, 7], "", &[(&hex("08 FF BF 69 2A C9 DA B9 37"), None)]);
    let error = failure(&uri(mock(&late).port), "SELECT c FROM t");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
    assert_eq!(
        error.to_string(),
        "column \"c\" (datetime2(7)) holds 9999-12-31 23:59:59.9999999, which timestamp[ns] cannot; read it as text: \
         types={\"c\": \"utf8\"}; or if no value has a seventh digit, as microseconds: types={\"c\": \"timestamp[us]\"}"
    );
    let half = case((231, "nvarchar(9)", 0, 0), &[0xE7, 18, 0, 9, 4, 0xD0, 0, 0], "", &[(&[2, 0, 0x3D, 0xD8], None)]);
    let error = failure(&uri(mock(&half).port), "SELECT c FROM t");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
    assert!(error.hint().unwrap().contains("varbinary(max)"), "{error}");
    let hindi = case((167, "varchar(9)", 0, 0), &[0xA7, 9, 0, 0x39, 4, 0, 0, 0], "", &[(&[1, 0, b'a'], None)]);
    let error = failure(&uri(mock(&hindi).port), "SELECT c FROM t");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("c")));
    let new = case((251, "hologram", 0, 0), &[0xE7, 18, 0, 9, 4, 0xD0, 0, 0], "", &[]);
    let error = failure(&uri(mock(&new).port), "SELECT c FROM t");
    assert_eq!((error.kind(), error.column()), (ErrorKind::Unsupported, Some("c")));
    assert!(error.to_string().contains("hologram"), "{error}");
}

#[test]
fn an_empty_result_has_its_schema() {
    let columns = [column("n", tokens::INT), column("t", tokens::NVARCHAR)];
    let mut first = described("n", 56, "int", 10, 0);
    first.nullable = false;
    let mock = Mock::result(
        vec![first, described("t", 231, "nvarchar(128)", 0, 0)],
        [tokens::columns(&columns), done()].concat(),
    );
    let batch = read(&uri(mock.port), "SELECT n, t FROM t", &Options::default()).unwrap();
    assert_eq!(batch.num_rows(), 0);
    let nullable: Vec<bool> = batch.schema().fields().iter().map(|field| field.is_nullable()).collect();
    assert_eq!(nullable, [false, true]);
}
