//! The answers of `DoGet`, written to the connection as they are.
//!
//! tonic's own service copies each message into a frame, body and all, which is a tenth of what a plain read costs. Here a
//! frame is pieces, and those of the body lie where the encoder has put them. All other calls are tonic's.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::vec;

use arrow_flight::Ticket;
use bowshot_gateway_wire::frame;
use futures::StreamExt;
use http_body::Frame;
use prost::Message;
use tonic::body::Body;
use tonic::codec::{DecodeBuf, Decoder, Streaming};
use tonic::codegen::Bytes;
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{HeaderMap, HeaderValue, Request, Response};
use tonic::metadata::{GRPC_CONTENT_TYPE, MetadataMap};
use tonic::{Code, Status};

use crate::fetch::Messages;
use crate::gate::{Answer, Gate};
use crate::service::Service as Flight;
use crate::status::{malformed, of_error};

/// The call that is answered here.
const DO_GET: &str = "/arrow.flight.protocol.FlightService/DoGet";

/// Answers `DoGet`; all other calls pass.
#[derive(Clone)]
pub(crate) struct Answering {
    flight: Arc<Flight>,
    /// The longest message that a client may send, in bytes.
    most: usize,
}

impl Answering {
    pub(crate) fn new(flight: Arc<Flight>, most: usize) -> Self {
        Answering { flight, most }
    }
}

impl Gate for Answering {
    fn pass(&self, request: Request<Body>) -> ControlFlow<Answer, Request<Body>> {
        if request.uri().path() != DO_GET {
            return ControlFlow::Continue(request);
        }
        let (flight, most) = (Arc::clone(&self.flight), self.most);
        let answer = async move { Ok(answer(&flight, request, most).await.unwrap_or_else(Status::into_http)) };
        ControlFlow::Break(Box::pin(answer))
    }
}

async fn answer(flight: &Flight, request: Request<Body>, most: usize) -> Result<Response<Body>, Status> {
    let (parts, body) = request.into_parts();
    let ticket = Streaming::new_request(Tickets, body, None, Some(most)).message().await?;
    let ticket = ticket.ok_or_else(|| Status::invalid_argument("DoGet without a ticket"))?;
    let metadata = MetadataMap::from_headers(parts.headers);
    let answer = flight.messages(tonic::Request::from_parts(metadata, parts.extensions, ticket)).await?;
    let (metadata, messages, extensions) = answer.into_parts();
    let mut response = Response::new(Body::new(Frames { messages, pieces: Vec::new().into_iter(), is_over: false }));
    *response.headers_mut() = metadata.into_headers();
    response.headers_mut().insert(CONTENT_TYPE, GRPC_CONTENT_TYPE);
    *response.extensions_mut() = extensions;
    Ok(response)
}

/// Reads the ticket of a call.
struct Tickets;

impl Decoder for Tickets {
    type Item = Ticket;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Ticket>, Status> {
        Ticket::decode(source).map(Some).map_err(|error| malformed("the ticket", error))
    }
}

/// Messages as pieces of frames, and behind them how they ended.
struct Frames {
    messages: Messages,
    /// What is left of the message that is on its way.
    pieces: vec::IntoIter<Bytes>,
    is_over: bool,
}

impl Frames {
    fn end(&mut self, status: &Status) -> Frame<Bytes> {
        self.is_over = true;
        let mut trailers = HeaderMap::new();
        if status.add_header(&mut trailers).is_err() {
            // A text that no header can say.
            trailers.insert("grpc-status", HeaderValue::from(i32::from(Code::Internal)));
        }
        Frame::trailers(trailers)
    }
}

impl http_body::Body for Frames {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        loop {
            if let Some(piece) = self.pieces.next() {
                return Poll::Ready(Some(Ok(Frame::data(piece))));
            }
            if self.is_over {
                return Poll::Ready(None);
            }
            let framed = match ready!(self.messages.poll_next_unpin(context)) {
                Some(Ok(message)) => frame(message).map_err(|error| of_error(&error)),
                Some(Err(status)) => Err(status),
                None => Err(Status::ok("")),
            };
            match framed {
                Ok(pieces) => self.pieces = pieces.into_iter(),
                Err(status) => return Poll::Ready(Some(Ok(self.end(&status)))),
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}
