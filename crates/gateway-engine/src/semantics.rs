//! Refuses what DataFusion would answer differently from the database that the values come from.
//!
//! Follows each column from its table through the query. Where a step tells values apart, orders or divides them, and the
//! column's [`Doubt`] says that its database would do so otherwise, the query is refused.

mod expression;
mod functions;

use std::any::Any;
use std::sync::Arc;

use bowshot_core::{Error, ErrorKind};
use datafusion::catalog::default_table_source::source_as_provider;
use datafusion::common::{DFSchema, JoinType};
use datafusion::error::Result;
use datafusion::logical_expr::expr::Sort;
use datafusion::logical_expr::{Aggregate, Distinct, Expr, Join, LogicalPlan, TableScan, Union};

use crate::doubt::{Doubt, Doubts, Need, both, is_doubtful};
use crate::error::outside;
use crate::table::SourceTable;
use expression::doubt_of;

/// An error of kind [`Unsupported`](ErrorKind::Unsupported) that names the column, if the plan, whose types must be
/// settled, does what its database would do otherwise.
pub(crate) fn check(plan: &LogicalPlan) -> Result<()> {
    outputs(plan, None).map(|_| ())
}

/// The columns that an expression can name.
struct Scope<'a> {
    inputs: Vec<(&'a DFSchema, Vec<Doubts>)>,
    /// Those around a subquery.
    outer: Option<&'a Scope<'a>>,
}

/// The doubts of a plan's columns.
fn outputs(plan: &LogicalPlan, outer: Option<&Scope<'_>>) -> Result<Vec<Doubts>> {
    if let LogicalPlan::TableScan(scan) = plan {
        return Ok(table(scan));
    }
    let inputs = plan.inputs();
    let doubts = inputs.iter().map(|input| outputs(input, outer)).collect::<Result<Vec<_>>>()?;
    let scope = Scope { inputs: inputs.iter().map(|input| input.schema().as_ref()).zip(doubts).collect(), outer };
    match plan {
        LogicalPlan::Projection(projection) => {
            projection.expr.iter().map(|expression| doubt_of(expression, &scope)).collect()
        }
        LogicalPlan::Aggregate(aggregate) => grouped(aggregate, &scope),
        LogicalPlan::Join(join) => joined(join, &scope),
        LogicalPlan::Union(union) => Ok(united(union, &scope)),
        LogicalPlan::Distinct(distinct) => different(distinct, &scope),
        LogicalPlan::Window(window) => {
            let computed = window.window_expr.iter().map(|expression| doubt_of(expression, &scope));
            let computed = computed.collect::<Result<Vec<_>>>()?;
            Ok(scope.all().into_iter().chain(computed).collect())
        }
        LogicalPlan::Sort(sort) => {
            sorted(&sort.expr, &scope)?;
            Ok(scope.all())
        }
        LogicalPlan::RecursiveQuery(_) => {
            // What the steps do with the rows of the steps before cannot be followed.
            for doubt in scope.all().iter().flatten() {
                demand(doubt, Need::Order, "a recursive query")?;
            }
            Ok(mixed(plan, &scope))
        }
        LogicalPlan::Filter(_)
        | LogicalPlan::Limit(_)
        | LogicalPlan::Repartition(_)
        | LogicalPlan::SubqueryAlias(_)
        | LogicalPlan::Subquery(_) => {
            each_expression(plan, &scope)?;
            Ok(scope.all())
        }
        _ => {
            each_expression(plan, &scope)?;
            Ok(mixed(plan, &scope))
        }
    }
}

/// A table's own doubts.
fn table(scan: &TableScan) -> Vec<Doubts> {
    let none = || vec![None; scan.projected_schema.fields().len()];
    let Ok(provider) = source_as_provider(&scan.source) else { return none() };
    let Some(table) = (provider.as_ref() as &dyn Any).downcast_ref::<SourceTable>() else { return none() };
    let all = &table.described.doubts;
    match &scan.projection {
        Some(places) => places.iter().map(|place| all.get(*place).cloned().flatten()).collect(),
        None => all.clone(),
    }
}

fn grouped(aggregate: &Aggregate, scope: &Scope<'_>) -> Result<Vec<Doubts>> {
    let mut doubts = Vec::new();
    let mut simple = true;
    for expression in &aggregate.group_expr {
        simple &= !matches!(expression, Expr::GroupingSet(_));
        let doubt = doubt_of(expression, scope)?;
        demand_all(&doubt, Need::Equality, "GROUP BY")?;
        doubts.push(doubt);
    }
    for expression in &aggregate.aggr_expr {
        doubts.push(doubt_of(expression, scope)?);
    }
    if simple {
        return Ok(doubts);
    }
    // Sets of groups have columns of their own.
    let together = doubts.into_iter().fold(None, both);
    Ok(spread(&aggregate.schema, &together))
}

fn joined(join: &Join, scope: &Scope<'_>) -> Result<Vec<Doubts>> {
    for (left, right) in &join.on {
        for side in [left, right] {
            demand_all(&doubt_of(side, scope)?, Need::Equality, "a join")?;
        }
    }
    if let Some(filter) = &join.filter {
        doubt_of(filter, scope)?;
    }
    let side = |place: usize| scope.inputs.get(place).map(|(_, doubts)| doubts.clone()).unwrap_or_default();
    let mut doubts = match join.join_type {
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => scope.all(),
        JoinType::LeftSemi | JoinType::LeftAnti | JoinType::LeftMark => side(0),
        JoinType::RightSemi | JoinType::RightAnti | JoinType::RightMark => side(1),
    };
    // A mark is true or false.
    doubts.resize(join.schema.fields().len(), None);
    Ok(doubts)
}

fn united(union: &Union, scope: &Scope<'_>) -> Vec<Doubts> {
    let column =
        |place: usize| scope.inputs.iter().filter_map(|(_, doubts)| doubts.get(place).cloned()).fold(None, both);
    (0..union.schema.fields().len()).map(column).collect()
}

fn different(distinct: &Distinct, scope: &Scope<'_>) -> Result<Vec<Doubts>> {
    match distinct {
        Distinct::All(_) => {
            for doubt in scope.all() {
                demand_all(&doubt, Need::Equality, "DISTINCT")?;
            }
            Ok(scope.all())
        }
        Distinct::On(on) => {
            for expression in &on.on_expr {
                demand_all(&doubt_of(expression, scope)?, Need::Equality, "DISTINCT ON")?;
            }
            sorted(on.sort_expr.as_deref().unwrap_or_default(), scope)?;
            on.select_expr.iter().map(|expression| doubt_of(expression, scope)).collect()
        }
    }
}

fn sorted(order: &[Sort], scope: &Scope<'_>) -> Result<()> {
    for Sort { expr, .. } in order {
        demand_all(&doubt_of(expr, scope)?, Need::Order, "ORDER BY")?;
    }
    Ok(())
}

fn each_expression(plan: &LogicalPlan, scope: &Scope<'_>) -> Result<()> {
    for expression in plan.expressions() {
        doubt_of(&expression, scope)?;
    }
    Ok(())
}

/// Where nobody knows which column comes from which: each may come from all.
fn mixed(plan: &LogicalPlan, scope: &Scope<'_>) -> Vec<Doubts> {
    spread(plan.schema(), &scope.all().into_iter().fold(None, both))
}

fn spread(schema: &DFSchema, doubt: &Doubts) -> Vec<Doubts> {
    schema.fields().iter().map(|field| doubt.clone().filter(|_| is_doubtful(field.data_type()))).collect()
}

impl Scope<'_> {
    /// The doubts of all columns, in their order.
    fn all(&self) -> Vec<Doubts> {
        self.inputs.iter().flat_map(|(_, doubts)| doubts.iter().cloned()).collect()
    }
}

/// Refuses a doubtful value where `need` goes beyond what its doubt allows.
fn demand_all(doubt: &Doubts, need: Need, place: &str) -> Result<()> {
    doubt.as_ref().map_or(Ok(()), |doubt| demand(doubt, need, place))
}

fn demand(doubt: &Arc<Doubt>, need: Need, place: &str) -> Result<()> {
    if doubt.allows(need) {
        return Ok(());
    }
    let (what, way_out) = match need {
        Need::Division => (
            "divide",
            "ask its source alone, compute it there in a view, or cast it: CAST(… AS DOUBLE) is divided as a \
             floating-point number",
        ),
        _ => (
            "compare",
            "ask its source alone, give it a binary collation in a view there, or have its bytes compared: \
             CAST(… AS BYTEA)",
        ),
    };
    let message = format!("column {} {}: {place} would {what} it differently here than there", doubt.column, doubt.why);
    let column = doubt.column.rsplit('.').next().unwrap_or_default();
    Err(outside(Error::new(ErrorKind::Unsupported, message).with_column(column).with_hint(way_out)))
}
