//! A query of the request, ready to be sent.

use bowshot_core::{Query, Result, Value};
use bowshot_sql::{Dialect, Shape, analyse, bind, strip_end};

/// One query of the request, ready to be sent.
pub(crate) struct Prepared {
    /// Without a semicolon at its end, its placeholders as `$1`.
    pub(crate) sql: String,
    pub(crate) params: Vec<Value>,
    pub(crate) shape: Shape,
}

impl Prepared {
    /// Binds the query's parameters and says what it is.
    pub(crate) fn new(query: &Query) -> Result<Self> {
        let (sql, params) = bind(query, Dialect::Postgres)?;
        let sql = strip_end(&sql, Dialect::Postgres).to_owned();
        let shape = analyse(&sql, Dialect::Postgres);
        Ok(Prepared { sql, params, shape })
    }
}
