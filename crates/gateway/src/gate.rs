//! What stands in front of the gateway's calls.

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;

/// The answer to a call, once it is there.
pub(crate) type Answer = BoxFuture<Response<Body>, Infallible>;

/// Lets a call pass, or answers it.
pub(crate) trait Gate: Clone {
    /// The call, as it goes on; or its answer.
    fn pass(&self, request: Request<Body>) -> ControlFlow<Answer, Request<Body>>;
}

/// A service behind a gate.
#[derive(Clone)]
pub(crate) struct Guarded<S, G> {
    service: S,
    gate: G,
}

impl<S, G> Guarded<S, G> {
    pub(crate) fn new(service: S, gate: G) -> Self {
        Guarded { service, gate }
    }
}

impl<S: NamedService, G> NamedService for Guarded<S, G> {
    const NAME: &'static str = S::NAME;
}

impl<S, G: Gate> Service<Request<Body>> for Guarded<S, G>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Answer;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.service.poll_ready(context)
    }

    fn call(&mut self, request: Request<Body>) -> Answer {
        match self.gate.pass(request) {
            ControlFlow::Continue(request) => Box::pin(self.service.call(request)),
            ControlFlow::Break(answer) => answer,
        }
    }
}
