//! Types that are newer than the server that runs here. `modern.native` holds the bytes that the engine of ClickHouse 26.9
//! printed for the expressions beside each column; they come from a false server here.

use bowshot_core::Options;

use crate::common::{cells, read};
use crate::false_server::{Answer, serve};

/// Name, type as the engine described it, and what the rows hold: one value where all rows have it.
const COLUMNS: &[(&str, &str, &[&str])] = &[
    // toInt128('-170141183460469231731687303715884105728')
    ("i128", "Int128", &["-170141183460469231731687303715884105728"]),
    // toUInt128('340282366920938463463374607431768211455')
    ("u128", "UInt128", &["340282366920938463463374607431768211455"]),
    // true
    ("b", "Bool", &["true"]),
    // toDate32('1900-01-01')
    ("d32", "Date32", &["1900-01-01"]),
    // toDateTime64('1925-01-01 00:00:00.123456', 6, 'UTC')
    ("t6", "DateTime64(6, 'UTC')", &["1925-01-01T00:00:00.123456"]),
    // toDateTime64('2299-12-31 23:59:59.99', 2, 'Europe/Berlin')
    ("t2", "DateTime64(2, 'Europe/Berlin')", &["2299-12-31T22:59:59.990"]),
    // toIPv4('10.1.2.3')
    ("v4", "IPv4", &["10.1.2.3"]),
    // toIPv6('2001:db8::ff')
    ("v6", "IPv6", &["2001:db8::ff"]),
    // toUUID('01234567-89ab-cdef-0123-456789abcdef')
    ("u", "UUID", &["0123456789abcdef0123456789abcdef"]),
    // CAST(map('k', [1, NULL], 'l', []), …)
    ("m", "Map(LowCardinality(String), Array(Nullable(Int8)))", &["{k: [1, NULL], l: []}"]),
    // CAST((1, 'x'), …), whose type DESCRIBE spreads over lines
    ("t", "Tuple(\n    a UInt8,\n    `b c` LowCardinality(Nullable(String)))", &["{a: 1, b c: x}"]),
    // if(number = 1, NULL, toString(number))
    ("lc", "LowCardinality(Nullable(String))", &["0", "NULL", "2"]),
    // arrayMap(x -> toString(x), range(number))
    ("alc", "Array(LowCardinality(String))", &["[]", "[0]", "[0, 1]"]),
    // toDecimal256('-1234567890123456789012345678901234567890.5', 5)
    ("d256", "Decimal(76, 5)", &["-1234567890123456789012345678901234567890.50000"]),
    // toBFloat16(1.5)
    ("bf", "BFloat16", &["1.5"]),
    // CAST((1.5, 2.5), 'Point')
    ("p", "Point", &["{1: 1.5, 2: 2.5}"]),
    // toIntervalDay(3)
    ("iv", "IntervalDay", &["3"]),
    // toTime64('12:34:56.789', 3)
    ("tm", "Time64(3)", &["PT45296.789S"]),
    // CAST('-100:00:01', 'Time')
    ("ts", "Time", &["-PT360001S"]),
    // CAST(7, …)
    ("saf", "SimpleAggregateFunction(max, UInt32)", &["7"]),
    // if(number = 0, 'b', 'a')
    ("e", "Enum16('a' = -300, 'b' = 300)", &["b", "a", "a"]),
    // NULL
    ("n", "Nullable(Nothing)", &["NULL"]),
    // []
    ("nothing", "Array(Nothing)", &["[]"]),
    // CAST(NULL, …)
    ("nd", "Nullable(Decimal(9, 2))", &["NULL"]),
];

#[test]
fn the_bytes_of_a_modern_engine() {
    let bytes = include_bytes!("modern.native");
    let described: Vec<(&str, &str)> = COLUMNS.iter().map(|(name, kind, _)| (*name, *kind)).collect();
    for size in [1, 7, bytes.len()] {
        let chunks = bytes.chunks(size).map(<[u8]>::to_vec).collect();
        let uri = serve(&described, Answer { head: "", chunks, whole: true });
        let rows = cells(&read(&uri, "SELECT x", &Options::default()).unwrap());
        assert_eq!(rows.len(), 3);
        for (place, (name, _, values)) in COLUMNS.iter().enumerate() {
            for (row, cells) in rows.iter().enumerate() {
                let expected = values.get(row).or(values.first()).copied().unwrap();
                assert_eq!(cells[place], expected, "{name} in row {row}");
            }
        }
    }
}
