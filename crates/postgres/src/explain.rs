//! The server's plan for a query, as EXPLAIN tells it.

use bowshot_core::{Error, ErrorKind, Result};
use serde_json::Value;

use crate::catalog::cell;
use crate::connect::Session;

/// A table that the query scans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScanNode {
    pub(crate) schema: String,
    pub(crate) table: String,
    /// `Seq Scan`, `Index Scan`, `Tid Range Scan`, …
    pub(crate) method: String,
}

/// What matters here of the server's plan.
pub(crate) struct Explained {
    /// The tables in the order of the plan.
    pub(crate) scans: Vec<ScanNode>,
    /// Scans of anything but tables: functions, VALUES, CTEs, foreign tables.
    pub(crate) others: usize,
    /// Something comes from another server, or from an extension's own kind of scan.
    pub(crate) is_foreign: bool,
    pub(crate) rows: u64,
}

/// Asks for the plan without running the query.
pub(crate) fn explain(session: &mut Session, sql: &str) -> Result<Explained> {
    let rows = session.query(&format!("EXPLAIN (VERBOSE, FORMAT JSON) {sql}"))?;
    let text: Vec<&str> = rows.iter().map(|row| cell(row, 0)).collect();
    let broken = || Error::new(ErrorKind::Protocol, "the server explains its plan in an unknown form");
    let parsed: Value = serde_json::from_str(&text.join("\n")).map_err(|error| broken().with_source(error))?;
    let root = parsed.get(0).and_then(|first| first.get("Plan")).ok_or_else(broken)?;
    let rows = root.get("Plan Rows").and_then(Value::as_u64).unwrap_or(0);
    let mut explained = Explained { scans: Vec::new(), others: 0, is_foreign: false, rows };
    explained.walk(root);
    Ok(explained)
}

impl Explained {
    fn walk(&mut self, node: &Value) {
        let text = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let method = text("Node Type");
        self.is_foreign |= method == "Foreign Scan" || method == "Custom Scan";
        if node.get("Relation Name").is_some() && method != "Foreign Scan" {
            self.scans.push(ScanNode { schema: text("Schema"), table: text("Relation Name"), method });
        } else if method.ends_with("Scan") && method != "Bitmap Index Scan" && method != "Subquery Scan" {
            self.others += 1;
        }
        for child in node.get("Plans").and_then(Value::as_array).into_iter().flatten() {
            self.walk(child);
        }
    }
}
