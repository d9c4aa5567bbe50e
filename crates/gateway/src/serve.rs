//! From a listener to its end: connections, calls, and the drain before the gateway goes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use arrow_flight::flight_service_server::FlightServiceServer;
use bowshot_core::{Error, ErrorKind, Result};
use futures::{Stream, StreamExt};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tonic::transport::Server;
use tonic::transport::server::{Connected, TcpIncoming};

use crate::answer::Answering;
use crate::encrypted::encrypted;
use crate::gate::Guarded;
use crate::gateway::{Gateway, sweep};
use crate::line::{Line, Tcp, Telling};
use crate::pacing::unpaced;
use crate::service::Service;
use crate::tls::Tls;
use crate::whole::Whole;

/// How often a drain looks whether anything is left to be read.
const LOOK: Duration = Duration::from_millis(50);

impl Gateway {
    /// Answers on `listener`, in the clear, until `stop` comes to its end; then it drains.
    ///
    /// A drain refuses new work with `UNAVAILABLE`, and lets the results that were promised be fetched to their end. It takes at
    /// most [`Limits::drain`](crate::Limits::drain); what is still being read then is cancelled.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where the network refuses.
    pub async fn serve(&self, listener: TcpListener, stop: impl Future<Output = ()>) -> Result<()> {
        self.answer(TcpIncoming::from(listener).with_nodelay(Some(true)), stop).await
    }

    /// As [`serve`](Self::serve), encrypted.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where the network refuses.
    pub async fn serve_tls(&self, listener: TcpListener, tls: Tls, stop: impl Future<Output = ()>) -> Result<()> {
        self.answer(encrypted(listener, tls), stop).await
    }

    /// Whether the gateway is about to end, and refuses new work.
    pub fn is_draining(&self) -> bool {
        self.0.draining.has_begun()
    }

    /// Cancels all that is being read or waits to be; how many results that were.
    pub fn cancel_all(&self) -> usize {
        self.0.results.end_all()
    }

    /// Listens on `address`; port 0 is a free one.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), such as an address in use.
    pub async fn listen(address: SocketAddr) -> Result<TcpListener> {
        let listener = TcpListener::bind(address).await.map_err(|error| {
            Error::new(ErrorKind::Io, format!("cannot listen on {address}: {error}"))
                .with_hint("another program may listen there: choose another port, or 0 for a free one")
                .with_source(error)
        })?;
        unpaced(&listener);
        Ok(listener)
    }

    async fn answer<C: Tcp + AsyncRead + AsyncWrite + Connected + Unpin + Send + 'static>(
        &self,
        incoming: impl Stream<Item = std::io::Result<C>>,
        stop: impl Future<Output = ()>,
    ) -> Result<()> {
        let sweeper = tokio::spawn(sweep(Arc::clone(&self.0)));
        let (flight, most) = (Arc::new(Service(Arc::clone(&self.0))), self.0.limits.message_bytes);
        let service = FlightServiceServer::from_arc(Arc::clone(&flight))
            .max_decoding_message_size(most)
            .max_encoding_message_size(usize::MAX);
        let service = Guarded::new(service, Answering::new(flight, most));
        let service = Guarded::new(service, self.0.draining.clone());
        let service = Guarded::new(service, Whole);
        // The first that a call comes by.
        let service = Guarded::new(service, Telling);
        let (stopping, stopped) = tokio::sync::oneshot::channel::<()>();
        let drained = async {
            stop.await;
            self.0.draining.begin();
            drop(stopping);
            // The connections stay until then, since a promised endpoint may be fetched over a new one.
            while !self.0.results.is_empty() {
                tokio::time::sleep(LOOK).await;
            }
        };
        let out_of_time = async {
            // An error is what a dropped sender looks like.
            let _ = stopped.await;
            tokio::time::sleep(self.0.limits.drain).await;
        };
        let serving = Server::builder()
            // The windows of what clients send; what we send is their own choice.
            .initial_stream_window_size(1 << 20)
            .initial_connection_window_size(4 << 20)
            .http2_keepalive_interval(Some(Duration::from_secs(30)))
            .http2_max_header_list_size(64 << 10)
            .add_service(service)
            .serve_with_incoming_shutdown(incoming.map(|accepted| accepted.map(Line::new)), drained);
        let served = tokio::select! {
            served = serving => served,
            () = out_of_time => {
                let cut = self.cancel_all();
                tracing::warn!(results = cut, "the time to drain is over: what was still read is cancelled");
                Ok(())
            }
        };
        sweeper.abort();
        served
            .map_err(|error| Error::new(ErrorKind::Io, format!("the gateway cannot serve: {error}")).with_source(error))
    }
}
