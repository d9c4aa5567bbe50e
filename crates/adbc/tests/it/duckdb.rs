//! DuckDB, by its short name.

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, ErrorKind, Impossible, Options, Query, Request, SOURCE_TYPE, Source, Stream, Value};

use crate::drivers::{error, read, read_values, read_with, source, types};

const MEMORY: &str = "duckdb::memory:";

#[test]
fn a_file_is_read_only_and_closed_in_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    let uri = format!("duckdb:///{}", path.display());
    let failed = error(&uri, "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Io, "{failed}");
    assert!(failed.to_string().contains("never creates"), "{failed}");
    assert!(!path.exists());

    let write = |sql: &str| {
        let attach = format!("ATTACH '{}' AS shop", path.display());
        let options = Options { before: vec![attach, sql.to_owned()], ..Options::default() };
        read_with(MEMORY, "SELECT 1", options).unwrap();
    };
    write("CREATE TABLE shop.t AS SELECT range AS id, 'n' || range AS name FROM range(5)");
    let table = read(&uri, "SELECT id, name FROM t ORDER BY id");
    assert_eq!(table.ints(0), (0..5).map(Some).collect::<Vec<_>>());
    assert_eq!(table.shown(1)[4], "n4");
    let failed = error(&uri, "INSERT INTO t VALUES (9, 'nine') RETURNING id");
    assert_eq!(failed.kind(), ErrorKind::Unsupported);
    assert!(failed.message().contains("INSERT"), "{failed}");
    // Written again after it was read: nobody holds it any more.
    write("INSERT INTO shop.t VALUES (9, 'nine')");
    assert_eq!(read(&uri, "SELECT count(*) FROM t").ints(0), [Some(6)]);
}

#[test]
fn every_way_to_find_the_library_leads_to_it() {
    let mut files = std::fs::read_dir(crate::drivers::packages()).unwrap().flatten().map(|entry| entry.path());
    let library = files.find(|path| path.to_string_lossy().contains("libduckdb.")).unwrap();
    let path = library.display();
    for uri in [
        format!("duckdb:?driver={path}"),
        format!("adbc:{path}?path=:memory:&entrypoint=duckdb_adbc_init"),
        format!("adbc:{path}?path=:memory:"),
        "adbc:duckdb?path=:memory:".to_owned(),
    ] {
        assert_eq!(read(&uri, "SELECT 42::BIGINT").ints(0), [Some(42)], "{uri}");
    }
}

#[test]
fn parameters_are_bound() {
    let values =
        vec![Value::Int(40), Value::Text("x".into()), Value::Null, Value::Bytes(vec![0, 255]), Value::Bool(true)];
    let table = read_values(MEMORY, "SELECT ? + 2::BIGINT, ?, ?::INTEGER, ?, ?", values).unwrap();
    let row: Vec<String> = (0..5).map(|column| table.shown(column).remove(0)).collect();
    assert_eq!(row, ["42", "x", "null", "00ff", "true"]);
    assert_eq!(read_values(MEMORY, "SELECT $2, $1", vec![Value::Int(1), Value::Float(0.5)]).unwrap().shown(0), ["0.5"]);
}

#[test]
fn what_arrow_would_lose_comes_as_text() {
    let sql = "SELECT '12:00:00+05'::TIMETZ AS at, [1::UHUGEINT] AS list, 340282366920938463463374607431768211455::UHUGEINT AS huge,
        '10101'::BIT AS bits, 1 AS at -- twice";
    let table = read(MEMORY, sql);
    assert_eq!(table.types(), ["utf8", "utf8", "utf8", "utf8", "int32"]);
    let row: Vec<String> = (0..5).map(|column| table.shown(column).remove(0)).collect();
    assert_eq!(
        row,
        ["12:00:00+05", "\"[1]\"", "340282366920938463463374607431768211455", "10101", "1"]
            .map(|text| text.replace("\"[1]\"", "[1]"))
    );
    let names: Vec<&str> = table.schema.fields().iter().map(|field| field.name().as_str()).collect();
    assert_eq!(names, ["at", "list", "huge", "bits", "at"]);
    assert_eq!(table.schema.field(0).metadata()[SOURCE_TYPE], "TIME WITH TIME ZONE");
    let wide = types(&[("huge", "decimal256(39, 0)")]);
    let table = read_with(MEMORY, "SELECT 340282366920938463463374607431768211455::UHUGEINT AS huge", wide).unwrap();
    assert_eq!(table.shown(0), ["340282366920938463463374607431768211455"]);
}

#[test]
fn values_that_arrow_cannot_hold_are_named() {
    for (sql, words) in [
        ("SELECT 'infinity'::DATE AS c", "infinity"),
        ("SELECT '-infinity'::TIMESTAMP AS c", "infinity"),
        ("SELECT 'infinity'::TIMESTAMPTZ AS c", "infinity"),
        ("SELECT '24:00'::TIME AS c", "24:00"),
        ("SELECT ['infinity'::DATE] AS c", "infinity"),
        ("SELECT 170141183460469231731687303715884105727::HUGEINT AS c", "decimal128(38, 0)"),
    ] {
        let failed = error(MEMORY, sql);
        assert_eq!((failed.kind(), failed.column()), (ErrorKind::Value, Some("c")), "{sql}: {failed}");
        assert!(failed.message().contains(words), "{sql}: {failed}");
        // The way out.
        read_with(MEMORY, sql, types(&[("c", "utf8")])).unwrap();
    }
    let options = Options { infinity: Impossible::Null, ..Options::default() };
    assert_eq!(read_with(MEMORY, "SELECT 'infinity'::DATE AS c", options).unwrap().shown(0), ["null"]);
    assert_eq!(
        read_with(MEMORY, "SELECT 'infinity'::DATE AS c", types(&[("c", "utf8")])).unwrap().shown(0),
        ["infinity"]
    );
}

#[test]
fn statements_run_first_and_mistakes_have_their_place() {
    let options = Options { before: vec!["CREATE TABLE t AS SELECT 7::BIGINT AS n".into()], ..Options::default() };
    assert_eq!(read_with(MEMORY, "SELECT n FROM t", options).unwrap().ints(0), [Some(7)]);
    let failed = error(MEMORY, "SELECT nome FROM range(3)");
    assert_eq!((failed.kind(), failed.position()), (ErrorKind::Sql, Some(8)), "{failed}");
    let failed =
        error(MEMORY, "SELECT CASE WHEN range > 90000 THEN error('too far') ELSE range END FROM range(100000)");
    assert_eq!(failed.kind(), ErrorKind::Sql);
    assert!(failed.message().contains("too far"), "{failed}");
    let failed = error(&format!("{MEMORY}?no_such_option=1"), "SELECT 1");
    assert_eq!(failed.kind(), ErrorKind::Config, "{failed}");
}

/// The size of this process now, in MiB.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() / 1024
}

#[test]
fn ten_million_rows_pass_through_little_memory() {
    let request =
        Request::new(Query::new("SELECT range AS n, range * 2 AS m FROM range(10000000)"), Options::default());
    let cancel = Cancel::new();
    let plan = source(MEMORY).unwrap().plan(&request, &cancel).unwrap();
    let (mut rows, mut most, mut sizes) = (0, 0, Vec::new());
    let begin = resident();
    for batch in Stream::start(plan, &request.options, cancel) {
        let batch: RecordBatch = batch.unwrap();
        rows += batch.num_rows();
        sizes.push(batch.get_array_memory_size());
        if sizes.len() % 50 == 1 {
            most = most.max(resident());
        }
    }
    assert_eq!(rows, 10_000_000);
    // 160 MB of values; what waits for the consumer may take 32 MiB, and other tests run beside this one.
    assert!(most < begin + 110, "from {begin} MiB to {most} MiB");
    let middle = sizes[sizes.len() / 2];
    assert!((400_000..2 << 20).contains(&middle), "batches of {middle} bytes");
}
