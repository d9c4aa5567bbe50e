//! A schema as Flight carries it.

use arrow_flight::{FlightData, IpcMessage, SchemaAsIpc};
use arrow_ipc::MetadataVersion;
use arrow_ipc::writer::IpcWriteOptions;
use arrow_schema::Schema;
use bowshot_core::Result;
use bytes::Bytes;

use crate::Codec;

/// Buffers begin at multiples of this many bytes, which is what Arrow recommends and no reader has to move.
pub(crate) const ALIGNMENT: usize = 64;
/// Compressed ones at multiples of this, the least that Arrow allows: their readers make new ones, and of hundreds of columns what lies
/// between them adds up.
const COMPRESSED_ALIGNMENT: usize = 8;

/// The level of Zstandard, the one of Arrow for C++. Higher ones cost a multiple for a few hundredths.
const ZSTD_LEVEL: i32 = 1;

/// How arrow-ipc writes for us.
pub(crate) fn options(codec: Codec) -> Result<IpcWriteOptions> {
    let level = (codec == Codec::Zstd).then_some(ZSTD_LEVEL);
    let alignment = if codec == Codec::None { ALIGNMENT } else { COMPRESSED_ALIGNMENT };
    let options = IpcWriteOptions::try_new(alignment, false, MetadataVersion::V5)?;
    Ok(options.try_with_compression(codec.compression())?.try_with_compression_level(level)?)
}

/// The first message of a stream: header only.
pub(crate) fn message(schema: &Schema) -> Result<FlightData> {
    Ok(SchemaAsIpc::new(schema, &options(Codec::None)?).into())
}

/// A schema as an encapsulated message of Arrow's IPC: marker, length, flatbuffer.
///
/// This is what `FlightInfo.schema` and `SchemaResult.schema` (`Flight.proto`) and the column `table_schema` of `GetTables` (`FlightSql.proto`)
/// hold. It is a message and not a stream: nothing ends it.
///
/// ```
/// use arrow_flight::IpcMessage;
/// use arrow_schema::{DataType, Field, Schema};
///
/// let schema = Schema::new(vec![Field::new("id", DataType::Int64, false)]);
/// let bytes = bowshot_gateway_wire::schema_bytes(&schema)?;
/// assert_eq!(Schema::try_from(IpcMessage(bytes))?, schema);
/// # Ok::<(), bowshot_core::Error>(())
/// ```
///
/// # Errors
/// Of kind [`Internal`](bowshot_core::ErrorKind::Internal): a schema that Arrow's IPC cannot say.
pub fn schema_bytes(schema: &Schema) -> Result<Bytes> {
    let IpcMessage(bytes) = SchemaAsIpc::new(schema, &options(Codec::None)?).try_into()?;
    Ok(bytes)
}
