//! A query's parameters.

use std::collections::HashMap;

use arrow_schema::{DECIMAL256_MAX_PRECISION, DECIMAL256_MAX_SCALE, DataType};
use bowshot_core::{Error, ErrorKind, Result, Value};
use datafusion::common::{ParamValues, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use crate::error::inside;

/// The types that the plan expects of its first `count` parameters, as far as their places tell.
pub(crate) fn types(plan: &LogicalPlan, count: usize) -> Result<Vec<Option<DataType>>> {
    let mut told: HashMap<String, Option<DataType>> = plan.get_parameter_types().map_err(inside)?;
    Ok((1..=count).map(|number| told.remove(&format!("${number}")).flatten()).collect())
}

/// The plan with `values` in the place of `$1`, `$2` and so on.
///
/// A text becomes what it is compared with, as a database would cast it: a date, a decimal, a timestamp.
pub(crate) fn fill(plan: LogicalPlan, values: &[Value], wanted: &[Option<DataType>]) -> Result<LogicalPlan> {
    if values.is_empty() {
        return Ok(plan);
    }
    let value = |(place, value): (usize, &Value)| {
        scalar(value, wanted.get(place).and_then(Option::as_ref)).map_err(|error| {
            Error::new(ErrorKind::Config, format!("parameter {} does not fit its place: {error}", place + 1))
                .with_hint("give it in the type of the column that it is compared with")
        })
    };
    let values = values.iter().enumerate().map(value).collect::<Result<Vec<_>>>()?;
    plan.with_param_values(ParamValues::from(values)).map_err(inside)
}

fn scalar(value: &Value, wanted: Option<&DataType>) -> datafusion::error::Result<ScalarValue> {
    match value {
        Value::Null => ScalarValue::try_from(wanted.unwrap_or(&DataType::Null)),
        Value::Bool(value) => Ok(ScalarValue::Boolean(Some(*value))),
        Value::Int(value) => Ok(ScalarValue::Int64(Some(*value))),
        Value::Float(value) => Ok(ScalarValue::Float64(Some(*value))),
        Value::Bytes(value) => Ok(ScalarValue::Binary(Some(value.clone()))),
        Value::Text(value) => {
            let text = ScalarValue::Utf8(Some(value.clone()));
            match wanted {
                Some(wanted) => text.cast_to(&exact(value, wanted)),
                None => Ok(text),
            }
        }
    }
}

/// The type itself; for a decimal with more digits after its point than the type has, one that has them: casting would round.
fn exact(text: &str, wanted: &DataType) -> DataType {
    let (DataType::Decimal128(_, scale) | DataType::Decimal256(_, scale)) = wanted else { return wanted.clone() };
    let digits = text.trim().split_once('.').map_or("", |(_, digits)| digits).trim_end_matches('0');
    match i8::try_from(digits.len()) {
        Ok(longer) if longer > *scale && longer <= DECIMAL256_MAX_SCALE => {
            DataType::Decimal256(DECIMAL256_MAX_PRECISION, longer)
        }
        _ => wanted.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_becomes_what_it_is_compared_with() {
        let text = |text: &str| Value::Text(text.into());
        let date = scalar(&text("1998-09-02"), Some(&DataType::Date32)).unwrap();
        assert_eq!(date, ScalarValue::Date32(Some(10471)));
        let price = scalar(&text("12.50"), Some(&DataType::Decimal128(15, 2))).unwrap();
        assert_eq!(price, ScalarValue::Decimal128(Some(1250), 15, 2));
        let finer = scalar(&text("12.505"), Some(&DataType::Decimal128(15, 2))).unwrap();
        assert_eq!(finer.to_string(), "12.505");
        assert!(scalar(&text("soon"), Some(&DataType::Date32)).is_err());
        assert_eq!(scalar(&text("soon"), None).unwrap(), ScalarValue::Utf8(Some("soon".into())));
        assert_eq!(scalar(&Value::Null, Some(&DataType::Int32)).unwrap(), ScalarValue::Int32(None));
    }
}
