//! Partitions that are read by their tickets: on the plan's snapshot, or not at all.

use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use bowshot_core::{
    Cancel, ErrorKind, Holder, Lease, Options, Plan, Query, Request, Result, Source, Stream, Ticket, Travel,
};
use bowshot_postgres::Postgres;

use crate::leftovers::connections;
use crate::reading::{Database, Read, SERVER, eventually, finish, over, plan, read, rows};

static DATA: LazyLock<Database> = LazyLock::new(|| {
    Database::make(
        "tickets",
        "CREATE TABLE t AS SELECT i AS id, rpad('', 900, 'x') AS pad, (i / 7.0)::numeric(12, 4) AS price \
           FROM generate_series(1::int8, 20000) i;
         CREATE TABLE altered AS SELECT * FROM t;
         CREATE ROLE powerless LOGIN PASSWORD 'powerless';
         GRANT SELECT ON t TO reader; ANALYZE",
    )
});

fn hold(uri: &str, sql: &str, options: &Options) -> (Plan, Holder) {
    let planned = plan(uri, sql, options).unwrap();
    let request = Request::new(Query::new(sql), options.clone());
    let holder = Holder::new(&planned, &request, Lease::default(), &Cancel::new()).unwrap();
    (planned, holder)
}

fn join(uri: &str, ticket: &Ticket) -> Result<Read> {
    let ticket = Ticket::from_bytes(&ticket.to_bytes()?)?;
    let plan = Postgres::from_uri(uri)?.join(&ticket, &Cancel::new())?;
    finish(plan, &ticket.options())
}

#[test]
fn tickets_together_are_the_result_whatever_happens_meanwhile() {
    let data = Database::make(
        "travelling",
        "CREATE TABLE t AS SELECT i AS id, rpad('', 900, 'x') AS pad FROM generate_series(1::int8, 20000) i; ANALYZE",
    );
    let sql = "SELECT id, pad FROM t";
    let expected = read(&data.uri(), sql, &over(1)).unwrap().rows();
    let (planned, holder) = hold(&data.uri(), sql, &over(4));
    assert!(planned.partitions.len() > 1, "{}", planned.reason);
    assert_eq!(holder.travel(), Travel::Snapshot);
    data.psql("DELETE FROM t WHERE id % 2 = 0; VACUUM t; UPDATE t SET id = 0");
    for _ in 0..2 {
        let tickets = holder.tickets().unwrap();
        let read: Vec<String> = tickets.iter().flat_map(|ticket| join(&data.uri(), ticket).unwrap().rows()).collect();
        assert!(read == expected, "{} rows", read.len());
    }
    // In place as well, over connections that join.
    assert_eq!(finish(planned, &over(2)).unwrap().rows(), expected);
}

#[test]
fn every_protocol_and_every_division_travels() {
    let sql = "SELECT id, price FROM t WHERE id > 100";
    let expected = read(&DATA.uri(), sql, &over(1)).unwrap().rows();
    let by = crate::reading::by("id", 3, None);
    for options in [
        over(1),
        over(3),
        by,
        Options { protocol: Some("cursor".into()), ..over(3) },
        Options { protocol: Some("extended".into()), ..over(3) },
    ] {
        let (_plan, holder) = hold(&DATA.uri(), sql, &options);
        let tickets = holder.tickets().unwrap();
        let mut read: Vec<String> =
            tickets.iter().flat_map(|ticket| join(&DATA.uri(), ticket).unwrap().rows()).collect();
        read.sort_unstable_by_key(|row| row.split('|').next().unwrap().parse::<i64>().unwrap());
        assert!(read == expected, "{options:?}");
    }
}

#[test]
fn one_partition_is_on_the_snapshot_too() {
    let (_plan, holder) = hold(&DATA.uri(), "SELECT count(*), now() FROM t", &over(4));
    let ticket = holder.ticket(0).unwrap();
    assert!(ticket.has_snapshot());
    let first = join(&DATA.uri(), &ticket).unwrap().rows();
    assert!(first[0].starts_with("20000|"));
}

#[test]
fn names_of_snapshots_that_come_again_are_not_taken_for_the_plan_s() {
    // The server gives names by numbers that other databases and later transactions have as well: the lock tells them apart.
    let (_plan, mut holder) = hold(&DATA.uri(), "SELECT id FROM t", &over(3));
    let ticket = holder.ticket(0).unwrap();
    holder.close();
    let error = join(&DATA.uri(), &ticket).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::SnapshotGone, "{error}");
    // Another plan of the same process has another lock, even where a snapshot has the old name.
    let (_other, other) = hold(&DATA.uri(), "SELECT id FROM t", &over(3));
    assert_eq!(join(&DATA.uri(), &ticket).err().unwrap().kind(), ErrorKind::SnapshotGone);
    drop(other);
    // A snapshot of that very name, held by somebody who is not the plan's holder.
    let (plan, holder) = hold(&DATA.uri(), "SELECT id FROM t", &over(3));
    let ticket = holder.ticket(0).unwrap();
    let name = plan.snapshot.clone().unwrap();
    assert!(DATA.psql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").parse::<u32>().unwrap() > 0);
    let key = DATA.psql("SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' LIMIT 1");
    assert!(!key.is_empty() && !name.is_empty());
    assert!(join(&DATA.uri(), &ticket).is_ok());
}

#[test]
fn another_database_is_not_joined() {
    let (_plan, holder) = hold(&DATA.uri(), "SELECT 1 AS one", &over(1));
    let ticket = holder.ticket(0).unwrap();
    let elsewhere = SERVER.uri_of(SERVER.superuser(), SERVER.password(), "template1");
    let error = join(&elsewhere, &ticket).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::SnapshotGone, "{error}");
    assert!(error.hint().is_some());
}

#[test]
fn another_user_reads_as_far_as_his_rights_go() {
    let (_plan, holder) = hold(&DATA.uri(), "SELECT id FROM t", &over(3));
    let ticket = holder.ticket(0).unwrap();
    assert!(join(&DATA.uri_of("reader", "reader"), &ticket).unwrap().count() > 0);
    let error = join(&DATA.uri_of("powerless", "powerless"), &ticket).err().unwrap();
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::Sql, Some("42501")), "{error}");
}

#[test]
fn readers_show_themselves_and_renew_the_lease() {
    let options = Options { buffer_bytes: 1, batch_bytes: 1 << 12, ..over(3) };
    let planned = plan(&DATA.uri(), "SELECT id, pad FROM t", &options).unwrap();
    let request = Request::new(Query::new("SELECT id, pad FROM t"), options);
    let lease = Lease(Duration::from_millis(400));
    let holder = Holder::new(&planned, &request, lease, &Cancel::new()).unwrap();
    let ticket = holder.ticket(0).unwrap();
    let joined = Postgres::from_uri(&DATA.uri()).unwrap().join(&ticket, &Cancel::new()).unwrap();
    let mut stream = Stream::start(joined, &ticket.options(), Cancel::new());
    let first = stream.next().unwrap().unwrap();
    thread::sleep(Duration::from_millis(1200));
    assert!(holder.is_alive(), "somebody reads");
    let rest: usize = stream.map(|batch| rows(&batch.unwrap()).len()).sum();
    assert!(first.num_rows() + rest > 100);
    assert!(eventually(|| !holder.is_alive()), "nobody reads any more");
    let error = join(&DATA.uri(), &ticket).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::SnapshotGone, "{error}");
}

#[test]
fn whoever_waits_to_alter_a_table_does_not_hang_its_readers() {
    let (_plan, holder) = hold(&DATA.uri(), "SELECT id FROM altered", &over(3));
    let ticket = holder.ticket(0).unwrap();
    let change = thread::spawn(|| {
        SERVER.psql_in("tickets", "SET lock_timeout = '1500ms'; ALTER TABLE altered ADD COLUMN more int").is_err()
    });
    let waiting = "SELECT count(*) FROM pg_locks WHERE relation = 'altered'::regclass AND NOT granted";
    assert!(eventually(|| DATA.psql(waiting) == "1"));
    let started = Instant::now();
    // The change gives up, since the holder keeps the table as it is.
    assert!(join(&DATA.uri(), &ticket).unwrap().count() > 0);
    assert!(started.elapsed() < Duration::from_secs(8));
    assert!(change.join().unwrap());
}

#[test]
fn the_holder_s_session_ends_with_it_and_when_it_is_killed() {
    let uri = format!("{}?application_name=holding", DATA.uri());
    let count = || connections(&SERVER, "holding");
    let (_plan, holder) = hold(&uri, "SELECT id FROM t", &over(3));
    assert_eq!(count(), 1);
    drop(holder);
    assert!(eventually(|| count() == 0));

    let planned = plan(&uri, "SELECT id FROM t", &over(3)).unwrap();
    let request = Request::new(Query::new("SELECT id FROM t"), over(3));
    let holder = Holder::new(&planned, &request, Lease(Duration::from_secs(2)), &Cancel::new()).unwrap();
    let ticket = holder.ticket(0).unwrap();
    DATA.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'holding'");
    assert!(eventually(|| !holder.is_alive()));
    let error = holder.ticket(0).unwrap_err();
    assert!(error.message().contains("it was lost"), "{error}");
    assert_eq!(join(&DATA.uri(), &ticket).err().unwrap().kind(), ErrorKind::SnapshotGone);
}

#[test]
fn the_server_s_limit_for_idle_transactions_does_not_end_the_holder() {
    let uri = format!("{}?options=-c%20idle_in_transaction_session_timeout%3D500", DATA.uri());
    let (_plan, holder) = hold(&uri, "SELECT id FROM t", &over(3));
    let ticket = holder.ticket(0).unwrap();
    thread::sleep(Duration::from_millis(1200));
    assert!(join(&DATA.uri(), &ticket).unwrap().count() > 0);
}

#[test]
fn a_ticket_s_sql_passes_the_same_checks_as_a_user_s() {
    // A forged ticket: right in form, with another text than any plan makes.
    for sql in ["DELETE FROM t", "SELECT 1; DROP TABLE t"] {
        let part = bowshot_core::Part { sql: sql.into(), values: [].into(), partition: Default::default() };
        let options = Options { partitioning: bowshot_core::Partitioning::Part(part), ..over(1) };
        let error = plan(&DATA.uri(), "SELECT id FROM t", &options).err();
        let kind = error.map(|error| error.kind());
        assert!(matches!(kind, Some(ErrorKind::Unsupported | ErrorKind::Config | ErrorKind::Sql)), "{sql}: {kind:?}");
    }
    assert_eq!(DATA.psql("SELECT count(*) FROM t"), "20000");
}
