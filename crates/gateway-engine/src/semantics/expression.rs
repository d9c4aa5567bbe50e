//! The doubt of an expression's value, and the refusal of what is done on the way to it.

use arrow_schema::DataType;
use datafusion::common::Column;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::expr::{AggregateFunction, ScalarFunction, WindowFunction};
use datafusion::logical_expr::{BinaryExpr, Expr, Operator, Subquery};

use super::functions::{aggregate, returns_another_kind, scalar};
use super::{Scope, demand_all, outputs, sorted};
use crate::doubt::{Doubts, Need, both, is_decimal, is_text};

/// The doubt of an expression's value.
pub(super) fn doubt_of(expression: &Expr, scope: &Scope<'_>) -> Result<Doubts> {
    let of = |inner: &Expr| doubt_of(inner, scope);
    match expression {
        Expr::Column(column) => Ok(scope.find(column)),
        Expr::OuterReferenceColumn(_, column) => Ok(scope.outer.and_then(|outer| outer.find_outwards(column))),
        Expr::Alias(alias) => of(&alias.expr),
        Expr::Cast(cast) => Ok(kept(of(&cast.expr)?, cast.field.data_type())),
        Expr::TryCast(cast) => Ok(kept(of(&cast.expr)?, cast.field.data_type())),
        Expr::Negative(inner) => of(inner),
        Expr::Unnest(unnest) => of(&unnest.expr),
        Expr::BinaryExpr(binary) => of_binary(binary, scope),
        Expr::Like(like) | Expr::SimilarTo(like) => {
            needed([like.expr.as_ref(), like.pattern.as_ref()], Need::Equality, "LIKE", scope)
        }
        Expr::Between(between) => {
            let parts = [between.expr.as_ref(), between.low.as_ref(), between.high.as_ref()];
            needed(parts, Need::Order, "BETWEEN", scope)
        }
        Expr::InList(list) => {
            needed(std::iter::once(list.expr.as_ref()).chain(&list.list), Need::Equality, "IN", scope)
        }
        Expr::Case(case) => {
            let whens = case.when_then_expr.iter().map(|(when, _)| when.as_ref());
            if let Some(base) = &case.expr {
                needed(std::iter::once(base.as_ref()).chain(whens), Need::Equality, "CASE", scope)?;
            } else {
                needed(whens, Need::Nothing, "CASE", scope)?;
            }
            let thens = case.when_then_expr.iter().map(|(_, then)| then.as_ref()).chain(case.else_expr.as_deref());
            thens.map(of).try_fold(None, |all, one| Ok(both(all, one?)))
        }
        Expr::ScalarFunction(function) => of_function(function, scope),
        Expr::AggregateFunction(function) => of_aggregate(function, scope),
        Expr::WindowFunction(function) => of_window(function, scope),
        Expr::InSubquery(part) => {
            let rows = of_subquery(&part.subquery, scope)?;
            demand_all(&both(of(&part.expr)?, rows), Need::Equality, "IN")?;
            Ok(None)
        }
        Expr::SetComparison(part) => {
            let rows = of_subquery(&part.subquery, scope)?;
            demand_all(&both(of(&part.expr)?, rows), Need::Order, "a comparison with ANY or ALL")?;
            Ok(None)
        }
        Expr::Exists(part) => of_subquery(&part.subquery, scope).map(|_| None),
        Expr::ScalarSubquery(subquery) => of_subquery(subquery, scope),
        Expr::HigherOrderFunction(function) => needed(&function.args, Need::Order, "a lambda", scope),
        // A condition on values without comparing them, a literal, or parts that are each looked at.
        other => {
            let mut all = None;
            other.apply_children(|child| {
                all = both(all.take(), of(child)?);
                Ok(TreeNodeRecursion::Continue)
            })?;
            Ok(all.filter(|_| matches!(other, Expr::GroupingSet(_))))
        }
    }
}

/// What is left of a doubt when a value gets another type: a decimal as text has the digits that it has.
fn kept(doubt: Doubts, data_type: &DataType) -> Doubts {
    doubt.filter(|doubt| is_text(data_type) && !doubt.order || is_decimal(data_type) && !doubt.division)
}

/// Demands the same of several values; what they become together is true or false.
fn needed<'e>(parts: impl IntoIterator<Item = &'e Expr>, need: Need, place: &str, scope: &Scope<'_>) -> Result<Doubts> {
    for part in parts {
        demand_all(&doubt_of(part, scope)?, need, place)?;
    }
    Ok(None)
}

fn of_binary(BinaryExpr { left, op, right }: &BinaryExpr, scope: &Scope<'_>) -> Result<Doubts> {
    let doubt = both(doubt_of(left, scope)?, doubt_of(right, scope)?);
    let need = match op {
        Operator::And | Operator::Or => return Ok(None),
        Operator::Plus | Operator::Minus | Operator::Multiply | Operator::StringConcat => return Ok(doubt),
        Operator::Divide | Operator::Modulo => {
            demand_all(&doubt, Need::Division, &format!("the operator {op}"))?;
            return Ok(doubt);
        }
        Operator::Eq
        | Operator::NotEq
        | Operator::IsDistinctFrom
        | Operator::IsNotDistinctFrom
        | Operator::LikeMatch
        | Operator::NotLikeMatch => Need::Equality,
        _ => Need::Order,
    };
    demand_all(&doubt, need, &format!("the operator {op}"))?;
    Ok(None)
}

fn of_function(function: &ScalarFunction, scope: &Scope<'_>) -> Result<Doubts> {
    let doubts = function.args.iter().map(|argument| doubt_of(argument, scope));
    let doubt = doubts.try_fold_all()?;
    let name = function.name();
    demand_all(&doubt, scalar(name), &format!("the function {name}"))?;
    Ok(doubt.filter(|_| !returns_another_kind(name)))
}

fn of_aggregate(function: &AggregateFunction, scope: &Scope<'_>) -> Result<Doubts> {
    let parts = &function.params;
    if let Some(filter) = &parts.filter {
        doubt_of(filter, scope)?;
    }
    sorted(&parts.order_by, scope)?;
    let name = function.func.name();
    let doubt = parts.args.iter().map(|argument| doubt_of(argument, scope)).try_fold_all()?;
    demand_all(&doubt, aggregate(name, parts.distinct), &format!("the function {name}"))?;
    Ok(doubt.filter(|_| !returns_another_kind(name)))
}

fn of_window(function: &WindowFunction, scope: &Scope<'_>) -> Result<Doubts> {
    let parts = &function.params;
    if let Some(filter) = &parts.filter {
        doubt_of(filter, scope)?;
    }
    needed(&parts.partition_by, Need::Equality, "PARTITION BY", scope)?;
    sorted(&parts.order_by, scope)?;
    let name = function.fun.name();
    let doubt = parts.args.iter().map(|argument| doubt_of(argument, scope)).try_fold_all()?;
    demand_all(&doubt, aggregate(name, parts.distinct), &format!("the function {name}"))?;
    Ok(doubt.filter(|_| !returns_another_kind(name)))
}

/// The doubt of a subquery's rows.
fn of_subquery(subquery: &Subquery, scope: &Scope<'_>) -> Result<Doubts> {
    Ok(outputs(&subquery.subquery, Some(scope))?.into_iter().fold(None, both))
}

impl Scope<'_> {
    fn find(&self, column: &Column) -> Doubts {
        let found = self.inputs.iter().find_map(|(schema, doubts)| {
            schema.maybe_index_of_column(column).and_then(|place| doubts.get(place).cloned())
        });
        found.flatten()
    }

    /// In this scope or one around it.
    fn find_outwards(&self, column: &Column) -> Doubts {
        self.find(column).or_else(|| self.outer.and_then(|outer| outer.find_outwards(column)))
    }
}

/// Puts the doubts of several values together.
trait TryFoldAll {
    fn try_fold_all(self) -> Result<Doubts>;
}

impl<I: Iterator<Item = Result<Doubts>>> TryFoldAll for I {
    fn try_fold_all(mut self) -> Result<Doubts> {
        self.try_fold(None, |all, one| Ok(both(all, one?)))
    }
}
