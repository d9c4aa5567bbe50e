//! An endpoint of a client that reads excerpts of Parquet files: rows as they are stored where they can be sent so, and batches elsewhere.

use std::time::{Duration, Instant};

use arrow_flight::FlightData;
use bowshot_core::{Cancel, Excerpt, Plan, Result};
use bowshot_gateway_access::Now;
use bowshot_gateway_monitor as monitor;
use bowshot_gateway_wire::Message;
use bowshot_ipc::ExcerptNote;
use bytes::Bytes;
use tokio::sync::mpsc;

use super::Sender;
use crate::feed::{Turn, run};

/// What the monitor calls what is not encoded here.
const CODEC: &str = "parquet";

/// Reads the partitions of `plan` one after the other in a thread of its own, in which nothing waits but for the client: files of this machine
/// are there when they are asked for. `first` is sent before.
pub(super) fn feed(
    plan: Plan,
    smaller: u64,
    cancel: Cancel,
    room: usize,
    first: Vec<Message>,
    mut turn: Sender,
) -> mpsc::Receiver<Result<Message>> {
    run(room, move |sender| {
        let mut line = Line { sender, waited: Duration::ZERO };
        match read(&plan, smaller, &cancel, first, &mut turn, &mut line) {
            Ok(true) => turn.end(Ok(())),
            // The client is gone.
            Ok(false) => {}
            Err(error) => {
                turn.end(Err(&error));
                line.send(Err(error));
            }
        }
    })
}

/// Whether all was sent: not, where nobody listens any more.
fn read(
    plan: &Plan,
    smaller: u64,
    cancel: &Cancel,
    first: Vec<Message>,
    turn: &mut Sender,
    line: &mut Line<'_>,
) -> Result<bool> {
    if !line.send_all(first) {
        return Ok(false);
    }
    let mut connection = plan.scan.connect(cancel)?;
    for partition in 0..plan.partitions.len() {
        let mut reader = connection.open(partition)?;
        loop {
            if let Some(excerpt) = reader.excerpt(smaller)? {
                if !pass_on(excerpt, cancel, turn, line)? {
                    return Ok(false);
                }
                continue;
            }
            let Some(batch) = reader.next()? else { break };
            let messages = turn.batch(batch, line.waited)?;
            line.waited = Duration::ZERO;
            if !line.send_all(messages) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn pass_on(excerpt: Excerpt<'_>, cancel: &Cancel, turn: &mut Sender, line: &mut Line<'_>) -> Result<bool> {
    let Excerpt { rows, bytes, decoded_bytes, pieces } = excerpt;
    if let Some(work) = &turn.claimed.work {
        work.budget.spend(decoded_bytes, Instant::now())?;
    }
    line.waited = Duration::ZERO;
    let note = Bytes::from(ExcerptNote { bytes }.write());
    for piece in pieces {
        cancel.check()?;
        turn.session.touch(Now::read());
        let message = FlightData { data_body: piece?, app_metadata: note.clone(), ..FlightData::default() };
        if !line.send(Ok(message.into())) {
            return Ok(false);
        }
    }
    if let Some(reading) = &turn.reading {
        let waited = std::mem::take(&mut line.waited);
        reading.sent(&monitor::Sent { rows, bytes: decoded_bytes, wire_bytes: bytes, waited, codec: CODEC });
    }
    Ok(true)
}

/// The way to the client.
struct Line<'a> {
    sender: &'a mpsc::Sender<Result<Message>>,
    /// How long it has been waited for.
    waited: Duration,
}

impl Line<'_> {
    fn send_all(&mut self, messages: Vec<Message>) -> bool {
        messages.into_iter().all(|message| self.send(Ok(message)))
    }

    /// Whether somebody listens.
    fn send(&mut self, item: Result<Message>) -> bool {
        let started = Instant::now();
        let is_sent = self.sender.blocking_send(item).is_ok();
        self.waited += started.elapsed();
        is_sent
    }
}
