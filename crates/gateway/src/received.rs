//! What a client puts, from Flight's messages into batches, by the reader that takes no length at its word.

use arrow_array::RecordBatch;
use arrow_buffer::Buffer;
use arrow_flight::FlightData;
use arrow_schema::SchemaRef;
use bowshot_ipc::{Body, Decoder, Message, Pool, arrange};
use futures::{Stream, TryStreamExt};
use tonic::Status;

use crate::status::malformed;

/// The batches of one call of a client.
pub(crate) struct Received<S> {
    messages: S,
    /// `None` until the schema has come.
    decoder: Option<Decoder>,
    /// How many bytes a message has at most.
    largest: usize,
}

/// Why there is no next batch.
#[derive(Debug)]
pub(crate) enum Unread {
    /// The call ended with this.
    Ended(Status),
    /// The bytes are no Arrow; why, in words for people.
    Malformed(String),
}

impl Unread {
    /// The status for the client; `what` names what it sent.
    pub(crate) fn status(self, what: &str) -> Status {
        match self {
            Unread::Ended(status) => status,
            Unread::Malformed(why) => malformed(what, why),
        }
    }
}

impl<S: Stream<Item = Result<FlightData, Status>> + Unpin> Received<S> {
    /// The batches in messages of which the connection lets none through that has more than `largest` bytes.
    pub(crate) fn new(messages: S, largest: usize) -> Self {
        Received { messages, decoder: None, largest }
    }

    /// The schema of all batches; `None` until the first batch was asked for, and where the client sends none.
    pub(crate) fn schema(&self) -> Option<&SchemaRef> {
        self.decoder.as_ref().map(Decoder::schema)
    }

    /// The next batch; `None` after the last one.
    ///
    /// # Errors
    /// The client left, or what it sent is not what Arrow's format says.
    pub(crate) async fn next(&mut self) -> Result<Option<RecordBatch>, Unread> {
        while let Some(data) = self.messages.try_next().await.map_err(Unread::Ended)? {
            // Only what the client says beside its rows.
            if data.data_header.is_empty() {
                if data.data_body.is_empty() {
                    continue;
                }
                return Err(Unread::Malformed("a message without metadata".to_owned()));
            }
            let Some(decoder) = &mut self.decoder else {
                let begun = Decoder::new(&data.data_header, self.largest);
                self.decoder = Some(begun.map_err(Unread::Malformed)?);
                continue;
            };
            let message = message(&data).map_err(Unread::Malformed)?;
            let decoded = decoder.decode(&message).map_err(|refused| Unread::Malformed(refused.to_string()))?;
            if decoded.is_some() {
                return Ok(decoded);
            }
        }
        Ok(None)
    }
}

/// A message in the two parts that are decoded; its buffers lie within its body.
fn message(data: &FlightData) -> Result<Message, String> {
    let mut header = data.data_header.to_vec();
    let body = match arrange(&mut header, data.data_body.len())? {
        None => Buffer::from(data.data_body.clone()),
        Some(pieces) => {
            let mut body = Body::new(data.data_body.len(), Some(pieces), &Pool::default());
            body.push(&data.data_body);
            body.finish()
        }
    };
    Ok(Message { header, body, note: None })
}
