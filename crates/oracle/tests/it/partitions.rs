//! Partitions: by the addresses of rows on one SCN, by a column, by a list of queries, and why there is only one.

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use bowshot_core::{Cancel, Options, Partitioning, Plan, Query, Request, Source, Stream};
use bowshot_oracle::Oracle;

use crate::answers::{Answer, number, text};
use crate::server::{CLASSIC, Database, is_query};
use crate::ttc;

/// What the database grants and has.
#[derive(Clone, Copy)]
pub struct World {
    pub blocks: i64,
    /// DBMS_FLASHBACK may be executed.
    pub package: bool,
    /// V$DATABASE may be seen.
    pub view: bool,
    /// The table may be read as it was.
    pub flashback: bool,
    pub kind: &'static str,
}

pub const LARGE: World = World { blocks: 100_000, package: true, view: true, flashback: true, kind: "" };

fn addresses() -> Vec<String> {
    (10..90).map(|number| format!("AAAR3sAAEAAAACX{number}A")).collect()
}

pub fn world(world: World) -> Database {
    Database::start(CLASSIC, move |sql, _| {
        let refused = |code, message| Answer::Error(code, message, 0);
        let one = |value| Answer::Rows(vec![ttc::column("V", 1)], vec![vec![text(value)]]);
        let ids = |ids: std::ops::Range<i64>| {
            Answer::Rows(vec![ttc::number("ID", 10, 0)], ids.map(|id| vec![number(id)]).collect())
        };
        if sql.contains("DBMS_FLASHBACK") {
            return match (world.package, is_query(sql)) {
                (false, _) => {
                    refused(904, "ORA-00904: \"DBMS_FLASHBACK\".\"GET_SYSTEM_CHANGE_NUMBER\": invalid identifier")
                }
                (true, true) => one("4711"),
                (true, false) if world.kind == "forgotten" => {
                    refused(8181, "ORA-08181: specified number is not a valid system change number")
                }
                (true, false) => Answer::Done,
            };
        }
        if sql.contains("V$DATABASE") {
            return if world.view { one("4712") } else { refused(942, "ORA-00942: table or view does not exist") };
        }
        if sql.contains("ALL_TABLES") {
            let flag = |kind: &str| if world.kind == kind { text("X") } else { None };
            let columns = ["OWNER", "PARTITIONED", "IOT_TYPE", "CLUSTER_NAME", "TEMPORARY", "BLOCKS", "NUM_ROWS"];
            let mut columns: Vec<_> = columns.iter().map(|name| ttc::column(name, 1)).collect();
            columns.push(ttc::number("EXTERNAL", 0, -127));
            let partitioned = text(if world.kind == "partitioned" { "YES" } else { "NO" });
            let temporary = text(if world.kind == "temporary" { "Y" } else { "N" });
            let row = vec![
                text("SCOTT"),
                partitioned,
                flag("iot"),
                flag("cluster"),
                temporary,
                text(&world.blocks.to_string()),
                text("5000"),
                number(i64::from(world.kind == "external")),
            ];
            let rows = if world.kind == "view" { Vec::new() } else { vec![row] };
            return Answer::Rows(columns, rows);
        }
        if sql.contains("ALL_TAB_PARTITIONS") {
            let columns = vec![ttc::column("P", 1), ttc::column("B", 1), ttc::column("C", 1)];
            let row = |name: &str, blocks: &str| vec![text(name), text(blocks), text("NO")];
            return Answer::Rows(columns, vec![row("P1", "90000"), row("P2", "10"), row("P3", "0")]);
        }
        if sql.contains("SAMPLE BLOCK") {
            return Answer::Rows(
                vec![ttc::column("R", 1)],
                addresses().iter().map(|address| vec![text(address)]).collect(),
            );
        }
        if sql.contains("AS OF SCN") && !world.flashback {
            return refused(1031, "ORA-01031: insufficient privileges");
        }
        if sql.contains("AS OF SCN") && world.kind == "forgotten" {
            return refused(1555, "ORA-01555: snapshot too old: rollback segment number 9 too small");
        }
        if sql.contains("ROWNUM = 1") {
            return Answer::Rows(vec![ttc::number("N", 0, -127)], vec![vec![number(1)]]);
        }
        if sql.contains("min(") {
            return Answer::Rows(
                vec![ttc::number("A", 0, -127), ttc::number("B", 0, -127)],
                vec![vec![number(0), number(99)]],
            );
        }
        if sql.contains("AS OF SCN") {
            // The range tells which rows it has.
            let bound = |word: &str, open: i64| match sql.find(word) {
                None => open,
                Some(at) => sql[at + word.len() + 15..at + word.len() + 17].parse().unwrap(),
            };
            return ids(bound(">= CHARTOROWID('", 0)..bound("< CHARTOROWID('", 100));
        }
        if is_query(sql) { ids(0..100) } else { Answer::Done }
    })
}

fn plan(database: &Database, sql: &[&str], options: &Options) -> Plan {
    let source = Oracle::from_uri(&database.uri()).unwrap();
    let request = Request { queries: sql.iter().map(|sql| Query::new(*sql)).collect(), options: options.clone() };
    source.plan(&request, &Cancel::new()).unwrap()
}

fn ids(plan: Plan, options: &Options) -> Vec<i64> {
    let batches = Stream::start(plan, options, Cancel::new());
    batches.flat_map(|batch| batch.unwrap().column(0).as_primitive::<Int64Type>().values().to_vec()).collect()
}

pub fn four() -> Options {
    Options { connections: Some(4), ..Options::default() }
}

#[test]
fn a_large_table_is_split_on_one_scn() {
    for (grants, scn) in [(LARGE, "SCN 4711"), (World { package: false, ..LARGE }, "SCN 4712")] {
        let database = world(grants);
        let plan = plan(&database, &["SELECT id FROM orders WHERE id >= 0"], &four());
        assert_eq!(plan.snapshot.as_deref(), Some(scn));
        assert_eq!(plan.partitions.len(), 12, "{}", plan.reason);
        assert_eq!(plan.estimate.rows, Some(5000));
        assert_eq!(ids(plan, &four()), (0..100).collect::<Vec<_>>());
        assert!(database.connections() > 1);
    }
}

#[test]
fn partitions_of_the_table_are_divided_each_for_itself() {
    let database = world(World { kind: "partitioned", ..LARGE });
    let plan = plan(&database, &["SELECT id FROM orders"], &four());
    let labels: Vec<&str> = plan.partitions.iter().map(|partition| partition.label.as_str()).collect();
    assert!(labels[0].contains("PARTITION (\"P1\")"), "{labels:?}");
    assert!(
        labels.ends_with(&["range 1 of 1 of ORDERS PARTITION (\"P2\")", "range 1 of 1 of ORDERS PARTITION (\"P3\")"]),
        "{labels:?}"
    );
}

#[test]
fn one_partition_has_its_reason() {
    for (grants, word) in [
        (World { blocks: 10, ..LARGE }, "small"),
        (World { package: false, view: false, ..LARGE }, "DBMS_FLASHBACK"),
        (World { flashback: false, ..LARGE }, "GRANT FLASHBACK"),
        (World { kind: "iot", ..LARGE }, "index"),
        (World { kind: "cluster", ..LARGE }, "cluster"),
        (World { kind: "temporary", ..LARGE }, "temporary"),
        (World { kind: "external", ..LARGE }, "external"),
        (World { kind: "view", ..LARGE }, "a view"),
    ] {
        let database = world(grants);
        let plan = plan(&database, &["SELECT id FROM orders"], &four());
        assert_eq!(plan.partitions.len(), 1);
        assert!(plan.reason.contains(word), "{}", plan.reason);
        assert_eq!(plan.snapshot, None);
        assert_eq!(ids(plan, &four()).len(), 100);
    }
    let one = Options { connections: Some(1), ..Options::default() };
    assert!(plan(&world(LARGE), &["SELECT id FROM orders"], &one).reason.contains("one connection"));
}

#[test]
fn a_column_divides_any_query_when_sessions_can_be_set_to_one_scn() {
    let options =
        Options { partitioning: Partitioning::Column { column: "ID".into(), count: 4, range: None }, ..four() };
    let database = world(LARGE);
    let divided = plan(&database, &["SELECT a.id FROM orders a JOIN lines b ON a.id = b.id"], &options);
    assert_eq!(divided.partitions.len(), 5);
    assert_eq!(divided.snapshot.as_deref(), Some("SCN 4711"));
    drop(divided);
    let set = |sql: &String| sql == "BEGIN DBMS_FLASHBACK.ENABLE_AT_SYSTEM_CHANGE_NUMBER(4711); END;";
    assert!(database.statements().iter().any(set));
    let database = world(World { package: false, ..LARGE });
    let whole = plan(&database, &["SELECT a.id FROM orders a JOIN lines b ON a.id = b.id"], &options);
    assert_eq!(whole.partitions.len(), 1);
    assert!(whole.reason.contains("DBMS_FLASHBACK"), "{}", whole.reason);
    let torn = Options { one_snapshot: false, ..options };
    assert_eq!(plan(&database, &["SELECT id FROM orders"], &torn).partitions.len(), 5);
}

#[test]
fn a_list_is_read_on_one_state() {
    let list = ["SELECT id FROM a", "SELECT id FROM b", "SELECT id FROM c"];
    let database = world(LARGE);
    let shared = plan(&database, &list, &four());
    assert_eq!((shared.partitions.len(), shared.snapshot.as_deref()), (3, Some("SCN 4711")));
    assert_eq!(ids(shared, &four()).len(), 300);
    // Without rights, one connection reads all of it in one transaction.
    let database = world(World { package: false, view: false, ..LARGE });
    let alone = plan(&database, &list, &four());
    assert!(alone.reason.contains("one connection"), "{}", alone.reason);
    assert_eq!(ids(alone, &four()).len(), 300);
    assert_eq!(database.connections(), 1);
    assert_eq!(database.statements().iter().filter(|sql| *sql == "SET TRANSACTION READ ONLY").count(), 1);
}
