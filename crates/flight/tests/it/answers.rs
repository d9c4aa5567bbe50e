//! What comes: encodings, sizes, types.

use std::sync::Arc;

use arrow_array::builder::{StringDictionaryBuilder, StringViewBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_ipc::writer::IpcWriteOptions;
use arrow_ipc::{CompressionType, MetadataVersion};
use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{Cancel, ErrorKind, Options, Stream, bytes_of};

use crate::server::{Behaviour, Endpoint, Server};
use crate::{assert_numbers, behaviour, connections, error, numbers, plan, read};

fn one(batches: Vec<RecordBatch>) -> Behaviour {
    let schema = batches[0].schema().as_ref().clone();
    Behaviour {
        endpoints: vec![Endpoint { batches, ..Endpoint::default() }],
        announced: Some(schema),
        ..Behaviour::default()
    }
}

#[test]
fn compressed_batches_are_read() {
    for compression in [CompressionType::LZ4_FRAME, CompressionType::ZSTD] {
        let options = IpcWriteOptions::default().try_with_compression(Some(compression)).unwrap();
        let server = Server::start(Behaviour { options: Some(options), ..one(vec![numbers(0, 50_000)]) });
        assert_numbers(&read(&server.uri(), "SELECT 1", connections(1)).unwrap(), 50_000);
    }
    let options = IpcWriteOptions::try_new(8, false, MetadataVersion::V5).unwrap();
    let server = Server::start(Behaviour { options: Some(options), ..one(vec![numbers(0, 50_000)]) });
    assert_numbers(&read(&server.uri(), "SELECT 1", connections(1)).unwrap(), 50_000);
}

#[test]
fn dictionaries_and_views_stay_what_they_are() {
    let mut codes = StringDictionaryBuilder::<Int32Type>::new();
    let mut views = StringViewBuilder::new();
    for row in 0..1000 {
        codes.append_value(["ash", "birch", "cedar"][row % 3]);
        views.append_value(format!("a text that is too long for a view {row}"));
    }
    let columns: [(&str, ArrayRef); 2] = [("c", Arc::new(codes.finish())), ("v", Arc::new(views.finish()))];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap();
    let server = Server::start(one(vec![batch.clone(), batch.clone()]));
    let result = read(&server.uri(), "SELECT 1", connections(1)).unwrap();
    assert_eq!(result.slice(1000, 1000).columns(), batch.columns());
    // Announced as dictionaries and views, sent as plain text: the plan's types hold.
    let text = |array: &ArrayRef| arrow_cast::cast(array, &DataType::Utf8).unwrap();
    let plain: Vec<ArrayRef> = batch.columns().iter().map(text).collect();
    let fields: Vec<Field> = ["c", "v"].map(|name| Field::new(name, DataType::Utf8, true)).into();
    let plain = RecordBatch::try_new(Arc::new(Schema::new(fields)), plain).unwrap();
    let server =
        Server::start(Behaviour { announced: Some(batch.schema().as_ref().clone()), ..one(vec![plain.clone()]) });
    let result = read(&server.uri(), "SELECT 1", connections(1)).unwrap();
    assert_eq!(result.schema().field(0).data_type(), batch.schema().field(0).data_type());
    assert_eq!(result.columns().iter().map(text).collect::<Vec<_>>(), plain.columns());
}

#[test]
fn batches_have_about_the_size_that_is_asked_for() {
    let server = Server::start(one(vec![numbers(0, 200_000)]));
    let options = Options { batch_bytes: 100_000, ..connections(1) };
    let plan = plan(&server.uri(), "SELECT 1", &options).unwrap();
    let sizes: Vec<usize> =
        Stream::start(plan, &options, Cancel::new()).map(|batch| bytes_of(&batch.unwrap())).collect();
    assert!(sizes.len() > 30 && sizes.iter().all(|size| *size < 150_000), "{sizes:?}");
    let tiny = (0..500).map(|n| numbers(n * 10, n * 10 + 10)).collect();
    let server = Server::start(one(tiny));
    let plan = crate::plan(&server.uri(), "SELECT 1", &options).unwrap();
    let count = Stream::start(plan, &options, Cancel::new()).count();
    assert!(count <= 3, "{count}");
}

#[test]
fn a_message_that_is_too_large_is_refused() {
    let server = Server::start(one(vec![numbers(0, 100_000)]));
    let error = error(&format!("{}?max_message_bytes=1000000", server.uri()), connections(1));
    assert_eq!(error.kind(), ErrorKind::Protocol);
    assert!(error.hint().unwrap().contains("max_message_bytes"), "{error}");
    assert_numbers(
        &read(&format!("{}?max_message_bytes=10000000", server.uri()), "SELECT 1", connections(1)).unwrap(),
        100_000,
    );
}

#[test]
fn types_are_the_users_choice() {
    let server = Server::start(behaviour(2));
    let options = |of| Options { types: [("n".to_owned(), of)].into(), ..connections(2) };
    let result = read(&server.uri(), "SELECT 1", options(DataType::Decimal128(10, 2))).unwrap();
    assert_eq!(result.schema().field(0).data_type(), &DataType::Decimal128(10, 2));
    let misfit = error(&server.uri(), options(DataType::Boolean));
    assert_eq!((misfit.kind(), misfit.column()), (ErrorKind::Value, Some("n")), "{misfit}");
    let options = Options { types: [("nix".to_owned(), DataType::Int8)].into(), ..connections(2) };
    assert_eq!(error(&server.uri(), options).kind(), ErrorKind::Config);
}
