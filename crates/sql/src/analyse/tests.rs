use super::*;
use crate::deep::MOST_TOKENS;
use crate::splice;
use Dialect::{MySql, Postgres, Sqlite};

/// The query with each candidate replaced by `(…)` in turn, or the reason why there is none.
fn split(sql: &str, dialect: Dialect) -> Vec<String> {
    let shape = analyse(sql, dialect);
    assert!(shape.read, "{sql}: {:?}", shape.split);
    match shape.split {
        Ok(candidates) => candidates.iter().map(|candidate| splice(sql, candidate, "(…)")).collect(),
        Err(reason) => vec![reason],
    }
}

#[test]
fn tables_are_replaced_where_they_stand() {
    let cases: &[(&str, &[&str])] = &[
        ("SELECT l.a FROM public.lineitem l WHERE x", &["SELECT l.a FROM (…) l WHERE x"]),
        ("SELECT t.* FROM t", &["SELECT t.* FROM (…) \"t\""]),
        ("SELECT ALL a FROM t", &["SELECT ALL a FROM (…) \"t\""]),
        ("SELECT * FROM t;", &["SELECT * FROM (…) \"t\";"]),
        ("select T.a from T", &["select T.a from (…) \"t\""]),
        ("SELECT 1 FROM t AS \"T x\"", &["SELECT 1 FROM (…) AS \"T x\""]),
        ("SELECT 1 FROM \"t\"x", &["SELECT 1 FROM (…)x"]),
        ("SELECT 1 FROM \"a.b\".\"c\"\"d\"", &["SELECT 1 FROM (…) \"c\"\"d\""]),
        ("SELECT 1 FROM db.s . t", &["SELECT 1 FROM (…) \"t\""]),
        ("SELECT 1 FROM/* ' */t-- \"\nWHERE a", &["SELECT 1 FROM/* ' */(…) \"t\"-- \"\nWHERE a"]),
        ("SELECT 'lineitem' FROM lineitem", &["SELECT 'lineitem' FROM (…) \"lineitem\""]),
        ("SELECT $$ FROM t $$, '€😀é'\n\t, 'ä'\t FROM t", &["SELECT $$ FROM t $$, '€😀é'\n\t, 'ä'\t FROM (…) \"t\""]),
        ("SELECT U&'\\0061' \r\n FROM grün", &["SELECT U&'\\0061' \r\n FROM (…) \"grün\""]),
        (
            "SELECT * FROM t a JOIN t b ON a.x = b.y",
            &["SELECT * FROM (…) a JOIN t b ON a.x = b.y", "SELECT * FROM t a JOIN (…) b ON a.x = b.y"],
        ),
        (
            "SELECT * FROM a, b CROSS JOIN c",
            &[
                "SELECT * FROM (…) \"a\", b CROSS JOIN c",
                "SELECT * FROM a, (…) \"b\" CROSS JOIN c",
                "SELECT * FROM a, b CROSS JOIN (…) \"c\"",
            ],
        ),
        (
            "SELECT * FROM a JOIN b USING (x)",
            &["SELECT * FROM (…) \"a\" JOIN b USING (x)", "SELECT * FROM a JOIN (…) \"b\" USING (x)"],
        ),
        (
            "SELECT * FROM a NATURAL JOIN b",
            &["SELECT * FROM (…) \"a\" NATURAL JOIN b", "SELECT * FROM a NATURAL JOIN (…) \"b\""],
        ),
        ("SELECT * FROM a LEFT JOIN b ON a.x = b.x", &["SELECT * FROM (…) \"a\" LEFT JOIN b ON a.x = b.x"]),
        (
            "SELECT * FROM a RIGHT OUTER JOIN b ON a.x = b.x",
            &["SELECT * FROM a RIGHT OUTER JOIN (…) \"b\" ON a.x = b.x"],
        ),
        ("SELECT * FROM a NATURAL FULL JOIN b", &["none of its tables gives each row of the result exactly one row"]),
        (
            "SELECT * FROM a NATURAL FULL JOIN b JOIN c ON true",
            &["SELECT * FROM a NATURAL FULL JOIN b JOIN (…) \"c\" ON true"],
        ),
        (
            "SELECT * FROM a LEFT JOIN (b JOIN c USING (x)) ON true",
            &["SELECT * FROM (…) \"a\" LEFT JOIN (b JOIN c USING (x)) ON true"],
        ),
        (
            "SELECT * FROM (a LEFT JOIN b USING (x)) RIGHT JOIN c ON true",
            &["SELECT * FROM (a LEFT JOIN b USING (x)) RIGHT JOIN (…) \"c\" ON true"],
        ),
        (
            "SELECT * FROM a, b NATURAL RIGHT JOIN c",
            &["SELECT * FROM (…) \"a\", b NATURAL RIGHT JOIN c", "SELECT * FROM a, b NATURAL RIGHT JOIN (…) \"c\""],
        ),
        (
            "SELECT * FROM (SELECT x FROM u GROUP BY x) s JOIN t USING (x)",
            &["SELECT * FROM (SELECT x FROM u GROUP BY x) s JOIN (…) \"t\" USING (x)"],
        ),
        (
            "SELECT * FROM t, LATERAL (SELECT t.a) s, generate_series(1, 3)",
            &["SELECT * FROM (…) \"t\", LATERAL (SELECT t.a) s, generate_series(1, 3)"],
        ),
        (
            "SELECT * FROM t WHERE a IN (SELECT max(t.b) FROM t)",
            &["SELECT * FROM (…) \"t\" WHERE a IN (SELECT max(t.b) FROM t)"],
        ),
        (
            "SELECT a, (SELECT count(*) FROM t u WHERE u.a = t.a) FROM t",
            &["SELECT a, (SELECT count(*) FROM t u WHERE u.a = t.a) FROM (…) \"t\""],
        ),
        (
            "SELECT greatest(a, 1), EXTRACT(year FROM d) FROM t WHERE a ? 'b' AND c = $1",
            &["SELECT greatest(a, 1), EXTRACT(year FROM d) FROM (…) \"t\" WHERE a ? 'b' AND c = $1"],
        ),
    ];
    for (sql, expected) in cases {
        assert_eq!(split(sql, Postgres), *expected, "{sql}");
    }
}

#[test]
fn ordinary_expressions_are_understood() {
    let postgres = [
        "a::numeric(15,2)",
        "CAST(a AS double precision)",
        "a ILIKE 'x%'",
        "a IS DISTINCT FROM b",
        "a AT TIME ZONE 'UTC'",
        "a ~* 'x'",
        "a @> '{}'",
        "a OPERATOR(pg_catalog.+) 1",
        "a = ANY (ARRAY[1, 2])",
        "ROW(a, b)",
        "(a).b",
        "a COLLATE \"C\"",
        "interval '1 day'",
        "DATE '1994-01-01' + INTERVAL '1' YEAR",
        "X'1F'",
        "B'01'",
        "1_000",
        "a[1:2]",
        "a[1][2]",
        "a -> 'b' ->> 'c' #>> '{d}'",
        "a ? 'b' AND a ?| ARRAY['b']",
        "E'\\n' || U&'\\0061'",
        "CASE a WHEN 1 THEN 2 END",
        "extract(epoch FROM a)",
        "substring(a FROM 1 FOR 2)",
        "overlay(a PLACING 'b' FROM 1)",
        "trim(BOTH 'x' FROM a)",
        "position('a' IN b)",
        "a IS NOT NULL AND NOT b",
        "make_interval(days => 3)",
        "ARRAY(SELECT b FROM u)",
        "EXISTS (SELECT FROM u)",
        "(a, b) IN (VALUES (1, 2))",
        "a <-> b",
        "a && b",
        "a <@ b",
        "a % 2",
        "a ^ 2",
        "|/ a",
        "@ a",
        "a << 2",
        "~ a",
        "a::int[]",
        "timestamp 'now'",
        "current_timestamp(3)",
        "a SIMILAR TO 'x'",
        "a IS UNKNOWN",
        "(a, b) OVERLAPS (c, d)",
        "1e5",
        "$1",
        "a::varchar(10)[]",
        "'x'::regclass",
        "nullif(a, b)",
        "a.b.c",
        "NOT a",
        "-a",
        "$x$y$x$",
        "a !~ 'b'",
    ];
    let sqlite = [
        "a REGEXP 'b'",
        "x'1F'",
        "a == b",
        "a <> b",
        "datetime('now')",
        "a ->> '$.b'",
        "printf('%d', a)",
        "CAST(a AS TEXT)",
        "a NOTNULL",
        "a || b",
        "?1",
        ":a",
        "@a",
        "iif(a, b, c)",
        "a COLLATE NOCASE",
        "a NOT IN (1)",
        "a MATCH 'x'",
        "a LIKE 'b' ESCAPE '\\'",
        "+a",
        "a IN ()",
        "a IS NOT DISTINCT FROM b",
        "\"a\"",
        "[a]",
        "`a`",
        "a % b",
    ];
    let mysql = [
        "a DIV b",
        "a <=> b",
        "a RLIKE 'x'",
        "a XOR b",
        "a && b",
        "a->'$.b'",
        "a->>'$.b'",
        "_utf8mb4'x'",
        "BINARY a",
        "CONVERT(a USING utf8mb4)",
        "CONVERT(a, CHAR(10))",
        "CAST(a AS UNSIGNED)",
        "a + INTERVAL 1 DAY",
        "'a' 'b'",
        "\"x\"",
        "0x1F",
        "MATCH (a) AGAINST ('x')",
        "IF(a, b, c)",
        "a COLLATE utf8mb4_bin",
        "DATE_FORMAT(a, '%Y')",
        "a REGEXP 'x'",
        "?",
        "a IN (1)",
        "TRUE",
        "b'01'",
        "N'x'",
        "a ^ b",
        "TIMESTAMPDIFF(DAY, a, b)",
        "EXTRACT(DAY FROM a)",
    ];
    let cases = [(Postgres, &postgres[..]), (Sqlite, &sqlite[..]), (MySql, &mysql[..])];
    for (dialect, expressions) in cases {
        for expression in expressions {
            let shape = analyse(&format!("SELECT {expression} AS x FROM t WHERE a = 1"), dialect);
            assert!(shape.split.is_ok(), "{expression}: {:?}", shape.split);
        }
    }
}

#[test]
fn a_read_is_known_where_the_parser_fails() {
    let cases = [
        ("SELECT a IS JSON FROM t", true),
        ("(SELECT a IS JSON FROM t);", true),
        ("VALUES ('{}' IS JSON)", true),
        ("WITH u AS (SELECT 1) SELECT a IS JSON FROM u -- INSERT", true),
        ("SELECT a IS JSON INTO u FROM t", false),
        ("SELECT a IS JSON FROM t; DROP TABLE t", false),
        ("WITH u AS (DELETE FROM t RETURNING a IS JSON) SELECT * FROM u", false),
        ("INSERT INTO t SELECT a IS JSON FROM t RETURNING b", false),
    ];
    for (sql, expected) in cases {
        let shape = analyse(sql, Postgres);
        assert_eq!(shape.read, expected, "{sql}");
        assert!(shape.split.unwrap_err().starts_with("Bowshot cannot parse it (Expected: "), "{sql}");
    }
}

#[test]
fn what_cannot_be_split_says_why() {
    let cases = [
        ("SELECT 1", "it reads no table"),
        ("SELECT * FROM generate_series(1, 3)", "none of its tables"),
        ("SELECT * FROM (SELECT a FROM t) s", "none of its tables"),
        ("SELECT count(*) FROM t", "it aggregates"),
        ("SELECT 1 + sum(a) FROM t", "it aggregates"),
        ("SELECT mine(a ORDER BY b) FROM t", "it aggregates"),
        ("SELECT mine(DISTINCT a) FROM t", "it aggregates"),
        ("SELECT mine(a) FILTER (WHERE b) FROM t", "it aggregates"),
        ("SELECT mine(0.5) WITHIN GROUP (ORDER BY a) FROM t", "it aggregates"),
        // The rows of the outer query: SQL gives an aggregate to the query whose columns it reads.
        ("SELECT (SELECT max(t.a)) FROM t", "it aggregates"),
        ("SELECT a FROM t GROUP BY a", "it groups"),
        ("SELECT 1 FROM t GROUP BY ()", "it groups"),
        ("SELECT 1 FROM t HAVING true", "it groups"),
        ("SELECT DISTINCT a FROM t", "it removes duplicates"),
        ("SELECT DISTINCT ON (a) a FROM t", "it removes duplicates"),
        ("SELECT a FROM t LIMIT 1", "it has a LIMIT"),
        ("SELECT a FROM t OFFSET 1", "it has a LIMIT"),
        ("SELECT a FROM t FETCH FIRST 3 ROWS ONLY", "it has a LIMIT"),
        ("SELECT a FROM t ORDER BY a", "it is ordered"),
        ("SELECT a FROM t UNION ALL SELECT a FROM t", "it is a set operation"),
        ("SELECT a FROM t FOR UPDATE", "it locks rows"),
        ("SELECT a FROM t TABLESAMPLE SYSTEM (10)", "it samples a table"),
        ("SELECT a FROM u, (SELECT b FROM t TABLESAMPLE SYSTEM (10)) s", "it samples a table"),
        ("SELECT row_number() OVER () FROM t", "it has a window function"),
        ("SELECT a FROM t WINDOW w AS (ORDER BY a)", "it has a window function"),
        ("WITH s AS (SELECT 1) SELECT * FROM t", "it has a WITH clause"),
        ("SELECT * FROM t WHERE a IN (SELECT b FROM u LIMIT 1)", "a subquery has a LIMIT"),
        ("SELECT * FROM t, (SELECT b FROM u OFFSET 1) s", "a subquery has a LIMIT"),
        ("SELECT * FROM t, (SELECT rank() OVER (ORDER BY b) FROM u) s", "a subquery has a window function"),
        ("SELECT * FROM t, (SELECT DISTINCT ON (b) b FROM u) s", "a subquery picks one row of many"),
        ("SELECT * FROM ONLY t", "it reads ONLY one table"),
        ("SELECT * FROM t AS x(a, b)", "its table is called with more than a name"),
        ("SELECT public.t.a FROM public.t", "it names columns with their table's schema"),
        ("SELECT public.t.* FROM t", "it names columns with their table's schema"),
        ("SELECT * FROM s.t, u.t", "two of its tables have the same name"),
        ("VALUES (1), (2)", "it is a list of VALUES"),
        ("TABLE t;", "it is a TABLE command"),
        ("(SELECT a FROM t)", "it stands in parentheses"),
    ];
    for (sql, expected) in cases {
        let reasons = split(sql, Postgres);
        assert!(reasons.len() == 1 && reasons[0].starts_with(expected), "{sql}: {reasons:?}");
    }
}

#[test]
fn what_is_no_plain_read_is_said() {
    let cases = [
        ("SHOW server_version", "it is not a SELECT"),
        ("EXPLAIN SELECT 1", "it is not a SELECT"),
        ("INSERT INTO t VALUES (1) RETURNING a", "it is not a SELECT"),
        ("SELECT a INTO u FROM t", "it writes to the database"),
        ("WITH x AS (DELETE FROM t RETURNING a) SELECT * FROM x", "it writes to the database"),
        ("SELECT 1; SELECT 2", "it is more than one statement"),
        (" -- nothing", "it is empty"),
        ("SELEC a FROM t", "Bowshot cannot parse it ("),
        ("SELECT 'a FROM t", "it ends inside a string"),
    ];
    for (sql, expected) in cases {
        let shape = analyse(sql, Postgres);
        assert!(!shape.read && !shape.plain && !shape.is_single_table(), "{sql}");
        let reason = shape.split.unwrap_err();
        assert!(reason.starts_with(expected), "{sql}: {reason}");
    }
}

#[test]
fn each_dialect_has_its_own_rules() {
    let cases: &[(Dialect, &str, &str)] = &[
        // In SQLite the comma is one join of the chain, and the right join covers what stands before it.
        (Sqlite, "SELECT * FROM a, b RIGHT JOIN c ON 1", "SELECT * FROM a, b RIGHT JOIN (…) \"c\" ON 1"),
        (Sqlite, "SELECT max(a, b) FROM [T t]", "SELECT max(a, b) FROM (…) \"T t\""),
        (Sqlite, "SELECT max(a) FROM t", "it aggregates"),
        (Sqlite, "SELECT json_group_array(a) FROM t", "it aggregates"),
        (Sqlite, "SELECT `a` FROM main.Lines WHERE b = ?", "SELECT `a` FROM (…) \"Lines\" WHERE b = ?"),
        (MySql, "SELECT \"it's\" FROM db.`T` WHERE a = '\\'' # x", "SELECT \"it's\" FROM (…) `T` WHERE a = '\\'' # x"),
        (MySql, "SELECT a FROM t STRAIGHT_JOIN (SELECT 1) s", "SELECT a FROM (…) `t` STRAIGHT_JOIN (SELECT 1) s"),
        (MySql, "SELECT GROUP_CONCAT(a) FROM t", "it aggregates"),
        (MySql, "SELECT a FROM t PARTITION (p0)", "its table is called with more than a name"),
        (MySql, "SELECT a FROM t USE INDEX (i)", "its table is called with more than a name"),
        (MySql, "SELECT @n := @n + 1 FROM t", "it uses a session variable"),
        (MySql, "SELECT @@sql_mode FROM t", "SELECT @@sql_mode FROM (…) `t`"),
        (MySql, "SELECT a FROM t /*!40000 WHERE a */", "it has an executable comment"),
        (MySql, "SELECT a FROM t LIMIT 1, 2", "it has a LIMIT"),
        (Dialect::SqlServer, "SELECT [a] FROM dbo.[T t] WHERE b = @P1", "SELECT [a] FROM (…) [T t] WHERE b = @P1"),
        (Dialect::SqlServer, "SELECT TOP 3 a FROM t", "it has a LIMIT"),
        (Dialect::Oracle, "SELECT a FROM s.t WHERE b = 'its'", "SELECT a FROM (…) \"T\" WHERE b = 'its'"),
        (Dialect::Oracle, "SELECT rownum, a FROM t", "a word in it means something else for each row or read"),
    ];
    for (dialect, sql, expected) in cases {
        assert_eq!(split(sql, *dialect), [*expected], "{dialect:?} {sql}");
    }
}

#[test]
fn candidates_carry_folded_names() {
    let candidate = |sql: &str, dialect| analyse(sql, dialect).split.unwrap().remove(0);
    let found = candidate("SELECT 1 FROM Public.\"Line\"\"Item\" L", Postgres);
    assert_eq!((found.name.schema(), found.name.last()), (Some("public"), "Line\"Item"));
    assert_eq!(found.name.0.iter().map(|part| part.quoted).collect::<Vec<_>>(), [false, true]);
    assert_eq!(found.alias.unwrap().text, "l");
    assert_eq!(candidate("SELECT 1 FROM Ab.Cd", MySql).name.to_string(), "Ab.Cd");
    assert_eq!(candidate("SELECT 1 FROM Cd", Sqlite).name.schema(), None);
}

#[test]
fn whole_rows_are_noticed() {
    let cases = [
        ("SELECT t FROM t", true),
        ("SELECT f(x.*) FROM t x", true),
        ("SELECT (x).a FROM t x", true),
        ("SELECT 1 FROM t WHERE t IS NOT NULL", true),
        ("SELECT 1 FROM t x WHERE EXISTS (SELECT x)", true),
        ("SELECT t.*, t.a FROM t WHERE t.b = 't'", false),
        ("SELECT x.a FROM t x WHERE f(b)", false),
    ];
    for (sql, expected) in cases {
        assert_eq!(analyse(sql, Postgres).split.unwrap()[0].whole_row, expected, "{sql}");
    }
}

#[test]
fn plain_queries_keep_not_null() {
    let plain = [
        "SELECT a FROM t",
        "SELECT a FROM t, u JOIN v USING (x) WHERE a IN (SELECT b FROM w)",
        "SELECT DISTINCT a FROM t ORDER BY a LIMIT 3",
        "SELECT a FROM (t CROSS JOIN u)",
    ];
    let other = [
        "SELECT a FROM t LEFT JOIN u USING (x)",
        "SELECT a FROM (t NATURAL FULL JOIN u)",
        "SELECT a FROM t GROUP BY ROLLUP (a)",
        "SELECT a FROM t UNION SELECT a FROM u",
        "WITH s AS (SELECT a FROM t) SELECT a FROM s",
        "SELECT a FROM (SELECT a FROM t) s",
        "VALUES (1)",
        "SELECT (SELECT a FROM t WHERE b) FROM u",
        "SELECT max(b), a FROM t",
    ];
    for sql in plain {
        assert!(analyse(sql, Postgres).plain, "{sql}");
    }
    for sql in other {
        assert!(!analyse(sql, Sqlite).plain, "{sql}");
    }
}

#[test]
fn a_single_table_is_known() {
    for (sql, expected) in [
        ("SELECT a FROM t x WHERE b LIMIT 3", true),
        ("SELECT a FROM t, u", false),
        ("SELECT a FROM t WHERE b IN (SELECT 1)", false),
        ("SELECT a FROM f(1)", false),
        ("SELECT 1", false),
        ("SELECT a FROM t UNION SELECT a FROM t", false),
    ] {
        assert_eq!(analyse(sql, Postgres).is_single_table(), expected, "{sql}");
    }
}

#[test]
fn functions_literals_and_names_are_listed() {
    let sql = "SELECT Random(), s.\"F\"(a), Current_Date, x::timestamp 'NOW', E'it''s', $q$to'day$q$, t.ctid -- g('h')
               FROM t JOIN u USING (a) WHERE a IN (1, 2) AND b > (SELECT max (b) FROM pg_catalog.unnest(z)) AND now ()";
    let shape = analyse(sql, Postgres);
    let shown = |names: &[Name]| names.iter().map(Name::to_string).collect::<Vec<_>>();
    assert_eq!(shown(&shape.functions), ["random", "s.F", "current_date", "max", "pg_catalog.unnest", "now"]);
    assert_eq!(shape.literals, ["NOW", "it's", "to'day"]);
    assert!(shape.mentions("CTID") && shape.mentions("pg_catalog") && !shape.mentions("g"));

    let shape = analyse("SELECT random(), s.\"F\"(a), (SELECT g(b) FROM u WHERE h(c)) FROM t WHERE i(a)", Postgres);
    assert_eq!(shown(&shape.outer_functions), ["random", "s.F", "g", "h"]);
    assert_eq!(analyse("SELECT \"now\" FROM t", Sqlite).literals, ["now"]);
    assert_eq!(analyse("SELECT \"now\" FROM t", MySql).literals, ["now"]);
}

#[test]
fn long_and_deep_queries_end_well() {
    let chain = |count: usize| format!("SELECT a FROM t WHERE {}", vec!["a = 1 OR f(b)"; count].join(" OR "));
    assert!(analyse(&chain(1_000), Postgres).split.is_ok());
    let shape = analyse(&chain(100_000), Postgres);
    assert_eq!(shape.split.unwrap_err(), "it is too long to be analysed");
    assert_eq!(shape.functions.len(), 1);

    // Flat, however long.
    for literal in ["'x'", "42", "(1, 'x')"] {
        let list = format!("SELECT a FROM t WHERE a IN ({})", vec![literal; 100_000].join(", "));
        assert!(analyse(&list, Postgres).split.is_ok());
    }
    let wide = format!("SELECT {} FROM t", vec!["t.column_name AS other_name"; 1_600].join(", "));
    assert!(analyse(&wide, Postgres).split.is_ok());

    // Calls in calls take no longer than other text.
    let calls = format!("SELECT {}a{} FROM t", "replace(".repeat(24), ", 'a', b => 'c')".repeat(24));
    assert!(analyse(&calls, Postgres).split.is_ok());
}

#[test]
fn the_deepest_queries_fit_the_stack() {
    for operator in ["+", "::int::", ".", " COLLATE x COLLATE ", " IS NULL = ", "- -", "[1]", " AND "] {
        analyse(&format!("SELECT a{} FROM t", format!("{operator}a").repeat(MOST_TOKENS / 3)), Postgres);
        analyse(&format!("SELECT {}a FROM t", operator.repeat(MOST_TOKENS / 3)), Postgres);
    }
    for dialect in [Postgres, Sqlite, MySql] {
        let sum = format!("SELECT 1{} FROM t", "+1".repeat(MOST_TOKENS - 9));
        assert!(analyse(&sum, dialect).split.is_ok());
    }
    assert!(analyse(&vec!["SELECT 1"; MOST_TOKENS / 2 - 9].join(" UNION "), Postgres).read);
    assert!(analyse(&format!("SELECT 1 FROM t{}", " NATURAL JOIN t".repeat(MOST_TOKENS / 4)), Postgres).read);
}

#[test]
fn nothing_takes_long() {
    // Each of these has been exponential somewhere. Some are refused; what counts is that the test ends.
    let nests = [
        ("f(a => ", ")"),
        ("f(", ")"),
        ("CAST(", " AS int)"),
        ("(", ")"),
        ("(a, ", ")"),
        ("a IN (", ")"),
        ("trim(", ")"),
        ("position(", ")"),
        ("INTERVAL ", ""),
        ("NOT ", ""),
        ("(t JOIN ", ")"),
        ("CASE WHEN ", " THEN 1 END"),
        ("(SELECT ", ")"),
        ("ARRAY[", "]"),
    ];
    for (open, close) in nests {
        for dialect in [Postgres, Sqlite, MySql] {
            analyse(&format!("SELECT {}a{} FROM t", open.repeat(1_000), close.repeat(1_000)), dialect);
            analyse(&format!("SELECT 1 FROM {}a{}", open.repeat(1_000), close.repeat(1_000)), dialect);
        }
    }
}
