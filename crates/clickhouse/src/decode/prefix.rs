//! What stands before a column's values.

use bowshot_core::Result;

use super::{Body, Column};
use crate::input::{Feed, Input, broken};

/// How the values of low cardinality are kept: with dictionaries in the column itself.
const SHARED_DICTIONARIES: u64 = 1;

impl Column {
    /// Reads what the column and those inside say before the first value of any.
    pub(crate) fn prefix<F: Feed>(&self, input: &mut Input<F>) -> Result<()> {
        match &self.body {
            Body::List { item, .. } => item.prefix(input),
            Body::Struct(members) => members.iter().try_for_each(|member| member.prefix(input)),
            Body::Map { key, value, .. } => {
                key.prefix(input)?;
                value.prefix(input)
            }
            Body::LowCardinality { values, .. } => match input.number()? {
                SHARED_DICTIONARIES => values.prefix(input),
                other => Err(broken(&format!("low cardinality of version {other}"))),
            },
            _ => Ok(()),
        }
    }
}
