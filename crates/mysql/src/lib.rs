//! MySQL and MariaDB, read from the packets straight into arrays.
//!
//! The wire is read here: [`rows`] finds the fields of a block of rows, [`decode`] turns each column of the block into an
//! Arrow array in one tight loop. The text protocol and the binary one are laid out so much alike that one walk serves
//! both. The ways to log in come from mysql_common, sockets and TLS from bowshot-net.
//!
//! [`plan`] describes the query, [`types`] is the table of types, [`split`] finds ranges of keys that several
//! connections can read on one [`snapshot`].
//!
//! ```no_run
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_mysql::MySql;
//!
//! let source = MySql::from_uri("mysql://reader@localhost/tpch?ssl-mode=VERIFY_IDENTITY")?;
//! let request = Request::new(Query::new("SELECT * FROM lineitem"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! println!("{plan}");
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     println!("{} rows", batch?.num_rows());
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod binary_row;
mod cancel;
mod catalog;
mod cells;
mod connect;
mod decode;
mod describe;
mod error;
mod greeting;
mod ingest;
mod ingested;
mod key;
mod keys;
mod login;
mod modes;
mod packet;
mod plan;
mod read;
mod result;
mod rows;
mod scan;
mod snapshot;
mod split;
mod statement;
mod types;
mod update;
mod uri;
mod warnings;
mod writer;

use std::sync::Arc;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source, Writer};

/// A MySQL or MariaDB database.
#[derive(Clone, Debug)]
pub struct MySql {
    config: Arc<uri::Config>,
}

impl MySql {
    /// From a URI, and from the user's option file for what the URI leaves out.
    ///
    /// Nothing is connected yet.
    pub fn from_uri(uri: &str) -> Result<Self> {
        Ok(MySql { config: Arc::new(uri::Config::parse(uri)?) })
    }
}

impl Source for MySql {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.config, request, cancel)
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(bowshot_sql::Dialect::MySql.naming())
    }

    fn writer(&self) -> Result<&dyn Writer> {
        Ok(self)
    }
}
