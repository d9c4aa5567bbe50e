//! What a real server says while it is read: of every protocol, over one connection and over several.

use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use bowshot_core::{
    Cancel, Ingest, IngestMode, Notice, Options, Query, Request, Result, Severity, Source, Stream, Value,
};
use bowshot_postgres::Postgres;

use crate::reading::{Database, over};

static DATA: LazyLock<Database> = LazyLock::new(|| {
    Database::make(
        "notices",
        "CREATE EXTENSION bowshot; CREATE FUNCTION noisy(i int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$ BEGIN
           RAISE NOTICE 'row %', i; RAISE WARNING 'warned of %', i USING HINT = 'mind it', DETAIL = 'it is ' || i;
           RAISE INFO 'informed of %', i; RETURN i; END $$;
         CREATE FUNCTION loud(i int) RETURNS int LANGUAGE plpgsql PARALLEL SAFE STABLE AS $$ BEGIN
           RAISE NOTICE 'loud %', i; RETURN i; END $$;
         CREATE FUNCTION long(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
           RAISE NOTICE '%', repeat('long ', 1000000); RETURN i; END $$;
         CREATE FUNCTION sets(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
           PERFORM set_config('application_name', 'n' || i, false), set_config('TimeZone', 'Etc/GMT+' || i % 10, false),
             set_config('DateStyle', CASE i % 2 WHEN 0 THEN 'German' ELSE 'SQL' END, false);
           RETURN i; END $$;
         CREATE FUNCTION latin(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
           PERFORM set_config('client_encoding', 'LATIN1', false); RETURN i; END $$;
         CREATE FUNCTION fails(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
           RAISE NOTICE 'about to fail'; RETURN 1 / (i - 3); END $$;
         CREATE TABLE t AS SELECT i, timestamp '2020-02-29 12:34:56' + i * interval '1 s' AS at FROM generate_series(1, 50) i;
         CREATE TABLE big AS SELECT i, rpad('', 900, 'x') AS note FROM generate_series(1, 20000) i; ANALYZE",
    )
});

fn protocols() -> Vec<Options> {
    ["arrow", "copy", "extended", "cursor"].map(|name| Options { protocol: Some(name.into()), ..over(1) }).into()
}

fn read(sql: &str, options: &Options) -> (Result<Vec<RecordBatch>>, Cancel) {
    let cancel = Cancel::new();
    let request = Request::new(Query::new(sql), options.clone());
    let plan = Postgres::from_uri(&DATA.uri()).unwrap().plan(&request, &cancel);
    let batches = plan.and_then(|plan| Stream::start(plan, options, cancel.clone()).collect());
    (batches, cancel)
}

fn count(batches: &[RecordBatch]) -> usize {
    batches.iter().map(RecordBatch::num_rows).sum()
}

#[test]
fn a_function_may_say_something_for_each_row() {
    for options in protocols() {
        let (batches, said) = read("SELECT noisy(i) AS n, at FROM t ORDER BY i", &options);
        let batches = batches.unwrap();
        assert_eq!((count(&batches), batches.len()), (50, 1), "{:?}", options.protocol);
        let all = said.notices().all();
        let of = |severity| all.iter().filter(|notice| notice.severity() == severity).collect::<Vec<&Notice>>();
        let [told, warned, informed] = [Severity::Notice, Severity::Warning, Severity::Info].map(of);
        assert_eq!([told.len(), warned.len(), informed.len()], [50; 3], "{:?}", options.protocol);
        assert_eq!((told[0].message(), told[49].message()), ("row 1", "row 50"));
        assert_eq!(warned[6].to_string(), "WARNING: warned of 7 (it is 7) (code 01000); mind it");
        assert!(all.iter().all(|notice| notice.times() == 1));
    }
}

#[test]
fn thousands_of_notices_are_no_thousands_of_batches() {
    for options in protocols() {
        let (batches, said) = read("SELECT noisy(i) FROM generate_series(1, 5000) i", &options);
        let batches = batches.unwrap();
        assert_eq!(count(&batches), 5000);
        assert!(batches.len() < 20, "{} batches over {:?}", batches.len(), options.protocol);
        assert_eq!((said.notices().all().len(), said.notices().left_out()), (200, 14_800));
    }
}

#[test]
fn partitions_say_what_they_say_together() {
    for protocol in ["arrow", "copy", "extended", "cursor"] {
        let options = Options { protocol: Some(protocol.into()), ..over(3) };
        let (batches, said) = read("SELECT i FROM big WHERE i % 1000 > 0 OR loud(i) > 0", &options);
        assert_eq!(count(&batches.unwrap()), 20_000, "{protocol}");
        let mut texts: Vec<_> = said.notices().all().iter().map(|notice| notice.message().to_owned()).collect();
        texts.sort();
        let mut expected: Vec<_> = (1..=20).map(|n| format!("loud {}", n * 1000)).collect();
        expected.sort();
        assert_eq!(texts, expected, "{protocol}");
    }
}

#[test]
fn long_notices_and_those_of_a_debugger_pass() {
    for options in protocols() {
        let (batches, said) = read("SELECT long(i) FROM t WHERE i <= 5", &options);
        assert_eq!(count(&batches.unwrap()), 5);
        let [notice] = &said.notices().all()[..] else { panic!("{:?}", options.protocol) };
        assert_eq!((notice.times(), notice.message().ends_with("ong …") || notice.message().ends_with('…')), (5, true));
        let options = Options { before: vec!["SET client_min_messages = debug5".into()], ..options };
        let (batches, said) = read("SELECT noisy(i) FROM t WHERE i <= 5", &options);
        assert_eq!(count(&batches.unwrap()), 5);
        let all = said.notices().all();
        assert!(all.iter().any(|notice| notice.severity() == Severity::Debug), "{:?}", options.protocol);
        // However much a debugger hears, people hear all that they are told.
        assert_eq!(said.notices().take_untold().len(), 10);
    }
}

#[test]
fn parameters_and_notifications_may_come_within_rows() {
    for options in protocols() {
        let (batches, _) = read("SELECT sets(i), at, i::text FROM t ORDER BY i", &options);
        assert_eq!(count(&batches.unwrap()), 50, "{:?}", options.protocol);
        let (plain, _) = read("SELECT at FROM t ORDER BY i", &options);
        let (changed, _) = read("SELECT at FROM t WHERE sets(i) > 0 ORDER BY i", &options);
        assert_eq!(plain.unwrap(), changed.unwrap(), "{:?}", options.protocol);
    }
    let before = vec![
        "LISTEN news".into(),
        "NOTIFY news, 'all is well'".into(),
        "DO $$ BEGIN RAISE NOTICE 'begun'; END $$".into(),
    ];
    for options in protocols() {
        let options = Options { before: before.clone(), ..options };
        let (batches, said) = read("SELECT i FROM t", &options);
        assert_eq!(count(&batches.unwrap()), 50, "{:?}", options.protocol);
        let texts: Vec<_> = said.notices().all().iter().map(Notice::to_string).collect();
        assert_eq!(texts, ["INFO: notification on channel \"news\" (all is well)", "NOTICE: begun"]);
    }
}

#[test]
fn an_encoding_of_the_users_own_changes_no_text() {
    for options in protocols() {
        let (outcome, _) = read("SELECT latin(i), 'Ã©'::text FROM t", &options);
        let error = outcome.unwrap_err();
        assert!(error.to_string().contains("client_encoding to LATIN1"), "{:?}: {error}", options.protocol);
        let options = Options { before: vec!["SET client_encoding = 'LATIN1'".into()], ..options };
        let (batches, _) = read("SELECT 'Ã©'::text AS t", &options);
        let batches = batches.unwrap();
        let shown = arrow_cast::display::array_value_to_string(batches[0].column(0), 0).unwrap();
        assert_eq!(shown, "Ã©", "{:?}", options.protocol);
    }
}

#[test]
fn what_was_said_before_an_error_is_kept() {
    for options in protocols() {
        let (outcome, said) = read("SELECT fails(i) FROM t ORDER BY i", &options);
        assert_eq!(outcome.unwrap_err().sqlstate(), Some("22012"), "{:?}", options.protocol);
        assert_eq!(said.notices().all()[0].message(), "about to fail");
    }
}

#[test]
fn a_trigger_may_say_more_than_anybody_holds_while_rows_are_sent() {
    DATA.psql(
        "CREATE TABLE spoken (i bigint, note text);
         CREATE FUNCTION speak() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           RAISE NOTICE '% %', NEW.i, repeat('x', 8000); RETURN NEW; END $$;
         CREATE TRIGGER speaks BEFORE INSERT ON spoken FOR EACH ROW EXECUTE FUNCTION speak()",
    );
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..4000));
    let notes: ArrayRef = Arc::new(StringArray::from_iter_values((0..4000).map(|_| "n".repeat(4000))));
    let batch = RecordBatch::try_from_iter([("i", numbers), ("note", notes)]).unwrap();
    let target = Ingest { schema: None, table: "spoken".into(), mode: IngestMode::Append, columns: batch.schema() };
    let cancel = Cancel::new();
    let source = Postgres::from_uri(&DATA.uri()).unwrap();
    let writer = source.writer().unwrap();
    // 16 MB go there while 32 MB come back.
    let count = writer.ingest(&target, &mut [Ok(batch)].into_iter(), &cancel).unwrap();
    let said = cancel.notices().all().len();
    assert!(count == 4000 && (20..=100).contains(&said), "{count} rows, {said} notices");
    let mut rows = (0..600).map(|n| Ok(vec![Value::Int(n), Value::Text("n".repeat(40_000))]));
    let changed = writer.update("INSERT INTO spoken VALUES ($1, $2)", &mut rows, &Cancel::new()).unwrap();
    assert_eq!((changed, DATA.psql("SELECT count(*) FROM spoken").as_str()), (600, "4600"));
}
