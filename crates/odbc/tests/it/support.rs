//! What the tests share: one server of each kind, and ways to read.

use std::sync::OnceLock;

use arrow_array::{ArrayRef, RecordBatch};
use bowshot_core::{Cancel, Error, Options, Params, Plan, Query, Request, Source, Stream, Value};
use bowshot_odbc::Odbc;
use bowshot_testkit::conformance::display;
use bowshot_testkit::{MariaDb, Postgres};

/// The names under which Debian's packages install their drivers.
pub const POSTGRES: &str = "PostgreSQL Unicode";
pub const POSTGRES_ANSI: &str = "PostgreSQL ANSI";
pub const MARIADB: &str = "MariaDB Unicode";
pub const FREETDS: &str = "FreeTDS";

pub fn postgres() -> &'static Postgres {
    static SERVER: OnceLock<Postgres> = OnceLock::new();
    SERVER.get_or_init(|| Postgres::start().unwrap())
}

pub fn mariadb() -> &'static MariaDb {
    static SERVER: OnceLock<MariaDb> = OnceLock::new();
    SERVER.get_or_init(|| MariaDb::start().unwrap())
}

pub fn postgres_uri(server: &Postgres, database: &str) -> String {
    let (user, password) = (server.superuser(), server.password());
    uri(POSTGRES, server.port(), user, password, database)
}

pub fn mariadb_uri(server: &MariaDb, database: &str) -> String {
    uri(MARIADB, server.port(), server.user(), server.password(), database)
}

pub fn uri(driver: &str, port: u16, user: &str, password: &str, database: &str) -> String {
    format!("odbc:Driver={{{driver}}};Server=127.0.0.1;Port={port};Database={database};UID={user};PWD={password}")
}

/// SQL that makes so many rows.
type Many = fn(u64) -> String;

/// Both servers: a name, a URI and SQL that makes rows `1..=count` with their number and a text.
pub fn both() -> [(&'static str, String, Many); 2] {
    [
        ("postgres", postgres_uri(postgres(), "postgres"), |count| {
            format!(
                "SELECT n, repeat('x', 100)::varchar(100) AS word FROM (SELECT generate_series(1, {count}) AS n) AS s"
            )
        }),
        ("mariadb", mariadb_uri(mariadb(), "bowshot"), |count| {
            format!("SELECT seq AS n, repeat('x', 100) AS word FROM seq_1_to_{count}")
        }),
    ]
}

pub fn request(sql: &str, options: Options) -> Request {
    Request::new(Query::new(sql), options)
}

pub fn with(sql: &str, values: Vec<Value>) -> Request {
    Request::new(Query { sql: sql.into(), params: Params::Positional(values) }, Options::default())
}

pub fn plan(uri: &str, request: &Request) -> Result<Plan, Error> {
    Odbc::from_uri(uri)?.plan(request, &Cancel::new())
}

pub fn stream(uri: &str, request: &Request) -> Result<Stream, Error> {
    Ok(Stream::start(plan(uri, request)?, &request.options, Cancel::new()))
}

pub fn batches(uri: &str, request: &Request) -> Result<Vec<RecordBatch>, Error> {
    stream(uri, request)?.collect()
}

/// Every cell as text, row by row.
pub fn rows(uri: &str, request: &Request) -> Result<Vec<Vec<String>>, Error> {
    let row = |batch: &RecordBatch, row: usize| {
        batch.columns().iter().map(|column: &ArrayRef| display(column, row)).collect::<Vec<_>>()
    };
    let batches = batches(uri, request)?;
    Ok(batches.iter().flat_map(|batch| (0..batch.num_rows()).map(|number| row(batch, number))).collect())
}

pub fn select(uri: &str, sql: &str) -> Result<Vec<Vec<String>>, Error> {
    rows(uri, &request(sql, Options::default()))
}
