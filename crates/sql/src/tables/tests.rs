use proptest::prelude::*;

use super::*;
use Dialect::{MySql, Oracle, Postgres, SqlServer, Sqlite, Standard};

const DIALECTS: [Dialect; 6] = [Postgres, Sqlite, MySql, SqlServer, Oracle, Standard];

/// The tables as the database keeps their names, each place once; names are also where their ranges say.
fn names(sql: &str, dialect: Dialect) -> Vec<String> {
    let read = tables(sql, dialect).unwrap_or_else(|unreadable| panic!("{sql}: {unreadable}"));
    for table in &read.tables {
        let written = sql.get(table.range.clone()).unwrap();
        let chains = chains(written, &lex(written, dialect).unwrap(), dialect);
        assert_eq!(chains.len(), 1, "{sql}: {written}");
        assert_eq!(chains[0].name, table.name, "{sql}");
    }
    read.tables.iter().map(|table| table.name.to_string()).collect()
}

fn functions(sql: &str, dialect: Dialect) -> Vec<String> {
    tables(sql, dialect).unwrap().functions.iter().map(Name::to_string).collect()
}

#[test]
fn every_table_is_found_wherever_it_stands() {
    let cases: &[(&str, &str)] = &[
        ("SELECT 1", ""),
        ("SELECT * FROM a", "a"),
        ("SELECT * FROM a, b AS c, d e", "a b d"),
        ("SELECT * FROM s . \"T x\" /* . u */ , q./**/r", "s.T x q.r"),
        ("SELECT * FROM a JOIN b USING (x) LEFT JOIN c ON true NATURAL JOIN d CROSS JOIN e", "a b c d e"),
        ("SELECT * FROM ((a JOIN b ON true) JOIN (c CROSS JOIN d) ON true)", "a b c d"),
        ("SELECT * FROM (SELECT * FROM (SELECT * FROM a) b) c", "a"),
        ("SELECT * FROM a, LATERAL (SELECT * FROM b WHERE b.x = a.x) l", "a b"),
        ("SELECT (SELECT max(x) FROM a), (SELECT 1 FROM b) + 1", "a b"),
        (
            "SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b) AND x IN (SELECT x FROM c) AND y = ANY (SELECT y FROM d)",
            "a b c d",
        ),
        (
            "SELECT x FROM a GROUP BY x HAVING count(*) > (SELECT 1 FROM b) ORDER BY (SELECT 1 FROM c) LIMIT (SELECT 1 FROM d)",
            "a b c d",
        ),
        ("SELECT sum(x) FILTER (WHERE x IN (SELECT 1 FROM b)) OVER (PARTITION BY (SELECT 1 FROM c)) FROM a", "b c a"),
        ("SELECT CASE WHEN (SELECT true FROM b) THEN (SELECT 1 FROM c) ELSE (SELECT 2 FROM d) END FROM a", "b c d a"),
        ("SELECT ARRAY(SELECT x FROM b) FROM a", "b a"),
        ("SELECT coalesce((SELECT 1 FROM b), 2) FROM a JOIN c ON c.x = (SELECT 1 FROM d)", "b a c d"),
        ("SELECT 1 FROM a UNION ALL SELECT 2 FROM b EXCEPT (SELECT 3 FROM c INTERSECT SELECT 4 FROM d)", "a b c d"),
        ("VALUES (1, (SELECT 2 FROM a)), ((SELECT 1 FROM b), 2)", "a b"),
        ("SELECT * FROM (VALUES (1), ((SELECT x FROM a))) v(x)", "a"),
        ("TABLE a", "a"),
        ("TABLE \"A b\" ORDER BY x LIMIT 3", "A b"),
        ("SELECT 1 UNION TABLE a UNION ALL TABLE s.b UNION SELECT 2 FROM c", "a s.b c"),
        ("SELECT * FROM (TABLE a) x WHERE y IN (TABLE b) AND z = (TABLE c)", "a b c"),
        ("SELECT * FROM generate_series(1, 3) g, unnest(ARRAY[1]) u(x), a, LATERAL f(a.x)", "a"),
        ("SELECT salaries.x, salaries.* FROM orders salaries", "orders"),
        ("SELECT salaries FROM orders", "orders"),
        ("SELECT 'FROM x' AS \"FROM y\" -- FROM z\nFROM a /* , b */", "a"),
        ("SELECT extract(year FROM d), trim(both 'x' FROM e), substring(f FROM 2), a IS DISTINCT FROM b FROM t", "t"),
        ("SELECT * FROM a TABLESAMPLE bernoulli (5), b", "a b"),
        ("SELECT * FROM a WHERE x = $1 AND y = ? LIMIT ?", "a"),
        ("SELECT * FROM a WHERE x = %s AND y LIKE '%%s'", "a"),
        ("SELECT * FROM a WHERE x = :name", "a"),
        ("SELECT * FROM a WHERE x = %(name)s", "a"),
        ("SELECT * FROM a;", "a"),
    ];
    for (sql, expected) in cases {
        assert_eq!(names(sql, Postgres).join(" "), *expected, "{sql}");
    }
}

#[test]
fn a_with_hides_only_what_the_database_says() {
    let cases: &[(Dialect, &str, &str)] = &[
        (Postgres, "WITH salaries AS (SELECT * FROM salaries) SELECT * FROM salaries", "salaries"),
        (Postgres, "WITH RECURSIVE salaries AS (SELECT 1 UNION SELECT * FROM salaries) SELECT * FROM salaries", ""),
        (Postgres, "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", "b"),
        (Postgres, "WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a", ""),
        (Postgres, "WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM b, a, c", "c"),
        (Postgres, "WITH a AS (SELECT 1) SELECT * FROM public.a, a", "public.a"),
        (Postgres, "WITH a AS (WITH b AS (SELECT * FROM c) SELECT * FROM b) SELECT * FROM a, b", "c b"),
        (Postgres, "SELECT * FROM (WITH a AS (SELECT 1) SELECT * FROM a) x, a", "a"),
        (Postgres, "WITH a AS (SELECT 1) SELECT * FROM (WITH a AS (SELECT * FROM a) SELECT * FROM a) x", ""),
        (Postgres, "WITH a AS (SELECT 1) (SELECT * FROM a) UNION SELECT * FROM b ORDER BY (SELECT 1 FROM a)", "b"),
        (Postgres, "WITH a AS (SELECT 1) TABLE a", ""),
        (Postgres, "WITH a AS (TABLE a) TABLE a", "a"),
        (Postgres, "WITH \"A\" AS (SELECT 1) SELECT * FROM a, A, \"A\", \"a\"", "a a a"),
        (Postgres, "WITH A AS (SELECT 1) SELECT * FROM a, \"a\", \"A\"", "A"),
        (Postgres, "SELECT (WITH a AS (SELECT 1) SELECT x FROM a), x FROM a", "a"),
        (Postgres, "WITH a AS MATERIALIZED (SELECT 1 FROM b) SELECT * FROM a WHERE EXISTS (SELECT 1 FROM a)", "b"),
        (Sqlite, "WITH n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT * FROM N", ""),
        (Sqlite, "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a, main.b", "main.b"),
        (Sqlite, "SELECT * FROM [a b], `c`, \"d\"", "a b c d"),
        (MySql, "WITH RECURSIVE a AS (SELECT * FROM b), b AS (SELECT * FROM b) SELECT * FROM a, `b`", "b"),
        (MySql, "WITH a AS (SELECT * FROM a) SELECT * FROM `a`, DUAL, `db`.`a`", "a db.a"),
        (MySql, "SELECT * FROM a USE INDEX (i) JOIN b PARTITION (p0) ON true STRAIGHT_JOIN c", "a b c"),
        (MySql, "SELECT * FROM a WHERE x = ? # FROM b\n LIMIT 1, 2", "a"),
        (SqlServer, "WITH n AS (SELECT 1 x UNION ALL SELECT x + 1 FROM n) SELECT TOP (3) * FROM n, [b c], s..t", ""),
        (SqlServer, "SELECT * FROM a WITH (NOLOCK) CROSS APPLY (SELECT * FROM b) c", "a b"),
        (SqlServer, "SELECT * FROM a PIVOT (SUM(x) FOR y IN ([1], [2])) p, b", "a b"),
        (
            Oracle,
            "WITH n(x) AS (SELECT 1 FROM dual UNION ALL SELECT x FROM n), m AS (SELECT * FROM m) SELECT * FROM n, m",
            "M",
        ),
        (Oracle, "SELECT * FROM hr.\"Staff\" WHERE ROWNUM < 3", "HR.Staff"),
        (Standard, "SELECT * FROM a JOIN b ON a.x = b.x", "a b"),
    ];
    for (dialect, sql, expected) in cases {
        let found = tables(sql, *dialect).map(|_| names(sql, *dialect).join(" "));
        match found {
            Ok(found) => assert_eq!(found, *expected, "{dialect:?} {sql}"),
            // What is not read is not read wrongly; only these may not be.
            Err(unreadable) => assert!(sql.contains("s..t"), "{dialect:?} {sql}: {unreadable}"),
        }
    }
}

#[test]
fn a_with_in_other_capital_letters_may_be_a_table_for_some_servers() {
    for (dialect, perhaps) in [(MySql, true), (SqlServer, true), (Standard, true)] {
        let read = tables("WITH Recent AS (SELECT 1) SELECT * FROM recent", dialect).unwrap();
        assert_eq!(read.tables.iter().map(|table| table.perhaps_with).collect::<Vec<_>>(), [perhaps], "{dialect:?}");
    }
}

#[test]
fn what_is_not_one_reading_query_is_said() {
    let deep = format!("SELECT {}1{}", "(".repeat(10_000), ")".repeat(10_000));
    let queries = format!("{}SELECT 1{}", "SELECT * FROM (".repeat(5_000), ") x".repeat(5_000));
    let long = format!("SELECT 1{}", " + a".repeat(100_000));
    let cases: &[(&str, &str)] = &[
        ("", "is empty"),
        ("-- nothing", "is empty"),
        ("SELECT 1; SELECT 2", "is more than one statement"),
        ("INSERT INTO a SELECT * FROM b", "is not a SELECT"),
        ("SHOW search_path", "is not a SELECT"),
        ("EXPLAIN SELECT 1", "is not a SELECT"),
        ("SELECT * INTO a FROM b", "writes to the database"),
        ("WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a", "writes to the database"),
        ("WITH a AS (SELECT 1) INSERT INTO b SELECT * FROM a", "writes to the database"),
        ("SELECT * FROM ONLY a", "reads ONLY"),
        ("SELECT * FROM only a, b", "reads ONLY"),
        ("TABLE ONLY a", "reads ONLY"),
        ("SELECT * FROM 'a'", "Bowshot"),
        ("SELEC 1", "parser"),
        ("SELECT 'open", "ends inside a string"),
        ("TABLE a; DROP TABLE b", ""),
        ("TABLE a; SELECT 1", "more than one statement"),
        ("TABLE\u{a0}a", ""),
        (&deep, "nested too deeply"),
        (&queries, "nested too deeply"),
        (&long, "too long"),
    ];
    for (sql, reason) in cases {
        let unreadable = tables(sql, Postgres).expect_err(sql);
        assert!(unreadable.reason().contains(reason), "{:.80}: {unreadable}", sql);
    }
    assert!(tables("SELECT 1 IN salaries", Sqlite).is_err(), "SQLite reads a table there");
    assert!(tables("SELECT * FROM 'salaries'", Sqlite).is_err(), "SQLite reads a table there");
    assert!(tables("SELECT * FROM \"salaries\"", MySql).is_err(), "a table with ANSI_QUOTES");
}

#[test]
fn every_call_is_found() {
    let cases: &[(&str, &str)] = &[
        ("SELECT a FROM t", ""),
        ("SELECT pg_catalog . \"Lower\" /**/ (a), s.f(1) FROM t", "pg_catalog.Lower s.f"),
        ("SELECT * FROM query_to_xml('x') a(b), LATERAL (SELECT f(1)) l", "query_to_xml lateral f"),
        ("WITH a(b) AS (SELECT 1) SELECT * FROM a AS c(d), (SELECT 2) e(f), g(3) h(i)", "g"),
        ("SELECT current_user, (SELECT CURRENT_DATE)", "current_user current_date"),
        ("SELECT x FROM t ORDER BY f(x) LIMIT g()", "f g"),
        ("SELECT count(*) FILTER (WHERE f(x)) OVER (PARTITION BY g(x)) FROM t", "count f g"),
        ("SELECT interval '1' day * h(1), {fn user()}", "h user"),
    ];
    for (sql, expected) in cases {
        assert_eq!(functions(sql, Postgres).join(" "), *expected, "{sql}");
    }
    let read = tables("SELECT * FROM f(1), a, LATERAL s.g(2), unnest(ARRAY[1])", Postgres).unwrap();
    let found: Vec<String> = read.table_functions.iter().map(Name::to_string).collect();
    assert_eq!(found, ["f", "s.g"]);
    assert!(functions("SELECT * FROM salaries (NOLOCK)", SqlServer).contains(&"salaries".to_owned()));
}

#[test]
fn every_type_that_is_cast_to_is_found() {
    for (sql, expected) in [
        ("SELECT a::numeric(3, 1), CAST(b AS hr.salaries), date '2020-01-01'", "NUMERIC(3,1) hr.salaries DATE"),
        ("SELECT 'a'::regclass, 'b'::regtype", "REGCLASS regtype"),
        ("SELECT NULL::salaries[], TRY_CAST(a AS int)", "salaries[] INT"),
        ("SELECT * FROM json_to_record('{}') AS x(a salaries)", "salaries"),
        ("SELECT json_value(a, '$' RETURNING salaries)", "salaries"),
    ] {
        let Ok(read) = tables(sql, Postgres) else { continue };
        for expected in expected.split(' ') {
            assert!(read.types.iter().any(|known| known == expected), "{sql}: {:?}", read.types);
        }
    }
}

#[test]
fn an_order_of_the_whole_result_is_told_from_others() {
    for (sql, ordered) in [
        ("SELECT a FROM t ORDER BY a", true),
        ("((SELECT a FROM t ORDER BY a LIMIT 3))", true),
        ("(SELECT a FROM t ORDER BY a) LIMIT 3", true),
        ("WITH x AS (SELECT 1) SELECT a FROM t ORDER BY a LIMIT 3", true),
        ("WITH x AS (SELECT 1) (SELECT a FROM t ORDER BY a)", true),
        ("SELECT a FROM t UNION SELECT b FROM u ORDER BY 1", true),
        ("TABLE t ORDER BY a", true),
        ("SELECT a FROM t", false),
        ("SELECT * FROM (SELECT a FROM t ORDER BY a) x", false),
        ("WITH x AS (SELECT a FROM t ORDER BY a) SELECT * FROM x", false),
        ("(SELECT a FROM t ORDER BY a) UNION SELECT 1", false),
        ("SELECT row_number() OVER (ORDER BY a), array_agg(a ORDER BY a) FROM t", false),
    ] {
        assert_eq!(tables(sql, Postgres).unwrap().ordered, ordered, "{sql}");
    }
}

#[test]
fn what_databases_read_in_different_ways_is_doubtful() {
    let cases: &[(Dialect, &str)] = &[
        (Postgres, "SELECT '\\' , x, '"),
        (Postgres, "SELECT 'a\\' || 'b'"),
        (Postgres, "SELECT E'a\\' || \\'b'"),
        (Postgres, "SELECT 1 -- a\r, 2"),
        (Postgres, "SELECT 1 \0"),
        (Postgres, "SELECT 1 /* a /* b */ c */"),
        (Postgres, "SELECT ſ FROM t"),
        (Postgres, "SELECT * FROM orders\u{3000}salaries"),
        (Postgres, "SELECT regtype 'x'"),
        (Postgres, "SELECT U&\"\\0061\" FROM t"),
        (Postgres, "SELECT 1FROM"),
        (Postgres, "SELECT 'a'::regclass"),
        (Postgres, "SELECT a FROM t FOR UPDATE"),
        (Postgres, "SELECT hr.salaries 'x'"),
        (Postgres, "SELECT salaries /**/ 'x'"),
        (Postgres, "SELECT \"date\" 'x'"),
        (Standard, "SELECT 1 --1"),
        (Standard, "SELECT `a`"),
        (Standard, "SELECT a # b\n"),
        (Standard, "SELECT {fn user()}"),
        (Standard, "SELECT q'[a]'"),
        (MySql, "SELECT 1 /*! + 1 */"),
        (MySql, "SELECT /*M!100000 1, */ 2"),
        (MySql, "SELECT /*+ SET_VAR(sql_mode = '') */ 1"),
        (MySql, "SELECT \"a\""),
        (MySql, "SELECT 'a\\'b'"),
        (MySql, "SELECT @a"),
        (Oracle, "SELECT * FROM t@elsewhere"),
        (SqlServer, "SELECT @@version"),
        (SqlServer, "SELECT * FROM a SHUTDOWN"),
        (SqlServer, "SELECT 1 COMMIT"),
    ];
    for (dialect, sql) in cases {
        if let Ok(read) = tables(sql, *dialect) {
            assert!(!read.doubts.is_empty(), "{dialect:?} {sql}");
        }
    }
}

#[test]
fn ordinary_queries_leave_no_doubt() {
    for (dialect, sql) in [
        (
            Postgres,
            "SELECT \"a b\", 'it''s', E'\\n', $$x$$, 1.5e10, 1e-3, b'01', x'ff' -- done\nFROM s.\"T\" /* x */ WHERE a @> '{1}' AND b LIKE 'x' AND c = date '2020-01-01'",
        ),
        (Postgres, "SELECT date_trunc('month', d)::date AS month, sum(x) FROM t GROUP BY 1 ORDER BY 1 DESC LIMIT 10"),
        (Postgres, "SELECT a FROM t WHERE b = $1 AND c = ?"),
        (Sqlite, "SELECT [a b], \"c\", `d`, 'x' FROM t WHERE a = ? AND b = ?1"),
        (MySql, "SELECT `a b`, 'it''s', '\\n', 0x1F FROM t -- done\nWHERE a = ? # done"),
        (SqlServer, "SELECT TOP 5 [a b], N'x' FROM [s].[t] WITH (NOLOCK) ORDER BY 1"),
        (Oracle, "SELECT q'[it's]', N'x' FROM dual"),
        (Standard, "SELECT \"a b\", 'it''s', 1.5 FROM \"s\".\"t\" -- done\nWHERE a = ?"),
    ] {
        assert_eq!(tables(sql, dialect).unwrap_or_else(|e| panic!("{sql}: {e}")).doubts, [""; 0], "{dialect:?} {sql}");
    }
}

#[test]
fn qualified_names_elsewhere_are_told_with_their_places() {
    let sql = "SELECT shop.orders.id, o.x, count(shop.f(1)) FROM shop.orders o WHERE 'a.b' = \"c.d\".e";
    let read = tables(sql, Postgres).unwrap();
    let found: Vec<&str> = read.qualified.iter().map(|name| &sql[name.range.clone()]).collect();
    assert_eq!(found, ["shop.orders.id", "o.x", "shop.f", "\"c.d\".e"]);
}

/// Pieces that queries are made of.
fn piece() -> impl Strategy<Value = String> {
    let words = [
        "SELECT",
        "FROM",
        "a",
        "b",
        "s.a",
        "\"a\"",
        "`a`",
        "[a]",
        ",",
        "(",
        ")",
        "*",
        "JOIN",
        "ON true",
        "WITH",
        "AS",
        "UNION",
        "TABLE",
        "ONLY",
        "LATERAL",
        "WHERE",
        "IN",
        "EXISTS",
        "'x'",
        "E'\\''",
        "$$",
        "/*",
        "*/",
        "--",
        "\n",
        "1",
        "f(",
        ";",
        "RECURSIVE",
        "VALUES",
        "::",
        "ORDER BY",
        "LIMIT",
        "?",
        "%s",
        "$1",
        ":n",
        "ä",
        "U&\"a\"",
        "/*!",
        "@",
        "AS a (",
        "CAST(",
        "\u{a0}",
    ];
    prop_oneof![proptest::sample::select(words.to_vec()).prop_map(str::to_owned), "\\PC{0,3}"]
}

/// A query, and the real tables that it reads, in the order of the text.
fn query(depth: u32) -> BoxedStrategy<(String, Vec<String>)> {
    let table = proptest::sample::select(vec!["a", "b", "c", "s.a", "s.b"]);
    let leaf = table.prop_map(|name| (format!("SELECT x FROM {name}"), vec![name.to_owned()]));
    let grow = |inner: BoxedStrategy<(String, Vec<String>)>| {
        let pair = || (inner.clone(), inner.clone());
        prop_oneof![
            pair().prop_map(|((a, left), (b, right))| (format!("{a} UNION ALL ({b})"), [left, right].concat())),
            pair().prop_map(|((a, left), (b, right))| {
                (format!("SELECT x FROM ({a}) q JOIN LATERAL ({b}) r ON true"), [left, right].concat())
            }),
            pair().prop_map(|((a, left), (b, right))| {
                (format!("SELECT ({a}) FROM s.t WHERE x IN ({b})"), [left, vec!["s.t".into()], right].concat())
            }),
            pair().prop_map(|((a, left), (b, right))| {
                // The inner query sees the table, the outer one the expression.
                let right: Vec<String> = right.into_iter().filter(|name| name != "a").collect();
                (format!("SELECT x FROM (WITH a AS ({a}) {b}) w"), [left, right].concat())
            }),
            pair().prop_map(|((a, left), (b, right))| {
                let hidden = |names: Vec<String>| names.into_iter().filter(|name| name != "b").collect::<Vec<_>>();
                (format!("SELECT x FROM (WITH RECURSIVE b AS ({a}) {b}) w"), [hidden(left), hidden(right)].concat())
            }),
        ]
        .boxed()
    };
    leaf.boxed().prop_recursive(depth, 24, 2, grow).boxed()
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_or_point_beside_a_name(pieces in prop::collection::vec(piece(), 0..24), which in 0..6_usize) {
        let sql = pieces.join(" ");
        let dialect = DIALECTS[which];
        if let Ok(read) = tables(&sql, dialect) {
            for table in &read.tables {
                let written = sql.get(table.range.clone()).unwrap();
                let first = table.name.0.first().unwrap();
                prop_assert!(first.quoted || written.to_lowercase().starts_with(&first.text.to_lowercase()), "{sql}: {written}");
            }
            for name in &read.qualified {
                prop_assert!(sql.get(name.range.clone()).is_some_and(|written| written.contains('.')));
            }
        }
    }

    #[test]
    fn exactly_the_tables_that_a_query_was_made_of_are_found((sql, expected) in query(4)) {
        // PostgreSQL's rules: what RECURSIVE makes visible is hidden in both halves.
        prop_assert_eq!(names(&sql, Postgres), expected, "{}", sql);
    }

    #[test]
    fn comments_and_capital_letters_change_nothing((sql, _) in query(3)) {
        let noisy = sql.replace(' ', "/**/ -- x\n").replace("SELECT", "sElEcT").replace("FROM", "from");
        prop_assert_eq!(names(&noisy, Postgres), names(&sql, Postgres));
    }
}
