//! Messages, looked at before the decoder takes memory for what they ask for.

use arrow_ipc::{
    BodyCompressionMethod, CompressionType, Endianness, Feature, Message, MessageHeader, MetadataVersion, RecordBatch,
    Schema, root_as_message,
};
use bowshot_core::{Error, ErrorKind, Result};
use bowshot_ipc::inflated;

use crate::error::damaged;

/// The header of a message, behind its length and the marker that older writers leave out.
pub(super) fn parse<'a>(bytes: &'a [u8], name: &str) -> Result<Message<'a>> {
    let prefix = if bytes.starts_with(&[0xff; 4]) { 8 } else { 4 };
    let message = root_as_message(bytes.get(prefix..).unwrap_or_default()).map_err(|error| damaged(name, error))?;
    check_version(message.version(), name)?;
    Ok(message)
}

/// Of another version, the bytes that follow would mean something else.
pub(super) fn check_version(version: MetadataVersion, name: &str) -> Result<()> {
    let unsupported = |what: &str| {
        let number = i32::from(version.0).saturating_add(1);
        Error::new(ErrorKind::Unsupported, format!("{name} has Arrow's metadata version V{number}, which {what}"))
    };
    match version {
        MetadataVersion::V4 | MetadataVersion::V5 => Ok(()),
        MetadataVersion::V1 | MetadataVersion::V2 | MetadataVersion::V3 => {
            Err(unsupported("programs wrote before Arrow 0.8")
                .with_hint("write it again with a program of its time, or from its origin; Parquet is read by all"))
        }
        _ => Err(unsupported("is newer than what Bowshot reads: V4 and V5")
            .with_hint("have it written with metadata version V5: pyarrow.ipc.IpcWriteOptions(metadata_version=…)")),
    }
}

/// What a schema says of the bytes that follow it.
pub(super) fn check_schema(schema: &Schema<'_>, name: &str) -> Result<()> {
    let unsupported = |what: String| Error::new(ErrorKind::Unsupported, format!("{name} {what}"));
    for feature in schema.features().iter().flatten() {
        if !(Feature::UNUSED.0..=Feature::COMPRESSED_BODY.0).contains(&feature.0) {
            let what = format!("needs feature {} of Arrow's format, which Bowshot does not know", feature.0);
            return Err(unsupported(what).with_hint("have it written without it, or as Parquet"));
        }
    }
    match schema.endianness() {
        order if order.equals_to_target_endianness() => Ok(()),
        Endianness::Little | Endianness::Big => {
            Err(unsupported("has its numbers in the order of bytes of another kind of machine".to_owned()).with_hint(
                "write it again in this one's, which pyarrow does: pyarrow.feather.write_feather(\
                 pyarrow.ipc.open_file(old).read_all(), new), with open_stream in place of open_file for a stream",
            ))
        }
        other => Err(unsupported(format!("has an order of bytes that nobody knows, {}", other.0))),
    }
}

/// What stands where a batch or a dictionary should.
pub(super) fn unexpected(kind: MessageHeader, name: &str) -> Error {
    match kind {
        MessageHeader::NONE => damaged(name, "a message holds nothing"),
        MessageHeader::Schema => damaged(name, "a second schema stands among its batches"),
        MessageHeader::RecordBatch | MessageHeader::DictionaryBatch => {
            damaged(name, "a batch or a dictionary stands in the other's place")
        }
        MessageHeader::Tensor | MessageHeader::SparseTensor => {
            Error::new(ErrorKind::Unsupported, format!("{name} holds a tensor, which is no table"))
                .with_hint("read it with pyarrow.ipc.read_tensor or pyarrow.ipc.read_sparse_tensor")
        }
        other => Error::new(
            ErrorKind::Unsupported,
            format!("{name} holds a message of kind {}, which Bowshot does not know", other.0),
        ),
    }
}

/// Checks the buffers of a message whose header takes `header` bytes: inside of it, and of lengths that can be.
pub(super) fn check(bytes: &[u8], header: u64, name: &str) -> Result<()> {
    let message = parse(bytes, name)?;
    let dictionary = message.header_as_dictionary_batch().and_then(|dictionary| dictionary.data());
    let Some(batch) = message.header_as_record_batch().or(dictionary) else {
        return Err(unexpected(message.header_type(), name));
    };
    check_compression(&batch, name)?;
    let body = usize::try_from(header).ok().and_then(|header| bytes.get(header..)).unwrap_or_default();
    for buffer in batch.buffers().iter().flatten() {
        let place = usize::try_from(buffer.offset()).ok().zip(usize::try_from(buffer.length()).ok());
        let inside = place.and_then(|(from, length)| body.get(from..from.checked_add(length)?));
        if inside.is_none() {
            return Err(damaged(name, "a buffer of a batch is not inside of it"));
        }
    }
    inflated(&batch, body).map(drop).map_err(|why| damaged(name, why))
}

fn check_compression(batch: &RecordBatch<'_>, name: &str) -> Result<()> {
    let Some(compression) = batch.compression() else { return Ok(()) };
    let what = match (compression.codec(), compression.method()) {
        (CompressionType::LZ4_FRAME | CompressionType::ZSTD, BodyCompressionMethod::BUFFER) => return Ok(()),
        (CompressionType::LZ4_FRAME | CompressionType::ZSTD, method) => format!("method {}", method.0),
        (codec, _) => format!("codec {}", codec.0),
    };
    Err(Error::new(ErrorKind::Unsupported, format!("{name} is compressed with {what}, which Bowshot does not know"))
        .with_hint("have it written with LZ4 or ZSTD"))
}
