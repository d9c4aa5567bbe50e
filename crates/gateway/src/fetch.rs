//! A ticket becomes the messages of its endpoint.

mod excerpts;

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Error, ErrorKind, Options, Registration, Result, Stream};
use bowshot_gateway_access::{Claim, Now, Session};
use bowshot_gateway_monitor as monitor;
use bowshot_gateway_monitor::Reading;
use bowshot_gateway_wire::{Codec, Encoder, Message, Pace, Sent, body_bytes, present, presented};
use futures::StreamExt;
use futures::stream::BoxStream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::caller::Caller;
use crate::columns::shown;
use crate::feed::{Turn, feed};
use crate::gateway::Inner;
use crate::results::Claimed;
use crate::status::{of_error, of_refusal};

/// How many messages may wait between encoder and connection.
const QUEUE: u8 = 2;

/// The messages of a stream.
pub(crate) type Messages = BoxStream<'static, Result<Message, Status>>;

impl Inner {
    /// What a ticket stands for, if it is the caller's.
    pub(crate) fn open(&self, ticket: &[u8], caller: &Caller) -> Result<Claim, Status> {
        let claim = self.access.tickets().open(ticket, SystemTime::now()).map_err(|error| of_refusal(&error.into()))?;
        self.access.admit(&claim.user, caller.session.identity()).map_err(|refusal| of_refusal(&refusal))?;
        Ok(claim)
    }

    /// Begins to read the endpoint that a ticket stands for.
    pub(crate) fn fetch(&self, ticket: &[u8], caller: &Caller) -> Result<Messages, Status> {
        let failed = |error| of_error(&error);
        let claim = self.open(ticket, caller)?;
        let codec = caller.codec()?;
        let endpoint = usize::try_from(claim.endpoint).unwrap_or(usize::MAX);
        let (plan, claimed) = self
            .results
            .claim(claim.query, endpoint, &claim.user, Instant::now())
            .map_err(|error| Status::not_found(error.to_string()))?;
        let schema = shown(&plan.schema, caller.client);
        let options = self.options();
        // As much memory as so many endpoints have otherwise.
        let buffer_bytes = options.buffer_bytes.saturating_mul(claimed.connections);
        let options = Options { connections: Some(claimed.connections), buffer_bytes, ..options };
        // What ends the result ends this endpoint; its own end is told to the others as what it was.
        let own = claimed.cancel.part();
        let ending = own.clone();
        let ended_with = claimed.cancel.on_cancel(move || ending.cancel());
        let first_error = Arc::clone(&claimed.first_error);
        let reading = claimed.work.as_ref().map(|work| {
            let mut reading = work.running.endpoint(endpoint);
            reading.opened();
            reading
        });
        let encoding = Encoding::new(schema, codec, caller).map_err(failed)?;
        let first = vec![encoding.encoder.schema_message().map_err(failed)?.into()];
        let session = Arc::clone(&caller.session);
        let sender = Sender { encoding, session, reading, claimed, _ended_with: ended_with, has_ended: false };
        let room = usize::from(QUEUE);
        let smaller = caller.excerpts()?.filter(|_| plan.scan.has_excerpts());
        let receiver = match smaller {
            Some(smaller) => excerpts::feed(plan, smaller, own, room, first, sender),
            None => feed(Stream::start(plan, &options, own), room, first, sender),
        };
        let told = move |error| first_error.status(&error);
        Ok(ReceiverStream::new(receiver).map(move |item| item.map_err(&told)).boxed())
    }
}

/// Sends one endpoint's batches, within what its statement may cost.
struct Sender {
    encoding: Encoding,
    session: Arc<Session>,
    /// Its line in what the gateway knows of its work.
    reading: Option<Reading>,
    claimed: Claimed,
    _ended_with: Registration,
    has_ended: bool,
}

impl Turn<Message> for Sender {
    fn batch(&mut self, batch: RecordBatch, waited: Duration) -> Result<Vec<Message>> {
        self.session.touch(Now::read());
        let (messages, sent) = self.encoding.messages(&batch, waited)?;
        if let Some(work) = &self.claimed.work {
            work.budget.spend(sent.raw, Instant::now())?;
        }
        if let Some(reading) = &self.reading {
            let rows = u64::try_from(batch.num_rows()).unwrap_or(u64::MAX);
            let codec = sent.codec.name();
            reading.sent(&monitor::Sent { rows, bytes: sent.raw, wire_bytes: sent.wire, waited, codec });
        }
        Ok(messages)
    }

    fn end(&mut self, outcome: Result<(), &Error>) {
        self.has_ended = true;
        match (self.reading.take(), outcome) {
            (Some(reading), Ok(())) => reading.done(),
            (Some(reading), Err(error)) => reading.failed(error),
            (None, _) => {}
        }
        if let Err(error) = outcome {
            self.claimed.end_with(error);
        }
    }
}

impl Drop for Sender {
    /// A client that leaves an endpoint before its end has no use for the others: the database is to be let go at once.
    fn drop(&mut self) {
        if !self.has_ended {
            let message = "the reader of another endpoint of this result went away before its end";
            self.claimed.end_with(&Error::new(ErrorKind::ConnectionLost, message).with_hint("run the query again"));
        }
    }
}

/// Encodes the batches of one stream, at the client's pace.
struct Encoding {
    schema: SchemaRef,
    encoder: Encoder,
    pace: Pace,
    /// The batch that is on its way.
    sent: Option<Sent>,
}

impl Encoding {
    /// With this codec, or with the one that the connection's speed suggests.
    fn new(schema: SchemaRef, codec: Option<Codec>, caller: &Caller) -> Result<Encoding> {
        let now = Instant::now();
        let pace = match codec {
            Some(codec) => Pace::fixed(caller.client, codec, now),
            None => caller.pace(QUEUE.into(), now),
        };
        let encoder = Encoder::new(Arc::clone(&schema), pace.codec())?.for_packed(caller.client.reads_packed());
        Ok(Encoding { schema, encoder, pace, sent: None })
    }

    /// The messages of a batch, and what they take; the ones before had to wait so long for the client.
    fn messages(&mut self, batch: &RecordBatch, waited: Duration) -> Result<(Vec<Message>, Sent)> {
        if let Some(sent) = self.sent.take() {
            self.pace.sent(&Sent { blocked: waited, ..sent }, Instant::now());
        }
        let codec = self.pace.codec();
        self.encoder.set_codec(codec)?;
        let batch = present(batch, &self.schema)?;
        let started = Instant::now();
        let messages = self.encoder.encode(&batch)?;
        let wire = messages.iter().map(|message| message.body_len() as u64).sum();
        let raw = body_bytes(&batch) as u64;
        let sent = Sent { codec, raw, wire, encode: started.elapsed(), blocked: Duration::ZERO };
        self.sent = Some(sent);
        Ok((messages, sent))
    }
}

/// One batch that is there already, as the messages of a stream.
pub(crate) fn messages_of(batch: &RecordBatch, caller: &Caller) -> Result<Messages, Status> {
    let encode = || -> Result<Vec<Message>> {
        let schema = presented(batch.schema_ref(), caller.client);
        let mut encoder = Encoder::new(Arc::clone(&schema), Codec::None)?;
        let mut messages = vec![encoder.schema_message()?.into()];
        messages.extend(encoder.encode(&present(batch, &schema)?)?);
        Ok(messages)
    };
    let messages = encode().map_err(|error| of_error(&error))?;
    Ok(futures::stream::iter(messages.into_iter().map(Ok)).boxed())
}
