//! What may be locked: the query's tables, the whole server only where the URI asks for it, or nothing.

use std::time::{Duration, Instant};

use bowshot_testkit::MariaDb;

use super::common::{accounts, connections, eventually, finish, logging_server, plan, server, total};
use super::snapshots::{MONEY, ROWS, totals_hold};

const SQL: &str = "SELECT balance FROM accounts";

/// How often somebody has flushed something.
fn flushes(server: &MariaDb) -> String {
    server.sql("SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'COM_FLUSH'").unwrap()
}

/// Waits until somebody runs this statement.
fn wait_for(server: &MariaDb, statement: &str) {
    let sql = format!("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE INFO = '{statement}'");
    assert!(eventually(|| server.sql(&sql).unwrap() != "0"));
}

#[test]
fn the_whole_server_is_locked_for_a_moment_where_that_is_asked_for() {
    let server = MariaDb::start().unwrap();
    let uri = accounts(&server, "asked", ROWS);
    let options = connections(3);
    let tables = plan(&uri, SQL, &options).unwrap();
    assert!(tables.snapshot.unwrap().ends_with("locked accounts"));
    assert_eq!(flushes(&server), "0");

    let uri = format!("{uri}?lock=global");
    let global = plan(&uri, SQL, &options).unwrap();
    assert!(global.partitions.len() > 1, "{}", global.reason);
    assert!(global.snapshot.as_deref().unwrap().ends_with("locked the server"), "{:?}", global.snapshot);
    assert_ne!(flushes(&server), "0");
    // The plan holds no lock any more, and does not see what comes after it.
    server.sql("SET lock_wait_timeout = 1; UPDATE asked.accounts SET balance = 0").unwrap();
    assert_eq!(total(&finish(global, &options).unwrap()), (MONEY, ROWS));
    server.sql("UPDATE asked.accounts SET balance = 1000").unwrap();

    // Who has changed the table and not committed yet does not stand in the way, and is not seen.
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            server.sql("USE asked; START TRANSACTION; UPDATE accounts SET balance = 1 WHERE id = 1; SELECT SLEEP(3); COMMIT").unwrap();
        });
        wait_for(&server, "SELECT SLEEP(3)");
        let plan = plan(&uri, SQL, &options).unwrap();
        assert!(plan.partitions.len() > 1 && !writer.is_finished(), "{}", plan.reason);
        writer.join().unwrap();
        assert_eq!(total(&finish(plan, &options).unwrap()), (MONEY, ROWS));
    });
    totals_hold(&server, "moving", "global", "locked the server");
}

#[test]
fn the_whole_server_is_not_waited_for_longer_than_tables_are() {
    let server = MariaDb::start().unwrap();
    let uri = format!("{}?lock=global", accounts(&server, "held", ROWS));
    server.sql("CREATE TABLE held.other (id INT)").unwrap();
    let waited = std::thread::scope(|scope| {
        let holder = scope.spawn(|| server.sql("USE held; LOCK TABLES mysql.db WRITE; SELECT SLEEP(5)").unwrap());
        wait_for(&server, "SELECT SLEEP(5)");
        let planner = scope.spawn(|| plan(&uri, SQL, &connections(2)).unwrap());
        let mut longest = Duration::ZERO;
        while !planner.is_finished() {
            let started = Instant::now();
            server.sql("INSERT INTO held.other VALUES (1)").unwrap();
            longest = longest.max(started.elapsed());
        }
        let plan = planner.join().unwrap();
        assert!(!holder.is_finished());
        assert_eq!(plan.partitions.len(), 1, "{}", plan.reason);
        assert!(plan.reason.contains("the server cannot be locked for reading"), "{}", plan.reason);
        holder.join().unwrap();
        longest
    });
    assert!(waited < Duration::from_millis(1300), "a writer waited for {waited:?}");
}

#[test]
fn without_the_right_to_reload_there_is_one_partition_and_the_reason() {
    accounts(server(), "reload", ROWS);
    server()
        .sql(
            "CREATE USER locker@'127.0.0.1' IDENTIFIED BY 'secret'; \
             GRANT SELECT, LOCK TABLES ON reload.* TO locker@'127.0.0.1'",
        )
        .unwrap();
    let uri = format!("{}?lock=global", server().uri_of("locker", "secret", "reload"));
    let options = connections(2);
    let whole = plan(&uri, SQL, &options).unwrap();
    assert_eq!(whole.partitions.len(), 1);
    assert!(
        whole.reason.contains("the server cannot be locked for reading") && whole.reason.contains("RELOAD"),
        "{}",
        whole.reason
    );
    assert_eq!(total(&finish(whole, &options).unwrap()), (MONEY, ROWS));
}

#[test]
fn without_locks_only_the_binary_log_proves_anything() {
    let options = connections(2);
    let uri = format!("{}?lock=none", accounts(server(), "unlocked", ROWS));
    let whole = plan(&uri, SQL, &options).unwrap();
    assert_eq!(whole.partitions.len(), 1);
    assert!(whole.reason.contains("no binary log") && whole.reason.contains("lock=none"), "{}", whole.reason);
    let uri = format!("{}?lock=none", accounts(logging_server(), "unlocked", ROWS));
    // Other tests write to this server.
    assert!(eventually(|| {
        let plan = plan(&uri, SQL, &options).unwrap();
        let proven = plan.snapshot.as_deref().is_some_and(|name| name.starts_with("binary log"));
        assert!(proven || plan.partitions.len() == 1, "{}", plan.reason);
        proven && plan.partitions.len() > 1
    }));
}
