//! An endpoint that is being read: found at one of its locations.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use arrow_array::RecordBatch;
use arrow_flight::{FlightEndpoint, Ticket};
use bowshot_core::{Cancel, Error, ErrorKind, Result};

use crate::channel::Channel;
use crate::lines::Lines;
use crate::location::{Place, places};
use crate::read::Work;
use crate::stream::Stream;
use crate::uri::{Address, Target};

/// How long one location may take to answer where there are others.
const ONE_OF_MANY: Duration = Duration::from_secs(3);

/// How long before its end an endpoint is renewed.
const NEAR: Duration = Duration::from_secs(10);

/// An endpoint that is being read.
pub(crate) struct Open {
    pub(crate) stream: Stream,
    /// Over which connection; `None`: to the server that ran the query.
    over: Option<Address>,
}

/// A stream that planning opened, with the connections that belong to it.
pub(crate) struct Begun {
    lines: Lines,
    open: Open,
}

impl Begun {
    pub(crate) fn new(lines: Lines, open: Open) -> Self {
        Begun { lines, open }
    }

    pub(crate) fn into_parts(self) -> (Lines, Open) {
        (self.lines, self.open)
    }

    pub(crate) fn into_base(mut self) -> Option<Channel> {
        self.lines.take_base()
    }
}

impl Open {
    /// Opens an endpoint of an execution, at the first of its locations that answers.
    pub(crate) fn endpoint(
        work: &Work,
        lines: &mut Lines,
        execution: usize,
        index: usize,
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut endpoint = work.executions.endpoint(execution, index)?;
        if is_near_its_end(&endpoint, NEAR) {
            let channel = lines.base(cancel)?;
            let mut client = channel.client();
            let target = &work.target;
            channel.wait(cancel, Some(target.connect_timeout), "the renewal of an endpoint", async {
                work.executions.renew(&mut client, execution, index, endpoint).await;
                Ok(())
            })?;
            endpoint = work.executions.endpoint(execution, index)?;
        }
        Self::at_a_place(&work.target, &work.duds, lines, endpoint, cancel)
    }

    /// Opens an endpoint at the first of its locations that answers; `duds` did not answer to others.
    pub(crate) fn at_a_place(
        target: &Arc<Target>,
        duds: &parking_lot::Mutex<std::collections::BTreeSet<Address>>,
        lines: &mut Lines,
        endpoint: FlightEndpoint,
        cancel: &Cancel,
    ) -> Result<Self> {
        let mut places = places(&endpoint, &target.address);
        {
            let duds = duds.lock();
            // What did not answer is tried last.
            places.sort_by_key(|place| matches!(place, Place::Other(address) if duds.contains(address)));
        }
        let ticket = endpoint.ticket.unwrap_or_default();
        let limit = if places.len() > 1 { target.connect_timeout.min(ONE_OF_MANY) } else { target.connect_timeout };
        let mut failures: Vec<Error> = Vec::new();
        for place in places {
            let over = match place {
                Place::Same => None,
                Place::Other(address) => Some(address),
                Place::Unusable(why) => {
                    failures.push(Error::new(ErrorKind::Unsupported, why));
                    continue;
                }
            };
            match Self::over(target, lines, over.clone(), &ticket, limit, cancel) {
                Ok(stream) => return Ok(Open { stream, over }),
                Err(error) if elsewhere(&error) => {
                    lines.forget(over.as_ref());
                    duds.lock().extend(over);
                    failures.push(error);
                }
                Err(error) => return Err(error),
            }
        }
        match failures.len() {
            1 => Err(failures.swap_remove(0)),
            count => {
                let words: Vec<&str> = failures.iter().map(Error::message).collect();
                let message = format!("none of an endpoint's {count} locations can be read: {}", words.join("; "));
                Err(Error::new(ErrorKind::Connect, message)
                    .with_hint("the server names them; they must be reachable from here"))
            }
        }
    }

    fn over(
        target: &Target,
        lines: &mut Lines,
        over: Option<Address>,
        ticket: &Ticket,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<Stream> {
        let had_one = lines.open(over.as_ref()).is_some();
        let redeem = |channel: &Channel| {
            let stream = Stream::open(channel.transport(), ticket.clone(), target.max_message_bytes);
            channel.wait(cancel, target.fetch_timeout, "the beginning of a stream", stream)
        };
        let channel = match &over {
            None => lines.base(cancel)?,
            Some(address) => lines.other(address, limit, cancel)?,
        };
        match redeem(channel) {
            // A connection that was idle may have ended meanwhile: that is no word on the ticket.
            Err(error) if had_one && error.kind() == ErrorKind::ConnectionLost => {
                lines.forget(over.as_ref());
                redeem(match &over {
                    None => lines.base(cancel)?,
                    Some(address) => lines.other(address, limit, cancel)?,
                })
            }
            redeemed => redeemed,
        }
    }

    /// Where it is read.
    pub(crate) fn address<'a>(&'a self, work: &'a Work) -> &'a Address {
        self.over.as_ref().unwrap_or(&work.target.address)
    }

    /// The next batch.
    pub(crate) fn next(&mut self, target: &Target, lines: &Lines, cancel: &Cancel) -> Result<Option<RecordBatch>> {
        let channel = lines.open(self.over.as_ref());
        let channel = channel.ok_or_else(|| Error::new(ErrorKind::Internal, "a stream outlived its connection"))?;
        channel.wait(cancel, target.fetch_timeout, "waiting for the next batch", self.stream.next())
    }
}

/// Whether another location may do better.
fn elsewhere(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::Connect | ErrorKind::ConnectionLost | ErrorKind::Tls | ErrorKind::Timeout)
}

/// Whether an endpoint expires within this time.
pub(crate) fn is_near_its_end(endpoint: &FlightEndpoint, near: Duration) -> bool {
    let Some(end) = &endpoint.expiration_time else { return false };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(end.seconds).map_or(true, |end| Duration::from_secs(end) < now + near)
}
