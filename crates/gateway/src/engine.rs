//! The engine that answers what no single source can.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use bowshot_core::{Cancel, Plan, Request, Result};
use bowshot_gateway_catalog::TablePath;

/// Answers queries over files, over several sources, and over the gateway's own tables.
///
/// The gateway knows no more of it than this, so that a gateway of one database needs none.
pub trait Engine: Send + Sync {
    /// Plans a query as a source would.
    ///
    /// # Errors
    /// As [`Source::plan`](bowshot_core::Source::plan), and where it would answer otherwise than the sources do.
    fn plan(&self, request: &Request, asker: &Asker<'_>, cancel: &Cancel) -> Result<Plan>;
}

/// On whose behalf the engine answers.
pub struct Asker<'a> {
    /// The source in which names without one are looked up first.
    pub preferred: Option<&'a str>,
    /// Whether the user may read a table: what is not visible is not there.
    pub visible: &'a (dyn Fn(&TablePath) -> bool + Sync),
    /// The gateway's own tables, as the user may see them.
    pub own: &'a [OwnTable],
}

/// A table that the gateway makes itself: `bowshot.queries`.
#[derive(Clone)]
pub struct OwnTable {
    /// The first part of its name.
    pub schema: &'static str,
    /// The second part of its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: SchemaRef,
    /// Its rows, when they are asked for.
    pub rows: Arc<dyn Fn() -> Result<RecordBatch> + Send + Sync>,
}
