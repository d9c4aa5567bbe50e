//! Files and folders of Parquet, CSV, JSON lines and Arrow IPC as a source of Arrow batches, local or in an object store.
//!
//! Row groups of Parquet, record batches of Arrow and byte ranges of CSV and JSON lines are the partitions; only the columns that the
//! query names are read. A query is a plain read: `SELECT columns FROM data LIMIT n`, or nothing at all for everything.
//!
//! ```
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_files::Files;
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # std::fs::write(folder.path().join("orders.csv"), "id,price\n1,9.5\n2,12.25\n").unwrap();
//! # let uri = format!("file://{}", folder.path().join("orders.csv").display());
//! let source = Files::from_uri(&uri)?; // such as file:///data/orders.csv
//! let request = Request::new(Query::new("SELECT price FROM orders"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! assert_eq!(plan.schema.field(0).name(), "price");
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     assert_eq!(batch?.num_rows(), 2);
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod chunk;
mod columns;
mod connect;
mod csv;
mod dataset;
mod digits;
mod error;
mod facts;
mod format;
mod glob;
mod guard;
mod held;
mod hive;
mod input;
mod ipc;
mod join;
mod json;
mod lake;
mod list;
mod map;
mod nested;
mod open;
mod parquet;
mod partition;
mod plan;
mod query;
mod read;
#[cfg(feature = "remote")]
mod remote;
mod snapshot;
mod text;
mod types;
mod uri;
mod view;
mod widen;

pub use parquet::open_excerpt;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source, Ticket};

/// A file, or a folder of files with the same columns.
#[derive(Clone, Debug)]
pub struct Files {
    location: uri::Location,
}

impl Files {
    /// The files that a URI or a path names: `file:///folder/`, `s3://bucket/prefix/`, `data/*.parquet`, a plain path.
    ///
    /// Options follow a `?` (a `#` in an `https://` URI): `format`, `header`, `delimiter`, `quote`, `null`, `infer`, `hive`,
    /// `mmap`, `trusted`, `range`, and the object store's own. Nothing is looked at yet.
    ///
    /// `range=START-END` is for engines that cut files themselves, such as Spark: of one Parquet file, it reads the row groups whose middle
    /// lies in these bytes, as a single partition. Ranges that follow each other read each row group once.
    ///
    /// # Errors
    /// An unknown option or a value that makes no sense is of kind [`Config`](bowshot_core::ErrorKind::Config), a scheme
    /// that this build does not read of kind [`Unsupported`](bowshot_core::ErrorKind::Unsupported).
    pub fn from_uri(uri: &str) -> Result<Files> {
        Ok(Files { location: uri::Location::parse(uri)? })
    }
}

impl Source for Files {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.location, request, cancel)
    }

    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        match ticket.state::<held::Held>(held::KIND)? {
            Some(held) => join::join(&self.location, ticket, held, cancel),
            None => ticket.joined(self.plan(ticket.request(), cancel)?),
        }
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(Naming { qualified: false, ..Naming::default() })
    }
}
