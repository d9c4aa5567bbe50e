//! Trino as a source of Arrow batches, over its own protocol: JSON over HTTP.
//!
//! The cells of each page are decoded from the text of the answer straight into the builders of the columns; the next page
//! is asked for before the current one is decoded.
//!
//! ```no_run
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_trino::Trino;
//!
//! let source = Trino::from_uri("trino+https://ada:secret@trino.example.com/hive/sales")?;
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
mod connect;
mod decode;
mod ends;
mod error;
mod http1;
mod json;
mod moments;
mod page;
mod parameters;
mod plan;
mod read;
mod session;
mod signature;
mod snapshot;
mod statement;
mod tls;
mod types;
mod uri;

use std::sync::Arc;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source};

/// A Trino cluster, and who asks it.
#[derive(Clone, Debug)]
pub struct Trino {
    target: Arc<uri::Target>,
}

impl Trino {
    /// The cluster that a URI names: `trino://user@host:8080/catalog/schema`.
    ///
    /// `trino+http://` is in the clear and `trino+https://` over TLS; `trino://` is over TLS where the URI holds a password or
    /// a token or names port 443. Nothing is connected yet.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config): a URI of another scheme, without a host or a user, with an option
    /// that makes no sense, or with a password that would travel in the clear.
    pub fn from_uri(uri: &str) -> Result<Trino> {
        Ok(Trino { target: Arc::new(uri::Target::parse(uri)?) })
    }
}

impl Source for Trino {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.target, request, cancel)
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(bowshot_sql::Dialect::Standard.naming())
    }
}
