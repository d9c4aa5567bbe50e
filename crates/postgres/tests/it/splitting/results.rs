//! What needs all rows at once is read whole.

use super::{read_by, splits, stays_whole, unsplit};
use crate::reading::{over, refused};

#[test]
fn clauses_over_the_whole_result_are_kept_whole() {
    for (sql, reason) in [
        ("SELECT count(*), sum(price)::numeric(14, 2) FROM big", "it aggregates"),
        ("SELECT summed(id) FROM big", "summed aggregates"),
        ("SELECT grp, max(id) FROM big GROUP BY grp ORDER BY grp", "it groups"),
        ("SELECT 1 AS one FROM big HAVING true", "it groups"),
        ("SELECT id FROM big ORDER BY note, id", "it is ordered"),
        ("SELECT id FROM big LIMIT 10", "it has a LIMIT"),
        ("SELECT id FROM big OFFSET 19990", "it has a LIMIT"),
        ("SELECT id FROM big FETCH FIRST 3 ROWS ONLY", "it has a LIMIT"),
        ("SELECT DISTINCT grp % 1 AS g FROM big", "it removes duplicates"),
        ("SELECT id, row_number() OVER (ORDER BY id) FROM big", "it has a window function"),
        ("SELECT id FROM big WHERE id < 5 UNION ALL SELECT id FROM big WHERE id > 19990", "it is a set operation"),
        ("SELECT id FROM big WHERE id < 5 INTERSECT SELECT id FROM big WHERE id < 2", "it is a set operation"),
        ("WITH b AS (SELECT id FROM big) SELECT id FROM b", "it has a WITH clause"),
        ("VALUES (1, 'a'), (2, 'b')", "it is a list of VALUES"),
        ("TABLE small", "it is a TABLE command"),
        ("SELECT id FROM (SELECT id FROM big) AS b", "none of its tables gives each row"),
        ("SELECT 1 AS one", "it reads no table"),
        ("SELECT id, generate_series(1, 2) FROM big", "generate_series returns sets of rows"),
        ("SELECT g FROM generate_series(1, 9) AS g", "table"),
        ("SELECT id FROM big TABLESAMPLE SYSTEM (50) REPEATABLE (7)", "it samples a table"),
        ("SELECT id FROM big WHERE grp = (SELECT grp FROM small LIMIT 1)", "a subquery has a LIMIT"),
    ] {
        stays_whole(sql, reason);
    }
}

#[test]
fn parameters_are_read_whole() {
    use bowshot_core::{Params, Query, Request, Value};
    let query =
        Query { sql: "SELECT id FROM big WHERE grp = $1".into(), params: Params::Positional(vec![Value::Int(3)]) };
    let request = Request::new(query, over(4));
    let plan = bowshot_core::Source::plan(
        &bowshot_postgres::Postgres::from_uri(&super::DATA.uri()).unwrap(),
        &request,
        &bowshot_core::Cancel::new(),
    );
    let read = crate::reading::finish(plan.unwrap(), &over(4)).unwrap();
    assert_eq!(read.reason, "it has parameters");
    super::same("parameters", &read, &super::plain("SELECT id FROM big WHERE grp = 3"));
}

#[test]
fn columns_that_only_the_whole_table_has_are_kept() {
    for column in ["ctid", "tableoid", "xmin", "cmax"] {
        unsplit(&format!("SELECT big.{column}::text FROM big"), &format!("it uses the system column {column}"));
    }
    stays_whole("SELECT id FROM big WHERE ctid < '(3,0)'", "it uses the system column ctid");
}

#[test]
fn whole_rows_are_kept() {
    for sql in [
        "SELECT row_to_json(b)::text FROM big b",
        "SELECT pg_typeof(big)::text FROM big",
        "SELECT (b).id FROM big b WHERE b IS NOT NULL",
        "SELECT to_jsonb(b.*)::text FROM big b",
    ] {
        stays_whole(sql, "rows of big as values");
    }
    unsplit("SELECT big FROM big", "rows of big as values");
    // A column of the table's name is a column.
    splits("SELECT b.id, id FROM big b WHERE b.grp > 1");
}

#[test]
fn locking_rows_is_refused() {
    let error = refused(&super::DATA.uri(), "SELECT id FROM big FOR UPDATE", &over(4));
    assert!(error.message().contains("FOR UPDATE"), "{error}");
}

#[test]
fn what_is_no_select_is_read_too() {
    let read = read_by(&over(4), "SHOW block_size");
    assert_eq!((read.rows(), read.partitions), (vec!["8192".to_owned()], 1));
    let read = read_by(&over(4), "EXPLAIN (COSTS off) SELECT 1");
    assert_eq!(read.rows(), ["Result"]);
}
