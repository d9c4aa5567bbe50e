//! What a prepared statement says of its parameters.

use arrow_flight::Action;
use arrow_flight::flight_service_client::FlightServiceClient;
use arrow_flight::sql::{
    ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult, Any, ProstMessageExt,
};
use arrow_ipc::convert::try_schema_from_ipc_buffer;
use arrow_schema::{DataType, TimeUnit};
use bowshot_connect::connect;
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;
use futures::TryStreamExt;
use prost::Message;
use tonic::transport::Channel;

use crate::running::Running;

const GO: &str = "ADBC Flight SQL Driver v1.11.0 grpc-go/1.76.0";
const JDBC: &str = "grpc-java-netty/1.71.0";

/// The types of the parameters of a statement, as a client of this name is told.
async fn parameters(gateway: &Running, agent: &str, sql: &str) -> Vec<DataType> {
    let body = ActionCreatePreparedStatementRequest { query: sql.into(), transaction_id: None };
    let endpoint = Channel::from_shared(format!("http://{}", gateway.address)).unwrap().user_agent(agent).unwrap();
    let mut client = FlightServiceClient::new(endpoint.connect().await.unwrap());
    let action = Action::new("CreatePreparedStatement", body.as_any().encode_to_vec());
    let mut answers = client.do_action(action).await.unwrap().into_inner();
    let body = answers.try_next().await.unwrap().unwrap().body;
    let result: ActionCreatePreparedStatementResult = Any::decode(body).unwrap().unpack().unwrap().unwrap();
    let schema = try_schema_from_ipc_buffer(&result.parameter_schema).unwrap();
    schema.fields().iter().map(|field| field.data_type().clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_have_the_types_that_the_database_infers() {
    let server = Postgres::start().unwrap();
    server
        .psql("CREATE TABLE t (id int8, small int2, paid bool, weight float4, day date, at time, placed timestamp, moment timestamptz, note text, photo bytea, price numeric(12, 2), key uuid)")
        .unwrap();
    let gateway = Running::open(&[("shop", connect(&server.uri()).unwrap(), Dialect::Postgres)], Limits::default());
    use DataType::*;
    for (column, expected) in [
        ("id", Int64),
        ("small", Int64),
        ("paid", Boolean),
        ("weight", Float64),
        ("day", Date32),
        ("at", Time64(TimeUnit::Microsecond)),
        ("placed", Timestamp(TimeUnit::Microsecond, None)),
        ("moment", Utf8),
        ("note", Utf8),
        ("photo", Binary),
        ("price", Utf8),
        ("key", Utf8),
    ] {
        let sql = format!("SELECT id FROM t WHERE {column} = ?");
        assert_eq!(parameters(&gateway, GO, &sql).await, [expected], "{column}");
    }
    // Its driver binds milliseconds, whatever it is told.
    for (column, expected) in
        [("at", Time32(TimeUnit::Millisecond)), ("placed", Timestamp(TimeUnit::Millisecond, None))]
    {
        let sql = format!("SELECT id FROM t WHERE {column} = ?");
        assert_eq!(parameters(&gateway, JDBC, &sql).await, [expected], "{column}");
    }
    let several = parameters(&gateway, GO, "SELECT $2::int + 1, $1 FROM t WHERE day > $3").await;
    assert_eq!(several, [Utf8, Int64, Date32]);
    let none: [DataType; 0] = [];
    for sql in ["SELECT '{\"a\": 1}'::jsonb ? 'a'", "SELECT 1"] {
        assert_eq!(parameters(&gateway, GO, sql).await, none, "{sql}");
    }
}
