//! SQL Server and Azure SQL as a source of Arrow batches.
//!
//! Rows are decoded from the packets of the TDS protocol straight into arrays. A query over one table with a clustered
//! key of whole numbers is split by it over several sessions whose SNAPSHOT transactions see one state of the table.
//!
//! ```no_run
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_mssql::MsSql;
//!
//! let source = MsSql::from_uri("mssql://reader:secret@db.example/shop")?;
//! let request = Request::new(Query::new("SELECT id, price FROM orders"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod answer;
mod browser;
mod charset;
mod connect;
mod cursor;
mod decode;
mod describe;
mod ends;
mod error;
mod key;
mod packet;
mod plan;
mod read;
mod request;
mod rows;
mod session;
mod snapshot;
mod socket;
mod split;
mod text;
mod tls;
mod token;
mod transport;
mod types;
mod uri;
mod wire_type;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source};

/// A database of SQL Server or Azure SQL.
#[derive(Clone, Debug)]
pub struct MsSql {
    config: uri::Config,
}

impl MsSql {
    /// The database that a URI names: `mssql://user:password@host:1433/database?option=value`; `sqlserver://` is the same.
    ///
    /// Nothing is connected yet.
    ///
    /// # Errors
    /// Of kind [`Config`](bowshot_core::ErrorKind::Config) where the URI makes no sense, of kind
    /// [`Unsupported`](bowshot_core::ErrorKind::Unsupported) where it asks for a login of Windows or Microsoft Entra.
    pub fn from_uri(uri: &str) -> Result<MsSql> {
        Ok(MsSql { config: uri::Config::parse(uri)? })
    }
}

impl Source for MsSql {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.config, request, cancel)
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(bowshot_sql::Dialect::SqlServer.naming())
    }
}
