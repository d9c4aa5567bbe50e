use bowshot_core::Query;
use bowshot_sql::Dialect;

use super::*;

fn prepared(sql: &str) -> Prepared {
    Prepared::new(&Query::new(sql), Dialect::Oracle).unwrap()
}

fn table(clause: &str) -> Table {
    let segments = vec![Segment { clause: clause.into(), blocks: 100_000 }];
    Table { owner: "SALES".into(), name: "ORDERS".into(), rows: None, segments }
}

#[test]
fn ranges_leave_no_row_out() {
    let table = table("");
    let bounds = ["AAAR3sAAEAAAACXAAA", "AAAR3sAAEAAAADXAAA"].map(str::to_owned);
    let sql: Vec<String> =
        between(&table, &table.segments[0], "42", &bounds).into_iter().map(|slice| slice.sql).collect();
    assert_eq!(
        sql,
        [
            "(SELECT * FROM \"SALES\".\"ORDERS\" AS OF SCN 42 WHERE ROWID < CHARTOROWID('AAAR3sAAEAAAACXAAA'))",
            "(SELECT * FROM \"SALES\".\"ORDERS\" AS OF SCN 42 WHERE ROWID >= CHARTOROWID('AAAR3sAAEAAAACXAAA') \
             AND ROWID < CHARTOROWID('AAAR3sAAEAAAADXAAA'))",
            "(SELECT * FROM \"SALES\".\"ORDERS\" AS OF SCN 42 WHERE ROWID >= CHARTOROWID('AAAR3sAAEAAAADXAAA'))",
        ]
    );
    let whole = between(&table, &Segment { clause: " PARTITION (\"P1\")".into(), blocks: 1 }, "42", &[]);
    assert_eq!(whole[0].sql, "(SELECT * FROM \"SALES\".\"ORDERS\" PARTITION (\"P1\") AS OF SCN 42)");
    assert_eq!(whole.len(), 1);
}

#[test]
fn a_slice_takes_the_tables_place_and_name() {
    for (sql, spliced) in [
        ("SELECT o.id FROM sales.orders o WHERE x > 1", "SELECT o.id FROM (…) o WHERE x > 1"),
        ("select ID from orders", "select ID from (…) \"ORDERS\""),
        (
            "SELECT id FROM orders WHERE upper(name) IN ('A', 'B')",
            "SELECT id FROM (…) \"ORDERS\" WHERE upper(name) IN ('A', 'B')",
        ),
    ] {
        let query = prepared(sql);
        let candidate = candidate(&query).unwrap();
        assert_eq!(candidate.name.last(), "ORDERS");
        let slice = Slice { sql: "(…)".into(), label: "one".into() };
        assert_eq!(part(&query, candidate, slice).sql, spliced);
    }
}

#[test]
fn what_must_not_be_divided_is_not() {
    for (sql, word) in [
        ("SELECT COUNT(*) FROM orders", "aggregate"),
        ("SELECT id FROM orders ORDER BY id", "ordered"),
        ("SELECT DISTINCT id FROM orders", "duplicates"),
        ("SELECT o.id FROM orders o JOIN lines l ON l.id = o.id", "more than one table"),
        ("SELECT id FROM orders WHERE id IN (SELECT id FROM lines)", "more than one table"),
        ("SELECT rowid, id FROM orders", ""),
        ("SELECT id FROM orders WHERE rownum <= 10", ""),
        ("SELECT id, my_function(id) FROM orders", "MY_FUNCTION"),
        ("SELECT id FROM orders WHERE day > sysdate - 1", ""),
        ("SELECT id FROM orders FETCH FIRST 3 ROWS ONLY", ""),
        ("SELECT id FROM orders CONNECT BY PRIOR id = parent", ""),
        ("SELECT id FROM orders@other", ""),
        ("SELECT id FROM orders AS OF SCN 12", ""),
        ("SELECT id FROM orders PARTITION (p1)", ""),
        ("SELECT id FROM orders SAMPLE (10)", ""),
        ("SELECT id FROM a.b.orders", ""),
        ("SELECT id, sys_guid() FROM orders", ""),
        ("SELECT id, user FROM orders", ""),
    ] {
        let query = prepared(sql);
        let reason = candidate(&query).expect_err(sql);
        assert!(reason.to_uppercase().contains(&word.to_uppercase()), "{sql}: {reason}");
    }
}
