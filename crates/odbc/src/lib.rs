//! Any ODBC data source as a source of Arrow batches.
//!
//! The driver manager is opened at run time, so that a program with this source in it starts where there is none. Rows
//! come in blocks of bounded size, fetched on a thread of the connection's own while the last block is decoded. What a
//! driver is known to convert wrongly is asked for as text, and parsed exactly.
//!
//! ```no_run
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_odbc::Odbc;
//!
//! let source = Odbc::from_uri("odbc:Driver={PostgreSQL Unicode};Server=localhost;Database=shop;UID=ann;PWD=…")?;
//! let request = Request::new(Query::new("SELECT id, price FROM orders"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod abi;
mod block;
mod connect;
mod cursor;
mod decode;
mod driver;
mod error;
mod fetch;
mod handle;
mod library;
mod moments;
mod naming;
mod numbers;
mod parameters;
mod plan;
mod read;
mod rewrite;
mod session;
mod statement;
mod stop;
mod structures;
mod text;
mod types;
mod uri;
mod zero_dates;

use std::sync::Arc;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source};

/// An ODBC data source.
#[derive(Clone, Debug)]
pub struct Odbc {
    location: Arc<uri::Location>,
}

impl Odbc {
    /// The data source that a URI names: `odbc:NAME` for one of odbc.ini, `odbc:Driver={…};Server=…;UID=…;PWD=…` for any
    /// connection string, or `odbc:///?odbc_connect=…` with a percent-encoded one, as SQLAlchemy has it.
    ///
    /// Nothing is connected to yet.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config) where it is not clear what is meant.
    pub fn from_uri(uri: &str) -> Result<Odbc> {
        Ok(Odbc { location: Arc::new(uri::Location::parse(uri)?) })
    }
}

impl Source for Odbc {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.location, request, cancel)
    }

    fn naming(&self, cancel: &Cancel) -> Result<Naming> {
        naming::naming(&self.location, cancel)
    }
}
