//! Requests and answers, tried again where the protocol says so.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_runtime::Runtime;
use bytes::Bytes;
use http::header::{HOST, RETRY_AFTER, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use rustls::ClientConfig;

use crate::connect::{Sender, connect};
use crate::error::{lost, refused};
use crate::session::authorization;
use crate::uri::Target;

/// How large an answer may be. Trino's are a few megabytes, at most 128; what is longer than this means harm.
const MOST_BYTES: usize = 256 << 20;

/// How often a page is asked for over a new connection after one that broke.
const MOST_LOSSES: u32 = 4;

/// How long the cluster may take to hear that its query is not wanted any more.
const GOODBYE: Duration = Duration::from_millis(800);

/// What the cluster answered.
pub(crate) struct Answer {
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

type Pending = Pin<Box<dyn Future<Output = hyper::Result<Response<Incoming>>> + Send>>;

/// A connection to the cluster, opened when it is needed and again when it broke.
pub(crate) struct Client {
    runtime: Runtime,
    wire: Wire,
}

struct Wire {
    target: Arc<Target>,
    tls: Option<Arc<ClientConfig>>,
    /// Fields that every request carries.
    always: HeaderMap,
    sender: Option<Sender>,
    /// A page that was asked for already.
    pending: Option<(String, Pending)>,
}

impl Client {
    /// For one query; nothing is connected yet.
    pub(crate) fn new(target: Arc<Target>, tls: Option<Arc<ClientConfig>>) -> Result<Self> {
        let mut always = HeaderMap::new();
        let host = HeaderValue::from_str(&target.authority())
            .map_err(|_| Error::new(ErrorKind::Config, "the URI's host holds what HTTP cannot send"))?;
        always.insert(HOST, host);
        always.insert(USER_AGENT, HeaderValue::from_static("bowshot"));
        always.extend(authorization(&target)?);
        let wire = Wire { target, tls, always, sender: None, pending: None };
        Ok(Client { runtime: Runtime::new()?, wire })
    }

    pub(crate) fn target(&self) -> &Target {
        &self.wire.target
    }

    /// Hands in a query; where the cluster says that it is busy, again, until the time to connect is over.
    pub(crate) fn post(&mut self, headers: &HeaderMap, sql: &str, cancel: &Cancel) -> Result<Answer> {
        let limit = self.wire.target.connect_timeout;
        let what = format!("the first answer of {}", self.wire.target);
        self.runtime.wait_for(cancel, limit, &what, self.wire.post(headers, Bytes::from(sql.to_owned()), limit))
    }

    /// Asks for a page without waiting for it.
    pub(crate) fn ask(&mut self, path: &str, cancel: &Cancel) -> Result<()> {
        self.runtime.wait(cancel, self.wire.ask(path))
    }

    /// The page, asked for already or not.
    pub(crate) fn get(&mut self, path: &str, cancel: &Cancel) -> Result<Answer> {
        let limit = self.wire.target.fetch_timeout;
        let what = format!("the next answer of {}", self.wire.target);
        self.runtime.wait_for(cancel, limit, &what, self.wire.get(path, limit))
    }

    /// Tells the cluster that a query is not wanted any more, over a new connection: on the old one there may be an answer
    /// to wait for.
    pub(crate) fn delete(&mut self, path: &str) {
        self.wire.pending = None;
        self.wire.sender = None;
        // The cluster ends queries that nobody asks for by itself, later.
        let _ = self.runtime.wait_for(&Cancel::new(), GOODBYE, "the end of a query", self.wire.delete(path));
    }
}

impl Wire {
    fn request(
        &self,
        method: Method,
        path: &str,
        headers: Option<&HeaderMap>,
        body: Bytes,
    ) -> Result<Request<Full<Bytes>>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().map_err(|_| {
            Error::new(ErrorKind::Protocol, format!("{} names a place that HTTP cannot ask for", self.target))
        })?;
        *request.headers_mut() = self.always.clone();
        if let Some(headers) = headers {
            request.headers_mut().extend(headers.clone());
        }
        Ok(request)
    }

    async fn sender(&mut self) -> Result<&mut Sender> {
        let ready = match &mut self.sender {
            Some(sender) => sender.ready().await.is_ok(),
            None => false,
        };
        if !ready {
            self.sender = None;
        }
        match &mut self.sender {
            Some(sender) => Ok(sender),
            empty => Ok(empty.insert(connect(&self.target, self.tls.clone()).await?)),
        }
    }

    async fn post(&mut self, headers: &HeaderMap, sql: Bytes, limit: Duration) -> Result<Answer> {
        let mut patience = Patience::new(limit);
        loop {
            // An old connection may be closed by now, and a query must not be sent twice.
            self.sender = None;
            let request = self.request(Method::POST, "/v1/statement", Some(headers), sql.clone())?;
            let response = self.sender().await?.send_request(request);
            let response = response.await.map_err(|error| lost(&self.target, error))?;
            match self.answer(response).await? {
                Outcome::Answer(answer) => return Ok(answer),
                Outcome::Busy(busy) => patience.wait(busy).await?,
            }
        }
    }

    async fn ask(&mut self, path: &str) -> Result<()> {
        let request = self.request(Method::GET, path, None, Bytes::new())?;
        // Only where the connection stands: whatever is wrong with it is dealt with when the page is needed.
        let Some(sender) = &mut self.sender else { return Ok(()) };
        if sender.ready().await.is_ok() {
            let pending = Box::pin(sender.send_request(request));
            self.pending = Some((path.to_owned(), pending));
            // The connection's task writes it now.
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    async fn get(&mut self, path: &str, limit: Duration) -> Result<Answer> {
        let mut patience = Patience::new(limit);
        let mut losses = 0;
        loop {
            match self.get_once(path).await {
                Ok(Outcome::Answer(answer)) => return Ok(answer),
                Ok(Outcome::Busy(busy)) => patience.wait(busy).await?,
                // The cluster keeps a page until the next one is asked for: asking again is safe.
                Err(error) if matches!(error.kind(), ErrorKind::Connect | ErrorKind::ConnectionLost) => {
                    self.sender = None;
                    losses += 1;
                    if losses == MOST_LOSSES {
                        return Err(match error.kind() {
                            ErrorKind::Connect => Error::new(
                                ErrorKind::ConnectionLost,
                                format!("the cluster went away in the middle of the query: {}", error.message()),
                            ),
                            _ => error,
                        });
                    }
                    tokio::time::sleep(Duration::from_millis(50) * 3_u32.pow(losses)).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn get_once(&mut self, path: &str) -> Result<Outcome> {
        let pending = self.pending.take().filter(|(asked, _)| asked == path);
        let response = match pending {
            Some((_, pending)) => pending.await,
            None => {
                let request = self.request(Method::GET, path, None, Bytes::new())?;
                self.sender().await?.send_request(request).await
            }
        };
        self.answer(response.map_err(|error| lost(&self.target, error))?).await
    }

    async fn delete(&mut self, path: &str) -> Result<()> {
        let request = self.request(Method::DELETE, path, None, Bytes::new())?;
        let response = self.sender().await?.send_request(request).await;
        response.map(drop).map_err(|error| lost(&self.target, error))
    }

    /// Reads an answer to its end and judges its status.
    async fn answer(&mut self, response: Response<Incoming>) -> Result<Outcome> {
        let (head, mut incoming) = response.into_parts();
        let mut body = Vec::new();
        while let Some(frame) = incoming.frame().await {
            let frame = frame.map_err(|error| lost(&self.target, error))?;
            if let Some(data) = frame.data_ref() {
                if body.len() + data.len() > MOST_BYTES {
                    let message = format!("{} sent an answer of more than {} MB", self.target, MOST_BYTES >> 20);
                    return Err(Error::new(ErrorKind::Protocol, message));
                }
                body.extend_from_slice(data);
            }
        }
        let error = match head.status {
            StatusCode::OK => return Ok(Outcome::Answer(Answer { headers: head.headers, body })),
            status => refused(&self.target, status, &head.headers, &body),
        };
        let busy = matches!(head.status.as_u16(), 429 | 502 | 503 | 504);
        if !busy {
            return Err(error);
        }
        let after = head.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok()?.trim().parse().ok());
        Ok(Outcome::Busy(Busy { after: after.map(Duration::from_secs), error }))
    }
}

enum Outcome {
    Answer(Answer),
    Busy(Busy),
}

/// The cluster, or what stands in front of it, cannot answer now.
struct Busy {
    /// When it wants to be asked again.
    after: Option<Duration>,
    error: Error,
}

/// How long, and at what distances, a busy cluster is asked again.
struct Patience {
    deadline: Instant,
    next: Duration,
}

impl Patience {
    fn new(limit: Duration) -> Self {
        Patience { deadline: Instant::now() + limit, next: Duration::from_millis(50) }
    }

    /// Waits; the cluster's error where that would be too long.
    async fn wait(&mut self, busy: Busy) -> Result<()> {
        let delay = busy.after.unwrap_or(self.next);
        if delay >= self.deadline.saturating_duration_since(Instant::now()) {
            return Err(busy.error);
        }
        self.next = (self.next * 2).min(Duration::from_secs(1));
        tokio::time::sleep(delay).await;
        Ok(())
    }
}
