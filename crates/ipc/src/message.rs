//! A message of an Arrow stream, in two parts.

use arrow_buffer::Buffer;

/// A message of an Arrow stream.
#[derive(Debug)]
pub struct Message {
    /// Its metadata: a flatbuffer.
    pub header: Vec<u8>,
    /// The buffers of its arrays.
    pub body: Buffer,
}
