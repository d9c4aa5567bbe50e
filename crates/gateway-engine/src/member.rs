//! What the engine serves: sources, and tables that the gateway makes itself.

use std::fmt;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Result, Source};
use bowshot_gateway_catalog::{Catalog, Dialect, TablePath};

/// Says whether the user may read a table. What it refuses is, for the query, not there.
pub type Visible<'a> = &'a (dyn Fn(&TablePath) -> bool + Sync);

/// On whose behalf the engine answers.
#[derive(Clone, Copy)]
pub struct Asker<'a> {
    /// The member that names without one mean first.
    pub default_member: Option<&'a str>,
    /// Hides tables that the user may not read.
    pub visible: Visible<'a>,
    /// The tables that the gateway makes itself, as the user may see them.
    pub system: &'a [System],
}

impl Default for Asker<'_> {
    /// Somebody who may read everything, and names every table whole.
    fn default() -> Self {
        Asker { default_member: None, visible: &|_| true, system: &[] }
    }
}

/// A source under the name that queries know it by.
pub struct Member {
    /// The first part of its tables' names.
    pub name: String,
    /// Where its rows come from.
    pub source: Arc<dyn Source>,
    /// What it is.
    pub kind: Kind,
    /// Lists its tables and their columns.
    pub catalog: Catalog,
}

/// What a member is.
#[derive(Clone, PartialEq, Eq)]
pub enum Kind {
    /// Files, by their address as `bowshot-files` reads it. Their source takes plain reads only:
    /// `SELECT a, b FROM t LIMIT n`.
    Files(String),
    /// A database that speaks this SQL.
    Database(Dialect),
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // An address may hold a key.
            Kind::Files(_) => f.write_str("Files"),
            Kind::Database(dialect) => f.debug_tuple("Database").field(dialect).finish(),
        }
    }
}

impl fmt::Debug for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member").field("name", &self.name).field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// A table that the gateway makes itself, such as `bowshot.queries`. For [`Visible`] its catalog is called like its schema.
pub struct System {
    /// The first part of its name: `bowshot`.
    pub schema: String,
    /// The second part: `queries`.
    pub name: String,
    /// Its columns.
    pub columns: SchemaRef,
    /// Its rows, asked for once a query.
    pub batches: Arc<dyn Fn() -> Result<RecordBatch> + Send + Sync>,
}

impl System {
    /// How [`Visible`] and errors name it.
    pub(crate) fn path(&self) -> TablePath {
        TablePath { catalog: self.schema.clone(), schema: Some(self.schema.clone()), table: self.name.clone() }
    }
}

impl fmt::Debug for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "System({}.{})", self.schema, self.name)
    }
}
