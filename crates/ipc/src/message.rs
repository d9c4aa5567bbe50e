//! A message of an Arrow stream, in two parts.

use arrow_buffer::Buffer;

/// A message of an Arrow stream.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its metadata: a flatbuffer.
    pub header: Vec<u8>,
    /// The buffers of its arrays.
    pub body: Buffer,
    /// What stands beside it: how its batch is [packed](crate::pack), or that it is part of an [excerpt](crate::ExcerptNote); `None` of one as
    /// Arrow has it.
    pub note: Option<Vec<u8>>,
}
