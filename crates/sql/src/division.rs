//! How a result is divided into partitions.

use std::sync::Arc;

use bowshot_core::{Estimate, Part, Partition};

use crate::Prepared;

/// How a result is divided into partitions.
#[derive(Clone, Debug)]
pub struct Division {
    /// In the order of the result.
    pub parts: Vec<Part>,
    /// Why, as the end of a sentence that begins "n partitions because".
    pub reason: String,
    /// What the database expects.
    pub estimate: Estimate,
}

impl Division {
    /// Everything in one partition.
    pub fn whole(query: &Prepared, reason: impl Into<String>) -> Self {
        let partition = Partition { label: "the whole result".into(), rows: None };
        let part = Part { sql: query.sql.clone(), values: Arc::clone(&query.values), partition };
        Division { parts: vec![part], reason: reason.into(), estimate: Estimate::default() }
    }

    /// One part alone, as a ticket names it.
    pub fn of(part: &Part) -> Self {
        let estimate = Estimate { rows: part.partition.rows, bytes: None };
        Division { parts: vec![part.clone()], reason: "a ticket names it".into(), estimate }
    }

    /// Each query of a list is a partition.
    pub fn list(queries: &[Prepared]) -> Self {
        let part = |(number, query): (usize, &Prepared)| Part {
            sql: query.sql.clone(),
            values: Arc::clone(&query.values),
            partition: Partition { label: format!("query {number}"), rows: None },
        };
        Division {
            parts: (1..).zip(queries).map(part).collect(),
            reason: "they are the given queries".into(),
            estimate: Estimate::default(),
        }
    }
}
