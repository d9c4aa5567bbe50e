//! Lengths that clients put and that are lies: each is an error of its call, and the gateway answers the next query.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, DictionaryArray, Int64Array, ListArray, RecordBatch, StringArray};
use arrow_flight::sql::{
    ActionCreatePreparedStatementRequest, ActionCreatePreparedStatementResult, Any, CommandPreparedStatementQuery,
    CommandPreparedStatementUpdate, CommandStatementIngest, ProstMessageExt, TableDefinitionOptions, TableExistsOption,
    TableNotExistOption,
};
use arrow_flight::{Action, FlightData, FlightDescriptor};
use arrow_ipc::writer::{DictionaryTracker, EncodedData, IpcDataGenerator, IpcWriteContext, IpcWriteOptions};
use arrow_ipc::{CompressionType, root_as_message};
use arrow_schema::{DataType, Field, Schema};
use bowshot_connect::connect;
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_testkit::Postgres;
use futures::TryStreamExt;
use prost::Message;
use tonic::Code;

use crate::raw::{Client, client};
use crate::running::Running;

/// Everything that takes rows of a client.
const DOORS: [&str; 3] = ["query", "update", "ingest"];

struct Doors {
    server: Postgres,
    _gateway: Running,
    client: Client,
}

impl Doors {
    async fn open() -> Doors {
        let server = Postgres::start().unwrap();
        server.psql("CREATE TABLE kept (n bigint, word text)").unwrap();
        let source = connect(&server.uri()).unwrap();
        let gateway = Running::writable(&[("shop", source, Dialect::Postgres)], Limits::default());
        let client = client(&gateway).await;
        Doors { server, _gateway: gateway, client }
    }

    async fn prepared(&mut self, sql: &str) -> prost::bytes::Bytes {
        let body = ActionCreatePreparedStatementRequest { query: sql.into(), transaction_id: None };
        let action = Action::new("CreatePreparedStatement", body.as_any().encode_to_vec());
        let mut answers = self.client.do_action(action).await.unwrap().into_inner();
        let body = answers.try_next().await.unwrap().unwrap().body;
        let made: ActionCreatePreparedStatementResult = Any::decode(body).unwrap().unpack().unwrap().unwrap();
        made.prepared_statement_handle
    }

    async fn command(&mut self, door: &str) -> Vec<u8> {
        match door {
            "query" => {
                let prepared_statement_handle = self.prepared("SELECT $1::bigint AS n, $2::text AS word").await;
                CommandPreparedStatementQuery { prepared_statement_handle }.as_any().encode_to_vec()
            }
            "update" => {
                let prepared_statement_handle = self.prepared("INSERT INTO kept VALUES ($1, $2)").await;
                CommandPreparedStatementUpdate { prepared_statement_handle }.as_any().encode_to_vec()
            }
            _ => CommandStatementIngest {
                table: "kept".into(),
                table_definition_options: Some(TableDefinitionOptions {
                    if_not_exist: TableNotExistOption::Create.into(),
                    if_exists: TableExistsOption::Append.into(),
                }),
                ..CommandStatementIngest::default()
            }
            .as_any()
            .encode_to_vec(),
        }
    }

    /// What comes of these messages at a door, which the gateway has to be alive for.
    async fn put(&mut self, door: &str, mut messages: Vec<FlightData>) -> Result<(), tonic::Status> {
        let command = self.command(door).await;
        messages[0].flight_descriptor = Some(FlightDescriptor::new_cmd(command));
        let answer = self.client.do_put(futures::stream::iter(messages)).await;
        match answer {
            Ok(answer) => answer.into_inner().try_collect::<Vec<_>>().await.map(drop),
            Err(status) => Err(status),
        }
    }

    async fn refuses(&mut self, door: &str, messages: Vec<FlightData>, what: &str) {
        let status = self.put(door, messages).await.expect_err(&format!("{door}: {what} was taken"));
        assert_eq!(status.code(), Code::InvalidArgument, "{door}: {what}: {status}");
    }

    /// The gateway answers the next query, and nothing was put but this.
    async fn still_open(mut self, rows: u64) {
        self.prepared("SELECT 1").await;
        assert_eq!(self.server.psql("SELECT count(*) FROM kept").unwrap().trim(), rows.to_string());
    }
}

/// One row that is long enough to be compressed.
fn row() -> RecordBatch {
    let number = Arc::new(Int64Array::from(vec![Some(7)])) as ArrayRef;
    let word = Arc::new(StringArray::from(vec!["word ".repeat(200)])) as ArrayRef;
    RecordBatch::try_from_iter([("n", number), ("word", word)]).unwrap()
}

/// The messages of a batch: the schema, dictionaries, the batch.
fn messages(batch: &RecordBatch, compression: Option<CompressionType>) -> Vec<FlightData> {
    let options = IpcWriteOptions::default().try_with_compression(compression).unwrap();
    let (generator, mut tracker) = (IpcDataGenerator::default(), DictionaryTracker::new(false));
    let schema = generator.schema_to_bytes_with_dictionary_tracker(batch.schema_ref(), &mut tracker, &options);
    let (dictionaries, data) =
        generator.encode(batch, &mut tracker, &options, &mut IpcWriteContext::default()).unwrap();
    let message = |data: EncodedData| FlightData {
        data_header: data.ipc_message.into(),
        data_body: data.arrow_data.into(),
        ..FlightData::default()
    };
    std::iter::once(schema).chain(dictionaries).chain([data]).map(message).collect()
}

/// Where the buffers of a message are told of in its header (16 bytes each), and where they lie in its body.
fn buffers(message: &FlightData) -> Vec<(Range<usize>, Range<usize>)> {
    let root = root_as_message(&message.data_header).unwrap();
    let batch = root.header_as_record_batch().or_else(|| root.header_as_dictionary_batch().unwrap().data()).unwrap();
    let all = batch.buffers().unwrap();
    let first = all.bytes().as_ptr() as usize - message.data_header.as_ptr() as usize;
    let place = |(number, buffer): (usize, &arrow_ipc::Buffer)| {
        let from = usize::try_from(buffer.offset()).unwrap();
        let at = first + 16 * number;
        (at..at + 16, from..from + usize::try_from(buffer.length()).unwrap())
    };
    all.iter().enumerate().map(place).collect()
}

/// The message with other bytes at a place.
fn changed(bytes: &prost::bytes::Bytes, at: usize, value: i64) -> prost::bytes::Bytes {
    let mut bytes = bytes.to_vec();
    bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
    bytes.into()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_compressed_buffer_says_of_itself_is_not_believed() {
    let mut doors = Doors::open().await;
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let good = messages(&row(), Some(compression));
        let claims = [1 << 62, 1 << 40, 1 << 34, i64::MAX, i64::MIN, -2, 999];
        let long: Vec<_> = buffers(&good[1]).into_iter().filter(|(_, body)| body.len() >= 8).collect();
        assert!(long.len() >= 3);
        for door in DOORS {
            doors.put(door, good.clone()).await.unwrap();
            for claim in claims {
                for (_, body) in long.iter().rev().take(2) {
                    let mut bad = good.clone();
                    bad[1].data_body = changed(&bad[1].data_body, body.start, claim);
                    doors.refuses(door, bad, &format!("{compression:?} of {claim} bytes")).await;
                }
            }
        }
    }
    doors.still_open(4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn buffers_that_lie_elsewhere_are_refused() {
    let mut doors = Doors::open().await;
    for compression in [None, Some(CompressionType::LZ4_FRAME)] {
        let good = messages(&row(), compression);
        // The last one is never empty: the texts.
        let (header, body) = buffers(&good[1]).pop().unwrap();
        for door in DOORS {
            let length = i64::try_from(body.len()).unwrap();
            for (at, value) in
                [(0, -8), (0, i64::MAX), (0, 1 << 40), (8, -1), (8, i64::MIN), (8, length + 4096), (8, 1 << 62)]
            {
                let mut bad = good.clone();
                bad[1].data_header = changed(&bad[1].data_header, header.start + at, value);
                doors.refuses(door, bad, &format!("{compression:?} {at} {value}")).await;
            }
            let mut bad = good.clone();
            bad[1].data_body = bad[1].data_body.slice(..bad[1].data_body.len() / 2);
            doors.refuses(door, bad, "half a body").await;
        }
    }
    doors.still_open(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offsets_that_fall_and_dictionaries_that_lie_are_refused() {
    let mut doors = Doors::open().await;
    let good = messages(&row(), None);
    let [.., (_, offsets), _] = &buffers(&good[1])[..] else { panic!("a text has offsets") };
    for (first, second) in [(0, -1), (1000, 0), (0, i32::MAX), (-5, 3)] {
        let mut bad = good.clone();
        let both = i64::from(first) & 0xffff_ffff | i64::from(second) << 32;
        bad[1].data_body = changed(&bad[1].data_body, offsets.start, both);
        for door in DOORS {
            doors.refuses(door, bad.clone(), &format!("offsets {first} {second}")).await;
        }
    }
    let codes = Arc::new(DictionaryArray::<Int32Type>::from_iter([["code "; 40].concat().as_str()])) as ArrayRef;
    let number = Arc::new(Int64Array::from(vec![1])) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("n", number), ("word", codes)]).unwrap();
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let good = messages(&batch, Some(compression));
        assert_eq!(good.len(), 3);
        let [.., (_, body)] = &buffers(&good[1])[..] else { panic!("a dictionary has buffers") };
        for claim in [1 << 62, 1 << 40, -9] {
            let mut bad = good.clone();
            bad[1].data_body = changed(&bad[1].data_body, body.start, claim);
            for door in DOORS {
                doors.refuses(door, bad.clone(), &format!("a dictionary of {claim} bytes")).await;
            }
        }
        // A key behind the end, and a batch whose dictionary never came.
        let mut bad = good.clone();
        bad.remove(1);
        for door in DOORS {
            doors.refuses(door, bad.clone(), "no dictionary").await;
        }
    }
    doors.still_open(0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn schemas_nested_beyond_measure_end_in_a_status() {
    let mut doors = Doors::open().await;
    for depth in [3, 60, 1000] {
        let mut kind = DataType::Int64;
        for _ in 0..depth {
            kind = DataType::List(Arc::new(Field::new("item", kind, true)));
        }
        let schema = Arc::new(Schema::new(vec![Field::new("n", kind, true)]));
        let options = IpcWriteOptions::default();
        let schema = IpcDataGenerator::default().schema_to_bytes_with_dictionary_tracker(
            &schema,
            &mut DictionaryTracker::new(false),
            &options,
        );
        let lists = ListArray::from_iter_primitive::<Int32Type, _, _>([Some([Some(1)])]);
        let batch = RecordBatch::try_from_iter([("n", Arc::new(lists) as ArrayRef)]).unwrap();
        let mut bad = messages(&batch, None);
        bad[0] = FlightData { data_header: schema.ipc_message.into(), ..FlightData::default() };
        for door in DOORS {
            let status = doors.put(door, bad.clone()).await.unwrap_err();
            assert!(
                matches!(status.code(), Code::InvalidArgument | Code::Unimplemented),
                "{door}, {depth} deep: {status}"
            );
        }
    }
    doors.still_open(0).await;
}
