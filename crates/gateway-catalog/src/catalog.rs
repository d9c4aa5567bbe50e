//! A source of the gateway, and what it can be asked about itself.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use bowshot_core::{Cancel, ErrorKind, Options, Partitioning, Result, Source};

use crate::dialect::{Dialect, Listing};
use crate::listed::{Column, End, ForeignKeyColumn, PrimaryKeyColumn, Table, TableType, rule};
use crate::rows::{Row, rows};
use crate::schema_cache::SchemaCache;
use crate::table_path::TablePath;

/// A table's schema and name, within one source.
pub(crate) type Place = (Option<String>, String);

/// A source under the name that clients know it by. It is one catalog of Flight SQL's.
pub struct Catalog {
    name: String,
    pub(crate) source: Arc<dyn Source>,
    pub(crate) dialect: Dialect,
    pub(crate) options: Options,
    pub(crate) limits: Limits,
    /// Tables of a source whose catalog is not known, and the schema that they are in.
    named: Vec<String>,
    schema: Option<String>,
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
            source,
            dialect,
            options: Options::default(),
            limits: Limits::default(),
            named: Vec::new(),
            schema: None,
            writable: false,
            cache: SchemaCache::default(),
        }
    }

    /// The options that queries of this source are read with, so that the schemas of tables are those of queries. Its
    /// connections and partitioning do not matter; its `before` runs before the source's catalog is read too.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The tables of a source of [`Dialect::Other`], which is asked for none: they have no schema, unless
    /// [`with_schema`](Self::with_schema) names it. For files,
    /// [`table_of_files`](crate::table_of_files) names the one.
    #[must_use]
    pub fn with_tables(mut self, tables: impl IntoIterator<Item = String>) -> Self {
        self.named = tables.into_iter().collect();
        self
    }

    /// The schema of the tables that were named.
    #[must_use]
    pub fn with_schema(mut self, schema: impl Into<String>) -> Self {
        self.schema = Some(schema.into());
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
        self.dialect
    }

    pub(crate) fn path(&self, schema: Option<&str>, table: &str) -> TablePath {
        TablePath { catalog: self.name.clone(), schema: schema.map(str::to_owned), table: table.to_owned() }
    }

    /// Its tables and views.
    pub(crate) fn tables(&self, cancel: &Cancel) -> Result<Vec<Table>> {
        let Some(listing) = self.dialect.listing() else {
            let table = |name: &String| Table {
                schema: self.schema.clone(),
                name: name.clone(),
                kind: TableType::Table,
                remarks: None,
            };
            return Ok(self.named.iter().map(table).collect());
        };
        self.rows(listing.tables, cancel, |row| Table {
            schema: row.text(0),
            name: row.name(1),
            kind: TableType::of(row.get(2).unwrap_or_default()),
            remarks: row.remarks(3),
        })
    }

    /// Its schemas, with tables or without. A catalog that does not know the question has nothing to say, as with
    /// [`columns`](Self::columns): its tables tell the others.
    pub(crate) fn schema_names(&self, cancel: &Cancel) -> Result<Vec<String>> {
        match self.optional_rows(|listing| listing.schemas, cancel, |row| row.name(0)) {
            Err(error) if error.kind() == ErrorKind::Sql => Ok(Vec::new()),
            answer => answer,
        }
    }

    /// What it says of the columns of all tables. A catalog that does not know the question (an old server, a cousin of
    /// a known database) has nothing to say; types and names are known from the plans of the tables.
    pub(crate) fn columns(&self, cancel: &Cancel) -> Result<HashMap<Place, Vec<Column>>> {
        let mut columns: HashMap<Place, Vec<Column>> = HashMap::new();
        let Some(listing) = self.dialect.listing() else { return Ok(columns) };
        let listed = self.rows(listing.columns, cancel, |row| ((row.text(0), row.name(1)), column(row)));
        match listed {
            Ok(listed) => {
                for (place, column) in listed {
                    columns.entry(place).or_default().push(column);
                }
                Ok(columns)
            }
            Err(error) if error.kind() == ErrorKind::Sql => Ok(columns),
            Err(error) => Err(error),
        }
    }

    /// The primary keys of all tables.
    pub(crate) fn primary_keys(&self, cancel: &Cancel) -> Result<Vec<PrimaryKeyColumn>> {
        self.optional_rows(
            |listing| listing.primary_keys,
            cancel,
            |row| PrimaryKeyColumn {
                schema: row.text(0),
                table: row.name(1),
                column: row.name(2),
                key: row.text(3),
                sequence: row.number(4).unwrap_or_default(),
            },
        )
    }

    /// The foreign keys of all tables.
    pub(crate) fn foreign_keys(&self, cancel: &Cancel) -> Result<Vec<ForeignKeyColumn>> {
        self.optional_rows(
            |listing| listing.foreign_keys,
            cancel,
            |row| ForeignKeyColumn {
                primary: end(row, 0),
                foreign: end(row, 4),
                sequence: row.number(8).unwrap_or_default(),
                update_rule: rule(row.get(9)),
                delete_rule: rule(row.get(10)),
            },
        )
    }

    fn optional_rows<T>(
        &self,
        sql: impl Fn(&Listing) -> Option<&'static str>,
        cancel: &Cancel,
        make: impl Fn(&Row<'_>) -> T,
    ) -> Result<Vec<T>> {
        match self.dialect.listing().and_then(sql) {
            Some(sql) => self.rows(sql, cancel, make),
            None => Ok(Vec::new()),
        }
    }

    fn rows<T>(&self, sql: &str, cancel: &Cancel, make: impl Fn(&Row<'_>) -> T) -> Result<Vec<T>> {
        let options = Options {
            connections: Some(1),
            partitioning: Partitioning::Single,
            before: self.options.before.clone(),
            ..Options::default()
        };
        rows(self.source.as_ref(), sql, options, cancel, make)
    }
}

fn column(row: &Row<'_>) -> Column {
    Column {
        name: row.name(2),
        type_name: row.remarks(3),
        nullable: row.flag(4),
        precision: row.number(5),
        scale: row.number(6),
        remarks: row.remarks(7),
        auto_increment: row.flag(8),
    }
}

fn end(row: &Row<'_>, first: usize) -> End {
    End { schema: row.text(first), table: row.name(first + 1), column: row.name(first + 2), key: row.text(first + 3) }
}
