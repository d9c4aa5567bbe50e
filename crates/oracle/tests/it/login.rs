//! Logins: whom the database lets in, and what it is told.

use std::time::Instant;

use bowshot_core::{Cancel, ErrorKind, Options, Query, Request, Result, Source, Stream};
use bowshot_oracle::Oracle;

use crate::answers::{Answer, number};
use crate::server::{CLASSIC, Database, MODERN, Manner};
use crate::ttc;

pub fn read(uri: &str, sql: &str, options: &Options) -> Result<Vec<arrow_array::RecordBatch>> {
    let source = Oracle::from_uri(uri)?;
    let request = Request::new(Query::new(sql), options.clone());
    let cancel = Cancel::new();
    let plan = source.plan(&request, &cancel)?;
    Stream::start(plan, options, cancel).collect()
}

fn one() -> Answer {
    Answer::Rows(vec![ttc::number("N", 5, 0)], vec![vec![number(1)]])
}

#[test]
fn old_and_new_servers_let_us_in() {
    for manner in [
        CLASSIC,
        MODERN,
        Manner { packet: 1, ..CLASSIC },
        Manner { packet: 3, ..MODERN },
        Manner { resend: 2, ..CLASSIC },
    ] {
        let database = Database::with(manner, one());
        let batches = read(&database.uri(), "SELECT n FROM t", &Options::default()).unwrap();
        assert_eq!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>(), 1);
        let statements = database.statements();
        assert!(statements[0].starts_with("ALTER SESSION SET NLS_DATE_FORMAT"), "{statements:?}");
        assert!(statements.iter().any(|sql| sql == "SET TRANSACTION READ ONLY"), "{statements:?}");
    }
}

#[test]
fn a_wrong_password_is_said_at_once_and_never_shown() {
    for manner in [CLASSIC, MODERN] {
        let database = Database::with(manner, one());
        let uri = format!("oracle://scott:wrong-secret@127.0.0.1:{}/orclpdb1", database.port());
        let started = Instant::now();
        let error = read(&uri, "SELECT n FROM t", &Options::default()).unwrap_err();
        assert!(started.elapsed().as_secs() < 3);
        assert_eq!(error.kind(), ErrorKind::Authentication, "{error}");
        assert!(error.message().starts_with("ORA-01017"), "{error}");
        assert!(!format!("{error:?} {error}").contains("wrong-secret"));
        assert_eq!(database.connections(), 1, "a wrong password is tried once");
    }
}

#[test]
fn statements_run_before_the_query_on_every_connection() {
    let database = Database::with(CLASSIC, one());
    let options = Options { before: vec!["ALTER SESSION SET CURRENT_SCHEMA = sales".into()], ..Options::default() };
    read(&database.uri(), "SELECT n FROM t", &options).unwrap();
    assert!(database.statements().iter().any(|sql| sql.contains("CURRENT_SCHEMA = sales")));
    let broken = Database::start(CLASSIC, |sql, _| match sql {
        "nonsense" => Answer::Error(900, "ORA-00900: invalid SQL statement", 0),
        _ => Answer::Done,
    });
    let options = Options { before: vec!["nonsense".into()], ..Options::default() };
    let error = read(&broken.uri(), "SELECT n FROM t", &options).unwrap_err();
    assert_eq!((error.kind(), error.position()), (ErrorKind::Sql, Some(1)));
}

#[test]
fn a_session_says_goodbye() {
    for manner in [CLASSIC, MODERN] {
        let database = Database::with(manner, one());
        read(&database.uri(), "SELECT n FROM t", &Options::default()).unwrap();
        let logoffs = database.seen.logoffs.load(std::sync::atomic::Ordering::SeqCst);
        assert_eq!(logoffs, 1);
    }
}
