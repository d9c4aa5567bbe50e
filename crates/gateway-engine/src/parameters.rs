//! A query's parameters.

use std::collections::HashMap;

use arrow_schema::DataType;
use bowshot_core::{Error, ErrorKind, Result, Value};
use datafusion::common::{ParamValues, ScalarValue};
use datafusion::logical_expr::LogicalPlan;

use crate::error::inside;

/// The plan with `values` in the place of `$1`, `$2` and so on.
///
/// A text becomes what it is compared with, as a database would cast it: a date, a decimal, a timestamp.
pub(crate) fn fill(plan: LogicalPlan, values: &[Value]) -> Result<LogicalPlan> {
    if values.is_empty() {
        return Ok(plan);
    }
    let wanted: HashMap<String, Option<DataType>> = plan.get_parameter_types().map_err(inside)?;
    let value = |(number, value): (usize, &Value)| {
        let wanted = wanted.get(&format!("${number}")).and_then(Option::as_ref);
        scalar(value, wanted).map_err(|error| {
            Error::new(ErrorKind::Config, format!("parameter {number} does not fit its place: {error}"))
                .with_hint("give it in the type of the column that it is compared with")
        })
    };
    let values = (1..).zip(values).map(value).collect::<Result<Vec<_>>>()?;
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
                Some(wanted) => text.cast_to(wanted),
                None => Ok(text),
            }
        }
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
        assert!(scalar(&text("soon"), Some(&DataType::Date32)).is_err());
        assert_eq!(scalar(&text("soon"), None).unwrap(), ScalarValue::Utf8(Some("soon".into())));
        assert_eq!(scalar(&Value::Null, Some(&DataType::Int32)).unwrap(), ScalarValue::Int32(None));
    }
}
