//! What the user asks for: SQL text, its parameters, and how to read it.

use serde::{Deserialize, Serialize};

use crate::Options;

/// SQL text and its parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Query {
    /// The SQL, exactly as the user wrote it.
    pub sql: String,
    /// What its placeholders stand for.
    pub params: Params,
}

impl Query {
    /// A query without parameters.
    pub fn new(sql: impl Into<String>) -> Self {
        Query { sql: sql.into(), params: Params::None }
    }
}

/// The values of a query's placeholders.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Params {
    /// The query has no placeholders; a `%` or a `:` in its text means itself.
    #[default]
    None,
    /// For `$1`, `?` and `%s`, in order.
    Positional(Vec<Value>),
    /// For `:name` and `%(name)s`.
    Named(Vec<(String, Value)>),
}

/// One parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Value {
    /// SQL NULL.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating-point number.
    Float(f64),
    /// Text; also dates, times, decimals and UUIDs in their ISO or SQL form, which the database casts.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// Queries and the options to read them with. More than one query is the user's own partitioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// One query, or several whose results have the same columns and follow each other.
    pub queries: Vec<Query>,
    /// How to read.
    pub options: Options,
}

impl Request {
    /// One query.
    pub fn new(query: Query, options: Options) -> Self {
        Request { queries: vec![query], options }
    }
}
