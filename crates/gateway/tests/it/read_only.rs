//! What is not known to read reaches no source that is only read: the texts of `conformance/read_only/` against real servers, through
//! the library and through the gateway; then the tables, and the folder to which the servers may write, are as before.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};

use arrow_flight::FlightDescriptor;
use arrow_flight::sql::{
    ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult, Any, CommandPreparedStatementQuery,
    CommandStatementQuery, ProstMessageExt,
};
use bowshot_connect::connect;
use bowshot_core::{Cancel, Error, Options, Query, Request, Result, Source, Stream};
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::conformance::{Database, databases, project};
use futures::TryStreamExt;
use prost::Message;
use tempfile::TempDir;
use tonic::Status;

use crate::raw::{Client, client, tickets};
use crate::running::Running;

/// A database, and how to see whether something in it has changed.
struct Tried {
    uri: String,
    dialect: Dialect,
    list: toml::Table,
    folder: TempDir,
    /// Queries whose results stay as they are.
    state: &'static [&'static str],
    /// A folder of the server whose files stay the same ones.
    files: Option<PathBuf>,
}

/// The texts of a database, with a folder in them to which every server may write.
fn list(name: &str, folder: &Path) -> toml::Table {
    let path = project().unwrap().join("conformance/read_only").join(format!("{name}.toml"));
    let text = std::fs::read_to_string(path).unwrap();
    text.replace("$FOLDER", &folder.display().to_string()).parse().unwrap()
}

fn open_folder() -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o777)).unwrap();
    folder
}

fn tried(
    name: &str,
    dialect: Dialect,
    state: &'static [&'static str],
    prepare: impl FnOnce(&toml::Table, &Path) -> String,
) -> Tried {
    let folder = open_folder();
    let list = list(name, folder.path());
    let uri = prepare(&list, folder.path());
    Tried { uri, dialect, list, folder, state, files: None }
}

fn setup(list: &toml::Table) -> String {
    list.get("setup").unwrap().as_str().unwrap().to_owned()
}

impl Tried {
    fn texts(&self, keys: &[&str]) -> Vec<String> {
        let texts = keys.iter().filter_map(|key| self.list.get(*key)?.as_array()).flatten();
        texts.map(|text| text.as_str().unwrap().to_owned()).collect()
    }

    fn source(&self) -> Arc<dyn Source> {
        connect(&self.uri).unwrap()
    }

    /// The tables' rows, and the names of the files.
    fn seen(&self) -> Vec<String> {
        let source = self.source();
        let mut seen: Vec<String> = self.state.iter().map(|sql| read(&*source, sql).unwrap()).collect();
        for folder in self.files.iter().map(PathBuf::as_path).chain([self.folder.path()]) {
            let mut names: Vec<String> =
                std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path().display().to_string()).collect();
            names.sort();
            seen.push(names.join(" "));
        }
        seen
    }

    /// Tries all texts through both doors; how many there were.
    async fn all(self) {
        let (before, this) = tokio::task::spawn_blocking(move || (self.seen(), self)).await.unwrap();
        this.doors(before).await;
    }

    #[expect(clippy::print_stdout, reason = "the counts belong to the test's report")]
    async fn doors(self, before: Vec<String>) {
        let (reads, refused) = (self.texts(&["read"]), self.texts(&["refuse", "refuse_calls", "call"]));
        let source = self.source();
        let gateway = Running::open(&[("db", self.source(), self.dialect)], Limits::default());
        let mut client = client(&gateway).await;
        let mut wrong = Vec::new();
        for sql in &reads {
            let (own, text) = (Arc::clone(&source), sql.clone());
            if let Err(error) = tokio::task::spawn_blocking(move || read(&*own, &text)).await.unwrap() {
                wrong.push(format!("must read, library: {sql:?}: {error}"));
            }
            if let Err(status) = fetch(&mut client, sql).await {
                wrong.push(format!("must read, gateway: {sql:?}: {}", status.message()));
            }
        }
        for sql in &refused {
            let (own, text) = (Arc::clone(&source), sql.clone());
            match tokio::task::spawn_blocking(move || read(&*own, &text)).await.unwrap() {
                Err(error) if is_ours(&error) => {}
                other => wrong.push(format!("must be refused, library: {sql:?}: {other:?}")),
            }
            if fetch(&mut client, sql).await.is_ok() {
                wrong.push(format!("must be refused, gateway: {sql:?}"));
            }
            if client.get_schema(statement(sql)).await.is_ok() {
                wrong.push(format!("must be refused, schema: {sql:?}"));
            }
            if prepare(&mut client, sql).await.is_ok() {
                wrong.push(format!("must be refused, prepared: {sql:?}"));
            }
        }
        // The user's word for procedures is none for what writes by itself.
        let separator = if self.uri.starts_with("odbc:") {
            ";"
        } else if self.uri.contains('?') {
            "&"
        } else {
            "?"
        };
        let allowed = connect(&format!("{}{separator}calls=allow", self.uri)).unwrap();
        for sql in self.texts(&["refuse", "refuse_calls"]) {
            let (own, text) = (Arc::clone(&allowed), sql.clone());
            if tokio::task::spawn_blocking(move || read(&*own, &text)).await.unwrap().is_ok() {
                wrong.push(format!("must be refused, with calls=allow: {sql:?}"));
            }
        }
        let after = tokio::task::spawn_blocking(move || (self.seen(), self)).await.unwrap().0;
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
        assert_eq!(after, before);
        println!("{} texts must read, {} must be refused; all right through both doors", reads.len(), refused.len());
        assert!(reads.len() + refused.len() >= 100);
    }
}

/// Whether the decision was Bowshot's own, before anything was sent.
fn is_ours(error: &Error) -> bool {
    let words = ["was not sent", "several statements", "does not end", "is empty", "NUL"];
    words.iter().any(|word| error.message().contains(word))
}

fn read(source: &dyn Source, sql: &str) -> Result<String> {
    let options = Options::default();
    let plan = source.plan(&Request::new(Query::new(sql), options.clone()), &Cancel::new())?;
    let batches = Stream::start(plan, &options, Cancel::new()).collect::<Result<Vec<_>>>()?;
    Ok(format!("{batches:?}"))
}

fn statement(sql: &str) -> FlightDescriptor {
    let command = CommandStatementQuery { query: sql.to_owned(), transaction_id: None };
    FlightDescriptor::new_cmd(command.as_any().encode_to_vec())
}

async fn fetch(client: &mut Client, sql: &str) -> Result<(), Status> {
    let info = client.get_flight_info(statement(sql)).await?.into_inner();
    for ticket in tickets(&info) {
        let _: Vec<_> = client.do_get(ticket).await?.into_inner().try_collect().await?;
    }
    Ok(())
}

async fn prepare(client: &mut Client, sql: &str) -> Result<(), Status> {
    let request = ActionCreatePreparedStatementRequest { query: sql.to_owned(), transaction_id: None };
    let action = arrow_flight::Action::new("CreatePreparedStatement", request.as_any().encode_to_vec());
    let mut answers = client.do_action(action).await?.into_inner();
    let answer = answers.try_next().await?.ok_or_else(|| Status::internal("no answer"))?;
    let any = Any::decode(answer.body).unwrap();
    let prepared: ActionCreatePreparedStatementResult = any.unpack().unwrap().unwrap();
    let command = CommandPreparedStatementQuery { prepared_statement_handle: prepared.prepared_statement_handle };
    client.get_flight_info(FlightDescriptor::new_cmd(command.as_any().encode_to_vec())).await.map(drop)
}

const OF_POSTGRES: &[&str] = &[
    "SELECT * FROM t ORDER BY a",
    "SELECT * FROM other",
    "SELECT relname, relkind::text FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
    "SELECT last_value, is_called FROM s",
];

const OF_MARIADB: &[&str] = &[
    "SELECT * FROM t ORDER BY a",
    "SELECT * FROM other",
    "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = database() ORDER BY 1",
    "SELECT next_not_cached_value FROM s",
];

fn postgres_of(database: &mut dyn Database) -> Tried {
    tried("postgres", Dialect::Postgres, OF_POSTGRES, |list, _| database.prepare("read_only", &setup(list)).unwrap())
}

fn mariadb_of(database: &mut dyn Database) -> Tried {
    tried("mysql", Dialect::MySql, OF_MARIADB, |list, _| database.prepare("read_only", &setup(list)).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres() {
    let mut database = databases::Postgres::start().unwrap();
    let tried = postgres_of(&mut database);
    let uri = tried.uri.clone();
    tried.all().await;
    // With the user's word they are sent, and the session's own guard still stands.
    let called = tokio::task::spawn_blocking(move || {
        let source = connect(&format!("{uri}?calls=allow")).unwrap();
        let errors = ["CALL p()", "DO $$ BEGIN DELETE FROM t; END $$"].map(|sql| read(&*source, sql).unwrap_err());
        (errors.iter().any(is_ours), read(&*source, "SELECT count(*) AS n FROM t").unwrap())
    });
    let (ours, left) = called.await.unwrap();
    assert!(!ours && left.contains('2'), "{left}");
}

#[tokio::test(flavor = "multi_thread")]
async fn odbc_postgres() {
    let mut database = databases::Odbc::postgres().unwrap();
    let mut tried = postgres_of(&mut database);
    // Its `?` is ODBC's placeholder.
    let reads = tried.list.get_mut("read").unwrap().as_array_mut().unwrap();
    reads.retain(|text| !text.as_str().unwrap().contains("? 'delete'"));
    tried.all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn mariadb() {
    let mut database = databases::MySql::start().unwrap();
    let tried = mariadb_of(&mut database);
    let uri = tried.uri.clone();
    tried.all().await;
    let called = tokio::task::spawn_blocking(move || {
        let source = connect(&format!("{uri}?calls=allow")).unwrap();
        let one = read(&*source, "CALL one()");
        // What the word opens: the procedure leaves the session's transaction.
        let deletes = read(&*source, "CALL p()");
        (one, deletes, read(&*source, "SELECT count(*) AS n FROM t"))
    });
    let (one, deletes, left) = called.await.unwrap();
    assert!(one.is_ok() && deletes.is_ok());
    assert!(left.unwrap().contains('0'));
}

#[tokio::test(flavor = "multi_thread")]
async fn odbc_mariadb() {
    let mut database = databases::Odbc::mariadb().unwrap();
    let mut tried = mariadb_of(&mut database);
    // What its driver cannot prepare, and a text that it calls shorter than it is.
    let reads = tried.list.get_mut("read").unwrap().as_array_mut().unwrap();
    reads.retain(|text| {
        !["VALUES", "HELP", "XA", "ANALYZE FORMAT"].iter().any(|word| text.as_str().unwrap().starts_with(word))
    });
    tried.all().await;
}

/// Settings that make other literals of the same text.
#[tokio::test(flavor = "multi_thread")]
async fn other_modes_of_mariadb() {
    let folder = open_folder();
    let path = folder.path().join("written").display().to_string();
    let mut database = databases::MySql::start().unwrap();
    let uri = database.prepare("modes", "CREATE TABLE t (a int)").unwrap();
    let refused = tokio::task::spawn_blocking(move || {
        let source = connect(&uri).unwrap();
        let with = |mode: &str, sql: &str| {
            let before = vec![format!("SET SESSION sql_mode = '{mode}'")];
            let request = Request::new(Query::new(sql), Options { before, ..Options::default() });
            source
                .plan(&request, &Cancel::new())
                .map(|plan| Stream::start(plan, &Options::default(), Cancel::new()).count())
        };
        let quotes = with("ANSI_QUOTES", &format!(r#"SELECT 1 AS "\" INTO OUTFILE '{path}' -- ""#));
        let escapes = with("NO_BACKSLASH_ESCAPES", &format!(r"SELECT '\' INTO OUTFILE '{path}' -- '"));
        let reads = with("ANSI_QUOTES", r#"SELECT 1 AS "a\b""#);
        (quotes.is_err() && escapes.is_err(), reads.is_ok())
    });
    assert_eq!(refused.await.unwrap(), (true, true));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite() {
    let state: &[&str] = &[
        "SELECT * FROM t ORDER BY a",
        "SELECT * FROM other",
        "SELECT type, name FROM sqlite_master ORDER BY 2",
        "PRAGMA user_version",
        "PRAGMA application_id",
    ];
    let mut database = databases::Sqlite::start().unwrap();
    let prepare = |list: &toml::Table, _: &Path| database.prepare("read_only", &setup(list)).unwrap();
    tried("sqlite", Dialect::Sqlite, state, prepare).all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clickhouse() {
    let state: &[&str] = &[
        "SELECT * FROM t ORDER BY a",
        "SELECT * FROM other",
        "SELECT name FROM system.tables WHERE database = currentDatabase() ORDER BY 1",
    ];
    let mut database = databases::ClickHouse::start().unwrap();
    let prepare = |list: &toml::Table, _: &Path| database.prepare("read_only", &setup(list)).unwrap();
    tried("clickhouse", Dialect::ClickHouse, state, prepare).all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn duckdb() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| bowshot_adbc::search_packages([packages()]));
    let state: &[&str] = &[
        "SELECT * FROM t ORDER BY a",
        "SELECT * FROM other",
        "SELECT table_name FROM information_schema.tables ORDER BY 1",
    ];
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("read_only.db");
    let mut tried = tried("duckdb", Dialect::DuckDb, state, |list, _| {
        let mut before = vec![format!("ATTACH '{}' AS made", path.display()), "USE made".to_owned()];
        let setup = list.get("setup").unwrap().as_array().unwrap();
        before.extend(setup.iter().map(|sql| sql.as_str().unwrap().to_owned()));
        let request = Request::new(Query::new("SELECT 1"), Options { before, ..Options::default() });
        let source = connect("duckdb:").unwrap();
        let plan = source.plan(&request, &Cancel::new()).unwrap();
        assert_eq!(Stream::start(plan, &request.options, Cancel::new()).count(), 1);
        format!("duckdb:///{}", path.display())
    });
    tried.files = Some(home.path().to_owned());
    tried.all().await;
}

/// The folder with DuckDB's library, where `dev/adbc_setup.sh` puts it.
fn packages() -> PathBuf {
    if let Some(folder) = std::env::var_os("BOWSHOT_ADBC_DRIVERS") {
        return folder.into();
    }
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache");
    std::env::var_os("XDG_CACHE_HOME").map_or_else(home, PathBuf::from).join("bowshot/adbc/packages")
}
