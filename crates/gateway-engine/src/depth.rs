//! How deep the expressions of a parsed query lie within each other.
//!
//! Looked at before anything is planned: DataFusion names an expression by its text at every level, so that a chain of
//! ten thousand terms would cost minutes.

use std::ops::ControlFlow;

use bowshot_core::{Error, ErrorKind, Result};
use datafusion::sql::sqlparser::ast::{Expr, Query, Statement};
use sqlparser::ast::{Visit, Visitor};

/// How deep expressions and subqueries may lie within each other; databases allow between 100 and some thousand.
pub(crate) const DEPTH: usize = 1000;

/// Refuses a query that nests deeper than [`DEPTH`].
///
/// # Errors
/// Of kind [`Unsupported`](ErrorKind::Unsupported).
pub(crate) fn check_depth(statement: &Statement) -> Result<()> {
    match statement.visit(&mut Depth(0)) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(too_deep()),
    }
}

/// The error of a query that nests too deep.
pub(crate) fn too_deep() -> Error {
    Error::new(ErrorKind::Unsupported, format!("the query nests more than {DEPTH} levels deep"))
        .with_hint("write long lists of conditions as IN (…), or join with VALUES")
}

/// The level that is being visited.
struct Depth(usize);

impl Depth {
    fn down(&mut self) -> ControlFlow<()> {
        self.0 += 1;
        if self.0 > DEPTH { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn up(&mut self) -> ControlFlow<()> {
        self.0 = self.0.saturating_sub(1);
        ControlFlow::Continue(())
    }
}

impl Visitor for Depth {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.down()
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.up()
    }

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        self.down()
    }

    fn post_visit_expr(&mut self, _: &Expr) -> ControlFlow<()> {
        self.up()
    }
}
