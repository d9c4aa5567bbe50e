use super::*;

/// `numeric(15, 2)`, `numeric(6, 4)`, an integer, a text; `both` is in both tables.
fn known(table: &Name, column: &str) -> Option<Option<Digits>> {
    match (table.last(), column) {
        ("orders", "amount" | "both" | "Odd Name") => Some(Some(Digits::of_type(15, 2))),
        ("rates", "rate" | "both") => Some(Some(Digits::of_type(6, 4))),
        ("orders", "pieces") => Some(Some(Digits { before: 10, after: 0 })),
        ("orders", "note" | "plain") => Some(None),
        _ => None,
    }
}

fn places(sql: &str, place: usize, count: usize) -> Option<u32> {
    Some(scales(sql)?.digits(place, count, known)?.after)
}

#[test]
fn the_scale_of_an_expression_over_columns_is_certain() {
    for (item, places_after) in [
        ("sum(amount)", 2),
        ("SUM(ALL amount)", 2),
        ("pg_catalog.sum(o.amount)", 2),
        ("\"sum\"(\"amount\")", 2),
        ("sum(DISTINCT amount) FILTER (WHERE note > 'a')", 2),
        ("sum(amount) OVER (PARTITION BY note ORDER BY pieces ROWS 3 PRECEDING)", 2),
        ("min(o.amount)", 2),
        ("max(AMOUNT)", 2),
        ("amount + r.rate", 4),
        ("amount - 1", 2),
        ("-amount * -rate", 6),
        ("+(amount) * pieces", 2),
        ("@ amount + 0.125", 3),
        ("abs(amount - 10)", 2),
        ("sum(pieces * amount)", 2),
        ("sum(amount * (1 - rate) * (1 + rate)) + 0", 10),
        ("coalesce(sum(amount), 0)", 2),
        ("coalesce(amount, rate, NULL)", 4),
        ("greatest(amount, 1.5, rate)", 4),
        ("nullif(amount, 0)", 2),
        ("sum(CASE WHEN note = 'x' THEN amount ELSE 0 END)", 2),
        ("sum(CASE pieces WHEN 1 THEN amount WHEN 2 THEN rate END)", 4),
        ("sum(note::numeric(12, 3))", 3),
        ("sum(CAST(plain AS decimal(12)) * amount)", 2),
        ("amount::numeric * plain::int", 2),
        ("sum(pieces)", 0),
        ("amount * count(*)", 2),
        ("sum(\"Odd Name\")", 2),
        ("sum(sum(amount)) OVER ()", 2),
    ] {
        let sql = format!("SELECT {item} AS x FROM orders o LEFT JOIN s.rates AS r ON true WHERE 1 = 1 GROUP BY 1");
        assert_eq!(places(&sql, 0, 1), Some(places_after), "{item}");
    }
}

#[test]
fn whatever_else_is_in_doubt() {
    for item in [
        "avg(amount)",
        "amount / 2",
        "amount % 2",
        "amount ^ 2",
        "round(amount * rate, pieces)",
        "sum(plain)",
        "amount * plain",
        "amount * '1.5'",
        "amount * 1e-5",
        "amount * $1",
        "my.sum(amount)",
        "\"Sum\"(amount)",
        "\"coalesce\"(amount, 0)",
        "sum(amount, 2)",
        "sum(VARIADIC amount)",
        "sum(both)",
        "sum(missing)",
        "sum(orders.amount)",
        "sum(x.amount)",
        "sum(public.o.amount)",
        "sum((SELECT max(amount) FROM orders))",
        "(SELECT sum(amount) FROM orders)",
        "CASE WHEN true THEN amount ELSE '0.125' END",
        "coalesce(amount, plain)",
        "amount OPERATOR(pg_catalog.*) rate",
        "1.50 * 2",
        "percentile_disc(0.5) WITHIN GROUP (ORDER BY amount)",
        "stddev(amount)",
    ] {
        let sql = format!("SELECT {item} AS x FROM orders o JOIN s.rates AS r ON true");
        assert_eq!(places(&sql, 0, 1), None, "{item}");
    }
}

#[test]
fn columns_belong_to_plain_tables() {
    for (sql, proven) in [
        ("SELECT sum(amount) FROM orders", true),
        ("SELECT sum(amount) FROM \"orders\"", true),
        ("SELECT sum(s.orders.amount) FROM s.orders", true),
        ("SELECT sum(orders.amount) FROM s.orders, rates", true),
        ("SELECT sum(amount) FROM (orders CROSS JOIN rates)", true),
        ("SELECT sum(a.amount) FROM orders a, orders b", true),
        ("SELECT sum(orders.both) FROM orders JOIN rates USING (both)", true),
        ("WITH few AS (SELECT 1) SELECT sum(orders.amount) FROM orders, few", true),
        ("SELECT sum(o.amount) FROM orders o, LATERAL (SELECT o.amount) x", true),
        ("SELECT sum(amount) FROM orders TABLESAMPLE SYSTEM (5)", true),
        ("SELECT DISTINCT sum(amount) FROM orders GROUP BY ROLLUP (note) HAVING true ORDER BY 1 LIMIT 5", true),
        ("SELECT sum(amount) FROM orders a, orders b", false),
        ("SELECT sum(both) FROM orders JOIN rates USING (both)", false),
        ("WITH orders AS (SELECT 1.005 AS amount) SELECT sum(amount) FROM orders", false),
        ("WITH few AS (SELECT 1) SELECT sum(amount) FROM orders, few", false),
        ("SELECT sum(amount) FROM orders AS o(amount)", false),
        ("SELECT sum(amount) FROM ONLY orders", false),
        ("SELECT sum(amount) FROM (SELECT * FROM orders) orders", false),
        ("SELECT sum(amount) FROM orders(1)", false),
        ("SELECT sum(x.amount) FROM orders x, (SELECT 1.005 AS amount) x", false),
        ("SELECT sum(j.amount) FROM (orders CROSS JOIN rates) AS j", false),
        ("SELECT sum(amount) FROM orders UNION ALL SELECT 1.005", false),
        ("(SELECT sum(amount) FROM orders)", false),
        ("VALUES (1.5)", false),
        ("INSERT INTO orders SELECT sum(amount) FROM orders", false),
        ("SELECT sum(amount) FROM orders; SELECT 1", false),
        ("SELECT sum(amount FROM orders", false),
    ] {
        assert_eq!(places(sql, 0, 1).is_some(), proven, "{sql}");
    }
}

#[test]
fn what_stands_around_a_star_is_counted_from_both_ends() {
    let sql = "SELECT sum(amount) OVER (), *, note, amount * rate FROM orders, rates";
    let found: Vec<_> = (0..8).map(|place| places(sql, place, 8)).collect();
    assert_eq!(found, [Some(2), None, None, None, None, None, None, Some(6)]);
    let two = "SELECT amount + 1, o.*, amount + 2, r.*, amount + rate FROM orders o, rates r";
    let found: Vec<_> = (0..6).map(|place| places(two, place, 6)).collect();
    assert_eq!(found, [Some(2), None, None, None, None, Some(4)]);
    // The server counts otherwise than the text.
    assert_eq!(places("SELECT sum(amount) FROM orders", 0, 2), None);
    assert_eq!(places(sql, 2, 2), None);
    assert_eq!(places("SELECT sum(amount), * FROM orders", 0, 0), None);
}

#[test]
fn digits_before_the_point_grow_as_the_values_do() {
    let before = |item: &str| {
        let sql = format!("SELECT {item} FROM orders, rates");
        scales(&sql).unwrap().digits(0, 1, known).unwrap().before
    };
    assert_eq!(before("amount * rate"), 15);
    assert_eq!(before("amount + rate"), 14);
    assert_eq!(before("sum(amount)"), 32);
    assert_eq!(before("max(amount)"), 13);
}

#[test]
fn no_text_is_too_deep() {
    let sql = format!("SELECT sum(amount{}) FROM orders", " + amount".repeat(15_000));
    assert_eq!(places(&sql, 0, 1), Some(2));
    let sql = format!("SELECT sum({}amount{}) FROM orders", "(".repeat(5_000), ")".repeat(5_000));
    assert_eq!(places(&sql, 0, 1), None);
}
