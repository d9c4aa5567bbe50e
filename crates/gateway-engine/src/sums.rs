//! Sums of 64-bit whole numbers that are right or an error, and never wrap around.
//!
//! DataFusion adds them as machines do: beyond 2^63 the sum begins again below zero. Here they are added as decimals of
//! 38 digits, and the sum becomes a 64-bit number again if it is one.

use std::sync::Arc;

use arrow_schema::DataType;
use datafusion::common::tree_node::Transformed;
use datafusion::common::{Column, DFSchema};
use datafusion::error::Result;
use datafusion::logical_expr::expr::AggregateFunction;
use datafusion::logical_expr::{Aggregate, Cast, Expr, ExprSchemable, LogicalPlan, Projection};

/// As many digits as 2^64 has.
const ADDEND: DataType = DataType::Decimal128(20, 0);

/// The plan with its sums of 64-bit numbers made exact.
pub(crate) fn exact(plan: LogicalPlan) -> Result<LogicalPlan> {
    let rewritten = plan.transform_up_with_subqueries(|node| match node {
        LogicalPlan::Aggregate(aggregate) => rewrite(aggregate),
        other => Ok(Transformed::no(other)),
    })?;
    Ok(rewritten.data)
}

fn rewrite(aggregate: Aggregate) -> Result<Transformed<LogicalPlan>> {
    let input = Arc::clone(aggregate.input.schema());
    let sums: Vec<Option<DataType>> = aggregate.aggr_expr.iter().map(|expression| summed(expression, &input)).collect();
    if sums.iter().all(Option::is_none) {
        return Ok(Transformed::no(LogicalPlan::Aggregate(aggregate)));
    }
    let old = Arc::clone(&aggregate.schema);
    let groups = old.fields().len().saturating_sub(aggregate.aggr_expr.len());
    let expressions = aggregate.aggr_expr.into_iter().zip(&sums);
    let expressions = expressions.map(|(expression, sum)| if sum.is_some() { widened(expression) } else { expression });
    let wide = Aggregate::try_new(Arc::clone(&aggregate.input), aggregate.group_expr, expressions.collect())?;
    let wide = Arc::new(LogicalPlan::Aggregate(wide));
    // The same columns under the same names, the sums in their own type again.
    let columns = old.columns().into_iter().zip(wide.schema().columns()).enumerate();
    let back = columns.map(|(place, (old, new))| {
        let sum = place.checked_sub(groups).and_then(|place| sums.get(place)).and_then(Option::as_ref);
        match sum {
            Some(narrow) => Expr::Cast(Cast::new(Box::new(Expr::Column(new)), narrow.clone())).alias(old.name),
            None => named(old, new),
        }
    });
    Ok(Transformed::yes(LogicalPlan::Projection(Projection::try_new(back.collect(), wide)?)))
}

/// A column, under its old name where that is another one.
fn named(old: Column, new: Column) -> Expr {
    if old == new { Expr::Column(new) } else { Expr::Column(new).alias_qualified(old.relation, old.name) }
}

/// The type of the sum, if the expression is a sum of 64-bit whole numbers.
fn summed(expression: &Expr, input: &DFSchema) -> Option<DataType> {
    let function = sum_of(expression)?;
    let [argument] = function.params.args.as_slice() else { return None };
    let data_type = argument.get_type(input).ok()?;
    matches!(data_type, DataType::Int64 | DataType::UInt64).then_some(data_type)
}

fn sum_of(expression: &Expr) -> Option<&AggregateFunction> {
    match expression {
        Expr::Alias(alias) => sum_of(&alias.expr),
        Expr::AggregateFunction(function) if function.func.name() == "sum" => Some(function),
        _ => None,
    }
}

fn widened(expression: Expr) -> Expr {
    match expression {
        Expr::Alias(mut alias) => {
            alias.expr = Box::new(widened(*alias.expr));
            Expr::Alias(alias)
        }
        Expr::AggregateFunction(mut function) => {
            let arguments = std::mem::take(&mut function.params.args);
            let wide = |argument| Expr::Cast(Cast::new(Box::new(argument), ADDEND));
            function.params.args = arguments.into_iter().map(wide).collect();
            Expr::AggregateFunction(function)
        }
        other => other,
    }
}
