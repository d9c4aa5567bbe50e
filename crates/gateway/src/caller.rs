//! Who calls, and what the call's headers ask for.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bowshot_gateway_access::{Access, Identity, Now, OptionValue, Session};
use bowshot_gateway_catalog::TablePath;
use bowshot_gateway_monitor::Statement;
use bowshot_gateway_wire::{Client, Codec, Pace};
use bowshot_ipc::Reads;
use tonic::{Request, Status};

use crate::line::RoundTrip;
use crate::status::of_refusal;

/// The header and the session option by which a client says how many endpoints it wants.
pub(crate) const ENDPOINTS: &str = "bowshot-endpoints";
/// The header and the session option by which a client says how messages are compressed.
pub(crate) const COMPRESSION: &str = "bowshot-compression";
/// The header and the session option that name the source; the JDBC driver sets the option for the catalog in its URL.
pub(crate) const CATALOG: &str = "catalog";

/// A round trip of a wide area network; within a building it takes a fraction of a millisecond.
const FAR: Duration = Duration::from_millis(5);

/// How many times smaller than batches what LZ4 leaves of packed ones is, as a rule (decision 0012).
const SMALLER: u64 = 4;

/// Who calls, with what program, from where.
pub(crate) struct Caller {
    pub(crate) session: Arc<Session>,
    pub(crate) client: Client,
    /// Whether it runs on this machine.
    is_local: bool,
    /// How far away it is, where the kernel says so.
    round_trip: Option<RoundTrip>,
    /// The program, as it names itself.
    program: String,
    /// What the call's own headers ask for.
    headers: Headers,
}

#[derive(Default)]
struct Headers {
    endpoints: Option<String>,
    compression: Option<String>,
    catalog: Option<String>,
}

impl Caller {
    /// Who sent a request; refused where nobody knows.
    pub(crate) fn of<T>(request: &Request<T>, access: &Access) -> Result<Caller, Status> {
        let header = authorization(request)?;
        let peer = peer(request);
        let session = access.call(header, peer, Now::read()).map_err(|refusal| of_refusal(&refusal))?;
        let text = |name: &str| request.metadata().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let headers = Headers { endpoints: text(ENDPOINTS), compression: text(COMPRESSION), catalog: text(CATALOG) };
        let is_local = peer.is_some_and(|peer| peer.is_loopback());
        let round_trip = request.extensions().get().copied();
        let program = text("user-agent").unwrap_or_default();
        let reads = Reads::of(text(Reads::HEADER).as_deref());
        let client = Client::of(Some(&program)).with_reads(reads);
        Ok(Caller { session, client, is_local, round_trip, program, headers })
    }

    pub(crate) fn user(&self) -> &str {
        self.session.user()
    }

    /// What is to be known of a statement of this caller.
    pub(crate) fn statement(&self, sql: &str) -> Statement {
        Statement {
            user: self.user().to_owned(),
            client: self.program.clone(),
            source: self.catalog(),
            sql: sql.to_owned(),
            session: self.session.is_kept().then(|| self.session.id().to_string()),
        }
    }

    /// Whether the user may see a table.
    pub(crate) fn sees(&self, path: &TablePath) -> bool {
        sees(self.session.identity(), path)
    }

    /// How many endpoints are asked for.
    pub(crate) fn endpoints(&self) -> Result<Option<usize>, Status> {
        let wrong =
            |text: &str| Status::invalid_argument(format!("{ENDPOINTS} is \"{text}\"; write a number of at least 1"));
        let Some(text) = self.asked(ENDPOINTS, self.headers.endpoints.as_deref()) else { return Ok(None) };
        let count: usize = text.parse().map_err(|_| wrong(&text))?;
        if count == 0 { Err(wrong(&text)) } else { Ok(Some(count)) }
    }

    /// How messages shall be compressed; `None`: as the connection's speed suggests.
    pub(crate) fn codec(&self) -> Result<Option<Codec>, Status> {
        match self.asked(COMPRESSION, self.headers.compression.as_deref()).as_deref() {
            None | Some("auto") => Ok(None),
            Some(text) => text.parse().map(Some).map_err(|error: bowshot_core::Error| {
                Status::invalid_argument(format!("{COMPRESSION}: {error}, or \"auto\""))
            }),
        }
    }

    /// How messages are compressed where nobody asks for a codec: as the connection's speed suggests.
    pub(crate) fn pace(&self, queue: u32, now: Instant) -> Pace {
        let pace = Pace::adaptive(self.client, self.first_codec(), queue, now);
        if self.is_local { pace.near() } else { pace }
    }

    /// Whether it is far away, as far as the kernel says so.
    pub(crate) fn is_far(&self) -> bool {
        !self.is_local && self.round_trip.is_some_and(|RoundTrip(time)| time >= FAR)
    }

    /// How the first messages are compressed, before anything of the connection's speed was measured. A client far away is
    /// behind a slow link, as a rule, and a stream may be over before that is known.
    fn first_codec(&self) -> Codec {
        if self.is_local {
            Codec::None
        } else if self.is_far() {
            Codec::Zstd
        } else {
            Codec::Lz4
        }
    }

    /// How many times smaller than its batches an excerpt of a Parquet file has to be for this client; `None` where it is sent none.
    ///
    /// Far away the bytes count, of which a compression that is chosen for the way leaves fewer. Nearby an excerpt is to be about as small as
    /// batches that are compressed at the speed of the way; on this machine, where nothing is compressed, any saves work.
    pub(crate) fn excerpts(&self) -> Result<Option<u64>, Status> {
        let takes = self.client.reads_excerpts() && !self.is_far() && self.codec()?.is_none();
        Ok(takes.then_some(if self.is_local { 0 } else { SMALLER }))
    }

    /// The source that is asked for by name.
    pub(crate) fn catalog(&self) -> Option<String> {
        self.asked(CATALOG, self.headers.catalog.as_deref())
    }

    /// What the call's header says, or else the session's option.
    fn asked(&self, name: &str, header: Option<&str>) -> Option<String> {
        let option = || match self.session.options().get(name)? {
            OptionValue::String(text) => Some(text.clone()),
            OptionValue::I64(number) => Some(number.to_string()),
            _ => None,
        };
        header.map(str::to_owned).or_else(option)
    }
}

/// Whether somebody may see a table.
pub(crate) fn sees(identity: &Identity, path: &TablePath) -> bool {
    let schema = path.schema.clone().unwrap_or_default();
    let path = bowshot_gateway_access::TablePath::new(path.catalog.clone(), schema, path.table.clone());
    identity.rights().may_read(&path)
}

/// The header that says who calls.
pub(crate) fn authorization<T>(request: &Request<T>) -> Result<Option<&str>, Status> {
    let header = request.metadata().get("authorization").map(|value| value.to_str());
    header.transpose().map_err(|_| Status::unauthenticated("the header authorization is no text"))
}

/// From where.
pub(crate) fn peer<T>(request: &Request<T>) -> Option<IpAddr> {
    request.remote_addr().map(|address| address.ip())
}
