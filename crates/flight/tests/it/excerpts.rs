//! Parts of files in place of batches. The files of these tests are Arrow streams: what is in them is the opener's.
#![expect(clippy::disallowed_types, reason = "these bytes are the test's own")]

use std::io::Cursor;

use arrow_array::RecordBatch;
use arrow_flight::FlightData;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Query, Reader, Request, Result, Source};
use bowshot_flight::Flight;
use bowshot_ipc::ExcerptNote;
use bytes::Bytes;

use crate::server::{Behaviour, Endpoint, Server, flight_data};
use crate::{assert_numbers, connections, numbers, schema, whole};

struct Opened(StreamReader<Cursor<Bytes>>);

impl Reader for Opened {
    fn next(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.0.next().transpose()?)
    }
}

fn open(file: Bytes, _: &SchemaRef, _: &Options, limit: usize) -> Result<Box<dyn Reader + Send>> {
    assert_eq!(limit, 1 << 30, "sixteen times the largest message");
    let reader = StreamReader::try_new(Cursor::new(file), None);
    Ok(Box::new(Opened(reader.map_err(|error| Error::new(ErrorKind::Io, error.to_string()))?)))
}

/// A file of these numbers, in messages of so many bytes.
fn excerpt(from: i64, to: i64, step: usize) -> Vec<FlightData> {
    let mut writer = StreamWriter::try_new(Vec::new(), &schema()).unwrap();
    writer.write(&numbers(from, to)).unwrap();
    parts(&writer.into_inner().unwrap(), step)
}

fn parts(file: &[u8], step: usize) -> Vec<FlightData> {
    let note = ExcerptNote { bytes: file.len() as u64 }.write();
    let message = |part: &[u8]| FlightData::new().with_app_metadata(note.clone()).with_data_body(part.to_vec());
    file.chunks(step).map(message).collect()
}

fn server(messages: impl IntoIterator<Item = FlightData>) -> Server {
    let schema_message = flight_data(&schema(), &[], &Default::default());
    let raw = Some(schema_message.into_iter().chain(messages).collect());
    let endpoints = vec![Endpoint { raw, ..Endpoint::default() }];
    Server::start(Behaviour { endpoints, announced: Some(schema()), ..Behaviour::default() })
}

/// The whole result, as a client reads it that takes as large excerpts as there are, and no larger ones.
fn read(server: &Server) -> Result<RecordBatch> {
    let flight = Flight::from_uri(&format!("{}?max_message_bytes=67108864", server.uri()))?.with_excerpts(open);
    read_with(&flight)
}

fn read_with(flight: &Flight) -> Result<RecordBatch> {
    let options = connections(1);
    whole(flight.plan(&Request::new(Query::new("SELECT 1"), options.clone()), &Cancel::new())?, &options)
}

fn batch(from: i64, to: i64) -> FlightData {
    flight_data(&schema(), &[numbers(from, to)], &Default::default()).remove(1)
}

#[test]
fn files_and_batches_follow_each_other() {
    for step in [1, 100, 1_000_000] {
        let messages = [
            excerpt(0, 50, step),
            excerpt(50, 60, step),
            vec![batch(60, 70)],
            excerpt(70, 70, step),
            excerpt(70, 100, step),
        ];
        assert_numbers(&read(&server(messages.concat())).unwrap(), 100);
    }
}

#[test]
fn what_is_no_file_is_refused() {
    let whole = excerpt(0, 50, 100);
    let count = whole.len();
    let other_size = excerpt(0, 60, 100).remove(1);
    let mut wordless = whole[0].clone();
    wordless.app_metadata = Bytes::from_static(b"bowshot: parquet ?");
    let mut twice = whole[count - 1].clone();
    twice.data_body = [&twice.data_body[..], &twice.data_body].concat().into();
    let large = FlightData::new().with_app_metadata(ExcerptNote { bytes: 65 << 20 }.write());
    let endless = FlightData::new().with_app_metadata(ExcerptNote { bytes: u64::MAX }.write());
    for (messages, words) in [
        (whole[..count - 1].to_vec(), "ends after"),
        ([&whole[..1], &[batch(0, 10)]].concat(), "ends after"),
        (vec![whole[0].clone(), other_size], "not as large as it says"),
        ([&whole[..count - 1], &[twice]].concat(), "not as large as it says"),
        (vec![wordless], "does not say"),
        (vec![large], "68157440 bytes, which is more than 67108864"),
        (vec![endless], "more than 67108864"),
        (parts(b"nothing that anybody reads", 5), "what Flight SQL does not allow"),
    ] {
        let error = read(&server(messages)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol, "{error}");
        assert!(error.message().contains(words), "{error}");
    }
}

#[test]
fn who_did_not_ask_for_files_refuses_them() {
    let server = server(excerpt(0, 50, 100));
    let small = Flight::from_uri(&format!("{}?max_message_bytes=1000000", server.uri())).unwrap().with_excerpts(open);
    for flight in [Flight::from_uri(&server.uri()).unwrap(), small] {
        let error = read_with(&flight).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Protocol);
        assert!(error.message().contains("nobody asked for"), "{error}");
    }
}
