use bowshot_core::ErrorKind;

use super::*;

#[test]
fn addresses_are_told_from_sql() {
    let addresses = [
        "postgresql://user:p%40ss@host:5432/tpch?sslmode=require",
        "postgresql+psycopg2://host/tpch",
        "mysql://host/db",
        "sqlite:///relative.db",
        "sqlite:////absolute/path.db",
        "sqlite+pysqlite:///x.db",
        "file:shop.db?mode=ro",
        "host=/tmp dbname=shop user=me",
        "dbname = shop",
        "/data/my shop.db",
        "./shop",
        "../shop",
        "shop.sqlite3",
        "select.db",
        "C:\\data\\shop.db",
        ":memory:",
        "data.parquet",
        "./lake/",
        "data/*.parquet",
        "s3://bucket/prefix/",
        "odbc:DSN=shop;UID=me",
        "duckdb:shop.duckdb",
        "adbc:snowflake?uri=x",
        "grpc+tls://host:443",
        "oracle+tcps://host/service",
    ];
    for address in addresses {
        assert!(is_uri(address), "{address}");
    }
    let queries = [
        "SELECT 1",
        "select * from main.db",
        "SELECT\n1",
        "lineitem",
        "public.lineitem",
        "WITH a AS (SELECT 1) SELECT * FROM a",
        "-- first\nSELECT 1",
        "/* hint */ SELECT 1",
        "(SELECT 1) UNION (SELECT 2)",
        "VALUES(1)",
        "SELECT 'postgresql://host/db'",
        "UPDATE t SET host = 1 RETURNING host",
        "table lineitem",
        "",
    ];
    for query in queries {
        assert!(!is_uri(query), "{query}");
    }
}

#[test]
fn an_unknown_scheme_names_the_known_ones_and_no_password() {
    let error = connect("mongodb+srv://me:secret@host/shop").err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(text.contains("mysql://") && text.contains("postgresql://") && text.contains("sqlite://"), "{text}");
    assert!(!text.contains("secret"), "{text}");
}

#[test]
fn sql_in_the_place_of_an_address_is_named() {
    assert_eq!(connect("SELECT 1").err().unwrap().kind(), ErrorKind::Config);
}

#[test]
fn a_file_without_an_ending_is_found_on_disk() {
    let manifest = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    assert!(is_uri(manifest.to_str().unwrap()));
    assert!(is_uri("Cargo.toml"), "relative to the current folder");
}

#[test]
fn every_scheme_leads_to_its_source() {
    for (address, words) in [
        ("mysql://me:secret@127.0.0.1/shop?nonsense=1", "nonsense"),
        ("mariadb+pymysql://me:secret@127.0.0.1/shop?nonsense=1", "nonsense"),
        ("mssql+pyodbc://me:secret@127.0.0.1/shop?nonsense=1", "nonsense"),
        ("oracle+tcps://me:secret@127.0.0.1/shop?nonsense=1", "nonsense"),
        ("grpc+tls://127.0.0.1:1/?nonsense=1", "nonsense"),
        ("flightsql://127.0.0.1:1/?nonsense=1", "nonsense"),
    ] {
        let error = connect(address).err().unwrap_or_else(|| panic!("{address} was accepted"));
        assert_eq!(error.kind(), ErrorKind::Config, "{address}: {error}");
        assert!(error.to_string().contains(words) && !error.to_string().contains("secret"), "{address}: {error}");
    }
    for address in ["odbc:DSN=shop", "duckdb:", "./lake/", "file:///lake/x.parquet", "s3://bucket/x.parquet"] {
        assert!(connect(address).is_ok(), "{address}: {:?}", connect(address).err());
    }
}

#[test]
fn addresses_of_other_programs_are_told_by_their_form() {
    for (address, words) in [
        ("jdbc:postgresql://h/db?user=u&password=hunter2", "JDBC"),
        ("Server=h;UID=u;PWD=hunter2", "odbc:"),
        ("Data Source=h;Initial Catalog=x;Password=hunter2", "odbc:"),
        ("DSN=shop;PWD=hunter2", "odbc:"),
        ("host=h;password=hunter2", "odbc:"),
        ("\"postgresql://u:hunter2@h/db\"", "quotes"),
        ("<mysql://u:hunter2@h>", "quotes"),
        ("postgresql:/u:hunter2@h/db", "two slashes"),
        ("mysql:u:hunter2@h/db", "two slashes"),
        ("u:hunter2@h/db", "scheme"),
        ("u/hunter2@h:1521/service", "scheme"),
        ("shop=postgresql://u:hunter2@h/db", "in front"),
        ("{'host': 'h', 'password': 'hunter2'}", "object"),
        ("postgresql%3A%2F%2Fu%3Ahunter2%40h", "percent-encoded"),
        ("snowflake://u:hunter2@h/db", "snowflake://"),
        ("./u:hunter2@h", "no file has this name"),
        ("mysql -u u -phunter2", "no file has this name"),
        ("sqlite://u:hunter2@h/x.db", "…"),
        ("postgresql://u:12/hunter2@h/db", "%2F"),
    ] {
        let source = connect(address).and_then(|source| {
            let request = bowshot_core::Request::new(bowshot_core::Query::new("SELECT 1"), Default::default());
            source.plan(&request, &bowshot_core::Cancel::new()).map(drop)
        });
        let error = format!("{:?}", source.unwrap_err());
        assert!(error.contains(words) && !error.contains("hunter2"), "{address}: {error}");
        assert!(is_uri(address) || words == "no file has this name", "{address}");
    }
    for query in ["SELECT x::text FROM \"a\"", "\"my table\"", "SELECT '@', a@>b FROM t", "TABLE t", "[my table]"] {
        assert!(!is_connection_string(query) && !is_uri(query), "{query}");
    }
    for keywords in ["host=h password=a;b", "application_name=x host=h", "user=a dbname=b", "password=x host=h"] {
        assert!(matches!(Address::of(keywords), Address::Keywords), "{keywords}");
    }
    assert!(!is_connection_string("shop.db") && is_connection_string("mysql://h/db"));
}
