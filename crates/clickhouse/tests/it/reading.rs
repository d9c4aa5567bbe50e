//! Results as they are: sizes, order, parameters, partitions, rights.

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use bowshot_core::{ErrorKind, Options, Params, Partitioning, Poll, Query, Stream, Value, bytes_of};
use std::time::{Duration, Instant};

use crate::common::{cells, plan, read, read_query, server};

#[test]
fn batches_have_the_size_that_is_asked_for_and_keep_the_order() {
    let sql = "SELECT number AS n, toString(number) AS t FROM system.numbers LIMIT 1000000";
    for batch_bytes in [1 << 14, 1 << 20] {
        let options = Options { batch_bytes, ..Options::default() };
        let batches = read(&server().uri(), sql, &options).unwrap();
        let mut next = 0;
        for batch in &batches {
            let numbers = batch.column(0).as_primitive::<UInt64Type>();
            for (number, text) in numbers.values().iter().zip(batch.column(1).as_string::<i32>()) {
                assert_eq!((*number, text), (next, Some(next.to_string().as_str())));
                next += 1;
            }
            assert!(bytes_of(batch) <= 3 * batch_bytes, "{} bytes", bytes_of(batch));
        }
        assert_eq!(next, 1_000_000);
        let rest = &batches[..batches.len() - 1];
        assert!(rest.iter().all(|batch| bytes_of(batch) >= batch_bytes / 2), "of {batch_bytes}");
    }
}

#[test]
fn small_blocks_become_whole_batches() {
    // One row of each block passes.
    let sql = "SELECT number FROM system.numbers WHERE number % 65536 = 0 LIMIT 100";
    assert_eq!(read(&server().uri(), sql, &Options::default()).unwrap().len(), 1);
}

#[test]
fn large_values_are_whole() {
    let sql = "SELECT repeat('0123456789abcdef', 70000) AS t, number FROM system.numbers LIMIT 30";
    let sql = sql.replace(
        "repeat('0123456789abcdef', 70000)",
        "arrayStringConcat(arrayMap(x -> '0123456789abcdef', range(70000)))",
    );
    let batches = read(&server().uri(), &sql, &Options::default()).unwrap();
    let rows: usize = batches.iter().map(|batch| batch.num_rows()).sum();
    assert_eq!(rows, 30);
    assert!(
        batches.iter().all(|batch| batch
            .column(0)
            .as_string::<i32>()
            .iter()
            .all(|text| text.unwrap().len() == 1_120_000))
    );
    assert!(batches.len() >= 10, "{} batches", batches.len());
}

#[test]
fn a_query_without_rows_has_its_columns() {
    let (plan, _) = plan(&server().uri(), "SELECT 1 AS a, 'x' AS b WHERE 0", &Options::default()).unwrap();
    let names: Vec<&str> = plan.schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(plan.reason.contains("no snapshot"), "{}", plan.reason);
}

#[test]
fn statements_that_show_something_are_read() {
    let rows = cells(&read(&server().uri(), "SHOW DATABASES", &Options::default()).unwrap());
    assert!(rows.contains(&vec!["default".to_owned()]), "{rows:?}");
    let rows = cells(&read(&server().uri(), "EXISTS TABLE system.one", &Options::default()).unwrap());
    assert_eq!(rows, [["1"]]);
}

#[test]
fn parameters_of_every_kind_come_back() {
    let text = "it's \\n 100% `\"? ü\0\n-- x /* y";
    let values = vec![
        Value::Null,
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Int(-1),
        Value::Float(0.1 + 0.2),
        Value::Float(-1e-300),
        Value::Text(text.into()),
        Value::Bytes(vec![0x27, 0x5c, 0x41]),
    ];
    let sql = "SELECT ? AS a, ? AS b, ? AS c, 1 -? AS d, ? AS e, ? AS f, ? AS g, ? AS h, '?' AS i -- ?\n";
    let rows =
        read_query(&server().uri(), Query { sql: sql.into(), params: Params::Positional(values) }, &Options::default());
    let sum = (0.1_f64 + 0.2).to_string();
    let expected = ["NULL", "1", "-9223372036854775808", "2", &sum, "-1e-300", text, "'\\A", "?"];
    assert_eq!(cells(&rows.unwrap()), [expected.map(str::to_owned)]);
}

#[test]
fn partitions_are_read_where_torn_states_are_allowed() {
    let sql = "SELECT number AS n FROM system.numbers LIMIT 1000";
    let partitioning = Partitioning::Column { column: "n".into(), count: 3, range: None };
    let mut options = Options { partitioning, connections: Some(2), ..Options::default() };
    let (one, _) = plan(&server().uri(), sql, &options).unwrap();
    assert_eq!(one.partitions.len(), 1);
    options.one_snapshot = false;
    let (three, cancel) = plan(&server().uri(), sql, &options).unwrap();
    assert!(three.partitions.len() >= 3, "{three}");
    let batches: Vec<_> = Stream::start(three, &options, cancel).collect::<Result<_, _>>().unwrap();
    let mut numbers: Vec<u64> =
        batches.iter().flat_map(|batch| batch.column(0).as_primitive::<UInt64Type>().values().to_vec()).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (0..1000).collect::<Vec<u64>>());
}

#[test]
fn statements_before_are_kept_for_the_query() {
    let before = vec![
        "CREATE TEMPORARY TABLE mine (n UInt8)".to_owned(),
        "INSERT INTO mine VALUES (7)".to_owned(),
        "SET max_result_rows = 5".to_owned(),
    ];
    let options = Options { before, ..Options::default() };
    assert_eq!(cells(&read(&server().uri(), "SELECT n FROM mine", &options).unwrap()), [["7"]]);
    let error = read(&server().uri(), "SELECT number FROM system.numbers LIMIT 10", &options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Sql);
    assert!(error.message().contains("Limit for result"), "{error}");
}

#[test]
fn settings_of_the_uri_are_sent_and_silent_cuts_are_not_taken() {
    let uri = format!("{}?setting.max_result_rows=5", server().uri());
    assert!(read(&uri, "SELECT number FROM system.numbers LIMIT 10", &Options::default()).is_err());
    let error =
        read(&format!("{}?setting.no_such_thing=5", server().uri()), "SELECT 1", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
    assert!(error.message().contains("no_such_thing"), "{error}");
}

#[test]
fn nothing_is_written_and_a_user_without_rights_reads() {
    let error =
        read(&server().uri(), "CREATE TABLE default.x (a Int8) ENGINE = Memory", &Options::default()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert_eq!(server().sql("default", "EXISTS TABLE default.x").unwrap().trim(), "0");
    assert_eq!(cells(&read(&server().reader_uri(), "SELECT 42 AS a", &Options::default()).unwrap()), [["42"]]);
}

#[test]
fn text_that_is_none_names_the_way_out() {
    let sql = "SELECT unhex('C3FF') AS c, toFixedString('ab', 4) AS f";
    let error = read(&server().uri(), sql, &Options::default()).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
    assert_eq!(error.hint(), Some("read it as bytes: types={\"c\": \"binary\"}"));
    let types =
        [("c".to_owned(), arrow_schema::DataType::Binary), ("f".to_owned(), arrow_schema::DataType::Utf8)].into();
    assert_eq!(cells(&read(&server().uri(), sql, &Options { types, ..Options::default() }).unwrap()), [["c3ff", "ab"]]);
}

#[test]
fn a_cancel_ends_the_query_in_the_database() {
    let sql = "SELECT count() AS c FROM system.numbers WHERE number % 7 = 8";
    let options = Options::default();
    let (plan, cancel) = plan(&server().uri(), sql, &options).unwrap();
    let mut stream = Stream::start(plan, &options, cancel.clone());
    assert!(matches!(stream.poll(Duration::from_millis(500)).unwrap(), Poll::Pending));
    let running = |word: &str| {
        let count = format!(
            "SELECT count() FROM system.processes WHERE query LIKE '%number % 7 = 8%' AND query NOT LIKE '%{word}%'"
        );
        server().sql("default", &count).unwrap().trim().to_owned()
    };
    assert_eq!(running("processes"), "1");
    let started = Instant::now();
    cancel.cancel();
    let error = stream.next().unwrap().unwrap_err();
    drop(stream);
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
    while running("processes") != "0" {
        assert!(started.elapsed() < Duration::from_secs(5), "the query still runs");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn memory_stays_flat() {
    let peak = || -> u64 {
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    // 400 MB in all.
    let sql = "SELECT number, toString(number) AS a, 'twenty characters and' AS b FROM system.numbers LIMIT 8000000";
    let options = Options { buffer_bytes: 4 << 20, ..Options::default() };
    let (plan, cancel) = plan(&server().uri(), sql, &options).unwrap();
    let (before, mut most, mut rows) = (peak(), 0, 0);
    for batch in Stream::start(plan, &options, cancel) {
        rows += batch.unwrap().num_rows();
        most = most.max(peak());
    }
    assert_eq!(rows, 8_000_000);
    assert!(most < before + 120_000, "{before} kB became {most} kB");
}

#[test]
fn a_server_that_cannot_compress_is_read_as_it_is() {
    let uri = format!("{}?compression=lz4", server().uri());
    assert_eq!(cells(&read(&uri, "SELECT 1", &Options::default()).unwrap()), [["1"]]);
}
