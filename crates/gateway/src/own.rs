//! The gateway's own tables: `bowshot.queries`, the statements that run and ran.

use std::sync::Arc;

use arrow_array::RecordBatch;
use bowshot_core::{Cancel, Plan, Request, Result, Source};
use bowshot_gateway_access::Identity;
use bowshot_gateway_catalog::{Catalog, Dialect};
use bowshot_gateway_monitor::{Monitor, queries_schema};
use bowshot_gateway_route::Served;

use crate::engine::OwnTable;
use crate::route::viewer;

/// The schema of the gateway's own tables, and the catalog under which they are listed.
const SCHEMA: &str = "bowshot";
/// The table of statements that run and ran.
const QUERIES: &str = "queries";

/// How they are named in queries.
pub(crate) fn served() -> Served {
    Served::own(SCHEMA, [QUERIES.to_owned()])
}

/// How clients find them.
pub(crate) fn catalog() -> Catalog {
    Catalog::new(SCHEMA, Arc::new(Columns), Dialect::Other).with_schema(SCHEMA).with_tables([QUERIES.to_owned()])
}

/// `bowshot.queries`, as somebody may see it: a user with rules sees what he asked himself.
pub(crate) fn queries(monitor: &Monitor, identity: &Identity) -> OwnTable {
    let (monitor, viewer) = (monitor.clone(), viewer(identity));
    OwnTable {
        schema: SCHEMA,
        name: QUERIES,
        columns: queries_schema(),
        rows: Arc::new(move || monitor.queries_batch(&viewer)),
    }
}

/// Tells the columns; the rows are the engine's.
struct Columns;

impl Source for Columns {
    fn plan(&self, _: &Request, _: &Cancel) -> Result<Plan> {
        Ok(Plan::ready(RecordBatch::new_empty(queries_schema()), "the gateway itself knows its columns"))
    }
}
