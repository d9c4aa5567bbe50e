use super::*;
use Dialect::{MySql, Postgres, Sqlite};

/// A text and its values.
type Bound = (String, Vec<i64>);
/// A dialect, a text, the names of its parameters, and what becomes of them.
type NamedCase = (Dialect, &'static str, &'static [&'static str], &'static str, &'static [i64]);

fn positional(sql: &str, count: i64, dialect: Dialect) -> Result<Bound> {
    let params = Params::Positional((1..=count).map(Value::Int).collect());
    bound(sql, params, dialect)
}

/// Parameters by name, with values from 1 on.
fn named(sql: &str, names: &[&str], dialect: Dialect) -> Result<Bound> {
    let params = names.iter().zip(1..).map(|(name, value)| ((*name).to_owned(), Value::Int(value)));
    bound(sql, Params::Named(params.collect()), dialect)
}

fn bound(sql: &str, params: Params, dialect: Dialect) -> Result<Bound> {
    let (sql, values) = bind(&Query { sql: sql.to_owned(), params }, dialect)?;
    let number = |value: &Value| if let Value::Int(number) = value { *number } else { 0 };
    Ok((sql, values.iter().map(number).collect()))
}

#[test]
fn positional_placeholders_become_the_dialect_s_own() {
    let cases: &[(Dialect, &str, i64, &str, &[i64])] = &[
        (Postgres, "a = $1 AND b = $2", 2, "a = $1 AND b = $2", &[1, 2]),
        (Postgres, "a = $2 AND b = $1 OR c = $2", 2, "a = $2 AND b = $1 OR c = $2", &[1, 2]),
        (Postgres, "a = ? AND b = ?", 2, "a = $1 AND b = $2", &[1, 2]),
        (Postgres, "a = ?2 AND b = ?1", 2, "a = $2 AND b = $1", &[1, 2]),
        (Postgres, "a = %s AND b LIKE '50%%' AND c %% 2 = %s", 2, "a = $1 AND b LIKE '50%' AND c % 2 = $2", &[1, 2]),
        (Postgres, "LIMIT? OFFSET%s", 1, "LIMIT? OFFSET $1", &[1]),
        (Postgres, "LIMIT?", 1, "LIMIT $1", &[1]),
        (Postgres, "a %size, b % s, c %s", 1, "a %size, b % s, c $1", &[1]),
        (Postgres, "j ? 'x' AND j ?| k AND a = $1", 1, "j ? 'x' AND j ?| k AND a = $1", &[1]),
        (Postgres, "j ? 'x' AND a = %s", 1, "j ? 'x' AND a = $1", &[1]),
        (Postgres, "j ?| k AND j ?& k AND j @? p AND a = ?", 1, "j ?| k AND j ?& k AND j @? p AND a = $1", &[1]),
        (Postgres, "?||'x'", 1, "$1||'x'", &[1]),
        (Postgres, "?::int", 1, "$1::int", &[1]),
        (Postgres, "a % 2 = $1 AND b LIKE '%%'", 1, "a % 2 = $1 AND b LIKE '%%'", &[1]),
        (
            Postgres,
            "'?' \"?\" $$?$$ /* ? */ E'\\'?' U&'?' a$1 -- ?\n ?",
            1,
            "'?' \"?\" $$?$$ /* ? */ E'\\'?' U&'?' a$1 -- ?\n $1",
            &[1],
        ),
        (Postgres, "'$1' '%s' $x$ $1 $x$ ?", 1, "'$1' '%s' $x$ $1 $x$ $1", &[1]),
        (Postgres, "'ä\t€' = ?", 1, "'ä\t€' = $1", &[1]),
        (Sqlite, "a = ? AND b = ?", 2, "a = ? AND b = ?", &[1, 2]),
        (Sqlite, "a = ?2 AND b = ?1 OR c = ?2", 2, "a = ? AND b = ? OR c = ?", &[2, 1, 2]),
        (Sqlite, "a = ?2 AND b = ?1 AND c = ?", 3, "a = ? AND b = ? AND c = ?", &[2, 1, 3]),
        (Sqlite, "a = $2 AND b = $1 AND [?] = '?'", 2, "a = ? AND b = ? AND [?] = '?'", &[2, 1]),
        (
            MySql,
            "a = %s # %s\n AND b = \"it\\\"s %s\" AND c = %s",
            2,
            "a = ? # %s\n AND b = \"it\\\"s %s\" AND c = ?",
            &[1, 2],
        ),
    ];
    for (dialect, sql, count, expected, values) in cases {
        let (text, order) = positional(sql, *count, *dialect).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!((text.as_str(), order.as_slice()), (*expected, *values), "{dialect:?} {sql}");
    }
}

#[test]
fn named_placeholders_become_the_dialect_s_own() {
    let cases: &[NamedCase] = &[
        (Postgres, "a = :b AND c = :a OR d = :b", &["a", "b"], "a = $1 AND c = $2 OR d = $1", &[2, 1]),
        (Postgres, "a::text = :a::text", &["a"], "a::text = $1::text", &[1]),
        (Postgres, "x[1:2] || x[lo:hi] || x[:hi]", &["hi"], "x[1:2] || x[lo:hi] || x[$1]", &[1]),
        (Postgres, "x[1 :hi] = :hi", &["hi"], "x[1 :hi] = $1", &[1]),
        (Postgres, "x[f(1) :hi] = :lo", &["lo"], "x[f(1) :hi] = $1", &[1]),
        (Postgres, "ARRAY[:a, CASE WHEN b THEN :c END]", &["a", "c"], "ARRAY[$1, CASE WHEN b THEN $2 END]", &[1, 2]),
        (Postgres, "f(a := :a, b => :b)", &["a", "b"], "f(a := $1, b => $2)", &[1, 2]),
        (Postgres, "':a' \":a\" $$:a$$ /* :a */ :a -- :a", &["a"], "':a' \":a\" $$:a$$ /* :a */ $1 -- :a", &[1]),
        (Postgres, "a = %(a)s AND b %% 2 = 0 AND c = :a", &["a"], "a = $1 AND b % 2 = 0 AND c = :a", &[1]),
        (Postgres, "%(der Preis)s + %(der Preis)s", &["der Preis"], "$1 + $1", &[1]),
        (Postgres, "x % (a) + :a", &["a"], "x % (a) + $1", &[1]),
        (Postgres, "j ? 'b' AND a = :größe", &["größe"], "j ? 'b' AND a = $1", &[1]),
        (Postgres, "IN(:a,:b)", &["a", "b"], "IN($1,$2)", &[1, 2]),
        (Sqlite, "a = :b AND c = :a OR d = :b", &["a", "b"], "a = ? AND c = ? OR d = ?", &[2, 1, 2]),
        (MySql, "a = %(a)s AND f(b, '%%Y') = %(a)s", &["a"], "a = ? AND f(b, '%Y') = ?", &[1, 1]),
    ];
    for (dialect, sql, names, expected, values) in cases {
        let (text, order) = named(sql, names, *dialect).unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert_eq!((text.as_str(), order.as_slice()), (*expected, *values), "{dialect:?} {sql}");
    }
}

#[test]
fn what_does_not_match_is_named() {
    let cases: &[(Result<Bound>, &str)] = &[
        (positional("a = 1", 2, Postgres), "2 parameters were given, but the query has no placeholder; write $1"),
        (positional("a = $1 AND b = $3", 2, Postgres), "placeholder $3 has no value: 2 parameters were given"),
        (positional("a = $0", 1, Postgres), "placeholder $0 has no value"),
        (positional("a = $99999999999999999999999", 1, Postgres), "has no value"),
        (positional("a = $1 AND b = $3", 3, Postgres), "3 parameters were given, but the query uses no number 2"),
        (positional("a = %s AND b = %s", 1, Sqlite), "placeholder %s number 2 has no value: 1 parameter was given"),
        (positional("j ? 'x' AND b = ?", 1, Postgres), "then every ? is PostgreSQL's operator"),
        (positional("a = :b", 1, Postgres), "has no placeholder"),
        (positional("a = 'x", 1, Postgres), "does not end (at character 5 of the query)"),
        (named("a = :b AND c = :d", &["a", "b"], Postgres), "placeholder :d has no value: given are a, b"),
        (named("a = %(c)s", &["a"], MySql), "placeholder %(c)s has no value: given are a"),
        (named("a = :b", &["b", "c"], Postgres), "parameter \"c\" was given, but the query has no :c"),
        (named("a = $1", &["b"], Postgres), "write :name or %(name)s"),
    ];
    for (result, expected) in cases {
        let error = result.as_ref().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.to_string().contains(expected), "{error} does not say {expected}");
    }
}

#[test]
fn without_parameters_nothing_changes() {
    for params in [Params::None, Params::Positional(Vec::new()), Params::Named(Vec::new())] {
        let sql = "SELECT $1, '%%', 5 %% 2, j ? :a, %s, 'open";
        assert_eq!(bound(sql, params, Postgres).unwrap(), (sql.to_owned(), Vec::new()));
    }
}
