use super::*;

fn error(doing: Doing, records: &[(&str, i32, &str)]) -> Error {
    let record = |(state, native, message): &(&str, i32, &str)| Record {
        state: (*state).into(),
        native: *native,
        message: (*message).into(),
    };
    let location = Location::parse("odbc:DSN=shop;UID=ann;PWD=hunter2").unwrap();
    from_records(&records.iter().map(record).collect::<Vec<_>>(), doing, &location)
}

#[test]
fn drivers_words_become_kinds() {
    use Doing::{Connecting, Querying};
    for (doing, state, native, message, kind) in [
        (Connecting, "28000", 1045, "[ma-3.1.15]Access denied for user 'x'", ErrorKind::Authentication),
        (
            Connecting,
            "08001",
            101,
            "FATAL:  password authentication failed for user \"x\"\n",
            ErrorKind::Authentication,
        ),
        (Connecting, "08001", 101, "FATAL:  database \"nope\" does not exist\n", ErrorKind::Config),
        (Connecting, "42000", 1049, "Unknown database 'nope'", ErrorKind::Config),
        (Connecting, "HY000", 2002, "Can't connect to server on '127.0.0.1' (115)", ErrorKind::Connect),
        (Connecting, "08001", 101, "FATAL:  sorry, too many clients already", ErrorKind::ConnectionLimit),
        (Connecting, "IM002", 0, "Data source name not found", ErrorKind::Config),
        (Connecting, "08001", 101, "connection failed: timeout expired", ErrorKind::Timeout),
        (Querying, "42703", 1, "ERROR: column \"nope\" does not exist", ErrorKind::Sql),
        (Querying, "08S01", 26, "The connection has been lost", ErrorKind::ConnectionLost),
        (Querying, "HY000", 2013, "Lost connection to server during query", ErrorKind::ConnectionLost),
        (Querying, "HYT00", 0, "Timeout", ErrorKind::Timeout),
        (Querying, "HY018", 1969, "Query execution was interrupted (max_statement_time exceeded)", ErrorKind::Timeout),
        (Querying, "HY018", 1317, "Query execution was interrupted", ErrorKind::Cancelled),
        (Querying, "57014", 1, "canceling statement due to statement timeout", ErrorKind::Timeout),
    ] {
        assert_eq!(error(doing, &[(state, native, message)]).kind(), kind, "{message}");
    }
}

#[test]
fn messages_are_told_once_without_layers_and_secrets() {
    let twice = "[FreeTDS][SQL Server]Unable to connect with hunter2";
    let error =
        error(Doing::Connecting, &[("08S01", 20009, twice), ("08S01", 20009, twice), ("08001", 0, "No source")]);
    assert_eq!(
        error.message(),
        "the database could not be opened: Unable to connect with ***; No source (the data source \"shop\") (error 20009)",
    );
    assert_eq!(error.sqlstate(), Some("08S01"));
}
