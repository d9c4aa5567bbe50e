//! Spark's predicates as conditions by which files leave out row groups.

use arrow_array::{
    ArrayRef, BooleanArray, Date32Array, Float32Array, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray,
};
use arrow_cast::{CastOptions, cast_with_options};
use arrow_schema::{DataType, Schema};
use bowshot_core::{Condition, Test};
use std::sync::Arc;

use crate::filter::{Comparison, Filter, Literal};

/// What every row fulfils that Spark keeps, as far as files can tell by their statistics.
pub(crate) fn conditions(filters: &[Filter], schema: &Schema) -> Vec<Condition> {
    let mut conditions = Vec::new();
    for filter in filters {
        match filter {
            Filter::And(all) => conditions.extend(self::conditions(all, schema)),
            other => conditions.extend(tests(other, schema).map(|any| Condition { any })),
        }
    }
    conditions
}

/// Tests of which one holds for each row that the filter keeps; `None` where there are no such.
fn tests(filter: &Filter, schema: &Schema) -> Option<Vec<(String, Test)>> {
    let value = |column: &str, literal: &Literal| of_type(literal, schema.field_with_name(column).ok()?.data_type());
    match filter {
        Filter::And(all) => all.iter().find_map(|filter| tests(filter, schema)),
        Filter::Or(any) => {
            let any: Option<Vec<_>> = any.iter().map(|filter| tests(filter, schema)).collect();
            any.map(|any| any.into_iter().flatten().collect())
        }
        Filter::In(column, values) => {
            let test = |literal| Some((column.clone(), Test::Equal(value(column, literal)?)));
            values.iter().map(test).collect()
        }
        Filter::Null(column) => Some(vec![(column.clone(), Test::Null)]),
        Filter::NotNull(column) => Some(vec![(column.clone(), Test::NotNull)]),
        Filter::Compare(column, comparison, literal) => {
            let value = value(column, literal)?;
            let test = match comparison {
                Comparison::Equal => Test::Equal(value),
                Comparison::Less => Test::Less(value),
                Comparison::LessOrEqual => Test::LessOrEqual(value),
                Comparison::Greater => Test::Greater(value),
                Comparison::GreaterOrEqual => Test::GreaterOrEqual(value),
                Comparison::NotEqual => return None,
            };
            Some(vec![(column.clone(), test)])
        }
    }
}

/// The value in the column's own type, where that says exactly the same.
fn of_type(literal: &Literal, kind: &DataType) -> Option<ArrayRef> {
    let array: ArrayRef = match (literal, kind) {
        (Literal::Integer(value), of) if of.is_integer() || matches!(of, DataType::Decimal128(..)) => {
            Arc::new(Int64Array::from(vec![*value]))
        }
        // Rounded to the column's scale, it would be another value.
        (Literal::Decimal(text), DataType::Decimal128(_, scale)) => {
            let digits = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            if i8::try_from(digits).ok()? > *scale {
                return None;
            }
            Arc::new(StringArray::from(vec![text.as_str()]))
        }
        (Literal::Float(value), DataType::Float64) if !value.is_nan() => Arc::new(Float64Array::from(vec![*value])),
        (Literal::Float(value), DataType::Float32) if !value.is_nan() => {
            let text = value.to_string();
            let narrow: f32 = text.parse().ok()?;
            if f64::from(narrow) != *value {
                return None;
            }
            Arc::new(Float32Array::from(vec![narrow]))
        }
        (Literal::Boolean(value), DataType::Boolean) => Arc::new(BooleanArray::from(vec![*value])),
        (Literal::Text(value), DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => {
            Arc::new(StringArray::from(vec![value.as_str()]))
        }
        (Literal::Date(days), DataType::Date32) => Arc::new(Date32Array::from(vec![*days])),
        (Literal::Instant(micros), DataType::Timestamp(unit, Some(zone))) => {
            let array = TimestampMicrosecondArray::from(vec![*micros]).with_timezone(Arc::clone(zone));
            exact(Arc::new(array), &DataType::Timestamp(*unit, Some(Arc::clone(zone))))?
        }
        (Literal::Timestamp(micros), DataType::Timestamp(unit, None)) => {
            exact(Arc::new(TimestampMicrosecondArray::from(vec![*micros])), &DataType::Timestamp(*unit, None))?
        }
        _ => return None,
    };
    cast(&array, kind)
}

fn cast(array: &ArrayRef, kind: &DataType) -> Option<ArrayRef> {
    let strict = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, kind, &strict).ok()
}

/// A time in a coarser unit, where that loses nothing.
fn exact(array: ArrayRef, kind: &DataType) -> Option<ArrayRef> {
    let there = cast(&array, kind)?;
    let back = cast(&there, array.data_type())?;
    (back.as_ref() == array.as_ref()).then_some(there)
}

#[cfg(test)]
mod tests {
    use arrow_schema::{Field, TimeUnit};

    use super::*;

    fn schema() -> Schema {
        let micros = DataType::Timestamp(TimeUnit::Second, None);
        Schema::new(vec![
            Field::new("small", DataType::Int8, true),
            Field::new("price", DataType::Decimal128(9, 2), true),
            Field::new("at", micros, true),
        ])
    }

    fn compare(column: &str, literal: Literal) -> Filter {
        Filter::Compare(column.into(), Comparison::Less, literal)
    }

    #[test]
    fn values_have_the_type_of_their_column_and_lose_nothing() {
        let count = |filter: Filter| conditions(&[filter], &schema()).len();
        assert_eq!(count(compare("small", Literal::Integer(5))), 1);
        assert_eq!(count(compare("small", Literal::Integer(500))), 0);
        assert_eq!(count(compare("price", Literal::Decimal("0.05".into()))), 1);
        assert_eq!(count(compare("price", Literal::Decimal("0.055".into()))), 0);
        assert_eq!(count(compare("at", Literal::Timestamp(5_000_000))), 1);
        assert_eq!(count(compare("at", Literal::Timestamp(5_000_001))), 0);
        assert_eq!(count(compare("other", Literal::Integer(5))), 0);
    }

    #[test]
    fn one_of_several_holds_only_if_all_are_known() {
        let (known, unknown) = (compare("small", Literal::Integer(5)), compare("small", Literal::Integer(500)));
        let found = conditions(&[Filter::Or(vec![known.clone(), Filter::Null("at".into())])], &schema());
        assert_eq!(found.first().map(|condition| condition.any.len()), Some(2));
        assert_eq!(conditions(&[Filter::Or(vec![known.clone(), unknown.clone()])], &schema()), []);
        assert_eq!(conditions(&[Filter::And(vec![known, unknown])], &schema()).len(), 1);
    }
}
