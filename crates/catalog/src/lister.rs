//! What a source can be asked about itself.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, ErrorKind, Options, Partitioning, Plan, Query, Request, Result, Source};

use crate::dialect::{Dialect, Listing};
use crate::listed::{Column, End, ForeignKeyColumn, PrimaryKeyColumn, Table, TableType, rule};
use crate::rows::{Row, rows};

/// A table's schema and name, within one source.
pub type Place = (Option<String>, String);

/// Asks a source what it holds. Each question is a query over one connection.
pub struct Lister {
    source: Arc<dyn Source>,
    dialect: Dialect,
    options: Options,
    /// Tables of a source whose catalog is not known, and the schema that they are in.
    named: Vec<String>,
    schema: Option<String>,
}

impl Lister {
    /// Asks a source of this kind.
    pub fn new(source: Arc<dyn Source>, dialect: Dialect) -> Self {
        Lister { source, dialect, options: Options::default(), named: Vec::new(), schema: None }
    }

    /// The options that queries of this source are read with, so that the schemas of tables are those of queries. Its connections and
    /// partitioning do not matter; its `before` runs before the source's catalog is read too.
    #[must_use]
    pub fn with_options(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The tables of a source of [`Dialect::Other`], which is asked for none: they have no schema, unless
    /// [`with_schema`](Self::with_schema) names it. For files, [`table_of_files`](crate::table_of_files) names the one.
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

    /// The kind of database.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether it has tables to tell of: of a database whose catalog is known, or those that were named.
    pub fn knows_tables(&self) -> bool {
        self.dialect.listing().is_some() || !self.named.is_empty()
    }

    /// Its tables and views.
    ///
    /// # Errors
    /// The source's.
    pub fn tables(&self, cancel: &Cancel) -> Result<Vec<Table>> {
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
    ///
    /// # Errors
    /// The source's.
    pub fn schema_names(&self, cancel: &Cancel) -> Result<Vec<String>> {
        match self.optional_rows(|listing| listing.schemas, cancel, |row| row.name(0)) {
            Err(error) if error.kind() == ErrorKind::Sql => Ok(Vec::new()),
            answer => answer,
        }
    }

    /// What it says of the columns of all tables. A catalog that does not know the question (an old server, a cousin of
    /// a known database) has nothing to say; types and names are known from the plans of the tables.
    ///
    /// # Errors
    /// The source's.
    pub fn columns(&self, cancel: &Cancel) -> Result<HashMap<Place, Vec<Column>>> {
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
    ///
    /// # Errors
    /// The source's.
    pub fn primary_keys(&self, cancel: &Cancel) -> Result<Vec<PrimaryKeyColumn>> {
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
    ///
    /// # Errors
    /// The source's.
    pub fn foreign_keys(&self, cancel: &Cancel) -> Result<Vec<ForeignKeyColumn>> {
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

    /// What the database calls the whole of its schemas, as it names it in its own catalog; `None` where it has no such name.
    ///
    /// # Errors
    /// The source's.
    pub fn catalog_name(&self, cancel: &Cancel) -> Result<Option<String>> {
        match self.dialect.catalog() {
            Some(sql) => Ok(self.rows(sql, cancel, |row| row.text(0))?.pop().flatten()),
            None => Ok(None),
        }
    }

    /// The schema in which the database looks first for a table without one; `None` where it does not say.
    ///
    /// # Errors
    /// The source's.
    pub fn schema_name(&self, cancel: &Cancel) -> Result<Option<String>> {
        match self.dialect.schema() {
            Some(sql) => Ok(self.rows(sql, cancel, |row| row.text(0))?.pop().flatten()),
            None => Ok(None),
        }
    }

    /// What the database says of its version, in its own words; `None` where it cannot be asked.
    ///
    /// # Errors
    /// The source's.
    pub fn version(&self, cancel: &Cancel) -> Result<Option<String>> {
        match self.dialect.version() {
            Some(sql) => Ok(self.rows(sql, cancel, |row| row.text(0))?.pop().flatten()),
            None => Ok(None),
        }
    }

    /// The columns of a query of the whole table.
    ///
    /// # Errors
    /// The source's.
    pub fn table_schema(&self, schema: Option<&str>, table: &str, cancel: &Cancel) -> Result<SchemaRef> {
        Ok(self.table_plan(schema, table, cancel)?.schema)
    }

    /// The plan of a query of the whole table, over one connection.
    ///
    /// # Errors
    /// The source's.
    pub fn table_plan(&self, schema: Option<&str>, table: &str, cancel: &Cancel) -> Result<Plan> {
        let options = Options { connections: Some(1), partitioning: Partitioning::Single, ..self.options.clone() };
        let sql = self.dialect.select_all(schema, table);
        self.source.plan(&Request::new(Query::new(sql), options), cancel)
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
