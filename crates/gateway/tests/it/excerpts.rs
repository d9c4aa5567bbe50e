//! Excerpts of Parquet files: who is sent them, and what arrives.

use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow_flight::{Action, CancelFlightInfoRequest, FlightData};
use arrow_select::concat::concat_batches;
use bowshot_connect::connect;
use bowshot_core::{ErrorKind, Query};
use bowshot_gateway::Limits;
use bowshot_gateway_catalog::Dialect;
use bowshot_ipc::ExcerptNote;
use futures::TryStreamExt;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use prost::Message;
use tonic::{Code, Status};

use crate::packed::{SQL, begun, fetched};
use crate::reading::read;
use crate::running::Running;

/// Four files of two row groups each, of more bytes than one message has.
fn write(folder: &Path) -> RecordBatch {
    let rows = 80_000;
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..rows).map(|n| n * n % 997)));
    let word = |n: i64| (n % 5 > 0).then(|| format!("word {} of {}", n % 10, n * 31 % 89));
    let words: ArrayRef = Arc::new((0..rows).map(word).collect::<StringArray>());
    let batch = RecordBatch::try_from_iter_with_nullable([("n", numbers, false), ("word", words, true)]).unwrap();
    for file in 0..4 {
        let properties = WriterProperties::builder().set_max_row_group_row_count(Some(10_000)).build();
        let path = std::fs::File::create(folder.join(format!("words_{file}.parquet"))).unwrap();
        let mut writer = ArrowWriter::try_new(path, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch.slice(file * 20_000, 20_000)).unwrap();
        writer.close().unwrap();
    }
    batch
}

fn words(folder: &Path, limits: Limits) -> Running {
    // The table is called after its folder.
    let uri = format!("file://{}/words", folder.display());
    Running::open(&[("words", connect(&uri).unwrap(), Dialect::Other)], limits)
}

fn folder() -> (tempfile::TempDir, RecordBatch) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("words")).unwrap();
    let batch = write(&folder.path().join("words"));
    (folder, batch)
}

#[test]
fn every_value_arrives_however_it_is_sent() {
    let (folder, wanted) = folder();
    let gateway = words(folder.path(), Limits::default());
    // As they are stored, and, where a codec or batches are asked for, as batches.
    for asked in
        ["", "/?header.bowshot-compression=none", "/?header.bowshot-reads=packed", "/?header.bowshot-endpoints=3"]
    {
        let (batches, _) = read(&format!("{}{asked}", gateway.uri("")), Query::new(SQL)).unwrap();
        let found = concat_batches(&batches[0].schema(), &batches).unwrap();
        assert!(found.columns() == wanted.columns(), "{asked}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_asks_is_sent_them() {
    let (folder, _) = folder();
    let gateway = words(folder.path(), Limits::default());
    let bytes = |messages: &[FlightData]| messages.iter().map(|message| message.data_body.len()).sum::<usize>();
    let plain = fetched(&gateway, "auto", "").await;
    assert!(plain.iter().all(|message| message.app_metadata.is_empty()));
    assert_eq!(bytes(&plain), bytes(&fetched(&gateway, "none", "packed, parquet").await), "a codec was asked for");
    let stored = fetched(&gateway, "auto", "packed, parquet").await;
    assert!(stored.len() > 2 && stored.iter().skip(1).all(|message| ExcerptNote::is_note(&message.app_metadata)));
    assert!(stored.iter().all(|message| message.data_body.len() <= 1 << 20));
    assert!(bytes(&stored) < bytes(&plain), "{} of {} bytes", bytes(&stored), bytes(&plain));
    assert_eq!(plain[0].data_header, stored[0].data_header, "the schema is the result's");
}

#[test]
fn they_count_as_the_rows_that_they_hold() {
    let (folder, _) = folder();
    // The batches have about 2 MB, the files less.
    let gateway = words(folder.path(), Limits { result_bytes: Some(1_500_000), ..Limits::default() });
    let error = read(&gateway.uri(""), Query::new(SQL)).unwrap_err();
    assert!(error.message().contains("1500000") || error.message().contains("1.5 MB"), "{error}");
}

#[test]
fn a_file_that_is_replaced_meanwhile_ends_the_stream_with_an_error() {
    let (folder, _) = folder();
    let gateway = words(folder.path(), Limits::default());
    let uri = gateway.uri("");
    let path = folder.path().join("words/words_3.parquet");
    let cancel = bowshot_core::Cancel::new();
    let request = bowshot_core::Request::new(Query::new(SQL), bowshot_core::Options::default());
    let plan = connect(&uri).unwrap().plan(&request, &cancel).unwrap();
    std::fs::copy(folder.path().join("words/words_0.parquet"), &path).unwrap();
    let read: Result<Vec<_>, _> = bowshot_core::Stream::start(plan, &request.options, cancel).collect();
    let error = read.unwrap_err();
    assert!(error.kind() != ErrorKind::Internal && error.message().contains("changed since"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_that_is_cancelled_ends_in_the_middle_of_a_file() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("words")).unwrap();
    // Sixteen megabytes that nobody compresses, in one row group.
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values((0..2_000_000).map(|n: i64| n.wrapping_mul(n) << 7)));
    let batch = RecordBatch::try_from_iter([("n", numbers)]).unwrap();
    let properties =
        WriterProperties::builder().set_dictionary_enabled(false).set_max_row_group_row_count(None).build();
    let file = std::fs::File::create(folder.path().join("words/all.parquet")).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let gateway = words(folder.path(), Limits::default());
    let (mut client, info, mut messages) = begun(&gateway, "auto", "parquet").await;
    for _ in 0..3 {
        assert!(messages.try_next().await.unwrap().is_some());
    }
    let request = CancelFlightInfoRequest::new(info).encode_to_vec();
    client.do_action(Action::new("CancelFlightInfo", request)).await.unwrap();
    let rest: Result<Vec<FlightData>, Status> = messages.try_collect().await;
    assert_eq!(rest.unwrap_err().code(), Code::Cancelled);
}
