//! A partition written down: bytes with which another process reads it on the same snapshot, or is refused.
//!
//! A ticket holds the query, how to read it, and what its source needs to find the plan's snapshot again. It holds no address and no
//! password: whoever joins brings these. It is as much to be trusted as SQL is: its queries pass the same
//! checks as those of a user, and the statements that its plan ran before everything else run again.

use arrow_schema::Schema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{Error, ErrorKind, Part, Partition, Partitioning, Plan, Request, Result, SOURCE_TYPE, format_type};

/// What every ticket begins with; the last byte is the version of what follows.
const MAGIC: [u8; 8] = *b"bowshot\x02";

/// How many bytes tell a damaged ticket.
const CHECK: usize = 8;

/// The largest ticket that is looked at: queries with large parameters are long.
const MOST_BYTES: usize = 64 << 20;

/// A partition written down: bytes with which another process reads it on the same snapshot, or is refused.
///
/// ```
/// use bowshot_core::{Cancel, ErrorKind, Holder, Lease, Options, Query, Request, Source, Stream, Ticket, testing::Numbers};
///
/// let source = Numbers { partitions: 3, rows: 10 };
/// let request = Request::new(Query::new("the numbers"), Options::default());
/// let cancel = Cancel::new();
/// let plan = source.plan(&request, &cancel)?;
/// let holder = Holder::new(&plan, &request, Lease::default(), &cancel)?;
///
/// let bytes = holder.ticket(1)?.to_bytes()?;
/// // … and in another process:
/// let ticket = Ticket::from_bytes(&bytes)?;
/// let joined = source.join(&ticket, &cancel)?;
/// let rows: usize = Stream::start(joined, &ticket.options(), cancel).map(|batch| batch.map_or(0, |batch| batch.num_rows())).sum();
/// assert_eq!(rows, 10);
///
/// let damaged = Ticket::from_bytes(&bytes[1..]);
/// assert_eq!(damaged.map_err(|error| error.kind()).err(), Some(ErrorKind::Config));
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ticket {
    /// The plan's own name: a number that no other plan has.
    plan: u128,
    index: usize,
    count: usize,
    partition: Partition,
    /// Of the plan's schema.
    fingerprint: [u8; 16],
    request: Request,
    /// What its source needs to find the snapshot; `None` where the query is executed anew.
    state: Option<State>,
}

/// What a source wrote into a ticket.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct State {
    /// Whose it is: the source's scheme.
    pub(crate) kind: String,
    pub(crate) bytes: Vec<u8>,
}

/// What all tickets of a plan have in common.
pub(crate) struct Draft {
    pub(crate) plan: u128,
    fingerprint: [u8; 16],
    request: Request,
    partitions: Vec<Partition>,
}

impl Draft {
    pub(crate) fn new(plan: &Plan, request: &Request) -> Result<Self> {
        let mut name = [0; 16];
        getrandom::fill(&mut name)
            .map_err(|error| Error::new(ErrorKind::Internal, format!("the system gives no random numbers: {error}")))?;
        let mut request = request.clone();
        // One connection reads one partition; what another consumer could do with batches does not travel.
        request.options.connections = Some(1);
        (request.options.deal, request.options.excerpts) = (false, false);
        request.options.prune.clear();
        let (fingerprint, partitions) = (fingerprint(&plan.schema), plan.partitions.clone());
        Ok(Draft { plan: u128::from_le_bytes(name), fingerprint, request, partitions })
    }

    /// How many partitions there are.
    pub(crate) fn count(&self) -> usize {
        self.partitions.len()
    }

    /// The ticket of a partition, which is read as `part` alone where there is one.
    pub(crate) fn ticket(&self, index: usize, part: Option<Part>, state: Option<State>) -> Result<Ticket> {
        let count = self.partitions.len();
        let none = || Error::new(ErrorKind::Config, format!("the plan has no partition {index}, but {count}"));
        let partition = self.partitions.get(index).ok_or_else(none)?.clone();
        let mut request = self.request.clone();
        if let Some(part) = part {
            request.options.partitioning = Partitioning::Part(part);
        }
        Ok(Ticket { plan: self.plan, index, count, partition, fingerprint: self.fingerprint, request, state })
    }
}

impl Ticket {
    /// The ticket as it travels.
    ///
    /// # Errors
    /// Of kind [`Unsupported`](ErrorKind::Unsupported) for one that is too long.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let bytes = postcard::to_extend(self, MAGIC.to_vec())
            .map_err(|error| Error::new(ErrorKind::Internal, format!("the ticket cannot be written: {error}")))?;
        if bytes.len() + CHECK > MOST_BYTES {
            let message = format!("a ticket of {} bytes is too long: at most {MOST_BYTES} travel", bytes.len());
            return Err(Error::new(ErrorKind::Unsupported, message)
                .with_hint("put the query's large parameters into a table, and join it"));
        }
        Ok(sealed(bytes))
    }

    /// The ticket that [`to_bytes`](Self::to_bytes) wrote.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) for bytes that are no ticket, damaged ones, and those of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let refused = |message: &str, hint: &str| Err(Error::new(ErrorKind::Config, message).with_hint(hint));
        let again = "a ticket is read as it was written: get it again from the plan";
        if bytes.len() > MOST_BYTES {
            return refused("the ticket is too long to be one", again);
        }
        let (magic, version) = MAGIC.split_at(MAGIC.len() - 1);
        let Some(rest) = bytes.strip_prefix(magic) else {
            return refused("these bytes are no ticket of Bowshot's", again);
        };
        if !rest.starts_with(version) {
            let hint = "plan and read with the same version of Bowshot on all machines";
            return refused("the ticket was written by another version of Bowshot", hint);
        }
        let (written, check) = bytes.split_at(bytes.len().saturating_sub(CHECK));
        if Sha256::digest(written).get(..CHECK) != Some(check) {
            return refused("the ticket is damaged: its check sum is another one", again);
        }
        let body = written.get(MAGIC.len()..).unwrap_or_default();
        match postcard::take_from_bytes(body) {
            Ok((ticket, [])) => Ok(ticket),
            _ => refused("the ticket is damaged: its parts make no sense", again),
        }
    }

    /// What is to be planned: one partition of it will be read.
    #[must_use]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Says that whoever joins will keep all batches: what waits for them then needs no bound.
    pub fn keep_all(&mut self) {
        self.request.options.buffer_bytes = isize::MAX.unsigned_abs();
    }

    /// How to read it.
    #[must_use]
    pub fn options(&self) -> crate::Options {
        self.request.options.clone()
    }

    /// What names the plan that it is of: a number that no other plan has.
    #[must_use]
    pub fn plan_id(&self) -> u128 {
        self.plan
    }

    /// Which of the plan's partitions it is, counted from 0, and how many there are.
    #[must_use]
    pub fn place(&self) -> (usize, usize) {
        (self.index, self.count)
    }

    /// What the partition holds.
    #[must_use]
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Whether it is read on its plan's snapshot; else its query is executed anew.
    #[must_use]
    pub fn has_snapshot(&self) -> bool {
        self.state.is_some()
    }

    /// What a source of this kind wrote into it by [`write_state`]; `None` where the query is executed anew.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where another kind of source wrote it.
    pub fn state<T: for<'a> Deserialize<'a>>(&self, kind: &str) -> Result<Option<T>> {
        let Some(state) = &self.state else { return Ok(None) };
        if state.kind != kind {
            return Err(self.foreign(kind));
        }
        let damaged = |error| Error::new(ErrorKind::Config, format!("the ticket is damaged: {error}"));
        postcard::from_bytes(&state.bytes).map(Some).map_err(damaged)
    }

    /// Nothing where the query is executed anew; for sources whose snapshots cannot be joined.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config) where it names a snapshot, which only its own kind of source can find.
    pub fn executed_anew(&self) -> Result<()> {
        if self.has_snapshot() { Err(self.foreign("this source")) } else { Ok(()) }
    }

    fn foreign(&self, here: &str) -> Error {
        let kind = self.state.as_ref().map_or("another source", |state| state.kind.as_str());
        Error::new(ErrorKind::Config, format!("the ticket is of {kind}, and {here} cannot read it"))
            .with_hint("join with the address that the plan was made with")
    }

    /// The plan of the one partition, if it is what the ticket promises.
    ///
    /// # Errors
    /// Of kind [`SnapshotGone`](ErrorKind::SnapshotGone) where its columns are no longer those of the plan that the ticket is of.
    pub fn joined(&self, mut plan: Plan) -> Result<Plan> {
        let again = "plan the query again";
        if fingerprint(&plan.schema) != self.fingerprint {
            let message = "the result's columns are no longer those that the ticket's plan had: a table was altered, or the \
                server or Bowshot replaced by another version";
            return Err(Error::new(ErrorKind::SnapshotGone, message).with_hint(again));
        }
        if plan.partitions.len() != 1 {
            let message = format!("the ticket's one partition has become {}", plan.partitions.len());
            return Err(Error::new(ErrorKind::SnapshotGone, message).with_hint(again));
        }
        plan.partitions = vec![self.partition.clone()];
        plan.estimate.rows = self.partition.rows;
        plan.estimate.bytes = None;
        let (number, count) = (self.index + 1, self.count);
        let state = if self.has_snapshot() { "on its plan's snapshot" } else { "executed anew" };
        plan.reason = format!("it is partition {number} of {count}, {state}");
        Ok(plan)
    }
}

/// A ticket's bytes with what tells whether they were damaged.
pub(crate) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let check = Sha256::digest(&bytes);
    bytes.extend_from_slice(check.get(..CHECK).unwrap_or_default());
    bytes
}

/// The bytes of what a source writes into its tickets, for [`Ticket::state`].
///
/// # Errors
/// Of kind [`Internal`](ErrorKind::Internal) where it cannot be written.
pub fn write_state<T: Serialize>(state: &T) -> Result<Vec<u8>> {
    let refused = |error| Error::new(ErrorKind::Internal, format!("the ticket cannot be written: {error}"));
    postcard::to_stdvec(state).map_err(refused)
}

/// What two schemas have in common that read the same: names, types, NULLs, and the source's own types.
fn fingerprint(schema: &Schema) -> [u8; 16] {
    let mut hash = Sha256::new();
    for field in schema.fields() {
        let own = field.metadata().get(SOURCE_TYPE).map_or("", String::as_str);
        let null = if field.is_nullable() { "null" } else { "not null" };
        for text in [field.name().as_str(), &format_type(field.data_type()), null, own] {
            hash.update(text.len().to_le_bytes());
            hash.update(text);
        }
    }
    let hash = hash.finalize();
    std::array::from_fn(|place| hash.get(place).copied().unwrap_or_default())
}

#[cfg(test)]
mod tests;
