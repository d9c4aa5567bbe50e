//! The calls that may aggregate the rows of the outermost query.

use std::ops::ControlFlow;

use sqlparser::ast::{Expr, Query, SelectItem, Visit, Visitor};

use crate::aggregate::{is_aggregate, is_over_rows};
use crate::facts::lower;
use crate::walk::part;
use crate::{Dialect, Name};

/// The calls in a SELECT list that may aggregate the rows of its query.
///
/// Those in its subqueries are among them: `(SELECT max(t.a))` aggregates the rows of the query around it if `t` is
/// that query's.
#[derive(Debug)]
pub(crate) struct OuterCalls {
    dialect: Dialect,
    depth: usize,
    /// Their names, each once.
    pub(crate) names: Vec<Name>,
    /// One of them is known to aggregate.
    pub(crate) aggregates: bool,
    /// There is a subquery.
    pub(crate) subquery: bool,
}

impl OuterCalls {
    /// Walks a SELECT list.
    pub(crate) fn of(list: &Vec<SelectItem>, dialect: Dialect) -> OuterCalls {
        let mut calls = OuterCalls { dialect, depth: 0, names: Vec::new(), aggregates: false, subquery: false };
        // It never breaks off.
        let _ = list.visit(&mut calls);
        calls
    }
}

impl Visitor for OuterCalls {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        self.subquery = true;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        let Expr::Function(call) = expr else { return ControlFlow::Continue(()) };
        if self.depth > 0 && is_over_rows(call) {
            return ControlFlow::Continue(());
        }
        self.aggregates |= is_aggregate(call);
        let parts = call.name.0.iter().filter_map(|name| name.as_ident());
        let name = Name(parts.map(|name| lower(&part(name, self.dialect))).collect());
        if !self.names.contains(&name) {
            self.names.push(name);
        }
        ControlFlow::Continue(())
    }
}
