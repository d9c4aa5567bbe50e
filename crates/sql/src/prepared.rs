//! A query of the request, ready to be sent.

use std::sync::Arc;

use bowshot_core::{Query, Result, Value};

use crate::{Dialect, Shape, analyse, bind, strip_end};

/// A query of the request, ready to be sent.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Without what may follow the statement, its placeholders in the dialect's own style.
    pub sql: String,
    /// One for each placeholder.
    pub values: Arc<[Value]>,
    /// What the query is.
    pub shape: Shape,
}

impl Prepared {
    /// Binds the query's parameters and says what it is; its errors are those of [`bind`].
    pub fn new(query: &Query, dialect: Dialect) -> Result<Self> {
        let (sql, values) = bind(query, dialect)?;
        let sql = strip_end(&sql, dialect).to_owned();
        let shape = analyse(&sql, dialect);
        Ok(Prepared { sql, values: values.into(), shape })
    }
}
