//! A message as gRPC carries it: without another copy of its body.
//!
//! A frame of gRPC is a byte that says whether it is compressed, the length of the message in four bytes, and the message
//! ([PROTOCOL-HTTP2](https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md), Length-Prefixed-Message).

use bowshot_core::{Error, ErrorKind, Result};
use bytes::{BufMut, Bytes, BytesMut};
use prost::Message as _;
use prost::encoding::{WireType, encode_key, encode_varint};

use crate::Message;
use crate::message::BODY;

/// The pieces of a message's frame: what stands before its body, and those of the body as they are.
///
/// ```
/// use arrow_flight::FlightData;
/// use bowshot_gateway_wire::{Message, frame};
/// use prost::Message as _;
///
/// let message = FlightData::new().with_data_header(vec![1, 2, 3]).with_data_body(vec![7; 1000]);
/// let pieces = frame(Message::from(message.clone()))?;
/// assert_eq!(pieces[1].as_ptr(), message.data_body.as_ptr());
/// let frame = pieces.concat();
/// // The body's key and length take five bytes in front of it, the header another five.
/// assert_eq!(frame[..5], [0, 0, 0, 3, 0xf1]);
/// assert_eq!(FlightData::decode(&frame[5..])?, message);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Of kind [`Unsupported`](ErrorKind::Unsupported): a message of 4 GiB or more, which gRPC cannot say.
pub fn frame(message: Message) -> Result<Vec<Bytes>> {
    let (whole, length) = (message.encoded_len(), message.body_len());
    let announced = u32::try_from(whole).map_err(|_| {
        Error::new(ErrorKind::Unsupported, "a row of 4 GiB or more does not fit a message of gRPC")
            .with_hint("leave out its longest column, or read that in pieces")
    })?;
    let Message { head, mut body } = message;
    let mut first = BytesMut::with_capacity(5 + whole - length);
    first.put_u8(0);
    first.put_u32(announced);
    head.encode_raw(&mut first);
    if length > 0 {
        encode_key(BODY, WireType::LengthDelimited, &mut first);
        encode_varint(length as u64, &mut first);
    }
    body.insert(0, first.freeze());
    Ok(body)
}

#[cfg(test)]
mod tests {
    use arrow_flight::FlightData;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_pieces_are_the_message_behind_its_length(
            header in prop::collection::vec(any::<u8>(), 0..300),
            body in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..300), 0..4),
            metadata in prop::collection::vec(any::<u8>(), 0..20),
        ) {
            let head = FlightData::new().with_data_header(header).with_app_metadata(metadata);
            let message = Message { head, body: body.into_iter().map(Bytes::from).collect() };
            let whole = frame(message.clone()).unwrap().concat();
            let (prefix, rest) = whole.split_at(5);
            prop_assert_eq!(prefix[0], 0);
            prop_assert_eq!(&prefix[1..], &u32::try_from(rest.len()).unwrap().to_be_bytes()[..]);
            prop_assert_eq!(FlightData::decode(rest).unwrap(), FlightData::from(message));
        }
    }
}
