//! One DoGet call: the batches of an endpoint, or of a part of it.

use arrow_array::RecordBatch;
use arrow_flight::Ticket;
use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, Result};
use bowshot_ipc::{Decoder, ExcerptNote, Message, Refused};
use bytes::{BufMut, Bytes, BytesMut};
use http::header::{CONTENT_TYPE, TE};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::Full;
use prost::Message as _;
use tonic::codegen::Service;
use tonic::{Code, Status};

use crate::channel::Transport;
use crate::error::{chain, failed, lost, protocol};
use crate::excerpts::Excerpts;
use crate::frames::Frames;
use crate::uri::Address;

/// The name of the call.
const METHOD: &str = "/arrow.flight.protocol.FlightService/DoGet";

/// The batches of a ticket.
pub(crate) struct Stream {
    frames: Frames,
    decoder: Decoder,
    excerpts: Excerpts,
}

impl Stream {
    /// Redeems a ticket, and waits for the schema that comes first.
    pub(crate) async fn open(mut transport: Transport, ticket: Ticket, largest_message: usize) -> Result<Self> {
        let address = transport.address().clone();
        let excerpts = transport.session().excerpts(largest_message);
        let uri = transport.method(METHOD)?;
        let mut request = Request::post(uri).body(tonic::body::Body::new(Full::new(framed(&ticket))));
        if let Ok(request) = &mut request {
            request.headers_mut().insert(TE, HeaderValue::from_static("trailers"));
            request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        }
        let request = request.map_err(|error| protocol(&address, error))?;
        let answer =
            transport.call(request).await.map_err(|error| lost(&address, &chain(&error)).with_source(error))?;
        if let Some(status) = Status::from_header_map(answer.headers()).filter(|status| status.code() != Code::Ok) {
            return Err(failed(status, &address));
        }
        let kind = answer.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if answer.status() != StatusCode::OK || !kind.starts_with("application/grpc") {
            let what =
                format!("HTTP status {} with content of type \"{kind}\" in place of gRPC", answer.status().as_u16());
            return Err(failed(Status::new(code(answer.status()), what), &address));
        }
        let mut frames = Frames::new(answer.into_body(), address, largest_message);
        let first = loop {
            match frames.next(None).await? {
                // The server's own notes may come before the schema.
                Some(message) if message.header.is_empty() => {}
                Some(message) => break message,
                None => return Err(protocol(frames.address(), "a stream without a schema")),
            }
        };
        let decoder = Decoder::new(&first.header, largest_message)
            .map_err(|why| protocol(frames.address(), format!("a stream that does not begin with a schema ({why})")))?;
        Ok(Stream { frames, decoder, excerpts })
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        self.decoder.schema()
    }

    /// The next batch; `None` after the last one.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            if let Some(batch) = self.excerpts.next(self.frames.address())? {
                return Ok(Some(batch));
            }
            let message = self.frames.next(Some(&mut self.excerpts)).await?;
            let address = self.frames.address();
            if let Some(Message { note: Some(note), .. }) = &message
                && ExcerptNote::is_note(note)
            {
                self.excerpts.open(self.decoder.schema(), address)?;
                continue;
            }
            self.excerpts.check_whole(address)?;
            let Some(message) = message else { return Ok(None) };
            let batch = self.decoder.decode(&message).map_err(|refused| unreadable(refused, address))?;
            if let Some(batch) = batch {
                return Ok(Some(batch));
            }
        }
    }
}

/// Why a batch is not read.
fn unreadable(refused: Refused, address: &Address) -> Error {
    match refused {
        Refused::Broken(why) => protocol(address, format!("a batch that cannot be read ({why})")),
        Refused::TooLarge { .. } => Error::new(ErrorKind::Protocol, format!("{address} sends {refused}"))
            .with_hint("allow it with max_message_bytes=BYTES in the URI, a sixteenth of it is enough"),
    }
}

/// A message as gRPC sends it: uncompressed, its length, itself.
fn framed(ticket: &Ticket) -> Bytes {
    let mut frame = BytesMut::with_capacity(5 + ticket.encoded_len());
    frame.put_u8(0);
    frame.put_u32(u32::try_from(ticket.encoded_len()).unwrap_or(u32::MAX));
    frame.put_slice(&ticket.encode_to_vec());
    frame.freeze()
}

/// What a status of HTTP means where there is none of gRPC, as gRPC itself says.
fn code(status: StatusCode) -> Code {
    match status.as_u16() {
        400 => Code::Internal,
        401 => Code::Unauthenticated,
        403 => Code::PermissionDenied,
        404 => Code::Unimplemented,
        429 | 502 | 503 | 504 => Code::Unavailable,
        _ => Code::Unknown,
    }
}
