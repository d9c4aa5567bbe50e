//! A message of an Arrow stream, in two parts.

use arrow_buffer::Buffer;

/// A message of an Arrow stream.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its metadata: a flatbuffer.
    pub header: Vec<u8>,
    /// The buffers of its arrays.
    pub body: Buffer,
    /// Whether its batch has lengths in place of offsets, which stands beside it.
    pub has_lengths: bool,
}
