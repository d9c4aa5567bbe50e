//! Aggregates of Spark's that a source answers without reading its rows.

use arrow_array::cast::AsArray;
use arrow_array::types::{Date32Type, Decimal128Type, TimestampMicrosecondType, TimestampMillisecondType};
use arrow_array::{Array, ArrayRef, Int64Array, UInt64Array};
use arrow_schema::{DataType, TimeUnit};
use bowshot_border::Texts;
use bowshot_core::{Aggregate, Cancel, Error, ErrorKind, Options, Partitioning, Query, Request, Result};

use crate::{Asked, Looked};

/// The aggregates that the JVM wrote from the text at `place` on: how many there are, and of each what it is and its column.
///
/// # Errors
/// Of kind [`Internal`](ErrorKind::Internal) for texts that make no sense.
pub fn read_aggregates(texts: &Texts, mut place: usize) -> Result<Vec<Aggregate>> {
    let broken = || Error::new(ErrorKind::Internal, "an aggregate of Spark's is not understood");
    let mut next = || -> Result<&str> {
        let text = texts.text(place)?;
        place += 1;
        Ok(text)
    };
    let count: usize = next()?.parse().map_err(|_| broken())?;
    if count > texts.len() {
        return Err(broken());
    }
    let mut one = || -> Result<Aggregate> {
        Ok(match next()? {
            "rows" => Aggregate::Rows,
            "values" => Aggregate::Values(next()?.to_owned()),
            "least" => Aggregate::Least(next()?.to_owned()),
            "greatest" => Aggregate::Greatest(next()?.to_owned()),
            _ => return Err(broken()),
        })
    };
    (0..count).map(|_| one()).collect()
}

impl Asked {
    /// What the source knows of all rows without reading them, as it is now: of each aggregate the value as Spark holds it, written down, or
    /// `None` for NULL. Dates are days, timestamps microseconds, decimals whole numbers of their last digit. `None` in place of all where
    /// one of them is not known.
    ///
    /// # Errors
    /// Those of planning.
    pub fn aggregates(&self, looked: &Looked, asked: &[Aggregate]) -> Result<Option<Vec<Option<String>>>> {
        // One partition is the least to plan.
        let options = Options { connections: Some(1), partitioning: Partitioning::Single, ..self.options()? };
        let plan = self.source.plan(&Request::new(Query::new(looked.sql.clone()), options), &Cancel::new())?;
        let same = |column: &str| {
            let type_in =
                |schema: &arrow_schema::Schema| Some(schema.field_with_name(column).ok()?.data_type().clone());
            type_in(&plan.schema) == type_in(&looked.schema)
        };
        if !asked.iter().filter_map(Aggregate::column).all(same) {
            return Ok(None);
        }
        let Some(found) = plan.scan.aggregates(asked)? else { return Ok(None) };
        Ok(found.iter().map(written).collect())
    }
}

/// A value as Spark holds it; `None` where it has none of its type.
#[expect(clippy::option_option, reason = "NULL, which is known, is something else than what is not known")]
fn written(value: &ArrayRef) -> Option<Option<String>> {
    let text = match value.data_type() {
        _ if value.len() != 1 => return None,
        _ if value.is_null(0) => return Some(None),
        DataType::Boolean => value.as_boolean().value(0).to_string(),
        DataType::Date32 => value.as_primitive::<Date32Type>().value(0).to_string(),
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            value.as_primitive::<TimestampMicrosecondType>().value(0).to_string()
        }
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            value.as_primitive::<TimestampMillisecondType>().value(0).checked_mul(1_000)?.to_string()
        }
        DataType::Decimal128(_, 0..) => value.as_primitive::<Decimal128Type>().value(0).to_string(),
        DataType::UInt64 => value.as_any().downcast_ref::<UInt64Array>()?.value(0).to_string(),
        of if of.is_integer() => {
            let wide = arrow_cast::cast(value, &DataType::Int64).ok()?;
            wide.as_any().downcast_ref::<Int64Array>()?.value(0).to_string()
        }
        _ => return None,
    };
    Some(Some(text))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Decimal128Array, Int8Array, TimestampMillisecondArray};

    use super::*;

    #[test]
    fn values_are_written_as_spark_holds_them() {
        let millis = |value: i64| -> ArrayRef { Arc::new(TimestampMillisecondArray::from(vec![value])) };
        let decimal = Decimal128Array::from(vec![-105]).with_precision_and_scale(5, 2).unwrap();
        let null: ArrayRef = Arc::new(Int8Array::from(vec![None]));
        assert_eq!(written(&null), Some(None));
        assert_eq!(written(&(Arc::new(Int8Array::from(vec![-3])) as _)), Some(Some("-3".into())));
        assert_eq!(written(&(Arc::new(decimal) as _)), Some(Some("-105".into())));
        assert_eq!(written(&millis(-2)), Some(Some("-2000".into())));
        assert_eq!(written(&millis(i64::MAX)), None);
    }

    #[test]
    fn aggregates_are_read_or_refused() {
        let read = |texts: &[&str]| {
            read_aggregates(&Texts::from(texts.iter().map(|text| text.as_bytes().to_vec()).collect::<Vec<_>>()), 0)
        };
        let expected = [Aggregate::Rows, Aggregate::Least("a".into()), Aggregate::Values("b".into())];
        assert_eq!(read(&["3", "rows", "least", "a", "values", "b"]).unwrap(), expected);
        for texts in [&[][..], &["2", "rows"], &["1", "sum", "a"], &["x"], &["99"]] {
            assert_eq!(read(texts).unwrap_err().kind(), ErrorKind::Internal, "{texts:?}");
        }
    }
}
