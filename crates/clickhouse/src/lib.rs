//! ClickHouse as a source of Arrow batches.
//!
//! Requests go over HTTP with ClickHouse's own driver. Results come in the Native format, whole columns of whole blocks,
//! which become Arrow's columns with one copy.
//!
//! ```no_run
//! use bowshot_clickhouse::ClickHouse;
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//!
//! let source = ClickHouse::from_uri("clickhouse://ada:secret@db.example.com:8443/shop?secure=true")?;
//! let request = Request::new(Query::new("SELECT id, price FROM orders"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod answer;
mod block;
mod connect;
mod decode;
mod describe;
mod ends;
mod error;
mod input;
mod kill;
mod literal;
mod login;
mod plan;
mod read;
mod types;
mod uri;

use std::sync::Arc;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source};

/// A ClickHouse server, over HTTP.
#[derive(Clone, Debug)]
pub struct ClickHouse {
    location: Arc<uri::Location>,
}

impl ClickHouse {
    /// The server that a URI names: `clickhouse://user:password@host:8123/database?option=value`. Nothing is sent yet.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config): what is no URI of ClickHouse, or has an unknown option.
    pub fn from_uri(uri: &str) -> Result<ClickHouse> {
        Ok(ClickHouse { location: Arc::new(uri::Location::parse(uri)?) })
    }
}

impl Source for ClickHouse {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.location, request, cancel)
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(Naming { backslashes: true, ..plan::DIALECT.naming() })
    }
}
