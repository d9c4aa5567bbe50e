//! Any Arrow Flight SQL server as a source of Arrow batches.
//!
//! The server runs the query once and names the endpoints where its result is to be had; each of them is a partition, and
//! all of them are read at the same time, every one over a connection of its own. What comes is Arrow already: its values
//! are copied once, from the connection into the memory that the arrays keep.
//!
//! ```no_run
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_flight::Flight;
//!
//! let source = Flight::from_uri("grpc+tls://ada:secret@flight.example.com:32010")?;
//! let request = Request::new(Query::new("SELECT id, price FROM orders"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! println!("{plan}");
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod before;
mod channel;
mod connect;
mod ends;
mod error;
mod excerpts;
mod execute;
mod frames;
mod heard;
mod held;
mod lines;
mod location;
mod login;
mod messages;
mod naming;
mod open;
mod parameters;
mod plan;
mod read;
mod release;
mod schema;
mod session;
mod sizes;
mod snapshot;
mod stream;
mod tls;
mod types;
mod uri;

use std::sync::Arc;

use bowshot_core::{Cancel, Naming, OpenExcerpt, Plan, Request, Result, Source, Ticket};

/// A Flight SQL server, and who asks it.
#[derive(Clone, Debug)]
pub struct Flight {
    target: Arc<uri::Target>,
}

impl Flight {
    /// The server that a URI names: `grpc://host:port` and `grpc+tcp://` in the clear, `grpc+tls://` and `grpcs://` over
    /// TLS, `flightsql://` over TLS unless it says `transport=tcp`.
    ///
    /// A user and a password stand before the host or among the options. Nothing is connected yet.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config): a URI of another scheme, without a host, or with an option that
    /// makes no sense.
    pub fn from_uri(uri: &str) -> Result<Flight> {
        Ok(Flight { target: Arc::new(uri::Target::parse(uri)?) })
    }

    /// The same server, which may send rows that it has in Parquet as they are stored, if it is Bowshot's gateway: `open` reads them.
    #[must_use]
    pub fn with_excerpts(self, open: OpenExcerpt) -> Flight {
        let target = uri::Target { open_excerpt: Some(open), ..Arc::unwrap_or_clone(self.target) };
        Flight { target: Arc::new(target) }
    }
}

impl Source for Flight {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.target, request, cancel)
    }

    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        let plan = match held::join(&self.target, ticket, cancel)? {
            Some(plan) => plan,
            None => plan::plan(&self.target, ticket.request(), cancel)?,
        };
        ticket.joined(plan)
    }

    fn naming(&self, cancel: &Cancel) -> Result<Naming> {
        naming::naming(&self.target, cancel)
    }
}
