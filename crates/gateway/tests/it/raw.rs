//! What the protocol itself says, call by call.

use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::{CommandGetSqlInfo, CommandGetTables, CommandStatementQuery, ProstMessageExt};
use arrow_flight::{
    Action, CancelFlightInfoRequest, CancelFlightInfoResult, CancelStatus, FlightDescriptor, FlightInfo,
    HandshakeRequest, Ticket,
};
use bowshot_core::Source;
use bowshot_core::testing::Numbers;
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use futures::TryStreamExt;
use prost::Message;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::running::Running;

fn gateway(limits: Limits) -> Running {
    let source: Arc<dyn Source> = Arc::new(Numbers { partitions: 4, rows: 10 });
    Running::open(&[("numbers", source, Dialect::Other)], limits)
}

/// A client that knows nothing of Flight SQL.
pub type Client = FlightServiceClient<Channel>;

pub async fn client(gateway: &Running) -> Client {
    let channel = Channel::from_shared(format!("http://{}", gateway.address)).unwrap().connect().await.unwrap();
    FlightServiceClient::new(channel)
}

fn statement() -> FlightDescriptor {
    let command = CommandStatementQuery { query: "SELECT n FROM numbers".into(), transaction_id: None };
    FlightDescriptor::new_cmd(command.as_any().encode_to_vec())
}

async fn info(client: &mut FlightServiceClient<Channel>) -> FlightInfo {
    client.get_flight_info(statement()).await.unwrap().into_inner()
}

/// How many messages a ticket yields.
async fn fetched(client: &mut FlightServiceClient<Channel>, ticket: Ticket) -> Result<usize, Status> {
    let messages: Vec<_> = client.do_get(ticket).await?.into_inner().try_collect().await?;
    Ok(messages.len())
}

pub fn tickets(info: &FlightInfo) -> Vec<Ticket> {
    info.endpoint.iter().map(|endpoint| endpoint.ticket.clone().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_ticket_is_good_once_and_only_as_it_came() {
    let gateway = gateway(Limits::default());
    let mut client = client(&gateway).await;
    let info = info(&mut client).await;
    assert!(info.endpoint.iter().all(|endpoint| endpoint.location.is_empty() && endpoint.expiration_time.is_some()));
    let ticket = tickets(&info).remove(0);
    let mut forged = ticket.ticket.to_vec();
    forged[20] ^= 1;
    assert_eq!(fetched(&mut client, Ticket::new(forged)).await.unwrap_err().code(), Code::PermissionDenied);
    assert_eq!(fetched(&mut client, Ticket::new("nonsense")).await.unwrap_err().code(), Code::InvalidArgument);
    assert!(fetched(&mut client, ticket.clone()).await.unwrap() >= 2, "the schema and batches");
    assert_eq!(fetched(&mut client, ticket).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_fetches_goes() {
    let gateway = gateway(Limits { ticket_lifetime: Duration::from_secs(1), ..Limits::default() });
    let mut client = client(&gateway).await;
    let info = info(&mut client).await;
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let status = fetched(&mut client, tickets(&info).remove(0)).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound, "{status}");
    assert!(status.message().contains("expired"), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_result_is_gone() {
    let gateway = gateway(Limits::default());
    let mut client = client(&gateway).await;
    let info = info(&mut client).await;
    let ticket = tickets(&info).remove(0);
    let request = CancelFlightInfoRequest::new(info).encode_to_vec();
    let mut answers = client.do_action(Action::new("CancelFlightInfo", request)).await.unwrap().into_inner();
    let answer = CancelFlightInfoResult::decode(answers.try_next().await.unwrap().unwrap().body).unwrap();
    assert_eq!(answer.status(), CancelStatus::Cancelled);
    assert_eq!(fetched(&mut client, ticket).await.unwrap_err().code(), Code::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn metadata_have_the_announced_columns() {
    let gateway = gateway(Limits::default());
    let mut client = client(&gateway).await;
    let commands = [
        CommandGetSqlInfo { info: Vec::new() }.as_any(),
        CommandGetTables { include_schema: true, ..CommandGetTables::default() }.as_any(),
    ];
    for command in commands {
        let descriptor = FlightDescriptor::new_cmd(command.encode_to_vec());
        let info = client.get_flight_info(descriptor.clone()).await.unwrap().into_inner();
        let schema = client.get_schema(descriptor).await.unwrap().into_inner();
        assert_eq!(info.schema, schema.schema);
        assert!(fetched(&mut client, tickets(&info).remove(0)).await.unwrap() >= 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_are_no_command_are_refused() {
    let gateway = gateway(Limits::default());
    let mut client = client(&gateway).await;
    for bytes in [&b"\xff\xff\xff"[..], b"", b"SELECT 1"] {
        let status = client.get_flight_info(FlightDescriptor::new_cmd(bytes.to_vec())).await.unwrap_err();
        assert!([Code::InvalidArgument, Code::Unimplemented].contains(&status.code()), "{status}");
    }
    let status = client.do_action(Action::new("Nonsense", "")).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
}

/// `session_options { name { string_value: value } }` of SetSessionOptionsRequest, as Flight.proto lays it out.
fn set_option(name: &str, value: &str) -> Vec<u8> {
    let field = |tag: u8, bytes: &[u8]| [&[tag << 3 | 2, u8::try_from(bytes.len()).unwrap()], bytes].concat();
    let entry = [field(1, name.as_bytes()), field(2, &field(1, value.as_bytes()))].concat();
    field(1, &entry)
}

async fn act(
    client: &mut FlightServiceClient<Channel>,
    token: Option<&str>,
    name: &str,
    body: Vec<u8>,
) -> Result<Vec<u8>, Status> {
    let mut request = tonic::Request::new(Action::new(name, body));
    if let Some(token) = token {
        request.metadata_mut().insert("authorization", token.parse().unwrap());
    }
    let mut answers = client.do_action(request).await?.into_inner();
    Ok(answers.try_next().await?.map(|answer| answer.body.to_vec()).unwrap_or_default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_keeps_its_options() {
    let gateway = gateway(Limits::default());
    let mut client = client(&gateway).await;
    let status = act(&mut client, None, "SetSessionOptions", set_option("bowshot-endpoints", "2")).await.unwrap_err();
    assert!(status.message().contains("log in first"), "{status}");

    let mut hello = tonic::Request::new(futures::stream::iter([HandshakeRequest::default()]));
    hello.metadata_mut().insert("authorization", "Basic YW5uOmFubg==".parse().unwrap());
    let welcome = client.handshake(hello).await.unwrap();
    let token = welcome.metadata().get("authorization").unwrap().to_str().unwrap().to_owned();
    let bearer = token.as_str();
    let token = Some(bearer);
    let set = act(&mut client, token, "SetSessionOptions", set_option("bowshot-endpoints", "2")).await.unwrap();
    assert!(set.is_empty(), "no errors: {set:?}");
    let wrong = act(&mut client, token, "SetSessionOptions", set_option("catalog", "nowhere")).await.unwrap();
    assert_eq!(wrong, [&[10, 13, 10, 7][..], b"catalog", &[18, 2, 8, 2]].concat(), "INVALID_VALUE");
    let kept = act(&mut client, token, "GetSessionOptions", Vec::new()).await.unwrap();
    assert_eq!(kept, set_option("bowshot-endpoints", "2"));

    let mut request = tonic::Request::new(statement());
    request.metadata_mut().insert("authorization", bearer.parse().unwrap());
    assert_eq!(client.get_flight_info(request).await.unwrap().into_inner().endpoint.len(), 2);
    assert_eq!(
        info(&mut client).await.endpoint.len(),
        2.max(std::thread::available_parallelism().unwrap().get().min(4))
    );
}
