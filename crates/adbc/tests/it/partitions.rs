//! Ranges of a column, and lists of queries.

use bowshot_core::{
    Cancel, ErrorKind, Holder, Lease, Options, Partitioning, Query, Request, Source, Stream, Ticket, Travel,
};

use bowshot_testkit::conformance::display;

use crate::drivers::{read_request, read_with, source};

fn by_column(one_snapshot: bool) -> Options {
    let partitioning = Partitioning::Column { column: "k".into(), count: 3, range: None };
    Options { partitioning, one_snapshot, connections: Some(3), ..Options::default() }
}

/// Each connection makes its table: what is in memory belongs to the database object, so the first one does.
const ROWS: &str = "SELECT CASE WHEN range % 10 = 0 THEN NULL ELSE range END AS k FROM range(1000)";

#[test]
fn ranges_need_the_word_that_states_may_differ() {
    let whole = read_with("duckdb:", ROWS, by_column(true)).unwrap();
    assert_eq!((whole.partitions, whole.rows()), (1, 1000));
    assert!(whole.reason.contains("no way for connections to see one state"), "{}", whole.reason);
    let parts = read_with("duckdb:", ROWS, by_column(false)).unwrap();
    assert_eq!((parts.partitions, parts.rows(), parts.snapshot), (4, 1000, None));
    assert_eq!(parts.batches.iter().map(|batch| batch.column(0).null_count()).sum::<usize>(), 100);
    let sqlite = "SELECT value AS k FROM json_each('[1, 5, null, 9]')";
    let parts = read_with("adbc:sqlite?uri=file:x%3Fmode=memory%26cache=shared", sqlite, by_column(false)).unwrap();
    assert_eq!((parts.partitions, parts.rows()), (4, 4));
}

#[test]
fn lists_are_read_in_their_order_in_one_transaction() {
    let list = |queries: &[&str]| Request {
        queries: queries.iter().map(|sql| Query::new(*sql)).collect(),
        options: Options { connections: Some(4), ..Options::default() },
    };
    for uri in ["duckdb:", "adbc:sqlite?uri=:memory:"] {
        let table = read_request(uri, &list(&["SELECT 1 AS n", "SELECT 2 AS n", "SELECT 3 AS n"])).unwrap();
        assert_eq!(table.shown(0), ["1", "2", "3"], "{uri}");
        assert_eq!(table.snapshot.as_deref(), Some("one transaction of one connection"), "{uri}");
        let failed = read_request(uri, &list(&["SELECT 1 AS n", "SELECT 'x' AS n"])).unwrap_err();
        assert_eq!((failed.kind(), failed.column()), (ErrorKind::Config, Some("n")), "{uri}: {failed}");
    }
}

#[test]
fn queries_of_their_own_states_travel_where_the_user_allows_it() {
    let queries = ["SELECT 1 AS n", "SELECT 2 AS n", "SELECT NULL AS n"].map(Query::new);
    let cancel = Cancel::new();
    for uri in ["duckdb:", "adbc:sqlite?uri=:memory:"] {
        let source = source(uri).unwrap();
        let mut request = Request { queries: queries.to_vec(), options: Options::default() };
        let plan = source.plan(&request, &cancel).unwrap();
        let error = Holder::new(&plan, &request, Lease::default(), &cancel).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("one_snapshot=False"), "{uri}: {error}");
        request.options.one_snapshot = false;
        let plan = source.plan(&request, &cancel).unwrap();
        let holder = Holder::new(&plan, &request, Lease::default(), &cancel).unwrap();
        assert_eq!(holder.travel(), Travel::Torn, "{uri}");
        let read = |ticket: Ticket| {
            let ticket = Ticket::from_bytes(&ticket.to_bytes().unwrap()).unwrap();
            let joined = source.join(&ticket, &cancel).unwrap();
            assert_eq!(joined.schema, plan.schema);
            let batches = Stream::start(joined, &ticket.options(), Cancel::new()).map(Result::unwrap);
            batches
                .flat_map(|batch| (0..batch.num_rows()).map(move |row| display(batch.column(0), row)))
                .collect::<Vec<_>>()
        };
        let rows: Vec<String> = holder.tickets().unwrap().into_iter().flat_map(read).collect();
        assert_eq!(rows, ["1", "2", "null"], "{uri}");
    }
}
