//! What a writable source is spared of clients that misbehave.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_flight::sql::{
    CommandStatementIngest, CommandStatementUpdate, ProstMessageExt, TableDefinitionOptions, TableExistsOption,
    TableNotExistOption,
};
use arrow_flight::{FlightData, FlightDescriptor, PutResult};
use bowshot_connect::connect;
use bowshot_core::Query;
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_gateway_wire::{Codec, Encoder};
use bowshot_testkit::Postgres;
use futures::{Stream, StreamExt, TryStreamExt};
use prost::Message;
use tonic::{Code, Status};

use crate::raw::{Client, client};
use crate::reading::read;
use crate::running::Running;

fn gateway(server: &Postgres, limits: Limits) -> Running {
    Running::writable(&[("shop", connect(&server.uri()).unwrap(), Dialect::Postgres)], limits)
}

fn ingest(table: &str) -> FlightDescriptor {
    let options = TableDefinitionOptions {
        if_not_exist: TableNotExistOption::Create.into(),
        if_exists: TableExistsOption::Append.into(),
    };
    let command = CommandStatementIngest {
        table: table.to_owned(),
        table_definition_options: Some(options),
        ..CommandStatementIngest::default()
    };
    FlightDescriptor::new_cmd(command.as_any().encode_to_vec())
}

/// The messages of two batches of ten rows.
fn messages(table: &str) -> Vec<FlightData> {
    let numbers = Arc::new(Int64Array::from_iter_values(0..10)) as ArrayRef;
    let words = Arc::new(StringArray::from_iter_values((0..10).map(|n| format!("word {n}")))) as ArrayRef;
    let batch = RecordBatch::try_from_iter([("n", numbers), ("word", words)]).unwrap();
    let mut encoder = Encoder::new(batch.schema(), Codec::None).unwrap();
    let mut messages = vec![encoder.schema_message().unwrap()];
    for _ in 0..2 {
        messages.extend(encoder.encode(&batch).unwrap().into_iter().map(FlightData::from));
    }
    messages[0].flight_descriptor = Some(ingest(table));
    messages
}

async fn put(
    client: &mut Client,
    messages: impl Stream<Item = FlightData> + Send + 'static,
) -> Result<Vec<PutResult>, Status> {
    client.do_put(messages).await?.into_inner().try_collect().await
}

#[tokio::test(flavor = "multi_thread")]
async fn torn_bytes_put_no_row_into_a_table() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut client = client(&gateway).await;
    assert_eq!(put(&mut client, futures::stream::iter(messages("good"))).await.unwrap().len(), 1);
    assert_eq!(server.psql("SELECT count(*), sum(n) FROM good").unwrap().trim(), "20|90");
    let good = messages("torn");
    for seed in 0_usize..150 {
        let mut torn = good.clone();
        // Of each message, its header or its body is cut or changed in one place.
        let message = &mut torn[seed % 3];
        let bytes = if seed % 2 == 0 { &mut message.data_header } else { &mut message.data_body };
        let mut changed = bytes.to_vec();
        if changed.is_empty() {
            changed.push(7);
        }
        let place = seed * 31 % changed.len();
        match seed % 5 {
            0 => changed.truncate(place),
            _ => changed[place] ^= 1 << (seed % 8),
        }
        *bytes = changed.into();
        // What is still a batch may be put; what is none takes all with it.
        let before = server.psql("SELECT to_regclass('torn') IS NULL").unwrap();
        if let Err(status) = put(&mut client, futures::stream::iter(torn)).await {
            assert_ne!(status.code(), Code::Unknown, "{seed}: {status}");
            assert_eq!(server.psql("SELECT to_regclass('torn') IS NULL").unwrap(), before, "{seed}: {status}");
        }
        server.psql("DROP TABLE IF EXISTS torn").unwrap();
    }
    assert_eq!(put(&mut client, futures::stream::iter(messages("good"))).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_falls_silent_holds_nothing_for_longer_than_the_limit() {
    let server = Postgres::start().unwrap();
    let limits = Limits { query_time: Some(Duration::from_secs(1)), ..Limits::default() };
    let gateway = gateway(&server, limits);
    let mut client = client(&gateway).await;
    let began = Instant::now();
    let silent = futures::stream::iter(messages("silent")).chain(futures::stream::pending());
    let status = put(&mut client, silent).await.unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
    assert!(status.message().contains("nothing was changed"), "{status}");
    assert!(began.elapsed() < Duration::from_secs(20));
    assert_eq!(server.psql("SELECT to_regclass('silent') IS NULL").unwrap().trim(), "t");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_is_gone_leaves_nothing() {
    let server = Postgres::start().unwrap();
    server.psql("CREATE TABLE kept (n bigint, word text)").unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut first = client(&gateway).await;
    let silent = futures::stream::iter(messages("kept")).chain(futures::stream::pending());
    let gone = tokio::time::timeout(Duration::from_secs(1), put(&mut first, silent)).await;
    assert!(gone.is_err(), "it goes on until the client leaves");
    drop(first);
    for tries in 0.. {
        let sql =
            "SELECT count(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()";
        if server.psql(sql).unwrap().trim() == "0" {
            break;
        }
        assert!(tries < 100, "its session is still there");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(server.psql("SELECT count(*) FROM kept").unwrap().trim(), "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transaction_that_nobody_began_is_refused() {
    let server = Postgres::start().unwrap();
    let gateway = gateway(&server, Limits::default());
    let mut client = client(&gateway).await;
    let command = CommandStatementUpdate {
        query: "CREATE TABLE made (n int)".into(),
        transaction_id: Some(b"one".as_slice().into()),
    };
    let descriptor = FlightDescriptor::new_cmd(command.as_any().encode_to_vec());
    let message = FlightData { flight_descriptor: Some(descriptor), ..FlightData::default() };
    let status = put(&mut client, futures::stream::iter([message])).await.unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented, "{status}");
    assert_eq!(server.psql("SELECT to_regclass('made') IS NULL").unwrap().trim(), "t");
}

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_a_client_that_gives_up_are_not_committed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    // An empty file is an empty database.
    std::fs::write(&path, []).unwrap();
    let uri = format!("sqlite:///{}", path.display());
    let gateway = Running::writable(&[("shop", connect(&uri).unwrap(), Dialect::Sqlite)], Limits::default());
    let mut client = client(&gateway).await;
    put(&mut client, futures::stream::iter(messages("whole"))).await.unwrap();
    for round in 0..100 {
        let mut client = client.clone();
        let rows = futures::stream::iter(messages(&format!("given_up_{round}"))).chain(futures::stream::pending());
        let call = tokio::spawn(async move { put(&mut client, rows).await });
        // Now before the rows have come, now when they are in the table.
        tokio::time::sleep(Duration::from_micros(round * 200)).await;
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
    }
    // Writers wait for each other: this one is the last.
    put(&mut client, futures::stream::iter(messages("last"))).await.unwrap();
    let sql = "SELECT name FROM sqlite_schema ORDER BY name";
    let tables = tokio::task::spawn_blocking(move || read(&uri, Query::new(sql))).await.unwrap().unwrap().0;
    let names: Vec<String> = tables
        .iter()
        .flat_map(|batch| batch.column(0).as_string::<i32>().iter().flatten().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert_eq!(names, ["last", "whole"]);
}
