//! Which queries are split, and why the others are not.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use bowshot_core::Options;
use bowshot_testkit::MariaDb;

use super::common::{connections, plan, read, server};

fn reason(database: &str, sql: &str, options: &Options) -> (usize, String) {
    let uri = server().uri_of(server().user(), server().password(), database);
    let plan = plan(&uri, sql, options).unwrap();
    (plan.partitions.len(), plan.reason.clone())
}

#[test]
fn what_cannot_be_split_says_why() {
    server()
        .sql(
            "CREATE DATABASE reasons; USE reasons; \
             CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT, b INT, s VARCHAR(200), KEY a (a)); \
             INSERT INTO t SELECT seq, seq, seq % 7, REPEAT('x', 100) FROM seq_1_to_100000; \
             CREATE VIEW v AS SELECT * FROM t; \
             CREATE TABLE isam ENGINE = MyISAM AS SELECT * FROM t; \
             CREATE TABLE aria ENGINE = Aria AS SELECT * FROM t; \
             CREATE TABLE keyless AS SELECT * FROM t; \
             CREATE TABLE small (id INT PRIMARY KEY) AS SELECT seq AS id FROM seq_1_to_1000; \
             CREATE TABLE prefixed (k BLOB NOT NULL, PRIMARY KEY (k(3))); \
             CREATE TABLE floating (f DOUBLE NOT NULL PRIMARY KEY); \
             CREATE FUNCTION anything() RETURNS INT RETURN (SELECT COUNT(*) FROM t)",
        )
        .unwrap();
    let options = connections(2);
    for (sql, words) in [
        ("SELECT * FROM v", "is a view"),
        ("SELECT * FROM isam", "MyISAM, which has no snapshots"),
        ("SELECT * FROM aria", "Aria, which has no snapshots"),
        ("SELECT * FROM keyless", "has no primary key"),
        ("SELECT * FROM small", "only about"),
        ("SELECT * FROM prefixed", "beginning of a column"),
        ("SELECT * FROM floating", "of the type double"),
        ("SELECT a FROM t", "by its index a"),
        ("SELECT * FROM t WHERE a < 10", "by its index a"),
        ("SELECT * FROM t WHERE id = 5", ""),
        ("SELECT * FROM t WHERE id < 500", "only about"),
        ("SELECT id, RAND() FROM t", "rand may return something else"),
        ("SELECT id, NOW() FROM t", "now may return something else"),
        ("SELECT id, UUID() FROM t", "uuid may return something else"),
        ("SELECT id, SLEEP(0) FROM t", "sleep may return something else"),
        ("SELECT s, anything() FROM t", "anything is a function that somebody wrote"),
        ("SELECT s, @x FROM t", "session variable"),
        ("SELECT SUM(b) FROM t", "aggregates"),
        ("SELECT b, s FROM t ORDER BY b", "ordered"),
        ("SELECT DISTINCT b FROM t", "duplicates"),
        ("SELECT * FROM t LIMIT 5", "LIMIT"),
        ("SELECT s FROM t UNION ALL SELECT s FROM t", "set operation"),
        ("SELECT t.s, u.s FROM t JOIN keyless u ON u.b = t.b", "every connection would read the other tables again"),
        ("SELECT * FROM information_schema.TABLES", ""),
    ] {
        let (parts, reason) = reason("reasons", sql, &options);
        assert_eq!(parts, 1, "{sql}: {reason}");
        assert!(reason.contains(words), "{sql}: {reason}");
    }
    let (parts, reason) = reason("reasons", "SELECT * FROM t", &connections(1));
    assert_eq!((parts, reason.as_str()), (1, "one connection reads it"));
}

#[test]
fn what_only_a_connection_sees_is_not_split() {
    server()
        .sql(
            "CREATE DATABASE temporary_; USE temporary_; CREATE TABLE t (id INT NOT NULL PRIMARY KEY, b VARCHAR(10)); \
             INSERT INTO t SELECT seq, 'x' FROM seq_1_to_100000",
        )
        .unwrap();
    let before = [
        "SET SESSION TRANSACTION READ WRITE",
        "CREATE TEMPORARY TABLE t (id INT NOT NULL PRIMARY KEY, b VARCHAR(10))",
        "INSERT INTO t SELECT seq, 'y' FROM seq_1_to_100000",
    ];
    let before = before.map(str::to_owned).into();
    let (parts, reason) = reason("temporary_", "SELECT * FROM t", &Options { before, ..connections(2) });
    assert_eq!(parts, 1, "{reason}");
    assert!(reason.contains("temporary"), "{reason}");
}

#[test]
fn ranges_are_balanced_and_scan_every_page_once() {
    server()
        .sql(
            "CREATE DATABASE balance; USE balance; \
             CREATE TABLE dense (id BIGINT NOT NULL PRIMARY KEY, s VARCHAR(100)); \
             INSERT INTO dense SELECT seq, REPEAT('x', 80) FROM seq_1_to_200000; \
             CREATE TABLE skewed (id BIGINT NOT NULL PRIMARY KEY, s VARCHAR(100)); \
             INSERT INTO skewed SELECT IF(seq < 100000, seq, 1 << 50) + seq * 1000, REPEAT('x', 80) FROM seq_1_to_200000; \
             CREATE TABLE words (w VARCHAR(50) COLLATE utf8mb4_unicode_ci NOT NULL PRIMARY KEY, s VARCHAR(100)); \
             INSERT INTO words SELECT CONCAT(ELT(1 + seq % 5, 'alpha', 'Beta', 'gamma-', 'delta ', 'x'), seq), REPEAT('x', 80) FROM seq_1_to_200000; \
             CREATE TABLE tenants (tenant INT NOT NULL, id BIGINT NOT NULL, s VARCHAR(100), PRIMARY KEY (tenant, id)); \
             INSERT INTO tenants SELECT IF(seq % 10 < 8, 7, seq % 10), seq, REPEAT('x', 80) FROM seq_1_to_200000; \
             CREATE TABLE uuids (u UUID NOT NULL PRIMARY KEY, s VARCHAR(100)); \
             INSERT INTO uuids SELECT CONCAT(LEFT(MD5(seq), 8), '-', MID(MD5(seq), 9, 4), '-4', MID(MD5(seq), 13, 3), '-a', \
             MID(MD5(seq), 16, 3), '-', RIGHT(MD5(seq), 12)), REPEAT('x', 80) FROM seq_1_to_200000",
        )
        .unwrap();
    let uri = server().uri_of(server().user(), server().password(), "balance");
    for table in ["dense", "skewed", "words", "tenants", "uuids"] {
        // A batch is a whole partition.
        let options = Options { batch_bytes: 1 << 30, ..connections(2) };
        let sql = format!("SELECT * FROM {table}");
        let plan = plan(&uri, &sql, &options).unwrap();
        assert!(plan.partitions.len() >= 8, "{table}: {} because {}", plan.partitions.len(), plan.reason);
        assert!(plan.snapshot.is_some());
        let mut counts = Vec::new();
        for batch in super::common::finish(plan, &options).unwrap() {
            counts.push(batch.num_rows());
        }
        assert_eq!(counts.iter().sum::<usize>(), 200_000, "{table}");
        assert!(counts.iter().all(|rows| *rows < 80_000), "{table}: {counts:?}");
    }
}

#[test]
fn names_that_need_quotes_and_hidden_columns() {
    server()
        .sql(
            "CREATE DATABASE `odd ``name`; USE `odd ``name`; \
             CREATE TABLE `select` (`or``der` INT NOT NULL PRIMARY KEY, v INT AS (`or``der` * 2) STORED, w INT AS (1) VIRTUAL, hidden INT INVISIBLE DEFAULT 5); \
             INSERT INTO `select` (`or``der`) SELECT seq FROM seq_1_to_100000",
        )
        .unwrap();
    let uri = server().uri_of(server().user(), server().password(), "odd `name");
    let options = connections(2);
    let plan = plan(&uri, "SELECT * FROM `select`", &options).unwrap();
    assert!(plan.partitions.len() > 1, "{}", plan.reason);
    assert_eq!(plan.schema.fields().len(), 3);
    let rows: usize = super::common::finish(plan, &options).unwrap().iter().map(|batch| batch.num_rows()).sum();
    assert_eq!(rows, 100_000);
    let whole = read(&uri, "SELECT hidden FROM `select`", &options).unwrap();
    assert_eq!(whole.iter().map(|batch| batch.num_rows()).sum::<usize>(), 100_000);
}

/// A port whose connections lead to another one, and take as long in each direction.
fn far(port: u16, delay: Duration) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let away = listener.local_addr().unwrap().port();
    let pass_on = move |mut from: TcpStream, mut to: TcpStream| {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(count @ 1..) = from.read(&mut bytes) {
            thread::sleep(delay);
            if to.write_all(&bytes[..count]).is_err() {
                break;
            }
        }
        let _ = to.shutdown(Shutdown::Both);
    };
    thread::spawn(move || {
        for near in listener.incoming() {
            let (near, there) = (near.unwrap(), TcpStream::connect(("127.0.0.1", port)).unwrap());
            let (near_too, there_too) = (near.try_clone().unwrap(), there.try_clone().unwrap());
            thread::spawn(move || pass_on(near, there));
            thread::spawn(move || pass_on(there_too, near_too));
        }
    });
    away
}

#[test]
fn a_small_table_far_away_is_read_by_one_connection_unless_several_are_asked_for() {
    server()
        .sql(
            "CREATE DATABASE remote; USE remote; CREATE TABLE t (id INT NOT NULL PRIMARY KEY, s CHAR(100) NOT NULL); \
             INSERT INTO t SELECT seq, 'x' FROM seq_1_to_100000; ANALYZE TABLE t",
        )
        .unwrap();
    let uri = server().uri_of(server().user(), server().password(), "remote");
    let away = far(server().port(), Duration::from_millis(10));
    let remote = uri.replace(&format!(":{}/", server().port()), &format!(":{away}/"));
    assert_ne!(uri, remote);
    let sql = "SELECT * FROM t";
    let found = plan(&remote, sql, &Options::default()).unwrap();
    assert!(found.partitions.len() == 1 && found.reason.contains("ms away"), "{}", found.reason);
    for (uri, options) in [(&remote, connections(2)), (&uri, Options::default())] {
        let found = plan(uri, sql, &options).unwrap();
        assert!(found.partitions.len() > 1, "{}", found.reason);
    }
}

#[test]
fn a_server_far_away_is_asked_seldom() {
    // A server of its own: it counts the statements of everybody.
    let server = MariaDb::start().unwrap();
    server
        .sql(
            "CREATE DATABASE far; USE far; \
             CREATE TABLE pairs (a INT NOT NULL, b INT NOT NULL, s CHAR(100) NOT NULL, PRIMARY KEY (a, b)); \
             INSERT INTO pairs SELECT seq DIV 4, seq % 4, 'x' FROM seq_1_to_400000; \
             ANALYZE TABLE pairs",
        )
        .unwrap();
    let statements = || -> u64 {
        let told = server.sql("SHOW GLOBAL STATUS LIKE 'Questions'").unwrap();
        told.split_whitespace().last().unwrap().parse().unwrap()
    };
    let uri = server.uri_of(server.user(), server.password(), "far");
    let before = statements();
    let found = plan(&uri, "SELECT * FROM pairs", &connections(8)).unwrap();
    let asked = statements() - before;
    assert!(found.partitions.len() >= 40, "{} partitions: {}", found.partitions.len(), found.reason);
    // About ten of them for each connection's session and snapshot.
    assert!(asked <= 110, "{asked} statements for {} partitions", found.partitions.len());
}
