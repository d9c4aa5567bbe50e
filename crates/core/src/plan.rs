//! How one request will be read.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use serde::{Deserialize, Serialize};

use crate::{Scan, Value};

/// The key in a field's metadata under which a source keeps its own name of the column's type (`timetz`, `DECIMAL`).
pub const SOURCE_TYPE: &str = "bowshot.type";

/// How one request will be read: its schema, its snapshot, its partitions and why it was or was not split.
///
/// A plan keeps the snapshot open in the database until it is read or dropped.
pub struct Plan {
    /// The schema of every batch.
    pub schema: SchemaRef,
    /// What names the state of the database that all partitions see; `None` where it cannot be named, and then there
    /// is one partition.
    pub snapshot: Option<String>,
    /// The slices of the result, in the order of the result.
    pub partitions: Vec<Partition>,
    /// Why the query was or was not split, as a sentence.
    pub reason: String,
    /// What the database expects of the result.
    pub estimate: Estimate,
    /// The live side: opens connections that see the snapshot.
    pub scan: Arc<dyn Scan>,
}

/// A slice of the result that can be read alone. The partitions together are exactly the result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Partition {
    /// What it holds, for people: `pages 0 to 1023 of lineitem`.
    pub label: String,
    /// About how many rows it has.
    pub rows: Option<u64>,
}

/// A partition and the SQL that reads it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    /// Yields the columns of the query unchanged.
    pub sql: String,
    /// One for each placeholder of the SQL.
    pub values: Arc<[Value]>,
    /// What it holds.
    pub partition: Partition,
}

/// The table from which a column of a result comes as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The table's schema; `None` where the database has none.
    pub schema: Option<String>,
    /// The table.
    pub table: String,
}

/// What the database expects of a result, before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// Rows.
    pub rows: Option<u64>,
    /// Bytes on the wire or in the database's own pages.
    pub bytes: Option<u64>,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.partitions.len();
        writeln!(f, "{count} partition{} because {}", if count == 1 { "" } else { "s" }, self.reason)?;
        writeln!(f, "snapshot: {}", self.snapshot.as_deref().unwrap_or("none that connections could share"))?;
        if let Some(rows) = self.estimate.rows {
            writeln!(f, "about {rows} rows")?;
        }
        for field in self.schema.fields() {
            let null = if field.is_nullable() { "" } else { " not null" };
            writeln!(f, "  {}: {}{null}", field.name(), crate::format_type(field.data_type()))?;
        }
        Ok(())
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("schema", &self.schema)
            .field("snapshot", &self.snapshot)
            .field("partitions", &self.partitions)
            .field("reason", &self.reason)
            .field("estimate", &self.estimate)
            .finish_non_exhaustive()
    }
}
