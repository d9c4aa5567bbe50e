//! Endpoints that are read elsewhere, by tickets.

use arrow_array::RecordBatch;
use bowshot_core::{
    Cancel, Error, ErrorKind, Holder, Lease, Options, Partitioning, Plan, Query, Request, Result, Source, Ticket,
    Travel, testing,
};
use bowshot_flight::Flight;

use crate::server::{Behaviour, Server};
use crate::{assert_numbers, behaviour, connections, whole};

/// A plan that is held, and its tickets as they travel.
struct Planned {
    plan: Plan,
    holder: Holder,
    bytes: Vec<Vec<u8>>,
}

fn planned(uri: &str, sql: &[&str], options: &Options) -> Result<Planned> {
    let request = Request { queries: sql.iter().map(|sql| Query::new(*sql)).collect(), options: options.clone() };
    let cancel = Cancel::new();
    let plan = Flight::from_uri(uri)?.plan(&request, &cancel)?;
    let holder = Holder::new(&plan, &request, Lease::default(), &cancel)?;
    let bytes = holder.tickets()?.iter().map(Ticket::to_bytes).collect::<Result<_>>()?;
    Ok(Planned { plan, holder, bytes })
}

/// Reads a ticket as another process does.
fn join(uri: &str, bytes: &[u8]) -> Result<RecordBatch> {
    joined(uri, &Ticket::from_bytes(bytes)?)
}

fn joined(uri: &str, ticket: &Ticket) -> Result<RecordBatch> {
    whole(Flight::from_uri(uri)?.join(ticket, &Cancel::new())?, &ticket.options())
}

fn all(uri: &str, planned: &Planned) -> RecordBatch {
    let batches: Vec<RecordBatch> = planned.bytes.iter().map(|bytes| join(uri, bytes).unwrap()).collect();
    arrow_select::concat::concat_batches(&planned.plan.schema, &batches).unwrap()
}

#[test]
fn each_endpoint_travels_by_itself() {
    let server = Server::start(behaviour(4));
    let planned = planned(&server.uri(), &["SELECT * FROM numbers"], &connections(4)).unwrap();
    assert_eq!((planned.holder.travel(), planned.bytes.len()), (Travel::Snapshot, 4));
    assert_numbers(&all(&server.uri(), &planned), 120);
    // A task that is tried again, and a read where the plan was made.
    assert_numbers(&all(&server.uri(), &planned), 120);
    assert_numbers(&whole(planned.plan, &connections(2)).unwrap(), 120);
    assert_eq!(server.count("GetFlightInfo"), 1, "the query runs once");
    assert_eq!(server.count("DoAction RenewFlightEndpoint"), 1, "the server is told that others will read");
    assert_eq!(server.count("DoAction"), 1, "who joins ends nothing");
}

#[test]
fn what_is_held_is_not_cancelled_by_a_reader_here() {
    let mut behaviour = behaviour(2);
    behaviour.endpoints[0].hangs = true;
    let server = Server::start(behaviour);
    let mut planned = planned(&server.uri(), &["SELECT 1"], &connections(1)).unwrap();
    let cancel = Cancel::new();
    let scan = std::sync::Arc::clone(&planned.plan.scan);
    let mut connection = scan.connect(&cancel).unwrap();
    let mut reader = connection.open(0).unwrap();
    cancel.cancel();
    assert!(reader.next().is_err());
    drop(reader);
    drop(connection);
    assert_eq!(server.count("DoAction CancelFlightInfo"), 0);
    assert!(join(&server.uri(), &planned.bytes[1]).is_ok());
    planned.holder.close();
    drop((planned.plan, planned.holder, scan));
    assert_eq!(server.count("DoAction CancelFlightInfo"), 1, "the end of the plan is told");
}

#[test]
fn endpoints_that_the_server_forgot_are_gone() {
    let planned = planned(&Server::start(behaviour(4)).uri(), &["SELECT 1"], &connections(4)).unwrap();
    let other = Server::start(behaviour(2));
    assert!(join(&other.uri(), &planned.bytes[1]).is_ok());
    let error = join(&other.uri(), &planned.bytes[3]).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SnapshotGone, "{error}");
    assert!(error.message().contains("no such ticket") && error.hint().unwrap().contains("plan the query again"));
}

#[test]
fn the_holder_renews_endpoints_that_expire() {
    let mut behaviour = behaviour(2);
    behaviour.endpoints[1].expires = Some(20);
    let server = Server::start(behaviour);
    let request = Request::new(Query::new("SELECT 1"), connections(1));
    let cancel = Cancel::new();
    let plan = Flight::from_uri(&server.uri()).unwrap().plan(&request, &cancel).unwrap();
    let lease = Lease(std::time::Duration::from_millis(400));
    let _holder = Holder::new(&plan, &request, lease, &cancel).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(250));
    assert!(server.count("DoAction RenewFlightEndpoint") >= 1, "{:?}", server.log());
}

#[test]
fn lists_and_what_is_not_announced_say_why_or_travel_torn() {
    let server = Server::start(behaviour(3));
    let list = ["SELECT 1", "SELECT 2"];
    let refused = |result: Result<Planned>| result.err().unwrap();
    let error = refused(planned(&server.uri(), &list, &connections(2)));
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.message().contains("no snapshot that queries share"), "{error}");
    let torn = Options { one_snapshot: false, ..connections(2) };
    let planned_list = planned(&server.uri(), &list, &torn).unwrap();
    assert_eq!((planned_list.holder.travel(), planned_list.bytes.len()), (Travel::Torn, 2));
    assert_numbers(&join(&server.uri(), &planned_list.bytes[1]).unwrap(), 90);
    assert_eq!(server.count("DoGet 2 SELECT 2"), 1);
    // Planning has opened the first endpoint, which may be offered once.
    let silent = Server::start(Behaviour { announced: None, told_by_get_schema: false, ..behaviour(3) });
    for options in [connections(2), torn] {
        let error = refused(planned(&silent.uri(), &["SELECT 1"], &options));
        assert!(error.message().contains("did not announce"), "{error}");
    }
    let one = Options { partitioning: Partitioning::Single, ..connections(1) };
    let whole = planned(&silent.uri(), &["SELECT 1"], &one).unwrap();
    assert_eq!(whole.holder.travel(), Travel::Whole);
    assert_numbers(&all(&silent.uri(), &whole), 90);
}

#[test]
fn a_login_goes_to_no_address_that_only_a_ticket_names() {
    let secret = || Behaviour { token: Some("s3cret"), ..behaviour(1) };
    let stranger = Server::start(behaviour(1));
    let mut named = behaviour(1);
    named.endpoints[0].locations = vec![format!("grpc://127.0.0.1:{}", stranger.port)];
    let open = Server::start(named.clone());
    let bytes = planned(&open.uri(), &["SELECT 1"], &connections(1)).unwrap().bytes;
    // Who has nothing to lose goes there; whoever has a token does not.
    assert_numbers(&join(&open.uri(), &bytes[0]).unwrap(), 30);
    assert_eq!(stranger.count("DoGet"), 1);
    let guarded = Server::start(secret());
    let uri = format!("{}?token=s3cret", guarded.uri());
    let error = join(&uri, &bytes[0]).unwrap_err();
    assert_eq!((error.kind(), stranger.count("DoGet")), (ErrorKind::Config, 1), "{error}");
    assert!(error.message().contains(&stranger.port.to_string()) && !format!("{error:?}").contains("s3cret"));
    // A plan of several endpoints says so before anything travels.
    named = behaviour(2);
    named.endpoints[1].locations = vec![format!("grpc://127.0.0.1:{}", stranger.port)];
    let server = Server::start(Behaviour { token: Some("s3cret"), ..named });
    let error = planned(&format!("{}?token=s3cret", server.uri()), &["SELECT 1"], &connections(2)).err().unwrap();
    assert!(error.message().contains("a login is not sent"), "{error}");
}

#[test]
fn forged_tickets_are_errors() {
    let server = Server::start(behaviour(2));
    let bytes = planned(&server.uri(), &["SELECT 1"], &connections(2)).unwrap().bytes.remove(0);
    let body = &bytes[..bytes.len() - 8];
    for place in (8..body.len()).step_by(5) {
        for with in [0xff, body[place] ^ 1] {
            let mut forged = body.to_vec();
            forged[place] = with;
            let Ok(ticket) = testing::ticket_of(&forged) else { continue };
            // Whatever it says, it ends: in rows or in an error.
            let _: std::result::Result<RecordBatch, Error> = joined(&server.uri(), &ticket);
        }
    }
    let source = testing::Numbers { partitions: 2, rows: 3 };
    let (request, cancel) = (Request::new(Query::new("the numbers"), Options::default()), Cancel::new());
    let plan = source.plan(&request, &cancel).unwrap();
    let foreign = Holder::new(&plan, &request, Lease::default(), &cancel).unwrap().ticket(0).unwrap();
    assert_eq!(joined(&server.uri(), &foreign).unwrap_err().kind(), ErrorKind::Config);
}
