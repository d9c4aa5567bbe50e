//! The answers of `DoGet`, written to the connection as they are.
//!
//! tonic's own service copies each message into a frame, body and all, which is a tenth of what a plain read costs. Here a
//! frame is two pieces, of which the second is the body where the encoder has put it. All other calls are tonic's.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use arrow_flight::Ticket;
use arrow_flight::flight_service_server::FlightService;
use bowshot_gateway_wire::frame;
use futures::StreamExt;
use http_body::Frame;
use prost::Message;
use tonic::body::Body;
use tonic::codec::{DecodeBuf, Decoder, Streaming};
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{HeaderMap, HeaderValue, Request, Response};
use tonic::codegen::{BoxFuture, Bytes, Service};
use tonic::metadata::{GRPC_CONTENT_TYPE, MetadataMap};
use tonic::server::NamedService;
use tonic::{Code, Status};

use crate::fetch::Messages;
use crate::service::Service as Flight;
use crate::status::{malformed, of_error};

/// The call that is answered here.
const DO_GET: &str = "/arrow.flight.protocol.FlightService/DoGet";

/// A Flight service whose `DoGet` is answered here.
#[derive(Clone)]
pub(crate) struct Answering<S> {
    service: S,
    flight: Arc<Flight>,
    /// The longest message that a client may send, in bytes.
    most: usize,
}

impl<S> Answering<S> {
    /// `service` answers for `flight`.
    pub(crate) fn new(service: S, flight: Arc<Flight>, most: usize) -> Self {
        Answering { service, flight, most }
    }
}

impl<S: NamedService> NamedService for Answering<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Answering<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<Response<Body>, Infallible>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        if request.uri().path() != DO_GET {
            return Box::pin(self.service.call(request));
        }
        let (flight, most) = (Arc::clone(&self.flight), self.most);
        Box::pin(async move { Ok(answer(&flight, request, most).await.unwrap_or_else(Status::into_http)) })
    }
}

async fn answer(flight: &Flight, request: Request<Body>, most: usize) -> Result<Response<Body>, Status> {
    let (parts, body) = request.into_parts();
    let ticket = Streaming::new_request(Tickets, body, None, Some(most)).message().await?;
    let ticket = ticket.ok_or_else(|| Status::invalid_argument("DoGet without a ticket"))?;
    let metadata = MetadataMap::from_headers(parts.headers);
    let answer = flight.do_get(tonic::Request::from_parts(metadata, parts.extensions, ticket)).await?;
    let (metadata, messages, extensions) = answer.into_parts();
    let mut response = Response::new(Body::new(Frames { messages, body: None, is_over: false }));
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
    /// The second piece of the message whose first one is on its way.
    body: Option<Bytes>,
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
        if let Some(body) = self.body.take() {
            return Poll::Ready(Some(Ok(Frame::data(body))));
        }
        if self.is_over {
            return Poll::Ready(None);
        }
        let pieces = match ready!(self.messages.poll_next_unpin(context)) {
            Some(Ok(message)) => frame(message).map_err(|error| of_error(&error)),
            Some(Err(status)) => Err(status),
            None => Err(Status::ok("")),
        };
        Poll::Ready(Some(Ok(match pieces {
            Ok([head, body]) => {
                self.body = Some(body).filter(|body| !body.is_empty());
                Frame::data(head)
            }
            Err(status) => self.end(&status),
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }
}
