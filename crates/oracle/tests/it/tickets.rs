//! Partitions that are read elsewhere, on the SCN of their plan.

use bowshot_core::{
    Cancel, Error, ErrorKind, Holder, Lease, Options, Partitioning, Query, Request, Source, Ticket, Travel, testing,
};
use bowshot_oracle::Oracle;

use crate::partitions::{LARGE, World, four, world};
use crate::server::Database;

/// The tickets of a request, as they travel, and how.
fn tickets(database: &Database, sql: &[&str], options: &Options) -> Result<(Travel, Vec<Vec<u8>>), Error> {
    let source = Oracle::from_uri(&database.uri())?;
    let request = Request { queries: sql.iter().map(|sql| Query::new(*sql)).collect(), options: options.clone() };
    let cancel = Cancel::new();
    let plan = source.plan(&request, &cancel)?;
    let holder = Holder::new(&plan, &request, Lease::default(), &cancel)?;
    let bytes = holder.tickets()?.iter().map(Ticket::to_bytes).collect::<Result<_, _>>()?;
    Ok((holder.travel(), bytes))
}

/// Reads a ticket as another process does.
fn read(database: &Database, bytes: &[u8]) -> Result<Vec<i64>, Error> {
    let ticket = Ticket::from_bytes(bytes)?;
    let plan = Oracle::from_uri(&database.uri())?.join(&ticket, &Cancel::new())?;
    let stream = bowshot_core::Stream::start(plan, &ticket.options(), Cancel::new());
    let mut rows = Vec::new();
    for batch in stream {
        let column = batch?.column(0).clone();
        rows.extend(arrow_array::cast::AsArray::as_primitive::<arrow_array::types::Int64Type>(&column).values());
    }
    Ok(rows)
}

fn by_column() -> Options {
    Options { partitioning: Partitioning::Column { column: "ID".into(), count: 4, range: None }, ..four() }
}

#[test]
fn ranges_of_addresses_travel_with_their_scn() {
    for grants in [LARGE, World { package: false, ..LARGE }] {
        let planned = world(grants);
        let (travel, bytes) = tickets(&planned, &["SELECT id FROM orders WHERE id >= 0"], &four()).unwrap();
        assert_eq!((travel, bytes.len()), (Travel::Snapshot, 12));
        // The plan's process may be gone.
        let database = world(grants);
        drop(planned);
        let rows: Vec<i64> = bytes.iter().flat_map(|bytes| read(&database, bytes).unwrap()).collect();
        assert_eq!(rows, (0..100).collect::<Vec<_>>());
        // Again, for the task that is tried once more.
        assert_eq!(read(&database, &bytes[3]).unwrap(), read(&database, &bytes[3]).unwrap());
        assert!(!database.statements().iter().any(|sql| sql.contains("SAMPLE BLOCK")), "nothing is divided again");
    }
}

#[test]
fn sessions_are_set_to_the_scn_of_the_ticket() {
    let database = world(LARGE);
    let (travel, bytes) = tickets(&database, &["SELECT id FROM a", "SELECT id FROM b"], &four()).unwrap();
    assert_eq!((travel, bytes.len()), (Travel::Snapshot, 2));
    let reader = world(LARGE);
    assert_eq!(read(&reader, &bytes[1]).unwrap().len(), 100);
    let set = "BEGIN DBMS_FLASHBACK.ENABLE_AT_SYSTEM_CHANGE_NUMBER(4711); END;";
    assert!(reader.statements().iter().any(|sql| sql == set), "{:?}", reader.statements());
    let (travel, bytes) = tickets(&database, &["SELECT id FROM orders o JOIN l ON 1 = 1"], &by_column()).unwrap();
    assert_eq!((travel, bytes.len()), (Travel::Snapshot, 5));
    assert_eq!(read(&reader, &bytes[2]).unwrap().len(), 100, "the server knows no ranges of columns");
    assert!(!reader.statements().iter().any(|sql| sql.contains("min(")), "no ends are asked for again");
}

#[test]
fn a_state_that_is_gone_is_one_error() {
    let (_, ranges) = tickets(&world(LARGE), &["SELECT id FROM orders"], &four()).unwrap();
    let (_, list) = tickets(&world(LARGE), &["SELECT id FROM a", "SELECT id FROM b"], &four()).unwrap();
    let forgetful = world(World { kind: "forgotten", ..LARGE });
    for (bytes, word) in [(&ranges[5], "ORA-01555"), (&list[0], "ORA-08181")] {
        let error = read(&forgetful, bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SnapshotGone, "{error}");
        assert!(error.message().contains(word) && error.hint().unwrap().contains("UNDO_RETENTION"), "{error}");
    }
    // What has another reason keeps it.
    let error = read(&world(World { flashback: false, ..LARGE }), &ranges[5]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Sql, "{error}");
}

#[test]
fn what_has_no_scn_travels_whole_torn_or_says_why() {
    let bare = world(World { package: false, view: false, ..LARGE });
    let (travel, bytes) = tickets(&bare, &["SELECT id FROM orders"], &four()).unwrap();
    assert_eq!((travel, bytes.len()), (Travel::Whole, 1));
    assert_eq!(read(&bare, &bytes[0]).unwrap().len(), 100);
    let list = ["SELECT id FROM a", "SELECT id FROM b"];
    let error = tickets(&bare, &list, &four()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("transaction of one connection"), "{error}");
    let torn = Options { one_snapshot: false, ..four() };
    let (travel, bytes) = tickets(&bare, &list, &torn).unwrap();
    assert_eq!((travel, bytes.len()), (Travel::Torn, 2));
    let reader = world(World { package: false, view: false, ..LARGE });
    assert_eq!(read(&reader, &bytes[1]).unwrap().len(), 100);
    assert!(reader.statements().iter().any(|sql| sql == list[1]));
    let (travel, bytes) =
        tickets(&bare, &["SELECT id FROM o"], &Options { one_snapshot: false, ..by_column() }).unwrap();
    assert_eq!((travel, bytes.len()), (Travel::Torn, 5));
}

#[test]
fn the_tickets_of_others_are_refused() {
    let database = world(LARGE);
    let source = testing::Numbers { partitions: 2, rows: 3 };
    let request = Request::new(Query::new("the numbers"), Options::default());
    let cancel = Cancel::new();
    let plan = source.plan(&request, &cancel).unwrap();
    let holder = Holder::new(&plan, &request, Lease::default(), &cancel).unwrap();
    let error = read(&database, &holder.ticket(0).unwrap().to_bytes().unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Config, "{error}");
    assert_eq!(database.connections(), 0);
}
