//! Any ADBC driver as a source of Arrow batches, passed on without a copy; DuckDB among them.
//!
//! A driver is a shared library that speaks a database's language on one side and Arrow on the other. It is named by its
//! path or found by its name, as [ADBC](https://arrow.apache.org/adbc/) says; what it returns is checked, and handed on.
//!
//! ```no_run
//! use bowshot_adbc::Adbc;
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//!
//! let source = Adbc::from_uri("duckdb:///shop.db")?; // or adbc:/path/to/libadbc_driver_postgresql.so?uri=postgresql://…
//! let request = Request::new(Query::new("SELECT id, price FROM orders"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod batches;
mod check;
mod connect;
mod describe;
mod driver;
mod duckdb;
mod ends;
mod error;
mod family;
mod held;
mod params;
mod plan;
mod read;
mod session;
mod snapshot;
mod temporal;
mod types;
mod uri;

use std::sync::Arc;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source, Ticket};

pub use driver::search_packages;

/// A database behind an ADBC driver.
#[derive(Clone, Debug)]
pub struct Adbc {
    location: Arc<uri::Location>,
}

impl Adbc {
    /// The database that a URI names: `adbc:DRIVER?OPTION=VALUE&…` or `duckdb:///path/to/file`.
    ///
    /// `DRIVER` is the path of a library or of a driver's manifest, or a name to search for. Neither the driver nor the
    /// database is looked at yet.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config): a URI without a driver, or an option that makes no sense.
    pub fn from_uri(uri: &str) -> Result<Adbc> {
        Ok(Adbc { location: Arc::new(uri::Location::parse(uri)?) })
    }
}

impl Source for Adbc {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.location, request, cancel)
    }

    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        let plan = match held::join(&self.location, ticket, cancel)? {
            Some(plan) => plan,
            None => plan::plan(&self.location, ticket.request(), cancel)?,
        };
        ticket.joined(plan)
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(self.location.naming)
    }
}
