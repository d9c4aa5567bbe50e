//! The console: its routes and its server.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use axum::serve::Listener;
use bowshot_core::{Error, ErrorKind, Result};
use tokio::net::TcpListener;

use crate::cookies::Cookies;
use crate::peer::{Knowing, Peer};
use crate::probe::Probe;
use crate::shield::shield;
use crate::sign_in::sign_in;
use crate::{ConsoleOptions, Host, api, files, operations, query};

/// The longest statement that the console takes, in bytes, with what JSON wraps it in.
const LONGEST_BODY: usize = 1 << 20;

/// The console of a gateway, and the pages that its operators' tools ask for.
#[derive(Clone)]
pub struct Console(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) host: Arc<dyn Host>,
    pub(crate) options: ConsoleOptions,
    pub(crate) cookies: Cookies,
    pub(crate) probe: Probe,
}

impl Console {
    /// The console of `host`.
    pub fn new(host: Arc<dyn Host>, options: ConsoleOptions) -> Self {
        Console(Arc::new(Inner { host, options, cookies: Cookies::default(), probe: Probe::default() }))
    }

    /// Listens on `address`; port 0 is a free one.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io), such as an address in use.
    pub async fn listen(address: SocketAddr) -> Result<TcpListener> {
        TcpListener::bind(address).await.map_err(|error| {
            Error::new(ErrorKind::Io, format!("the console cannot listen on {address}: {error}"))
                .with_hint("another program may listen there: choose another port, or 0 for a free one")
                .with_source(error)
        })
    }

    /// Answers on `listener` until `stop` comes to its end and the answers under way are given. A listener may wrap its
    /// connections in TLS; [`ConsoleOptions::secure_cookies`] should then be on.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where the network refuses.
    pub async fn serve<L>(&self, listener: L, stop: impl Future<Output = ()> + Send + 'static) -> Result<()>
    where
        L: Listener<Addr = SocketAddr>,
    {
        let service = self.router().into_make_service_with_connect_info::<Peer>();
        axum::serve(Knowing(listener), service)
            .with_graceful_shutdown(stop)
            .await
            .map_err(|error| Error::new(ErrorKind::Io, format!("the console cannot serve: {error}")).with_source(error))
    }

    pub(crate) fn router(&self) -> Router {
        let inner = Arc::clone(&self.0);
        let open = Router::new().route("/health", get(operations::health)).route("/ready", get(operations::ready));
        let metrics = Router::new().route("/metrics", get(operations::metrics));
        let private = files::routes()
            .route("/api/who", get(api::who))
            .route("/api/sources", get(api::sources))
            .route("/api/running", get(api::running))
            .route("/api/endpoints", get(api::endpoints))
            .route("/api/history", get(api::history))
            .route("/api/throughput", get(api::throughput))
            .route("/api/kill/{id}", post(api::kill))
            .route("/api/query", post(query::query));
        let (open, private) = match self.0.options.open_metrics {
            true => (open.merge(metrics), private),
            false => (open, private.merge(metrics)),
        };
        open.merge(private.route_layer(from_fn_with_state(Arc::clone(&inner), sign_in)))
            .fallback(api::missing)
            .layer(DefaultBodyLimit::max(LONGEST_BODY))
            .layer(from_fn_with_state(Arc::clone(&inner), shield))
            .with_state(inner)
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").field("options", &self.0.options).finish_non_exhaustive()
    }
}
