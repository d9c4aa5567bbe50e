//! Arrow files of other versions, machines and kinds: an error that names what is not read, and nothing else.

use std::path::Path;

use arrow_ipc::*;
use bowshot_core::{Error, ErrorKind};
use flatbuffers::{FlatBufferBuilder, UnionWIPOffset, WIPOffset};

use crate::support::*;

type Builder<'a> = FlatBufferBuilder<'a>;

/// A schema without columns.
fn schema<'a>(builder: &mut Builder<'a>, order: Endianness, features: &[i64]) -> WIPOffset<Schema<'a>> {
    let fields = builder.create_vector::<WIPOffset<Field<'_>>>(&[]);
    let features: Vec<Feature> = features.iter().map(|feature| Feature(*feature)).collect();
    let features = builder.create_vector(&features);
    let mut schema = SchemaBuilder::new(builder);
    schema.add_endianness(order);
    schema.add_fields(fields);
    schema.add_features(features);
    schema.finish()
}

/// A message in a stream.
fn message(
    version: MetadataVersion,
    kind: MessageHeader,
    header: impl FnOnce(&mut Builder<'_>) -> WIPOffset<UnionWIPOffset>,
) -> Vec<u8> {
    let mut builder = Builder::new();
    let header = header(&mut builder);
    let mut message = MessageBuilder::new(&mut builder);
    message.add_version(version);
    message.add_header_type(kind);
    message.add_header(header);
    let message = message.finish();
    builder.finish(message, None);
    let mut bytes = builder.finished_data().to_vec();
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    [&[0xff; 4][..], &u32::try_from(bytes.len()).unwrap().to_le_bytes(), &bytes].concat()
}

fn beginning(version: MetadataVersion, order: Endianness, features: &[i64]) -> Vec<u8> {
    message(version, MessageHeader::Schema, |builder| schema(builder, order, features).as_union_value())
}

fn batch(builder: &mut Builder<'_>, codec: Option<i8>) -> WIPOffset<UnionWIPOffset> {
    let compression = codec.map(|codec| {
        let mut compression = BodyCompressionBuilder::new(builder);
        compression.add_codec(CompressionType(codec));
        compression.finish()
    });
    let mut batch = RecordBatchBuilder::new(builder);
    batch.add_length(3);
    if let Some(compression) = compression {
        batch.add_compression(compression);
    }
    batch.finish().as_union_value()
}

/// The file layout, without a batch.
fn file(version: MetadataVersion, order: Endianness, features: &[i64]) -> Vec<u8> {
    let mut builder = Builder::new();
    let schema = schema(&mut builder, order, features);
    let mut footer = FooterBuilder::new(&mut builder);
    footer.add_version(version);
    footer.add_schema(schema);
    let footer = footer.finish();
    builder.finish(footer, None);
    let bytes = builder.finished_data();
    let length = i32::try_from(bytes.len()).unwrap().to_le_bytes();
    [b"ARROW1\0\0", bytes, &length, b"ARROW1"].concat()
}

fn refused(path: &Path, bytes: &[u8]) -> Error {
    std::fs::write(path, bytes).unwrap();
    let error = failure(&uri(path), "");
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    error
}

#[test]
fn what_is_not_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (arrow, stream) = (folder.path().join("x.arrow"), folder.path().join("x.arrows"));
    let (v5, little) = (MetadataVersion::V5, Endianness::Little);
    std::fs::write(&arrow, file(v5, little, &[1, 2])).unwrap();
    assert_eq!(read(&uri(&arrow), "").num_rows(), 0);
    for (version, words) in
        [(5, "V6, which is newer"), (400, "V401, which is newer"), (0, "V1, which"), (2, "V3, which")]
    {
        let version = MetadataVersion(version);
        for error in [refused(&arrow, &file(version, little, &[])), refused(&stream, &beginning(version, little, &[]))]
        {
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    let big = Endianness::Big;
    for error in [refused(&arrow, &file(v5, big, &[])), refused(&stream, &beginning(v5, big, &[]))] {
        assert!(error.to_string().contains("order of bytes") && error.to_string().contains("write_feather"), "{error}");
    }
    for error in [refused(&arrow, &file(v5, little, &[7])), refused(&stream, &beginning(v5, little, &[7]))] {
        assert!(error.to_string().contains("feature 7"), "{error}");
    }
}

#[test]
fn messages_of_other_kinds_are_not_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.arrows");
    let (v4, v5) = (MetadataVersion::V4, MetadataVersion::V5);
    let then = |next: Vec<u8>| [beginning(v4, Endianness::Little, &[]), next].concat();
    std::fs::write(&path, then(message(v4, MessageHeader::RecordBatch, |builder| batch(builder, None)))).unwrap();
    assert_eq!(read(&uri(&path), "").num_rows(), 3);
    for (next, words) in [
        (message(v5, MessageHeader::RecordBatch, |builder| batch(builder, Some(9))), "codec 9"),
        (message(MetadataVersion(5), MessageHeader::RecordBatch, |builder| batch(builder, None)), "V6"),
        (message(v5, MessageHeader(9), |builder| batch(builder, None)), "kind 9"),
    ] {
        let error = refused(&path, &then(next));
        assert!(error.to_string().contains(words), "{error}");
    }
    let tensor = |builder: &mut Builder<'_>| {
        let shape = builder.create_vector::<WIPOffset<TensorDim<'_>>>(&[]);
        let number = IntBuilder::new(builder).finish().as_union_value();
        let mut tensor = TensorBuilder::new(builder);
        tensor.add_type_type(Type::Int);
        tensor.add_type_(number);
        tensor.add_shape(shape);
        tensor.add_data(&Buffer::new(0, 0));
        tensor.finish().as_union_value()
    };
    let error = refused(&path, &then(message(v5, MessageHeader::Tensor, tensor)));
    assert!(error.to_string().contains("tensor"), "{error}");
}
