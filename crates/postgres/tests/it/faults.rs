//! One clear error within seconds, no partial result, and nothing left behind.

mod connecting;
mod killed;
mod limits;
mod sessions;
mod sql;
mod stopping;

use std::sync::LazyLock;
use std::thread;
use std::time::{Duration, Instant};

use bowshot_core::{Error, Options, Stream};
use bowshot_testkit::Postgres as Server;

use crate::reading::{Database, over};

/// 2,500 pages, as much as it takes to be split.
const SETUP: &str = "CREATE TABLE big AS SELECT i AS id, rpad('row ' || i, 900, 'x') AS note \
    FROM generate_series(1, 20000) i; GRANT SELECT ON big TO PUBLIC; ANALYZE";

/// Half a gigabyte from a table that is read over several connections.
const LONG_SPLIT: &str = "SELECT b.id, b.note, v.n FROM big b, (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), \
    (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25)) AS v(n)";

/// A gigabyte over one connection.
const LONG_WHOLE: &str = "SELECT generate_series(1, 1000000) AS n, repeat('x', 1000) AS x";

static DATA: LazyLock<Database> = LazyLock::new(|| Database::make("faults", SETUP));

/// A superuser's URI for connections with this name.
fn named(server: &Server, database: &str, name: &str) -> String {
    format!("{}?application_name={name}", server.uri_of(server.superuser(), server.password(), database))
}

/// Small batches and little room, so that the server soon has to wait for the consumer.
fn narrow(connections: usize) -> Options {
    Options { batch_bytes: 64 << 10, buffer_bytes: 1 << 20, ..over(connections) }
}

/// Takes the stream's batches up to its error, which must come within five seconds and be the last item.
#[track_caller]
fn ends_with_an_error(mut stream: Stream) -> Error {
    let started = Instant::now();
    loop {
        match stream.next() {
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                assert!(started.elapsed() < Duration::from_secs(5), "{error} took {:?}", started.elapsed());
                assert!(stream.next().is_none());
                return error;
            }
            None => panic!("a short result looks like a whole one"),
        }
    }
}

/// Calls for something from another thread, a little later.
fn soon(what: impl FnOnce() + Send + 'static) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        thread::sleep(Duration::from_millis(100));
        what();
    })
}
