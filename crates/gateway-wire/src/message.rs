//! A message on its way to a client: its body lies in pieces, the large ones where the arrays have them.

use arrow_buffer::Buffer;
use arrow_flight::FlightData;
use bytes::{Bytes, BytesMut};
use prost::Message as _;
use prost::encoding::{encoded_len_varint, key_len};

/// The number of `data_body`, the last field of `FlightData` (Flight.proto), which is why it can follow all others.
pub(crate) const BODY: u32 = 1000;

/// Buffers of fewer bytes are copied next to each other: each piece is a frame of HTTP/2, which costs both ends a call of the system or
/// two, about as long as copying so many bytes takes.
const COPIED: usize = 32 << 10;

/// A message of Flight, whose body is a list of pieces.
///
/// [`frame`](crate::frame) makes of it what gRPC sends. Who wants its body in one piece makes a [`FlightData`] of it.
///
/// ```
/// use arrow_flight::FlightData;
/// use bowshot_gateway_wire::Message;
///
/// let plain = FlightData::new().with_data_header(vec![1, 2, 3]).with_data_body(vec![7; 1000]);
/// let message = Message::from(plain.clone());
/// assert_eq!(message.body_len(), 1000);
/// assert_eq!(FlightData::from(message), plain);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Message {
    /// All but the body, which is empty here.
    pub(crate) head: FlightData,
    /// The body; no piece is empty.
    pub(crate) body: Vec<Bytes>,
}

impl Message {
    /// With these buffers, one behind the other, as its body.
    pub(crate) fn new(head: FlightData, buffers: impl IntoIterator<Item = Buffer>) -> Message {
        Message { head, body: gathered(buffers) }
    }

    /// How many bytes its body has.
    pub fn body_len(&self) -> usize {
        self.body.iter().map(Bytes::len).sum()
    }

    /// How many bytes the message has as it is encoded.
    pub fn encoded_len(&self) -> usize {
        let length = self.body_len();
        let field = if length == 0 { 0 } else { key_len(BODY) + encoded_len_varint(length as u64) };
        self.head.encoded_len().saturating_add(field).saturating_add(length)
    }
}

impl From<FlightData> for Message {
    fn from(mut message: FlightData) -> Message {
        let body = std::mem::take(&mut message.data_body);
        Message { head: message, body: if body.is_empty() { Vec::new() } else { vec![body] } }
    }
}

impl From<Message> for FlightData {
    /// With its body in one piece, which is a copy unless it was one already.
    fn from(message: Message) -> FlightData {
        let Message { head, body } = message;
        let data_body = match body.as_slice() {
            [one] => one.clone(),
            pieces => pieces.concat().into(),
        };
        FlightData { data_body, ..head }
    }
}

/// The bytes of these buffers in pieces, of which only the small ones are copied.
fn gathered(buffers: impl IntoIterator<Item = Buffer>) -> Vec<Bytes> {
    let buffers: Vec<Buffer> = buffers.into_iter().collect();
    let is_small = |buffer: &Buffer| buffer.len() < COPIED;
    let mut small = BytesMut::with_capacity(buffers.iter().filter(|buffer| is_small(buffer)).map(Buffer::len).sum());
    let mut pieces = Vec::new();
    for buffer in buffers {
        if is_small(&buffer) {
            small.extend_from_slice(&buffer);
            continue;
        }
        if !small.is_empty() {
            pieces.push(small.split().freeze());
        }
        pieces.push(Bytes::from_owner(Owned(buffer)));
    }
    if !small.is_empty() {
        pieces.push(small.freeze());
    }
    pieces
}

/// Memory of an array.
struct Owned(Buffer);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_buffers_stay_where_they_are_and_small_ones_are_gathered() {
        let buffer = |byte: u8, length: usize| Buffer::from_vec(vec![byte; length]);
        let large = buffer(3, COPIED);
        let all = [buffer(1, 5), buffer(2, 0), large.clone(), buffer(4, 1), buffer(5, COPIED - 1), large.slice(1)];
        let bytes: Vec<u8> = all.iter().flat_map(|buffer| buffer.iter().copied()).collect();
        let message = Message::new(FlightData::default(), all);
        let lengths: Vec<usize> = message.body.iter().map(Bytes::len).collect();
        assert_eq!(lengths, [5, COPIED, 1 + COPIED - 1 + COPIED - 1]);
        assert_eq!(message.body[1].as_ptr(), large.as_ptr());
        assert_eq!(message.body_len(), bytes.len());
        assert_eq!(FlightData::from(message).data_body, bytes);
    }

    #[test]
    fn it_is_as_long_as_it_says() {
        for length in [0, 1, 127, 128, 20_000, 3_000_000] {
            let plain = FlightData::new().with_data_header(vec![1; 30]).with_data_body(vec![7; length]);
            assert_eq!(Message::from(plain.clone()).encoded_len(), plain.encoded_len());
        }
    }
}
