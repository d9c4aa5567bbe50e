//! Refuses new work while the gateway ends.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Request, Response};
use tonic::codegen::{BoxFuture, Service};
use tonic::server::NamedService;

use crate::line::unpack;

/// Whether a drain has begun. Clones stand for the same gateway.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draining(Arc<AtomicBool>);

impl Draining {
    /// From now on new work is refused.
    pub(crate) fn begin(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_begun(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// A service that takes no new work while the gateway drains.
#[derive(Clone)]
pub(crate) struct Refusing<S> {
    service: S,
    draining: Draining,
}

impl<S> Refusing<S> {
    pub(crate) fn new(service: S, draining: Draining) -> Self {
        Refusing { service, draining }
    }
}

impl<S: NamedService> NamedService for Refusing<S> {
    const NAME: &'static str = S::NAME;
}

impl<S> Service<Request<Body>> for Refusing<S>
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

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        unpack(request.extensions_mut());
        if self.draining.has_begun() && !finishes(request.uri().path()) {
            let refused =
                Status::unavailable("the gateway is about to end and takes no new work; try again in a while");
            return Box::pin(std::future::ready(Ok(refused.into_http())));
        }
        Box::pin(self.service.call(request))
    }
}

/// Whether a call may belong to work that was begun before: endpoints that were promised are fetched, and sessions, statements
/// and queries are closed and cancelled with actions.
fn finishes(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("DoGet" | "DoAction"))
}

#[cfg(test)]
mod tests {
    use futures::executor::block_on;

    use super::*;

    /// Answers everything.
    #[derive(Clone)]
    struct Willing;

    impl Service<Request<Body>> for Willing {
        type Response = Response<Body>;
        type Error = Infallible;
        type Future = std::future::Ready<Result<Response<Body>, Infallible>>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, _: Request<Body>) -> Self::Future {
            std::future::ready(Ok(Response::default()))
        }
    }

    #[test]
    fn a_drain_lets_promised_work_end_and_refuses_all_else() {
        let draining = Draining::default();
        let mut service = Refusing::new(Willing, draining.clone());
        let mut refused = |call: &str| {
            let uri = format!("/arrow.flight.protocol.FlightService/{call}");
            let request = Request::builder().uri(uri).body(Body::default()).unwrap();
            let answer = block_on(service.call(request)).unwrap();
            // gRPC's number of UNAVAILABLE.
            answer.headers().get("grpc-status").is_some_and(|status| status == "14")
        };
        let calls = ["Handshake", "GetFlightInfo", "PollFlightInfo", "GetSchema", "DoPut", "DoExchange", "ListFlights"];
        assert!(!calls.iter().any(|call| refused(call)) && !refused("DoGet"));
        draining.begin();
        assert!(calls.iter().all(|call| refused(call)));
        assert!(!refused("DoGet") && !refused("DoAction"));
    }
}
