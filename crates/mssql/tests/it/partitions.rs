//! Partitions: how a query is split, and that all sessions see one state, as far as a mock can show it.

use bowshot_core::{Cancel, ErrorKind, Options, Partitioning, Plan, Query, Request, Result, Source, Stream};
use bowshot_mssql::MsSql;

use super::mock::{Door, Mock, Reply};
use super::support::{plan, texts, uri};
use super::tokens::{self, bigint, column, described, done, failed, int, nvarchar, row};

/// A database with a table `t` whose keys are 0 to `rows - 1`.
#[derive(Clone, Copy)]
struct Database {
    rows: i64,
    /// `ALLOW_SNAPSHOT_ISOLATION`.
    snapshots: bool,
    /// The answer to a lock on the table.
    locked: bool,
    clustered: bool,
    /// A replica that can only be read.
    replica: bool,
    /// Each connection comes to another server.
    scattered: bool,
    /// The login may not see the key's column.
    secret: bool,
}

const LARGE: Database = Database {
    rows: 200_000,
    snapshots: true,
    locked: false,
    clustered: true,
    replica: false,
    scattered: false,
    secret: false,
};

fn one_int(value: i32) -> Vec<u8> {
    tokens::numbers("", &[value])
}

/// The number behind a word of the SQL.
fn number(sql: &str, word: &str) -> Option<i64> {
    let rest = &sql[sql.find(word)? + word.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

impl Database {
    fn answer(self, sql: &str, connection: usize) -> Vec<u8> {
        if sql.contains("sp_describe_first_result_set") {
            return tokens::description(&[described("id", 56, "int", 10, 0)]);
        }
        if sql.contains("snapshot_isolation_state") {
            let columns = [column("", &[0x26, 1]), column("", tokens::NVARCHAR)];
            let found = row(&[
                vec![1, u8::from(self.snapshots)],
                nvarchar(if self.replica { "READ_ONLY" } else { "READ_WRITE" }),
            ]);
            return [tokens::columns(&columns), found, done()].concat();
        }
        if sql.contains("@@SERVERNAME") {
            let server = if self.scattered { format!("db{connection}") } else { "db".to_owned() };
            return [tokens::columns(&[column("", tokens::NVARCHAR)]), row(&[nvarchar(&server)]), done()].concat();
        }
        if sql.contains("is_memory_optimized") {
            let columns = [column("", tokens::INT), column("", tokens::INT), column("", tokens::INT)];
            return [tokens::columns(&columns), row(&[int(0), int(0), int(0)]), done()].concat();
        }
        if sql.contains("sys.index_columns") {
            let columns = [column("name", tokens::NVARCHAR), column("id", &[0x26, 1]), column("rows", tokens::BIGINT)];
            let found = row(&[nvarchar("id"), vec![1, 56], bigint(self.rows)]);
            return [tokens::columns(&columns), if self.clustered { found } else { Vec::new() }, done()].concat();
        }
        if sql.contains("TABLOCK") {
            return if self.locked {
                failed(1222, 16, 1, "Lock request time out period exceeded.")
            } else {
                one_int(1)
            };
        }
        if sql.contains("LEVEL SNAPSHOT") {
            let number = 0x0102_0304_0500_0000 + u64::try_from(connection).unwrap();
            return [tokens::transaction(number), one_int(1)].concat();
        }
        if sql.contains("READ COMMITTED; BEGIN") {
            return [tokens::transaction(77), done()].concat();
        }
        if sql.contains("ROLLBACK") {
            return [tokens::transaction_ended(77), done()].concat();
        }
        if self.secret && sql.contains("OFFSET ") {
            return failed(230, 14, 1, "The SELECT permission was denied on the column 'id' of the object 't'.");
        }
        if let Some(offset) = number(sql, "OFFSET ") {
            let key = number(sql, ">= ").unwrap().max(0) + offset;
            let head = tokens::columns(&[column("id", tokens::INT)]);
            let found = if key < self.rows { row(&[int(i32::try_from(key).unwrap())]) } else { Vec::new() };
            return [head, found, done()].concat();
        }
        if sql.contains("min([id])") {
            let columns = [column("", tokens::INT), column("", tokens::INT)];
            let last = i32::try_from(self.rows - 1).unwrap();
            return [tokens::columns(&columns), row(&[int(0), int(last)]), done()].concat();
        }
        if sql.contains("IS NULL") {
            return [tokens::columns(&[column("id", tokens::INT)]), row(&[vec![0]]), done()].concat();
        }
        let first = number(sql, "[id] >= ").unwrap_or(0);
        let last =
            number(sql, "[id] <= ").or_else(|| number(sql, "[id] < ").map(|end| end - 1)).unwrap_or(self.rows - 1);
        let keys: Vec<i32> = (first..=last.min(self.rows - 1)).map(|key| i32::try_from(key).unwrap()).collect();
        tokens::numbers("id", &keys)
    }

    fn start(self) -> Mock {
        let door = Door { packet_size: 8000, encryption: 2, ..Door::default() };
        Mock::with(door, move |request| Reply::Tokens(self.answer(&request.sql, request.connection)))
    }
}

fn four() -> Options {
    Options { connections: Some(4), ..Options::default() }
}

fn plan_of(database: Database, sql: &str, options: &Options) -> Plan {
    // The mock lives as long as the plan's connections do.
    let mock = Box::leak(Box::new(database.start()));
    plan(&uri(mock.port), Query::new(sql), options).unwrap()
}

fn keys(plan: Plan, options: &Options) -> Vec<Option<String>> {
    Stream::start(plan, options, Cancel::new()).flat_map(|batch| texts(&batch.unwrap(), 0)).collect()
}

fn all(rows: i64) -> Vec<Option<String>> {
    (0..rows).map(|key| Some(key.to_string())).collect()
}

#[test]
fn a_key_that_the_login_may_not_see_leaves_one_partition() {
    let plan = plan_of(Database { secret: true, ..LARGE }, "SELECT id FROM dbo.t WHERE id >= 0", &four());
    assert_eq!(plan.partitions.len(), 1);
    assert!(plan.reason.contains("refused what planning asked"), "{}", plan.reason);
    assert!(plan.reason.contains("The SELECT permission was denied"), "{}", plan.reason);
    assert_eq!(keys(plan, &four()), all(200_000));
}

#[test]
fn a_large_table_is_split_by_its_clustered_key_on_one_state() {
    let mock = LARGE.start();
    let plan = plan(&uri(mock.port), Query::new("SELECT id FROM dbo.t WHERE id >= 0"), &four()).unwrap();
    assert!(plan.partitions.len() > 4, "{plan}");
    assert_eq!(plan.reason, "[dbo].[t] is split by its clustered key id");
    assert!(plan.snapshot.as_deref().unwrap().contains("4 sessions"), "{plan}");
    assert_eq!(plan.estimate.rows, Some(200_000));
    assert_eq!(keys(plan, &four()), all(200_000));
    // The one that planned, and four that read.
    assert_eq!(mock.connections(), 5);
    let queries = mock.queries();
    let places = |word: &str| -> Vec<usize> {
        (0..).zip(&queries).filter(|(_, query)| query.sql.contains(word)).map(|(place, _)| place).collect()
    };
    // Nobody could write between the first and the last of these beginnings.
    let (lock, begun, unlocked) = (places("TABLOCK"), places("LEVEL SNAPSHOT"), places("ROLLBACK"));
    assert_eq!((lock.len(), begun.len(), unlocked.len()), (1, 4, 1));
    assert!(lock[0] < begun[0] && begun[3] < unlocked[0], "{queries:#?}");
    assert!(queries[lock[0]].sql.ends_with("FROM [dbo].[t] WITH (TABLOCK, HOLDLOCK)"));
    assert!(queries.iter().any(|query| query.sql.starts_with("SET LOCK_TIMEOUT 1000;")));
    assert!(begun.iter().all(|place| queries[*place].sql.ends_with("SELECT TOP (1) 1 FROM [dbo].[t];")));
    // Whoever reads a partition does so in its own transaction.
    let parts = places(" [t] WHERE id >= 0");
    assert!(parts.len() > 4, "{queries:#?}");
    for place in parts {
        let query = &queries[place];
        let own = 0x0102_0304_0500_0000 + u64::try_from(query.connection).unwrap();
        assert!(query.transaction == own || query.is_describe(), "{query:?}");
    }
}

#[test]
fn writers_are_not_kept_waiting() {
    let mock = Database { locked: true, ..LARGE }.start();
    let plan = plan(&uri(mock.port), Query::new("SELECT id FROM t"), &four()).unwrap();
    assert_eq!((plan.partitions.len(), plan.snapshot.as_ref()), (1, None));
    assert!(plan.reason.contains("nobody may wait for a snapshot longer than 1 s"), "{plan}");
    assert!(mock.queries().iter().any(|query| query.sql.contains("ROLLBACK")));
    assert_eq!(keys(plan, &four()).len(), 200_000);
}

#[test]
fn without_snapshots_there_is_one_partition_unless_torn_reads_are_allowed() {
    let off = Database { snapshots: false, ..LARGE };
    let plan = plan_of(off, "SELECT id FROM t", &four());
    assert_eq!(plan.partitions.len(), 1);
    assert!(plan.reason.contains("ALLOW_SNAPSHOT_ISOLATION"), "{plan}");
    let torn = Options { one_snapshot: false, ..four() };
    let plan = plan_of(off, "SELECT id FROM t", &torn);
    assert!(plan.partitions.len() > 4 && plan.snapshot.is_none(), "{plan}");
    assert_eq!(keys(plan, &torn), all(200_000));
}

#[test]
fn what_is_not_split_says_why() {
    for (database, sql, why) in [
        (LARGE, "SELECT id FROM t ORDER BY id", "it is ordered"),
        (LARGE, "SELECT id FROM t JOIN u ON t.id = u.id", "more than one table"),
        (LARGE, "SELECT id, GETDATE() FROM t", "getdate may not return the same"),
        (LARGE, "SELECT id, dbo.f(id) FROM t", "dbo.f may not return the same"),
        (LARGE, "SELECT id, @@SPID FROM t", "variable of the session"),
        (LARGE, "SELECT TOP (5) id FROM t", ""),
        (LARGE, "SELECT TOP 5 PERCENT id FROM t", ""),
        (LARGE, "SELECT id FROM t TABLESAMPLE (10 PERCENT)", ""),
        (LARGE, "SELECT id FROM t FOR JSON AUTO", ""),
        (LARGE, "SELECT id FROM other.dbo.t", "another database"),
        (Database { replica: true, ..LARGE }, "SELECT id FROM t", "a replica goes on"),
        (Database { scattered: true, ..LARGE }, "SELECT id FROM t", "more than one server"),
        (Database { rows: 100, ..LARGE }, "SELECT id FROM t", "only about 100 rows"),
        (Database { clustered: false, ..LARGE }, "SELECT id FROM t", "no clustered index"),
    ] {
        let plan = plan_of(database, sql, &four());
        assert_eq!(plan.partitions.len(), 1, "{sql}");
        assert!(plan.reason.to_lowercase().contains(&why.to_lowercase()), "{sql}: {}", plan.reason);
        assert_eq!(plan.snapshot, None);
    }
    let single = Options { connections: Some(1), ..Options::default() };
    assert_eq!(plan_of(LARGE, "SELECT id FROM t", &single).reason, "only one connection is allowed");
}

#[test]
fn the_user_splits_by_a_column() {
    let column =
        |range| Options { partitioning: Partitioning::Column { column: "id".into(), count: 3, range }, ..four() };
    let plan = plan_of(Database { rows: 90, ..LARGE }, "SELECT id FROM t", &column(None));
    assert_eq!(plan.partitions.len(), 4);
    assert!(plan.snapshot.is_some());
    let expected: Vec<_> = all(90).into_iter().chain([None]).collect();
    assert_eq!(keys(plan, &column(None)), expected);
    let plan = plan_of(Database { rows: 90, ..LARGE }, "SELECT id FROM t", &column(Some((10, 29))));
    assert_eq!(plan.partitions.len(), 3);
    assert_eq!(keys(plan, &column(Some((10, 29)))), all(90)[10..30]);
    // One connection reads them all, in one transaction.
    let alone = Options { connections: Some(1), ..column(None) };
    let plan = plan_of(Database { rows: 90, ..LARGE }, "SELECT id FROM t", &alone);
    assert_eq!((plan.partitions.len(), plan.snapshot.as_deref()), (4, Some("a SNAPSHOT transaction")));
    assert_eq!(keys(plan, &alone).len(), 91);
    let missing =
        Options { partitioning: Partitioning::Column { column: "x".into(), count: 3, range: None }, ..four() };
    let mock = LARGE.start();
    let error = super::support::plan(&uri(mock.port), Query::new("SELECT id FROM t"), &missing).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config);
}

#[test]
fn a_list_of_queries_is_one_result() {
    let mock = Database { rows: 30, ..LARGE }.start();
    let queries = ["SELECT id FROM t WHERE [id] <= 9", "SELECT id FROM t WHERE [id] >= 10"];
    let request = Request { queries: queries.map(Query::new).to_vec(), options: four() };
    let plan = MsSql::from_uri(&uri(mock.port)).unwrap().plan(&request, &Cancel::new()).unwrap();
    assert_eq!(plan.partitions.len(), 2);
    assert!(plan.snapshot.is_some(), "{plan}");
    let batches: Vec<_> = Stream::start(plan, &four(), Cancel::new()).collect::<Result<_>>().unwrap();
    let keys: Vec<_> = batches.iter().flat_map(|batch| texts(batch, 0)).collect();
    assert_eq!(keys, all(30));
}
