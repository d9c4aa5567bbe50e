//! What all partitions of a plan see.
//!
//! Flight SQL has no snapshots that queries could share, and needs none: the server runs a query once, and what its
//! endpoints yield is the result of that one execution.

use arrow_flight::FlightInfo;

/// Names the state that the endpoints of an execution show.
pub(crate) fn name(info: &FlightInfo) -> String {
    match info.endpoint.len() {
        1 => "one execution on the server: its endpoint".to_owned(),
        count => format!("one execution on the server: its {count} endpoints"),
    }
}

/// Why queries that follow each other see different states.
pub(crate) const OBSTACLE: &str = "a range would be a query of its own, and a Flight SQL server offers no snapshot that \
                                   queries share";
