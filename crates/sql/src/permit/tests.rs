//! The lists of texts in `conformance/read_only/`, against the decision alone.

use std::path::PathBuf;

use proptest::prelude::*;

use super::*;

const LISTS: &[(&str, Database)] = &[
    ("postgres", Database::Postgres),
    ("mysql", Database::MySql),
    ("sqlite", Database::Sqlite),
    ("duckdb", Database::DuckDb),
    ("sqlserver", Database::SqlServer),
    ("oracle", Database::Oracle),
    ("clickhouse", Database::ClickHouse),
    ("trino", Database::Trino),
    ("unknown", Database::Unknown),
];

fn list(file: &str) -> toml::Table {
    let current = std::env::current_dir().unwrap();
    let project: PathBuf = current.ancestors().find(|folder| folder.join("conformance").is_dir()).unwrap().into();
    let path = project.join("conformance/read_only").join(format!("{file}.toml"));
    std::fs::read_to_string(path).unwrap().parse().unwrap()
}

fn texts(table: &toml::Table, key: &str) -> Vec<String> {
    let texts = table.get(key).and_then(toml::Value::as_array).into_iter().flatten();
    texts.map(|text| text.as_str().unwrap().to_owned()).collect()
}

fn permit(database: Database, calls: Calls) -> Permit {
    Permit::new(Dialect::Standard, database, calls)
}

#[test]
fn every_text_is_judged_as_the_lists_say() {
    let mut wrong = Vec::new();
    for (file, database) in LISTS {
        let table = list(file);
        let strict = permit(*database, Calls::Refuse);
        let allowed = permit(*database, Calls::Allow);
        let mut count = 0;
        let mut look = |key: &str, permit: Permit, passes: bool| {
            for sql in texts(&table, key) {
                let judged = permit.check(&sql);
                if judged.is_ok() != passes {
                    wrong.push(format!("{database:?} {key} {:?}: {sql:?}: {judged:?}", permit.calls));
                }
                count += 1;
            }
        };
        for key in ["read", "read_elsewhere"] {
            look(key, strict, true);
            look(key, allowed, true);
        }
        for key in ["refuse", "refuse_calls"] {
            look(key, strict, false);
            look(key, allowed, false);
        }
        look("call", strict, false);
        println!("{database:?}: {count} decisions");
        // What runs what is called stays refused inside of EXPLAIN.
        for sql in texts(&table, "call").iter().filter(|sql| !sql.starts_with("EXPLAIN")) {
            if let Err(error) = allowed.check(sql) {
                wrong.push(format!("{database:?} call {sql:?}: {error}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn errors_name_the_verb_or_the_clause_and_a_way_out() {
    for (sql, words) in [
        ("DELETE FROM t", ["DELETE", "writable = true"]),
        ("WITH a AS (DELETE FROM t RETURNING 1) SELECT 1", ["WITH … DELETE", "own client"]),
        ("EXPLAIN ANALYZE UPDATE t SET a = 1", ["EXPLAIN … UPDATE", "own client"]),
        ("SELECT 1 INTO t", ["INTO", "writable = true"]),
        ("SELECT 1 FROM t FOR NO KEY UPDATE", ["FOR NO KEY UPDATE", "own client"]),
        ("CALL p()", ["CALL", "calls=allow"]),
        ("SELECT 1; SELECT 2", ["several statements", "one by one"]),
        ("SELECT 'a", ["does not end", "close it"]),
    ] {
        let error = permit(Database::Postgres, Calls::Refuse).check(sql).unwrap_err().to_string();
        assert!(words.iter().all(|word| error.contains(word)), "{sql}: {error}");
    }
}

#[test]
fn settings_of_a_session_change_what_a_text_says() {
    let mysql = permit(Database::MySql, Calls::Refuse);
    let writes = r#"SELECT "\" INTO OUTFILE 'x' -- ""#;
    assert!(mysql.check(writes).is_ok());
    assert!(mysql.with_modes(Modes { ansi_quotes: true, ..Modes::default() }).check(writes).is_err());
    let writes = r"SELECT '\' INTO OUTFILE 0x61 -- '";
    assert!(mysql.check(writes).is_ok());
    assert!(mysql.with_modes(Modes { no_backslash_escapes: true, ..Modes::default() }).check(writes).is_err());
    let postgres = permit(Database::Postgres, Calls::Refuse);
    let writes = r"SELECT '\'' INTO t --'";
    assert!(postgres.check(writes).is_ok());
    assert!(postgres.with_modes(Modes { escaping_literals: true, ..Modes::default() }).check(writes).is_err());
}

#[test]
fn the_gateway_s_own_statements_are_about_queries() {
    let gateway = permit(Database::FlightSql, Calls::Refuse);
    for sql in ["DECLARE c CURSOR FOR SELECT 1 INTO 3", "FETCH ALL FROM 0 OF c", "CLOSE c"] {
        assert!(gateway.check(sql).is_ok(), "{sql}");
    }
    assert!(gateway.check("DECLARE c CURSOR FOR DELETE FROM t INTO 3").is_err());
    // It takes one statement at a time: words that begin another one are names.
    let reads = texts(&list("unknown"), "read");
    for sql in reads.iter().map(String::as_str).chain(["SELECT update, delete FROM t", "SELECT nextval('s')"]) {
        assert!(gateway.check(sql).is_ok(), "{sql}");
    }
    for sql in ["DELETE FROM t", "SELECT 1; SELECT 2", "FROM t INSERT OVERWRITE TABLE u SELECT *", "SELECT 1 INTO t"] {
        assert!(gateway.check(sql).is_err(), "{sql}");
    }
}

#[test]
fn a_nul_is_refused_where_it_may_end_the_text() {
    let sqlite = permit(Database::Sqlite, Calls::Refuse);
    assert!(sqlite.check("SELECT 1 \0; DELETE FROM t").is_err());
    assert!(sqlite.check("SELECT 1 -- \0").is_err());
    assert!(sqlite.check("SELECT '\0' AS a").is_ok());
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(sql in r#"(WITH|SELECT|EXPLAIN|PRAGMA|CALL|/\*!)?[ a-zA-Z0-9"'`().,;:{}\[\]$#/*!\\=@\r\n-]{0,60}"#) {
        for (_, database) in LISTS {
            for calls in [Calls::Refuse, Calls::Allow] {
                let _ = permit(*database, calls).check(&sql);
            }
        }
    }

    /// Whatever stands around it: a second statement is never sent.
    #[test]
    fn a_second_statement_is_never_sent(before in "[a-z0-9 ,()'*-]{0,20}", after in "[a-z0-9 ,()'*-]{0,20}") {
        for (_, database) in LISTS {
            let first = format!("SELECT {before}");
            // Its quotes may open something that swallows the rest.
            if permit(*database, Calls::Refuse).check(&first).is_ok() && !first.contains(['-', '\'', '*']) {
                let both = format!("{first}; DELETE FROM t {after}");
                prop_assert!(permit(*database, Calls::Refuse).check(&both).is_err(), "{database:?} {both}");
            }
        }
    }
}
