//! Filters as conditions on the statistics of files.

use arrow_schema::{DataType, Schema};
use bowshot_core::{Condition, Test};
use datafusion::common::ScalarValue;
use datafusion::logical_expr::{BinaryExpr, Expr, Operator};

/// Longer lists say little of a range, and much work is spent on them.
const LONGEST_LIST: usize = 100;

/// Conditions that every row fulfils for which the filter is true; `None` where none is known. The filter is looked at again, so that a
/// condition may be weaker than it.
pub(super) fn conditions(filter: &Expr, schema: &Schema) -> Option<Vec<Condition>> {
    match filter {
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
            match (conditions(left, schema), conditions(right, schema)) {
                (Some(left), Some(right)) => Some([left, right].concat()),
                (one, other) => one.or(other),
            }
        }
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
            // Each side is a weaker condition by its first part alone.
            let mut any = conditions(left, schema)?.into_iter().next()?.any;
            any.extend(conditions(right, schema)?.into_iter().next()?.any);
            Some(vec![Condition { any }])
        }
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let compared = compared(left, *op, right, schema).or_else(|| compared(right, op.swap()?, left, schema));
            compared.map(alone)
        }
        Expr::Between(between) if !between.negated => {
            let low = compared(&between.expr, Operator::GtEq, &between.low, schema);
            let high = compared(&between.expr, Operator::LtEq, &between.high, schema);
            let both: Vec<Condition> = low.into_iter().chain(high).flat_map(alone).collect();
            (!both.is_empty()).then_some(both)
        }
        Expr::InList(list) if !list.negated && list.list.len() <= LONGEST_LIST => {
            let equal = |value| compared(&list.expr, Operator::Eq, value, schema);
            let any = list.list.iter().map(equal).collect::<Option<Vec<_>>>()?;
            (!any.is_empty()).then(|| vec![Condition { any }])
        }
        Expr::IsNull(expression) => Some(alone((column(expression, schema)?.0, Test::Null))),
        Expr::IsNotNull(expression) => Some(alone((column(expression, schema)?.0, Test::NotNull))),
        _ => None,
    }
}

fn alone(test: (String, Test)) -> Vec<Condition> {
    vec![Condition { any: vec![test] }]
}

fn compared(left: &Expr, op: Operator, right: &Expr, schema: &Schema) -> Option<(String, Test)> {
    let (name, of) = column(left, schema)?;
    let Expr::Literal(value, _) = right else { return None };
    let value = of_type(value, of)?.to_array().ok()?;
    let test = match op {
        Operator::Eq => Test::Equal(value),
        Operator::Lt => Test::Less(value),
        Operator::LtEq => Test::LessOrEqual(value),
        Operator::Gt => Test::Greater(value),
        Operator::GtEq => Test::GreaterOrEqual(value),
        _ => return None,
    };
    Some((name, test))
}

fn column<'a>(expression: &Expr, schema: &'a Schema) -> Option<(String, &'a DataType)> {
    let Expr::Column(column) = expression else { return None };
    let field = schema.field(schema.index_of(&column.name).ok()?);
    Some((field.name().clone(), field.data_type()))
}

/// The value as one of the column's own type, where it is one already: another type is compared in other ways.
fn of_type(value: &ScalarValue, of: &DataType) -> Option<ScalarValue> {
    let is_text = |of: &DataType| matches!(of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    match value {
        value if value.is_null() => None,
        value if value.data_type() == *of => Some(value.clone()),
        value if is_text(&value.data_type()) && is_text(of) => value.cast_to(of).ok(),
        _ => None,
    }
}
