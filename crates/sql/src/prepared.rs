//! A query of the request, ready to be sent.

use std::sync::Arc;

use bowshot_core::{Partitioning, Query, Request, Result, Value};

use crate::{Permit, Shape, analyse, bind};

/// A query of the request that may be sent: the only way to make one is the check of a [`Permit`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Prepared {
    /// Without what may follow the statement, its placeholders in the dialect's own style.
    pub sql: String,
    /// One for each placeholder.
    pub values: Arc<[Value]>,
    /// What the query is.
    pub shape: Shape,
}

impl Prepared {
    /// The queries of a request; a part of one, as a ticket names it, is checked with them.
    ///
    /// # Errors
    /// Those of [`Prepared::new`].
    pub fn all(request: &Request, permit: impl Into<Permit>) -> Result<Vec<Self>> {
        let permit = permit.into();
        if let Partitioning::Part(part) = &request.options.partitioning {
            permit.check(&part.sql)?;
        }
        request.queries.iter().map(|query| Prepared::new(query, permit)).collect()
    }

    /// Binds the query's parameters, checks that it may be sent and says what it is; its errors are those of [`bind`] and of
    /// [`Permit::check`].
    pub fn new(query: &Query, permit: impl Into<Permit>) -> Result<Self> {
        let permit = permit.into();
        let (sql, values) = bind(query, permit.dialect)?;
        permit.check(&sql)?;
        let sql = permit.strip(&sql).to_owned();
        let shape = analyse(&sql, permit.dialect);
        Ok(Prepared { sql, values: values.into(), shape })
    }
}
