//! SQLite as a source of Arrow batches.
//!
//! The database file is opened read only and read by SQLite itself, which is compiled in. What a column is read as follows
//! from its declared type or, where that says nothing, from its values; the user may settle it. A query over one large
//! table is split by rowid over several connections that see one state of the database.
//!
//! ```
//! use bowshot_core::{Cancel, Options, Query, Request, Source, Stream};
//! use bowshot_sqlite::Sqlite;
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("shop.db");
//! # rusqlite::Connection::open(&path).unwrap()
//! #     .execute_batch("CREATE TABLE orders (id INTEGER PRIMARY KEY, price DECIMAL(15, 2)); INSERT INTO orders VALUES (1, 9.5)")
//! #     .unwrap();
//! # let uri = format!("sqlite:///{}", path.display());
//! let source = Sqlite::from_uri(&uri)?; // such as sqlite:///shop.db
//! let request = Request::new(Query::new("SELECT id, price FROM orders"), Options::default());
//! let cancel = Cancel::new();
//! let plan = source.plan(&request, &cancel)?;
//! assert_eq!(plan.schema.field(0).name(), "id");
//! for batch in Stream::start(plan, &request.options, cancel) {
//!     assert_eq!(batch?.num_rows(), 1);
//! }
//! # Ok::<(), bowshot_core::Error>(())
//! ```

mod by_column;
mod connect;
mod convert;
mod decode;
mod describe;
mod error;
mod handle;
mod held;
mod ingest;
mod ingested;
mod plan;
mod read;
mod sample;
mod snapshot;
mod split;
mod types;
mod update;
mod uri;
mod writer;

use bowshot_core::{Cancel, Naming, Plan, Request, Result, Source, Ticket, Writer};

/// A SQLite database file.
#[derive(Clone, Debug)]
pub struct Sqlite {
    location: uri::Location,
}

impl Sqlite {
    /// The database that a URI or a path names: `sqlite:///relative/path`, `sqlite:////absolute/path`, or a plain path.
    ///
    /// A URI may end in `?immutable=1`, the user's word that nobody writes to the file, and `?timeout=SECONDS`, how long to
    /// wait for a lock (5 s). The file is not looked at yet.
    ///
    /// # Errors
    /// A database in memory is of kind [`Unsupported`](bowshot_core::ErrorKind::Unsupported), an unknown option of kind
    /// [`Config`](bowshot_core::ErrorKind::Config).
    pub fn from_uri(uri: &str) -> Result<Sqlite> {
        Ok(Sqlite { location: uri::Location::parse(uri)? })
    }
}

impl Source for Sqlite {
    fn plan(&self, request: &Request, cancel: &Cancel) -> Result<Plan> {
        plan::plan(&self.location, request, cancel)
    }

    fn join(&self, ticket: &Ticket, cancel: &Cancel) -> Result<Plan> {
        match ticket.state::<held::Held>(held::KIND)? {
            Some(held) => held::join(&self.location, ticket, held, cancel),
            None => ticket.joined(self.plan(ticket.request(), cancel)?),
        }
    }

    fn naming(&self, _cancel: &Cancel) -> Result<Naming> {
        Ok(bowshot_sql::Dialect::Sqlite.naming())
    }

    fn writer(&self) -> Result<&dyn Writer> {
        Ok(self)
    }
}
