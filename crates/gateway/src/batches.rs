//! What a client puts, as batches for a thread.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_flight::FlightData;
use arrow_schema::{Schema, SchemaRef};
use bowshot_core::{Cancel, Error, ErrorKind, Result};
use futures::Stream;
use tokio::sync::Notify;
use tokio::sync::mpsc::{Receiver, channel};
use tonic::Status;

use crate::received::{Received, Unread};

/// How many batches may wait for the thread: the client waits meanwhile.
const WAITING: usize = 1;

/// Batches that a client puts: an iterator for a thread, which waits for them. Its end has to be said: a stream that breaks off must
/// not look like a whole one.
pub(crate) struct Put {
    /// `None` is the end.
    receiver: Receiver<Option<Result<RecordBatch>>>,
    is_over: bool,
}

/// Reads the schema that a client sends first, and hands on the batches that follow, in messages of at most `largest` bytes. They end with an error when `cancel` says so: a
/// client that says nothing must not hold whoever waits for it.
///
/// # Errors
/// A stream that is none.
pub(crate) async fn put(
    messages: impl Stream<Item = Result<FlightData, Status>> + Send + Unpin + 'static,
    largest: usize,
    cancel: &Cancel,
) -> Result<(SchemaRef, Put), Status> {
    let mut batches = Received::new(messages, largest);
    let first = batches.next().await.map_err(|why| why.status("the rows"))?;
    let schema = batches.schema().cloned().unwrap_or_else(|| Arc::new(Schema::empty()));
    let (sender, receiver) = channel(WAITING);
    let ended = Arc::new(Notify::new());
    let ending = Arc::clone(&ended);
    let told = cancel.on_cancel(move || ending.notify_one());
    tokio::spawn(async move {
        let _told = told;
        let mut next = Ok(first);
        loop {
            let item = match next {
                Ok(None) => None,
                Ok(Some(batch)) => Some(Ok(batch)),
                Err(why) => Some(Err(broken(why))),
            };
            let is_last = !matches!(item, Some(Ok(_)));
            // Nobody wants them any more, or there are none.
            if sender.send(item).await.is_err() || is_last {
                return;
            }
            next = tokio::select! {
                next = batches.next() => next,
                () = ended.notified() => {
                    drop(sender.send(Some(Err(Error::cancelled()))).await);
                    return;
                }
            };
        }
    });
    Ok((schema, Put { receiver, is_over: false }))
}

impl Iterator for Put {
    type Item = Result<RecordBatch>;

    /// Blocks.
    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let item = self.receiver.blocking_recv().unwrap_or_else(|| Some(Err(broken_off())));
        self.is_over = !matches!(item, Some(Ok(_)));
        item
    }
}

fn broken_off() -> Error {
    Error::new(ErrorKind::Internal, "the reading of the client's rows broke off; please report this")
}

/// A client that left, or bytes that are no messages.
fn broken(why: Unread) -> Error {
    match why {
        Unread::Ended(status) => {
            Error::new(ErrorKind::ConnectionLost, format!("the client's rows ended too early: {}", status.message()))
        }
        Unread::Malformed(why) => Error::new(ErrorKind::Config, format!("the rows cannot be read: {why}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_break_off_are_not_whole() {
        let put = |items: Vec<Option<Result<RecordBatch>>>| {
            let (sender, receiver) = channel(9);
            items.into_iter().for_each(|item| sender.try_send(item).unwrap());
            drop(sender);
            Put { receiver, is_over: false }.map(|item| item.map_err(|error| error.kind())).collect::<Vec<_>>()
        };
        let batch = || RecordBatch::new_empty(Arc::new(Schema::empty()));
        assert_eq!(put(vec![Some(Ok(batch())), None]), [Ok(batch())]);
        assert_eq!(put(vec![Some(Ok(batch()))]), [Ok(batch()), Err(ErrorKind::Internal)]);
        assert_eq!(put(vec![Some(Err(Error::cancelled())), None]), [Err(ErrorKind::Cancelled)]);
    }
}
