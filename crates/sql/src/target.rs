//! The table that rows are ingested into, in a database's SQL.

use arrow_schema::Field;
use bowshot_core::{Error, ErrorKind, Ingest, IngestMode, Result};

use crate::{Dialect, quote_identifier};

/// What ingesting needs to say of a table and its columns.
///
/// ```
/// use std::sync::Arc;
/// use arrow_schema::{DataType, Field, Schema};
/// use bowshot_core::{Ingest, IngestMode};
/// use bowshot_sql::{Dialect, Target};
///
/// let columns = Arc::new(Schema::new(vec![Field::new("id", DataType::Int32, false)]));
/// let asked = Ingest { schema: Some("shop".into()), table: "order".into(), mode: IngestMode::Replace, columns };
/// let target = Target::new(&asked, Dialect::Sqlite)?;
/// assert_eq!(target.table(), r#""shop"."order""#);
/// assert_eq!(
///     target.preparation(|_| Ok("INTEGER".to_owned()))?.unwrap(),
///     r#"DROP TABLE IF EXISTS "shop"."order"; CREATE TABLE "shop"."order" ("id" INTEGER NOT NULL)"#,
/// );
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    asked: &'a Ingest,
    dialect: Dialect,
}

impl<'a> Target<'a> {
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): there is no column, so that no row could be told from another.
    pub fn new(asked: &'a Ingest, dialect: Dialect) -> Result<Self> {
        if asked.columns.fields().is_empty() {
            return Err(Error::new(ErrorKind::Config, "rows without a column cannot be ingested"));
        }
        Ok(Target { asked, dialect })
    }

    /// The table's name with its schema, quoted.
    pub fn table(&self) -> String {
        self.beside(&self.asked.table)
    }

    /// The name of another table in the same schema, quoted.
    pub fn beside(&self, table: &str) -> String {
        match &self.asked.schema {
            Some(schema) => format!("{}.{}", self.quoted(schema), self.quoted(table)),
            None => self.quoted(table),
        }
    }

    /// The names of the columns in their order, quoted, with commas between them.
    pub fn columns(&self) -> String {
        let quoted = self.asked.columns.fields().iter().map(|field| self.quoted(field.name()));
        quoted.collect::<Vec<_>>().join(", ")
    }

    /// The columns as a table is made with them, of the types that `declared` names. Where a name says itself whether NULL is
    /// allowed, that stays.
    ///
    /// # Errors
    /// What `declared` returns.
    pub fn definition(&self, declared: impl Fn(&Field) -> Result<String>) -> Result<String> {
        let column = |field: &Field| {
            let kind = declared(field)?;
            let not_null = if field.is_nullable() || kind.ends_with(" NULL") { "" } else { " NOT NULL" };
            Ok(format!("{} {kind}{not_null}", self.quoted(field.name())))
        };
        let columns = self.asked.columns.fields().iter().map(|field| column(field));
        Ok(columns.collect::<Result<Vec<_>>>()?.join(", "))
    }

    /// What makes the table as the mode asks for it, where a transaction holds that, too; `None` where it is there already.
    ///
    /// # Errors
    /// What `declared` returns.
    pub fn preparation(&self, declared: impl Fn(&Field) -> Result<String>) -> Result<Option<String>> {
        let table = self.table();
        let create = match self.asked.mode {
            IngestMode::Append => return Ok(None),
            IngestMode::Create => format!("CREATE TABLE {table}"),
            IngestMode::Replace => format!("DROP TABLE IF EXISTS {table}; CREATE TABLE {table}"),
            IngestMode::CreateAppend => format!("CREATE TABLE IF NOT EXISTS {table}"),
        };
        Ok(Some(format!("{create} ({})", self.definition(declared)?)))
    }

    fn quoted(&self, name: &str) -> String {
        quote_identifier(name, self.dialect)
    }
}
