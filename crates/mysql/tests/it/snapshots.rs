//! One state of the database for all connections: no torn reads, and writers that hardly wait.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bowshot_core::{ErrorKind, Options, Partitioning};
use bowshot_testkit::MariaDb;

use super::common::{accounts, connections, eventually, finish, logging_server, plan, read, server, total};

pub(crate) const ROWS: usize = 60_000;

/// What all rows hold together.
pub(crate) const MONEY: i64 = 60_000_000;

/// Moves money between accounts while `work` runs; the longest time that one transfer took.
fn with_transfers(server: &MariaDb, database: &str, work: impl FnOnce()) -> Duration {
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            server
                .sql(&format!(
                    "USE {database}; CREATE TABLE IF NOT EXISTS waits (took BIGINT); CREATE TABLE IF NOT EXISTS stop_ (id INT); \
\nDELIMITER $$\n\
                     CREATE PROCEDURE transfer() BEGIN \
                       DECLARE began TIMESTAMP(6); DECLARE a INT; DECLARE b INT; DECLARE longest BIGINT DEFAULT 0; \
                       DECLARE took BIGINT; \
                       WHILE (SELECT COUNT(*) FROM stop_) = 0 DO \
                         SET a = 1 + FLOOR(RAND() * {ROWS}), b = 1 + FLOOR(RAND() * {ROWS}), began = SYSDATE(6); \
                         START TRANSACTION; \
                         UPDATE accounts SET balance = balance - 7 WHERE id = a; \
                         UPDATE accounts SET balance = balance + 7 WHERE id = b; \
                         COMMIT; \
                         SET took = TIMESTAMPDIFF(MICROSECOND, began, SYSDATE(6)); \
                         SET longest = GREATEST(longest, took); \
                       END WHILE; INSERT INTO waits VALUES (longest); END$$\n\
                     DELIMITER ;\n CALL transfer()"
                ))
                .unwrap();
            done.store(true, Ordering::SeqCst);
        });
        let changed =
            || server.sql(&format!("SELECT COUNT(*) FROM {database}.accounts WHERE balance <> 1000")).unwrap();
        assert!(eventually(|| changed() != "0"));
        // The writer has to end, also when the work fails.
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
        server.sql(&format!("INSERT INTO {database}.stop_ VALUES (1)")).unwrap();
        writer.join().unwrap();
        if let Err(panic) = outcome {
            std::panic::resume_unwind(panic);
        }
    });
    assert!(done.load(Ordering::SeqCst));
    let longest: u64 = server.sql(&format!("SELECT MAX(took) FROM {database}.waits")).unwrap().parse().unwrap();
    Duration::from_micros(longest)
}

/// Reads while money moves: the sum always holds. `lock` is the option of the URI, `how` what the snapshots say of it.
pub(crate) fn totals_hold(server: &MariaDb, database: &str, lock: &str, how: &str) {
    let uri = format!("{}?lock={lock}", accounts(server, database, ROWS));
    let options = connections(3);
    let longest = with_transfers(server, database, || {
        for _ in 0..12 {
            let plan = plan(&uri, "SELECT balance FROM accounts", &options).unwrap();
            assert!(plan.partitions.len() > 1, "{}", plan.reason);
            assert!(plan.snapshot.as_deref().unwrap().contains(how), "{:?}", plan.snapshot);
            let (sum, rows) = total(&finish(plan, &options).unwrap());
            assert_eq!((sum, rows), (MONEY, ROWS));
        }
    });
    assert!(longest < Duration::from_secs(2), "a writer waited for {longest:?}");
}

#[test]
fn no_torn_reads_under_a_lock() {
    totals_hold(server(), "locked", "tables", "locked accounts");
}

#[test]
fn no_torn_reads_by_the_binary_log() {
    // The writer commits thousands of times a second, so the log may not stand still long enough: then it is a lock.
    let server = logging_server();
    let uri = accounts(server, "logged", ROWS);
    let plan = plan(&uri, "SELECT balance FROM accounts", &connections(3)).unwrap();
    assert!(plan.snapshot.as_deref().unwrap().starts_with("binary log changes.0"), "{:?}", plan.snapshot);
    drop(plan);
    server.sql("DROP DATABASE logged").unwrap();
    totals_hold(server, "logged", "tables", "");
}

#[test]
fn ranges_of_a_column_see_one_state_too() {
    let uri = accounts(server(), "by_column", ROWS);
    let partitioning = Partitioning::Column { column: "balance".into(), count: 4, range: None };
    let options = Options { partitioning, ..connections(3) };
    with_transfers(server(), "by_column", || {
        for _ in 0..6 {
            let (sum, rows) = total(&read(&uri, "SELECT balance FROM accounts", &options).unwrap());
            assert_eq!((sum, rows), (MONEY, ROWS));
        }
    });
}

#[test]
fn writers_wait_only_while_a_writer_before_them_holds_the_table() {
    let uri = accounts(server(), "waiting", ROWS);
    let waited = std::thread::scope(|scope| {
        // Somebody writes and does not commit for a while: nobody can lock the table.
        let holder = scope.spawn(|| {
            server().sql("USE waiting; START TRANSACTION; UPDATE accounts SET balance = 1 WHERE id = 1; SELECT SLEEP(4.5); ROLLBACK").unwrap();
        });
        assert!(eventually(|| server()
            .sql("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO = 'SELECT SLEEP(4.5)'")
            .unwrap()
            != "0"));
        let planner = scope.spawn(|| plan(&uri, "SELECT balance FROM accounts", &connections(2)).unwrap());
        let mut longest = Duration::ZERO;
        while !planner.is_finished() {
            let started = Instant::now();
            server().sql("UPDATE waiting.accounts SET balance = 1000 WHERE id = 2").unwrap();
            longest = longest.max(started.elapsed());
        }
        let plan = planner.join().unwrap();
        assert_eq!(plan.partitions.len(), 1, "{}", plan.reason);
        assert!(plan.reason.contains("cannot be locked"), "{}", plan.reason);
        holder.join().unwrap();
        longest
    });
    assert!(waited < Duration::from_millis(1300), "a writer waited for {waited:?}");
}

#[test]
fn without_the_right_to_lock_there_is_one_partition_and_the_reason() {
    accounts(server(), "rights", ROWS);
    server()
        .sql("CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT SELECT ON rights.* TO reader@'127.0.0.1'")
        .unwrap();
    let uri = server().uri_of("reader", "secret", "rights");
    let options = connections(2);
    let whole = plan(&uri, "SELECT balance FROM accounts", &options).unwrap();
    assert_eq!(whole.partitions.len(), 1);
    assert!(
        whole.reason.contains("cannot be locked for reading") && whole.reason.contains("denied"),
        "{}",
        whole.reason
    );
    assert_eq!(total(&finish(whole, &options).unwrap()), (MONEY, ROWS));
    // The user's word that states may differ.
    let torn = Options { one_snapshot: false, ..options };
    let plan = plan(&uri, "SELECT balance FROM accounts", &torn).unwrap();
    assert!(plan.partitions.len() > 1 && plan.snapshot.is_none(), "{}", plan.reason);
    assert_eq!(total(&finish(plan, &torn).unwrap()).1, ROWS);
}

#[test]
fn prepared_transactions_of_xa_keep_a_query_whole() {
    let server = MariaDb::start().unwrap();
    let uri = accounts(&server, "xa", ROWS);
    server.sql("USE xa; CREATE TABLE other (id INT PRIMARY KEY); XA START 'x'; INSERT INTO other VALUES (1); XA END 'x'; XA PREPARE 'x'").unwrap();
    let plan = plan(&uri, "SELECT balance FROM accounts", &connections(2)).unwrap();
    assert_eq!(plan.partitions.len(), 1);
    assert!(plan.reason.contains("XA"), "{}", plan.reason);
}

#[test]
fn a_table_that_is_altered_meanwhile_waits_or_ends_the_read() {
    let uri = accounts(server(), "altered", ROWS);
    let options = connections(2);
    let plan = plan(&uri, "SELECT balance FROM accounts", &options).unwrap();
    assert!(plan.partitions.len() > 1);
    std::thread::scope(|scope| {
        let alter = scope.spawn(|| server().sql("ALTER TABLE altered.accounts ADD COLUMN more INT DEFAULT 3").unwrap());
        std::thread::sleep(Duration::from_millis(300));
        // The connections hold the table: who alters it waits until they have read it, and does not stand in their way.
        assert!(!alter.is_finished());
        assert_eq!(total(&finish(plan, &options).unwrap()), (MONEY, ROWS));
        alter.join().unwrap();
    });
    // One connection does not hold it before it reads.
    let single = connections(1);
    let plan = super::common::plan(&uri, "SELECT * FROM accounts", &single).unwrap();
    server().sql("ALTER TABLE altered.accounts ADD COLUMN evenmore VARCHAR(3) DEFAULT 'x'").unwrap();
    let error = finish(plan, &single).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Sql);
    assert!(error.message().contains("changed") || error.message().contains("definition"), "{error:?}");
}
