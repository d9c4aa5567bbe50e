//! The server has few connections left.

use bowshot_core::ErrorKind;
use bowshot_testkit::Postgres as Server;

use super::{DATA, LONG_SPLIT, SETUP, narrow};
use crate::leftovers::{connections, leaves_nothing};
use crate::reading::{Database, SERVER, eventually, over, read, read_list, refused, start};

#[test]
fn fewer_connections_than_asked_for_read_the_whole_result() {
    DATA.psql("ALTER ROLE limited CONNECTION LIMIT 2");
    leaves_nothing(&SERVER, |name| {
        let uri = format!("{}?application_name={name}", DATA.uri_of("limited", "limited"));
        let mut stream = start(&uri, LONG_SPLIT, &narrow(4)).unwrap();
        assert!(stream.next().unwrap().is_ok());
        assert!(eventually(|| connections(&SERVER, name) == 2));
        drop(stream);
        assert!(eventually(|| connections(&SERVER, name) == 0));
        let whole = read(&uri, "SELECT id, note FROM big", &over(4)).unwrap();
        assert!(whole.partitions > 1);
        assert_eq!(whole.rows().join("\n"), DATA.psql("SELECT id, note FROM big"));
    });
    DATA.psql("ALTER ROLE limited CONNECTION LIMIT 1");
    leaves_nothing(&SERVER, |name| {
        let uri = format!("{}?application_name={name}", DATA.uri_of("limited", "limited"));
        for _ in 0..20 {
            // The one connection may be done before the others learn that there is no room for them.
            let count =
                read_list(&uri, &["SELECT 1 AS a", "SELECT 2 AS a", "SELECT 3 AS a"], &over(3)).unwrap().count();
            assert_eq!(count, 3);
            assert!(eventually(|| connections(&SERVER, name) == 0));
        }
    });
    DATA.psql("ALTER ROLE limited CONNECTION LIMIT 0");
    leaves_nothing(&SERVER, |_| {
        let error = refused(&DATA.uri_of("limited", "limited"), "SELECT 1", &over(4));
        assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::ConnectionLimit, Some("53300")), "{error}");
        assert!(error.is_temporary());
    });
}

#[test]
fn a_full_server_is_said_to_be_full() {
    let server = Server::builder()
        .setting("max_connections", "6")
        .setting("superuser_reserved_connections", "3")
        .setting("max_wal_senders", "0")
        .start()
        .unwrap();
    server.psql(&format!("CREATE ROLE guest LOGIN PASSWORD 'guest'; {SETUP}")).unwrap();
    let uri = server.uri_of("guest", "guest", "postgres");
    let whole = read(&uri, "SELECT id, note FROM big", &over(8)).unwrap();
    assert!(whole.partitions > 1);
    assert_eq!(whole.count(), 20_000);
    // All three places for ordinary users are taken.
    let held: Vec<_> = (0..3).map(|_| crate::reading::plan(&uri, "SELECT 1", &over(1)).unwrap()).collect();
    let error = refused(&uri, "SELECT 1", &over(1));
    assert_eq!(error.kind(), ErrorKind::ConnectionLimit, "{error}");
    drop(held);
    assert!(eventually(|| read(&uri, "SELECT 1", &over(1)).is_ok()));
}

#[test]
fn a_database_that_refuses_connections() {
    let data = Database::make("closed", "ALTER DATABASE closed CONNECTION LIMIT 0");
    let error = refused(&data.uri_of("reader", "reader"), "SELECT 1", &over(2));
    assert_eq!((error.kind(), error.sqlstate()), (ErrorKind::ConnectionLimit, Some("53300")), "{error}");
}
