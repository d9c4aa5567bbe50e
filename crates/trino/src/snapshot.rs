//! What all partitions of a plan see.

/// Why queries that follow each other may see different states.
pub(crate) const OBSTACLE: &str = "Trino's connectors offer no snapshot that several queries could share";

/// Names the state that one query shows.
pub(crate) fn name(id: &str) -> String {
    format!("the one query {id}")
}
