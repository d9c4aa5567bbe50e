use super::*;

fn parse(uri: &str) -> Location {
    Location::parse(uri).unwrap()
}

fn pairs(options: &[(String, String)]) -> Vec<(&str, &str)> {
    options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[test]
fn options_go_to_their_objects() {
    let location = parse(
        "adbc:/opt/libadbc_driver_x.so?uri=postgresql://u:p%2540w@h/d?sslmode=require&adbc.connection.readonly=true\
         &connection.a=1&statement.b=2&adbc.statement.c=3&database.validate=4&username=me&entrypoint=Init&validate=none\
         &connect_timeout=1.5&dialect=oracle",
    );
    assert_eq!(location.driver, "/opt/libadbc_driver_x.so");
    assert_eq!(
        pairs(&location.database),
        [("uri", "postgresql://u:p%40w@h/d?sslmode=require"), ("validate", "4"), ("username", "me")]
    );
    assert_eq!(pairs(&location.connection), [("adbc.connection.readonly", "true"), ("a", "1")]);
    assert_eq!(pairs(&location.statement), [("b", "2"), ("adbc.statement.c", "3")]);
    assert_eq!(location.entrypoint.as_deref(), Some("Init"));
    assert_eq!(location.validate, Validate::None);
    assert_eq!(location.patience, Duration::from_millis(1500));
    assert_eq!(location.dialect, Dialect::Oracle);
}

#[test]
fn a_path_may_stand_for_a_name() {
    for uri in ["adbc:postgresql?driver=/a/b.so", "adbc://postgresql?driver=/a/b.so"] {
        let location = parse(uri);
        assert_eq!((location.driver.as_str(), location.family), ("/a/b.so", Family::Postgres), "{uri}");
    }
    assert_eq!(parse("adbc:?driver=/a/libadbc_driver_sqlite.so").family, Family::Sqlite);
    assert_eq!(parse("adbc:///a%20b/x.so").driver, "/a b/x.so");
}

#[test]
fn nothing_secret_is_shown() {
    let uri = "adbc:postgresql?uri=postgresql://ada:hunter2@h/d&password=topsecret&adbc.connection.token=tttt";
    let shown = format!("{:?}", crate::Adbc::from_uri(uri).unwrap());
    for secret in ["hunter2", "topsecret", "tttt"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    assert!(shown.contains("\"uri\""), "{shown}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (uri, kind, word) in [
        ("adbc:", ErrorKind::Config, "adbc:NAME"),
        ("adbc:?uri=x", ErrorKind::Config, "no ADBC driver"),
        ("adbc:x?validate=utf7", ErrorKind::Config, "full or none"),
        ("adbc:x?connect_timeout=soon", ErrorKind::Config, "SECONDS"),
        ("adbc:x?dialect=klingon", ErrorKind::Config, "sqlserver"),
        ("adbc:x?uri=%ff", ErrorKind::Config, "UTF-8"),
        ("odbc:x", ErrorKind::Config, "duckdb:"),
        ("adbc:sqlite?uri=/nowhere/at/all.db", ErrorKind::Io, "never creates"),
        ("adbc:sqlite?uri=file:/nowhere/at/all.db%3Fmode=rw", ErrorKind::Io, "/nowhere/at/all.db"),
        ("duckdb:///x.db?access_mode=sometimes", ErrorKind::Config, "READ_ONLY"),
    ] {
        let error = Location::parse(uri).unwrap_err();
        assert_eq!(error.kind(), kind, "{uri}: {error}");
        assert!(error.to_string().contains(word), "{uri}: {error}");
    }
}

#[test]
fn duckdb_is_named_by_its_file() {
    for (uri, path) in [
        ("duckdb:///relative.db", "relative.db"),
        ("duckdb:////abs/a%20b.db", "/abs/a b.db"),
        ("duckdb:relative.db", "relative.db"),
        ("duckdb:/abs.db", "/abs.db"),
    ] {
        let location = parse(uri);
        assert_eq!(pairs(&location.database), [("path", path), ("access_mode", "READ_ONLY")], "{uri}");
        assert_eq!(location.entrypoint.as_deref(), Some("duckdb_adbc_init"));
        assert_eq!(location.family, Family::DuckDb);
    }
    for uri in ["duckdb::memory:", "duckdb:///:memory:", "duckdb:", "duckdb://"] {
        assert_eq!(pairs(&parse(uri).database), [("path", ":memory:")], "{uri}");
    }
    let location = parse("duckdb:///x.db?access_mode=READ_WRITE&threads=2&driver=/a/libduckdb.so");
    assert_eq!(pairs(&location.database), [("path", "x.db"), ("access_mode", "READ_WRITE"), ("threads", "2")]);
    assert_eq!(location.driver, "/a/libduckdb.so");
}
