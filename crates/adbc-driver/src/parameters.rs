//! Parameters: the rows that were bound, as those of queries and of changes.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, Schema};
use bowshot_core::{BatchRows, Cancel, Error, ErrorKind, Params, Query, Result, Value};
use bowshot_sql::{Dialect, bind};

use crate::bound::Bound;

/// How many rows of parameters a query is run with at most: each is a query of its own.
const MOST_ROWS: usize = 10_000;

/// A text with its placeholders, and how rows are bound to them.
pub(crate) struct Parameters<'a> {
    pub(crate) sql: &'a str,
    pub(crate) dialect: Dialect,
    /// By the names of the columns, not by their places.
    pub(crate) by_name: bool,
}

/// Rows that a change is run with.
pub(crate) type Rows = Box<dyn Iterator<Item = Result<Vec<Value>>> + Send>;

/// The queries that a statement stands for.
pub(crate) struct Queries {
    pub(crate) queries: Vec<Query>,
    /// No row was bound: only the columns of the result are wanted.
    pub(crate) is_empty: bool,
}

impl Parameters<'_> {
    /// One query for each row that was bound; one where nothing was.
    pub(crate) fn queries(&self, bound: Option<Bound>, cancel: &Cancel) -> Result<Queries> {
        let Some(bound) = bound else {
            return Ok(Queries { queries: vec![Query::new(self.sql)], is_empty: false });
        };
        let names = names(&bound);
        let mut queries = Vec::new();
        for row in BatchRows::new(bound.into_batches(cancel)) {
            if queries.len() == MOST_ROWS {
                let message = format!("a query runs once for each row of parameters, and takes {MOST_ROWS} of them");
                return Err(
                    Error::new(ErrorKind::Unsupported, message).with_hint("ingest the rows into a table, and join it")
                );
            }
            queries.push(self.query(&names, row?));
        }
        let is_empty = queries.is_empty();
        if is_empty {
            let nulls = vec![Value::Null; names.len()];
            queries.push(self.query(&names, nulls));
        }
        Ok(Queries { queries, is_empty })
    }

    /// The statement with the database's own placeholders, and the rows that a change is run with.
    pub(crate) fn rows(&self, bound: Option<Bound>, cancel: &Cancel) -> Result<(String, Rows)> {
        let Some(bound) = bound else {
            return Ok((self.sql.to_owned(), Box::new(std::iter::once(Ok(Vec::new())))));
        };
        let names = names(&bound);
        let rows = BatchRows::new(bound.into_batches(cancel));
        if !self.by_name {
            return Ok((self.sql.to_owned(), Box::new(rows)));
        }
        let (sql, _) = bind(&self.query(&names, vec![Value::Null; names.len()]), self.dialect)?;
        let (dialect, text) = (self.dialect, self.sql.to_owned());
        let rows = rows.map(move |row| {
            let params = named(&names, row?);
            bind(&Query { sql: text.clone(), params }, dialect).map(|(_, values)| values)
        });
        Ok((sql, Box::new(rows)))
    }

    fn query(&self, names: &[String], row: Vec<Value>) -> Query {
        let params = if self.by_name { named(names, row) } else { Params::Positional(row) };
        Query { sql: self.sql.to_owned(), params }
    }

    /// The query with NULL for each parameter: its columns do not depend on the values.
    pub(crate) fn with_nulls(&self, bound: Option<&Bound>) -> Query {
        match bound {
            Some(bound) if self.by_name => {
                let names = names(bound);
                let nulls = vec![Value::Null; names.len()];
                self.query(&names, nulls)
            }
            _ => {
                let count = bowshot_sql::parameters(self.sql, self.dialect);
                Query { sql: self.sql.to_owned(), params: Params::Positional(vec![Value::Null; count]) }
            }
        }
    }
}

fn names(bound: &Bound) -> Vec<String> {
    bound.schema.fields().iter().map(|field| field.name().clone()).collect()
}

fn named(names: &[String], row: Vec<Value>) -> Params {
    Params::Named(names.iter().cloned().zip(row).collect())
}

/// The schema of `count` parameters, which have no names; of one of which the database says no type, the null type.
pub(crate) fn schema(count: usize, types: &[Option<DataType>]) -> Schema {
    let field = |place: usize| {
        let kind = types.get(place).cloned().flatten().unwrap_or(DataType::Null);
        Arc::new(Field::new("", kind, true))
    };
    Schema::new((0..count).map(field).collect::<Vec<_>>())
}

/// A batch of nothing, for what returns no rows.
pub(crate) fn nothing() -> RecordBatch {
    RecordBatch::new_empty(Arc::new(Schema::empty()))
}
