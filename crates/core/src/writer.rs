//! What a database has to offer to be written to.

use arrow_array::RecordBatch;
use arrow_schema::{DataType, SchemaRef};

use crate::{Cancel, Result, Value};

/// The writing side of a source: statements that change something, and rows that go to a table.
///
/// Each call is a transaction of its own: it happens whole or, after an error or a cancel, not at all, as far as the database can
/// take a change back (MySQL commits the definition of a table by itself).
pub trait Writer: Send + Sync {
    /// The types that the database expects of a statement's parameters, in their order; `None` for one of which it says nothing. Empty
    /// where it says nothing of any.
    ///
    /// # Errors
    /// What the database says of a statement that it cannot prepare.
    fn parameters(&self, _sql: &str, _cancel: &Cancel) -> Result<Vec<Option<DataType>>> {
        Ok(Vec::new())
    }

    /// Runs one statement, once for each row of parameters (an empty row where it has none), in one transaction; how many table
    /// rows it changed in all. Rows that it returns are not kept.
    ///
    /// # Errors
    /// Of kind [`Config`](crate::ErrorKind::Config) where placeholders and parameters do not fit, whatever the database says, and
    /// the error of `rows`.
    fn update(&self, sql: &str, rows: &mut dyn Iterator<Item = Result<Vec<Value>>>, cancel: &Cancel) -> Result<u64>;

    /// Puts rows into a table in one transaction, as they come; how many they were.
    ///
    /// # Errors
    /// Of kind [`Unsupported`](crate::ErrorKind::Unsupported) where a column's type has no exact counterpart in the table, of kind
    /// [`Value`](crate::ErrorKind::Value) for such a value, both with the column; whatever the database says; and the error of
    /// `batches`.
    fn ingest(
        &self,
        target: &Ingest,
        batches: &mut dyn Iterator<Item = Result<RecordBatch>>,
        cancel: &Cancel,
    ) -> Result<u64>;
}

/// Where rows go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ingest {
    /// The table's schema; `None`: where the database looks first.
    pub schema: Option<String>,
    /// The table, exactly as it is spelled.
    pub table: String,
    /// What is done where the table exists, and where it does not.
    pub mode: IngestMode,
    /// The columns of all batches.
    pub columns: SchemaRef,
}

/// What becomes of the table before rows go to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IngestMode {
    /// It is made; an error where it exists.
    Create,
    /// It exists; an error where it does not.
    Append,
    /// It is made, in the place of one that exists.
    Replace,
    /// It is made where it does not exist.
    CreateAppend,
}

impl IngestMode {
    /// Whether the table's columns are those of the batches, since it is made for them.
    ///
    /// ```
    /// use bowshot_core::IngestMode;
    ///
    /// assert!(IngestMode::Replace.makes_table() && !IngestMode::CreateAppend.makes_table());
    /// ```
    pub fn makes_table(self) -> bool {
        matches!(self, IngestMode::Create | IngestMode::Replace)
    }
}
