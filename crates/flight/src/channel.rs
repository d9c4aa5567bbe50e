//! Calls over one connection.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use arrow_flight::flight_service_client::FlightServiceClient;
use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_runtime::Runtime;
use http::header::USER_AGENT;
use http::{HeaderValue, Request, Response, Uri};
use http_body_util::BodyExt;
use http_body_util::combinators::MapFrame;
use hyper::body::{Frame, Incoming};
use hyper::client::conn::http2::SendRequest;
use tonic::body::Body;
use tonic::codegen::{Bytes, Service};

use crate::error::of_limit;
use crate::session::Session;
use crate::uri::Address;

/// Answers other than data are small; this leaves room for thousands of endpoints.
const LARGEST_ANSWER: usize = 64 << 20;

/// The frames of an answer.
pub(crate) type Answer = MapFrame<Incoming, fn(Frame<Bytes>) -> Frame<Bytes>>;

/// Details of a status that nobody here reads, in base64; tonic panics over what is none.
const DETAILS: &str = "grpc-status-details-bin";

/// The stub of Flight's calls.
pub(crate) type Client = FlightServiceClient<Transport>;

/// A connection and what drives it.
pub(crate) struct Channel {
    runtime: Runtime,
    transport: Transport,
}

/// HTTP/2 of one connection; clones share it.
#[derive(Clone)]
pub(crate) struct Transport {
    sender: SendRequest<Body>,
    session: Arc<Session>,
    /// Where it leads, for messages.
    address: Address,
    origin: Uri,
}

impl Channel {
    pub(crate) fn new(runtime: Runtime, transport: Transport) -> Self {
        Channel { runtime, transport }
    }

    pub(crate) fn address(&self) -> &Address {
        &self.transport.address
    }

    pub(crate) fn session(&self) -> &Arc<Session> {
        &self.transport.session
    }

    pub(crate) fn transport(&self) -> Transport {
        self.transport.clone()
    }

    pub(crate) fn client(&self) -> Client {
        FlightServiceClient::with_origin(self.transport.clone(), self.transport.origin.clone())
            .max_decoding_message_size(LARGEST_ANSWER)
    }

    /// Waits for a call to end, at most for `limit`.
    pub(crate) fn wait<T>(
        &self,
        cancel: &Cancel,
        limit: Option<Duration>,
        what: &str,
        call: impl Future<Output = Result<T>>,
    ) -> Result<T> {
        match limit {
            Some(limit) => {
                let started = Instant::now();
                let ended = self.runtime.wait_for(cancel, limit, what, call);
                ended.map_err(|error| if started.elapsed() < limit { error } else { of_limit(error, what, limit) })
            }
            None => self.runtime.wait(cancel, call),
        }
    }
}

impl Transport {
    pub(crate) fn new(
        sender: SendRequest<Body>,
        session: Arc<Session>,
        address: Address,
        authority: &str,
    ) -> Result<Self> {
        let scheme = if address.tls { "https" } else { "http" };
        let origin = Uri::builder().scheme(scheme).authority(authority).path_and_query("/").build();
        let origin = origin.map_err(|_| {
            Error::new(ErrorKind::Config, format!("\"{authority}\" is no name that a server can be called by"))
        })?;
        Ok(Transport { sender, session, address, origin })
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// The URI of one of Flight's calls.
    pub(crate) fn method(&self, path: &'static str) -> Result<Uri> {
        let mut parts = self.origin.clone().into_parts();
        parts.path_and_query = Some(http::uri::PathAndQuery::from_static(path));
        Uri::from_parts(parts).map_err(|error| Error::new(ErrorKind::Internal, format!("no URI for a call: {error}")))
    }
}

impl Service<Request<Body>> for Transport {
    type Response = Response<Answer>;
    type Error = hyper::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.sender.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        self.session.dress(request.headers_mut());
        request
            .headers_mut()
            .insert(USER_AGENT, HeaderValue::from_static(concat!("bowshot/", env!("CARGO_PKG_VERSION"))));
        let answer = self.sender.send_request(request);
        let session = Arc::clone(&self.session);
        Box::pin(async move {
            let mut answer = answer.await?;
            session.learn(answer.headers());
            answer.headers_mut().remove(DETAILS);
            Ok(answer.map(|body| body.map_frame(without_details as fn(Frame<Bytes>) -> Frame<Bytes>)))
        })
    }
}

fn without_details(mut frame: Frame<Bytes>) -> Frame<Bytes> {
    if let Some(trailers) = frame.trailers_mut() {
        trailers.remove(DETAILS);
    }
    frame
}
