//! Where a query goes.

use std::ops::Range;
use std::time::Duration;

use bowshot_core::Cancel;
use bowshot_gateway_access::{Rights, TablePath};
use bowshot_gateway_catalog::Catalog;
use bowshot_sql::Name;

use crate::asking::Asking;
use crate::change::ChangeRoute;
use crate::listing::Listings;
use crate::refused::Refused;
use crate::served::Served;

/// How old a source's listing may be, by default.
const AGE: Duration = Duration::from_secs(10);

/// Where a query goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// To one database.
    Source {
        /// Which of the sources that are served.
        index: usize,
        /// The user's text, without the source's name in front of qualified names.
        sql: String,
        /// The tables that it reads, as far as they are known. Without rules, text that the parser does not know has none.
        tables: Vec<RoutedTable>,
        /// Whether the whole result is ordered, or may be.
        ordered: bool,
    },
    /// To the gateway's own engine, as it was written.
    Engine {
        /// The tables that it reads, each place once, in the order of the text.
        tables: Vec<RoutedTable>,
        /// Whether the whole result is ordered.
        ordered: bool,
    },
}

/// A table of a query, and which one it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutedTable {
    /// The name as it was written, folded.
    pub written: Name,
    /// Where it stands in the user's text.
    pub range: Range<usize>,
    /// Which of the sources that are served has it.
    pub index: usize,
    /// The table, as the source spells it. Its schema is empty where the source has none (files), and `None` where it is not
    /// known.
    pub path: TablePath,
}

/// Says where queries go. It remembers what the sources list.
#[derive(Debug)]
pub struct Router {
    pub(crate) served: Vec<Served>,
    pub(crate) listings: Listings,
    pub(crate) age: Duration,
}

impl Router {
    /// A router over these sources. The order is that of [`Route`]'s indexes.
    pub fn new(served: Vec<Served>) -> Self {
        Router { served, listings: Listings::default(), age: AGE }
    }

    /// How long what a source lists is remembered; by default 10 seconds. For a user with rules, a new table exists as late.
    #[must_use]
    pub fn with_age(mut self, age: Duration) -> Self {
        self.age = age;
        self
    }

    /// The sources.
    pub fn served(&self) -> &[Served] {
        &self.served
    }

    /// Says where a query goes. `sql` is the text as the client sent it, its placeholders in whatever style; `preferred` is the
    /// source that the session's option or the call's header names; each database and each source of files has a catalog of its
    /// name among `catalogs`.
    ///
    /// It asks sources for their tables where it must know them, and blocks until they answer.
    ///
    /// # Errors
    /// [`Refused::PermissionDenied`] where the user's rules do not let it pass; [`Refused::Error`] where nobody can tell which
    /// source it is for, or a source does not answer.
    pub fn route(
        &self,
        sql: &str,
        preferred: Option<&str>,
        rights: &Rights,
        catalogs: &[Catalog],
        cancel: &Cancel,
    ) -> Result<Route, Refused> {
        Asking::new(self, preferred, rights, catalogs, cancel)?.route(sql)
    }

    /// Says where a statement goes that changes something: to the one source whose tables it names, where that is writable. Its
    /// arguments are those of [`route`](Self::route).
    ///
    /// # Errors
    /// [`Refused::PermissionDenied`] where the user's rules do not let it pass; [`Refused::Error`] of kind
    /// [`Unsupported`](bowshot_core::ErrorKind::Unsupported) where the source is not writable, and where nobody can tell which source
    /// it is for, or it names tables of two.
    pub fn route_change(
        &self,
        sql: &str,
        preferred: Option<&str>,
        rights: &Rights,
        catalogs: &[Catalog],
        cancel: &Cancel,
    ) -> Result<ChangeRoute, Refused> {
        Asking::new(self, preferred, rights, catalogs, cancel)?.change(sql)
    }

    /// Says which source takes the rows of a table: the one that `source` names, else the preferred one, else the only one.
    ///
    /// # Errors
    /// As [`route_change`](Self::route_change).
    pub fn route_ingest(
        &self,
        table: &TablePath,
        preferred: Option<&str>,
        rights: &Rights,
        catalogs: &[Catalog],
        cancel: &Cancel,
    ) -> Result<usize, Refused> {
        let source = Some(table.source.as_str()).filter(|source| !source.is_empty());
        Asking::new(self, source.or(preferred), rights, catalogs, cancel)?.ingest(table)
    }
}
