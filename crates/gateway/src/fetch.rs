//! A ticket becomes the messages of its endpoint.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use arrow_array::RecordBatch;
use arrow_flight::FlightData;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Options, Registration, Result, Stream};
use bowshot_gateway_access::Claim;
use bowshot_gateway_wire::{Codec, Encoder, Pace, Sent, body_bytes, present, presented};
use futures::StreamExt;
use futures::stream::BoxStream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::caller::Caller;
use crate::feed::feed;
use crate::gateway::Inner;
use crate::results::Claimed;
use crate::status::{of_error, of_refusal};

/// How many messages may wait between encoder and connection.
const QUEUE: u8 = 4;

/// The messages of a stream.
pub(crate) type Messages = BoxStream<'static, Result<FlightData, Status>>;

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
        let schema = presented(&plan.schema, caller.client);
        let options = Options { connections: Some(1), ..self.options() };
        // An endpoint that is left early, or fails, ends itself; what ends the result ends all of them.
        let (whole, own) = (claimed.cancel.clone(), Cancel::new());
        let ending = own.clone();
        let ended_with = whole.on_cancel(move || ending.cancel());
        let stream = Stream::start(plan, &options, own);
        let first_error = Arc::clone(&claimed.first_error);
        let mut sender = Sender::new(schema, codec, caller, (claimed, ended_with)).map_err(failed)?;
        let first = vec![sender.encoder.schema_message().map_err(failed)?];
        let receiver = feed(stream, usize::from(QUEUE), first, move |batch, waited| sender.messages(&batch, waited));
        let told = move |error| {
            let status = first_error.status(&error);
            let whole = whole.clone();
            // To cancel may take a while.
            tokio::task::spawn_blocking(move || whole.cancel());
            status
        };
        Ok(ReceiverStream::new(receiver).map(move |item| item.map_err(&told)).boxed())
    }
}

/// Encodes the batches of one stream, at the client's pace.
struct Sender {
    schema: SchemaRef,
    encoder: Encoder,
    pace: Pace,
    /// The batch that is on its way.
    sent: Option<Sent>,
    /// Held until the last batch: then the endpoint is done.
    _claimed: (Claimed, Registration),
}

impl Sender {
    /// With this codec, or with the one that the connection's speed suggests.
    fn new(
        schema: SchemaRef,
        codec: Option<Codec>,
        caller: &Caller,
        claimed: (Claimed, Registration),
    ) -> Result<Sender> {
        let now = Instant::now();
        let pace = match codec {
            Some(codec) => Pace::fixed(caller.client, codec, now),
            None => {
                let start = if caller.is_local { Codec::None } else { Codec::Lz4 };
                Pace::adaptive(caller.client, start, u32::from(QUEUE), now)
            }
        };
        let encoder = Encoder::new(Arc::clone(&schema), pace.codec())?;
        Ok(Sender { schema, encoder, pace, sent: None, _claimed: claimed })
    }

    /// The messages of a batch; the ones before had to wait so long for the client.
    fn messages(&mut self, batch: &RecordBatch, waited: Duration) -> Result<Vec<FlightData>> {
        if let Some(sent) = self.sent.take() {
            self.pace.sent(&Sent { blocked: waited, ..sent }, Instant::now());
        }
        let codec = self.pace.codec();
        self.encoder.set_codec(codec)?;
        let batch = present(batch, &self.schema)?;
        let started = Instant::now();
        let messages = self.encoder.encode(&batch)?;
        let wire = messages.iter().map(|message| message.data_body.len() as u64).sum();
        let raw = body_bytes(&batch) as u64;
        self.sent = Some(Sent { codec, raw, wire, encode: started.elapsed(), blocked: Duration::ZERO });
        Ok(messages)
    }
}

/// One batch that is there already, as the messages of a stream.
pub(crate) fn messages_of(batch: &RecordBatch, caller: &Caller) -> Result<Messages, Status> {
    let encode = || -> Result<Vec<FlightData>> {
        let schema = presented(batch.schema_ref(), caller.client);
        let mut encoder = Encoder::new(Arc::clone(&schema), Codec::None)?;
        let mut messages = vec![encoder.schema_message()?];
        messages.extend(encoder.encode(&present(batch, &schema)?)?);
        Ok(messages)
    };
    let messages = encode().map_err(|error| of_error(&error))?;
    Ok(futures::stream::iter(messages.into_iter().map(Ok)).boxed())
}
