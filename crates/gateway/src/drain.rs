//! Refuses new work while the gateway ends.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::Request;

use crate::gate::{Answer, Gate};

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

/// While the gateway drains, only what finishes work passes.
impl Gate for Draining {
    fn pass(&self, request: Request<Body>) -> ControlFlow<Answer, Request<Body>> {
        if !self.has_begun() || finishes(request.uri().path()) {
            return ControlFlow::Continue(request);
        }
        let refused = Status::unavailable("the gateway is about to end and takes no new work; try again in a while");
        ControlFlow::Break(Box::pin(std::future::ready(Ok(refused.into_http()))))
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

    #[test]
    fn a_drain_lets_promised_work_end_and_refuses_all_else() {
        let draining = Draining::default();
        let refused = |call: &str| {
            let uri = format!("/arrow.flight.protocol.FlightService/{call}");
            let request = Request::builder().uri(uri).body(Body::default()).unwrap();
            let ControlFlow::Break(answer) = draining.pass(request) else { return false };
            // gRPC's number of UNAVAILABLE.
            assert_eq!(block_on(answer).unwrap().headers()["grpc-status"], "14");
            true
        };
        let calls = ["Handshake", "GetFlightInfo", "PollFlightInfo", "GetSchema", "DoPut", "DoExchange", "ListFlights"];
        assert!(!calls.iter().any(|call| refused(call)) && !refused("DoGet"));
        draining.begin();
        assert!(calls.iter().all(|call| refused(call)));
        assert!(!refused("DoGet") && !refused("DoAction"));
    }
}
