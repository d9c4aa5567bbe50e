//! How a result is divided into partitions.

use bowshot_core::{Estimate, Partition};

/// How the result is divided.
pub(crate) struct Division {
    /// The SQL of each partition, of which the query's columns come out unchanged, and its description.
    pub(crate) parts: Vec<(String, Partition)>,
    /// Why, as the end of a sentence that begins "n partitions because".
    pub(crate) reason: String,
    pub(crate) estimate: Estimate,
}

impl Division {
    /// Everything in one partition.
    pub(crate) fn whole(sql: &str, reason: impl Into<String>) -> Self {
        let label = Partition { label: "the whole result".into(), rows: None };
        Division { parts: vec![(sql.to_owned(), label)], reason: reason.into(), estimate: Estimate::default() }
    }
}
