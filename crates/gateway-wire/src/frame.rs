//! A message as gRPC carries it: without another copy of its body.
//!
//! A frame of gRPC is a byte that says whether it is compressed, the length of the message in four bytes, and the message
//! ([PROTOCOL-HTTP2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md), Length-Prefixed-Message).

use arrow_flight::FlightData;
use bowshot_core::{Error, ErrorKind, Result};
use bytes::{BufMut, Bytes, BytesMut};
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};

/// The number of `data_body`, the last field of `FlightData` (Flight.proto), which is why it can follow all others.
const BODY: u32 = 1000;

/// The two pieces of a message's frame: what stands before its body, and the body as it is.
///
/// ```
/// use arrow_flight::FlightData;
/// use bowshot_gateway_wire::frame;
/// use prost::Message;
///
/// let message = FlightData::new().with_data_header(vec![1, 2, 3]).with_data_body(vec![7; 1000]);
/// let [head, body] = frame(message.clone())?;
/// assert_eq!(body.as_ptr(), message.data_body.as_ptr());
/// let frame = [head, body].concat();
/// // The body's key and length take five bytes in front of it, the header another five.
/// assert_eq!(frame[..5], [0, 0, 0, 3, 0xf1]);
/// assert_eq!(FlightData::decode(&frame[5..])?, message);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Of kind [`Unsupported`](ErrorKind::Unsupported): a message of 4 GiB or more, which gRPC cannot say.
pub fn frame(mut message: FlightData) -> Result<[Bytes; 2]> {
    let body = std::mem::take(&mut message.data_body);
    let field = |length: u64| key_len(BODY) + encoded_len_varint(length);
    let before = message.encoded_len() + if body.is_empty() { 0 } else { field(body.len() as u64) };
    let length = u32::try_from(before.saturating_add(body.len())).map_err(|_| {
        Error::new(ErrorKind::Unsupported, "a row of 4 GiB or more does not fit a message of gRPC")
            .with_hint("leave out its longest column, or read that in pieces")
    })?;
    let mut head = BytesMut::with_capacity(before + 5);
    head.put_u8(0);
    head.put_u32(length);
    message.encode_raw(&mut head);
    if !body.is_empty() {
        encode_key(BODY, WireType::LengthDelimited, &mut head);
        encode_varint(body.len() as u64, &mut head);
    }
    Ok([head.freeze(), body])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_pieces_are_the_message_behind_its_length(
            header in prop::collection::vec(any::<u8>(), 0..300),
            body in prop::collection::vec(any::<u8>(), 0..300),
            metadata in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let message =
                FlightData::new().with_data_header(header).with_data_body(body).with_app_metadata(metadata);
            let whole = frame(message.clone()).unwrap().concat();
            let (prefix, rest) = whole.split_at(5);
            prop_assert_eq!(prefix[0], 0);
            prop_assert_eq!(&prefix[1..], &u32::try_from(rest.len()).unwrap().to_be_bytes()[..]);
            prop_assert_eq!(FlightData::decode(rest).unwrap(), message);
        }
    }
}
