//! Packed batches: who is sent them, and what arrives.

use arrow_array::RecordBatch;
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::{CommandStatementQuery, ProstMessageExt};
use arrow_flight::{FlightData, FlightDescriptor, FlightInfo};
use bowshot_connect::connect;
use bowshot_core::Query;
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_ipc::Form;
use bowshot_testkit::Postgres;
use futures::TryStreamExt;
use prost::Message;
use tonic::Streaming;
use tonic::transport::Channel;

use crate::raw::{Client, tickets};
use crate::reading::read;
use crate::running::Running;

pub const SQL: &str = "SELECT * FROM words";

fn words(server: &Postgres) -> Running {
    server
        .psql(
            "CREATE TABLE words AS SELECT n, nullif('word ' || n % 7, 'word 3') AS word, repeat('🏹', n % 5) AS arrows, \
             repeat('x', n % 3)::bytea AS bytes FROM generate_series(1, 30000) n",
        )
        .unwrap();
    Running::open(&[("words", connect(&server.uri()).unwrap(), Dialect::Postgres)], Limits::default())
}

#[test]
fn every_value_arrives_with_every_codec() {
    let server = Postgres::start().unwrap();
    let gateway = words(&server);
    let whole = |batches: &[RecordBatch]| arrow_select::concat::concat_batches(&batches[0].schema(), batches).unwrap();
    let (straight, _) = read(&server.uri(), Query::new(SQL)).unwrap();
    for codec in ["none", "lz4", "zstd"] {
        let uri = format!("{}/?header.bowshot-compression={codec}", gateway.uri(""));
        let (batches, _) = read(&uri, Query::new(SQL)).unwrap();
        assert!(whole(&batches).columns() == whole(&straight).columns(), "{codec}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_asks_is_sent_them() {
    let server = Postgres::start().unwrap();
    let gateway = words(&server);
    let bytes = |messages: &[FlightData]| messages.iter().map(|message| message.data_body.len()).sum::<usize>();
    let plain = fetched(&gateway, "zstd", "").await;
    assert!(plain.iter().all(|message| message.app_metadata.is_empty()));
    let packed = fetched(&gateway, "zstd", "packed").await;
    assert!(packed.len() > 1 && packed.iter().skip(1).all(|message| Form::is_note(&message.app_metadata)));
    assert!(bytes(&packed) * 3 < bytes(&plain) * 2, "{} of {} bytes", bytes(&packed), bytes(&plain));
    let uncompressed = fetched(&gateway, "none", "packed").await;
    assert!(uncompressed.iter().all(|message| message.app_metadata.is_empty()), "they would only be more bytes");
    assert_eq!(plain[0].data_header, packed[0].data_header, "the schema is the result's");
}

/// The messages of the whole result, as a client gets them that says what it reads.
pub async fn fetched(gateway: &Running, codec: &'static str, reads: &'static str) -> Vec<FlightData> {
    let (_, _, messages) = begun(gateway, codec, reads).await;
    messages.try_collect().await.unwrap()
}

/// The client, what it was told of the result, and the messages that come.
pub async fn begun(
    gateway: &Running,
    codec: &'static str,
    reads: &'static str,
) -> (Client, FlightInfo, Streaming<FlightData>) {
    let channel = Channel::from_shared(format!("http://{}", gateway.address)).unwrap().user_agent("bowshot/0").unwrap();
    let mut client = FlightServiceClient::new(channel.connect().await.unwrap());
    let command = CommandStatementQuery { query: SQL.into(), transaction_id: None }.as_any().encode_to_vec();
    let info = client.get_flight_info(asking(FlightDescriptor::new_cmd(command), codec, reads)).await.unwrap();
    let info = info.into_inner();
    let messages = client.do_get(asking(tickets(&info).remove(0), codec, reads)).await.unwrap().into_inner();
    (client, info, messages)
}

fn asking<T>(message: T, codec: &'static str, reads: &'static str) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    for (name, value) in [("bowshot-endpoints", "1"), ("bowshot-compression", codec), ("bowshot-reads", reads)] {
        request.metadata_mut().insert(name, value.parse().unwrap());
    }
    request
}
