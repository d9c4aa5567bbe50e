//! Oracle Database as a source of Arrow batches.
//!
//! Bowshot speaks Oracle's own protocol; nothing of Oracle's has to be installed. Rows are decoded from the packets straight
//! into arrays: a NUMBER is exact, a moment keeps its nanoseconds. A query over one large table is split into ranges of
//! ROWIDs that several connections read `AS OF` one SCN.
//!
//! ```no_run
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_oracle::Oracle;
//!
//! let source = Oracle::from_uri("oracle://scott:tiger@db.example.com:1521/orclpdb1")?;
//! let request = Request::new(Query::new("SELECT ename, sal FROM emp"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod connect;
mod cursor;
mod decode;
mod describe;
mod error;
mod held;
mod listener;
mod login;
mod message;
mod number;
mod pieces;
mod plan;
mod read;
mod rows;
mod segments;
mod session;
mod snapshot;
mod split;
mod types;
mod uri;
mod wire;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source, Ticket};

/// An Oracle database.
#[derive(Clone, Debug)]
pub struct Oracle {
    location: uri::Location,
}

impl Oracle {
    /// The database that a URI names: `oracle://user:password@host:1521/service_name`.
    ///
    /// `?sid=` names an instance in place of a service; `oracle+tcps://` or `?protocol=tcps` encrypts and verifies. The
    /// server is not asked yet.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config): what makes no sense, and options that are not known.
    pub fn from_uri(uri: &str) -> Result<Oracle> {
        Ok(Oracle { location: uri::Location::parse(uri)? })
    }
}

impl Source for Oracle {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.location, request, None, cancel)
    }

    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        let snapshot = held::snapshot(ticket)?;
        ticket.joined(plan::plan(&self.location, ticket.request(), snapshot, cancel)?)
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(bowshot_sql::Dialect::Oracle.naming())
    }
}
