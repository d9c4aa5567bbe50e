//! PostgreSQL, read at the speed of its own COPY.
//!
//! The wire is read here (decisions 3 and 4 of the design): [`rows`] finds the fields of a block of rows, a decoder of
//! [`bowshot_postgres_values`] turns each column of the block into an Arrow array in one tight loop. COPY BINARY, the extended protocol and
//! cursors carry fields in the same form, so that one decoder serves all three. Login, SCRAM and TLS come from
//! libraries.
//!
//! [`plan`] describes the query, [`catalog`] asks for types that are not built in, [`split`] finds ranges of pages that several
//! connections can read on one [`snapshot`]. Other servers that speak PostgreSQL's protocol are told by [`family`] and
//! planned by [`cousin`].
//!
//! ```no_run
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_postgres::Postgres;
//!
//! let source = Postgres::from_uri("postgresql://reader@localhost/tpch?sslmode=verify-full")?;
//! let request = Request::new(Query::new("SELECT * FROM lineitem"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! println!("{plan}");
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod arrow;
mod asides;
mod by_column;
mod cancel;
mod catalog;
mod connect;
mod copy;
mod cousin;
mod dealt;
mod describe;
mod error;
mod explain;
mod extension;
mod family;
mod held;
mod ingest;
mod ingested;
mod locks;
mod login;
mod message;
mod plan;
mod protocol;
mod read;
mod rows;
mod savepoint;
mod scale;
mod scan;
mod scanned;
mod snapshot;
mod split;
mod statement;
mod tls;
mod types;
mod update;
mod uri;
mod writer;
mod written;

use std::sync::Arc;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source, Ticket, Writer};

/// A PostgreSQL database.
#[derive(Clone, Debug)]
pub struct Postgres {
    config: Arc<uri::Config>,
}

impl Postgres {
    /// From a URI or a keyword string as libpq reads them, with its environment variables and password file.
    ///
    /// Nothing is connected yet.
    pub fn from_uri(uri: &str) -> Result<Self> {
        Ok(Postgres { config: Arc::new(uri::Config::parse(uri)?) })
    }
}

impl Source for Postgres {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.config, request, None, cancel)
    }

    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        let held = ticket.state::<held::Held>(held::KIND)?;
        ticket.joined(plan::plan(&self.config, ticket.request(), held.as_ref(), cancel)?)
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(bowshot_sql::Dialect::Postgres.naming())
    }

    fn writer(&self) -> Result<&dyn Writer> {
        Ok(self)
    }
}
