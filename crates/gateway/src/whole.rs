//! Requests that break off are told from those that end.
//!
//! A client that gives up resets its call, and tonic hands that to whoever reads the request's messages as their end
//! (`Streaming`, for the status `Cancelled`). Rows that a client puts would then look whole, and be committed.

use std::ops::ControlFlow;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use http_body::{Frame, SizeHint};
use tonic::body::Body;
use tonic::codegen::http::Request;
use tonic::{Code, Status};

use crate::gate::{Answer, Gate};

/// Lets every call pass; a request that breaks off ends with an error that tonic hands on.
#[derive(Clone)]
pub(crate) struct Whole;

impl Gate for Whole {
    fn pass(&self, request: Request<Body>) -> ControlFlow<Answer, Request<Body>> {
        ControlFlow::Continue(request.map(|body| Body::new(Told(body))))
    }
}

struct Told(Body);

impl http_body::Body for Told {
    type Data = <Body as http_body::Body>::Data;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Status>>> {
        let frame = ready!(Pin::new(&mut self.0).poll_frame(context));
        Poll::Ready(frame.map(|frame| {
            frame.map_err(|status| match status.code() {
                Code::Cancelled => Status::aborted("the client gave up in the middle of its request"),
                _ => status,
            })
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
