//! What this process itself may ask of a gateway, without a connection: its console does.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Error, ErrorKind, Options, Poll, Query, Request, Result, Stream};
use bowshot_gateway_access::{Identity, Now};
use bowshot_gateway_admission::Budget;
use bowshot_gateway_monitor::{Reading, Sent, Statement};
use bowshot_gateway_wire::body_bytes;
use bowshot_sql::CursorStatement;

use crate::gateway::{Gateway, Inner};
use crate::route::Asking;
use crate::work::Work;

/// How long a source may be silent before the limit of time is looked at.
const SLICE: Duration = Duration::from_millis(100);

/// A question of this process.
#[derive(Clone, PartialEq, Eq)]
pub struct Question {
    /// The program, as the monitor shows it.
    pub client: String,
    /// The SQL.
    pub sql: String,
    /// The source to ask where the SQL does not say it.
    pub source: Option<String>,
    /// How many rows are wanted at most.
    pub rows: usize,
    /// After how many bytes of Arrow it is enough.
    pub bytes: usize,
}

impl fmt::Debug for Question {
    /// Without the SQL: its literals may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question").field("client", &self.client).field("source", &self.source).finish_non_exhaustive()
    }
}

/// The beginning of a result.
#[derive(Clone, Debug)]
pub struct Excerpt {
    /// The columns.
    pub schema: SchemaRef,
    /// The first rows, no more than were asked for.
    pub batches: Vec<RecordBatch>,
    /// Whether there are more.
    pub truncated: bool,
}

impl Gateway {
    /// Whether nobody has to log in.
    pub fn is_open(&self) -> bool {
        self.0.access.login().is_open()
    }

    /// Who sends the header `authorization` from this address, without a session for him. It blocks, as a password takes a while.
    ///
    /// # Errors
    /// Of kind [`Authentication`](ErrorKind::Authentication) where it proves nobody, of kind
    /// [`ConnectionLimit`](ErrorKind::ConnectionLimit) where it was tried too often. The monitor counts both.
    pub fn login(&self, authorization: Option<&str>, peer: Option<IpAddr>) -> Result<Identity> {
        self.0.access.login().check(authorization, peer, Now::read()).map_err(|refusal| {
            self.0.monitor.login_refused();
            Error::from(refusal)
        })
    }

    /// Runs a query with somebody's rights, when its turn comes, and reads the beginning of its result; then it is ended in its
    /// source. The monitor shows it like any other, and `cancel` ends it.
    ///
    /// # Errors
    /// Of kind [`ConnectionLimit`](ErrorKind::ConnectionLimit) where there is no place for it, of kind
    /// [`Connect`](ErrorKind::Connect) while the gateway drains, and whatever the source says.
    pub async fn excerpt(&self, identity: &Identity, question: Question, cancel: &Cancel) -> Result<Excerpt> {
        if self.is_draining() {
            return Err(Error::new(ErrorKind::Connect, "the gateway is about to end and takes no new work")
                .with_hint("try again in a while"));
        }
        if CursorStatement::parse(&question.sql)?.is_some() {
            let message = "parts of a shared result are for several connections, and here is one";
            return Err(Error::new(ErrorKind::Unsupported, message).with_hint("run its query by itself"));
        }
        let statement = Statement {
            user: identity.user().to_owned(),
            client: question.client.clone(),
            source: question.source.clone(),
            sql: question.sql.clone(),
            session: None,
        };
        let work = self.0.admit(statement, cancel).await?;
        let (inner, identity, cancel) = (Arc::clone(&self.0), identity.clone(), cancel.clone());
        let reading = tokio::task::spawn_blocking(move || {
            inner.begin(identity, question, &work, &cancel).inspect_err(|error| work.running.failed(error))
        });
        reading.await.unwrap_or_else(|_| Err(Error::new(ErrorKind::Internal, "reading panicked; please report this")))
    }
}

impl Inner {
    /// Plans a query and reads the beginning of its result. Blocks.
    fn begin(&self, identity: Identity, question: Question, work: &Work, cancel: &Cancel) -> Result<Excerpt> {
        let Question { sql, source, rows, bytes, .. } = question;
        // No more is read ahead than one reader needs.
        let options = Options { connections: Some(1), ..self.options() };
        let request = Request::new(Query::new(sql), options.clone());
        let (plan, _, _) = self.planned(request, &Asking::new(identity, source), cancel)?;
        work.running.planned(1, &plan.reason, plan.snapshot.as_deref());
        let mut reading = work.running.endpoint(0);
        reading.opened();
        // The stream cancels what it leaves unread, which is its own affair.
        let own = Cancel::new();
        let ending = own.clone();
        let _ended_with = cancel.on_cancel(move || ending.cancel());
        let mut stream = Stream::start(plan, &options, own);
        match excerpt(&mut stream, (rows, bytes), &reading, &work.budget) {
            Ok(excerpt) => {
                reading.done();
                Ok(excerpt)
            }
            Err(error) => {
                reading.failed(&error);
                Err(error)
            }
        }
    }
}

/// Reads until there are so many rows or bytes, or no more.
fn excerpt(
    stream: &mut Stream,
    (mut rows, mut bytes): (usize, usize),
    reading: &Reading,
    budget: &Budget,
) -> Result<Excerpt> {
    let mut excerpt = Excerpt { schema: stream.schema(), batches: Vec::new(), truncated: false };
    while !excerpt.truncated {
        budget.spend(0, Instant::now())?;
        let batch = match stream.poll(SLICE)? {
            Poll::Batch(batch) if batch.num_rows() == 0 => continue,
            Poll::Batch(batch) => batch,
            Poll::Pending => continue,
            Poll::Done => break,
        };
        let count = if bytes == 0 { 0 } else { rows.min(batch.num_rows()) };
        excerpt.truncated = count < batch.num_rows();
        if count == 0 {
            break;
        }
        let part = batch.slice(0, count);
        let size = body_bytes(&part);
        let raw = u64::try_from(size).unwrap_or(u64::MAX);
        budget.spend(raw, Instant::now())?;
        let taken = u64::try_from(count).unwrap_or(u64::MAX);
        reading.sent(&Sent { rows: taken, bytes: raw, wire_bytes: raw, waited: Duration::ZERO, codec: "none" });
        (rows, bytes) = (rows - count, bytes.saturating_sub(size));
        excerpt.batches.push(part);
    }
    Ok(excerpt)
}

#[cfg(test)]
mod tests;
