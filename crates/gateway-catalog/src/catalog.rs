//! A source of the gateway, and what it can be asked about itself.

use std::sync::Arc;
use std::time::Duration;

use bowshot_catalog::{Dialect, Lister};
use bowshot_core::{Options, Source};

use crate::schema_cache::SchemaCache;
use crate::table_path::TablePath;

/// A source under the name that clients know it by. It is one catalog of Flight SQL's.
pub struct Catalog {
    name: String,
    pub(crate) lister: Lister,
    pub(crate) limits: Limits,
    /// Whether its tables may be changed.
    pub(crate) writable: bool,
    pub(crate) cache: SchemaCache,
}

/// What the schemas of tables may cost: each one that is not remembered is a connection and a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many tables one command may ask the schemas of; more are an error. By default 10,000.
    pub tables: usize,
    /// How many connections plan side by side. By default 4.
    pub connections: usize,
    /// How many schemas are remembered. By default 10,000.
    pub remembered: usize,
    /// How long a schema is remembered while the source lists the same columns. By default a minute: in SQLite, the type
    /// of a column can change with its values alone.
    pub age: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { tables: 10_000, connections: 4, remembered: 10_000, age: Duration::from_secs(60) }
    }
}

impl Catalog {
    /// A source under the name that it has in the gateway.
    pub fn new(name: impl Into<String>, source: Arc<dyn Source>, dialect: Dialect) -> Self {
        Catalog {
            name: name.into(),
            lister: Lister::new(source, dialect),
            limits: Limits::default(),
            writable: false,
            cache: SchemaCache::default(),
        }
    }

    /// The options that queries of this source are read with, so that the schemas of tables are those of queries. Its
    /// connections and partitioning do not matter; its `before` runs before the source's catalog is read too.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.lister = self.lister.with_options(options);
        self
    }

    /// The tables of a source of [`Dialect::Other`], which is asked for none: they have no schema, unless
    /// [`with_schema`](Self::with_schema) names it. For files,
    /// [`table_of_files`](crate::table_of_files) names the one.
    #[must_use]
    pub fn with_tables(mut self, tables: impl IntoIterator<Item = String>) -> Self {
        self.lister = self.lister.with_tables(tables);
        self
    }

    /// The schema of the tables that were named.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<String>) -> Self {
        self.lister = self.lister.with_schema(schema);
        self
    }

    /// Its tables may be changed, and their columns say so.
    pub fn make_writable(&mut self) {
        self.writable = true;
    }

    /// What the schemas of tables may cost.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The name that clients see.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The kind of database.
    pub fn dialect(&self) -> Dialect {
        self.lister.dialect()
    }

    pub(crate) fn path(&self, schema: Option<&str>, table: &str) -> TablePath {
        TablePath { catalog: self.name.clone(), schema: schema.map(str::to_owned), table: table.to_owned() }
    }
}
