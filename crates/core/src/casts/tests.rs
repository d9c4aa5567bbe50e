mod pairs;

use arrow_array::{
    Array, Decimal128Array, Float64Array, Int64Array, StringArray, TimestampMicrosecondArray, TimestampNanosecondArray,
};
use arrow_schema::{Field, TimeUnit};

use super::*;

fn turn(column: impl Array + 'static, wanted: DataType) -> Result<ArrayRef> {
    let schema = Arc::new(Schema::new(vec![Field::new("c", column.data_type().clone(), true)]));
    let casts = Casts::new(&schema, &[("c".to_owned(), wanted)].into())?;
    let batch = RecordBatch::try_new(schema, vec![Arc::new(column)])?;
    let batch = casts.apply(batch)?;
    assert_eq!(batch.schema(), casts.schema());
    Ok(Arc::clone(batch.column(0)))
}

fn refusal(column: impl Array + 'static, wanted: DataType) -> String {
    let error = turn(column, wanted).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Value);
    assert_eq!(error.column(), Some("c"));
    error.message().to_owned()
}

#[test]
fn exact_values_are_turned() {
    let turned = turn(StringArray::from(vec![Some("1.50"), None, Some("-3")]), DataType::Decimal128(15, 2)).unwrap();
    let wanted = Decimal128Array::from(vec![Some(150), None, Some(-300)]).with_precision_and_scale(15, 2).unwrap();
    assert_eq!(turned.as_ref(), &wanted as &dyn Array);
    let turned = turn(Int64Array::from(vec![1 << 60]), DataType::Float64).unwrap();
    assert_eq!(turned.as_ref(), &Float64Array::from(vec![2_f64.powi(60)]) as &dyn Array);
    let nanos = TimestampNanosecondArray::from(vec![Some(5_000), None]);
    let turned = turn(nanos, DataType::Timestamp(TimeUnit::Microsecond, None)).unwrap();
    assert_eq!(turned.as_ref(), &TimestampMicrosecondArray::from(vec![Some(5), None]) as &dyn Array);
}

#[test]
fn values_that_would_change_are_named() {
    for (message, words) in [
        (
            refusal(StringArray::from(vec!["1", "1.234"]), DataType::Decimal128(15, 2)),
            "(utf8) holds 1.234, which decimal128(15, 2) cannot",
        ),
        (refusal(StringArray::from(vec!["1", "one"]), DataType::Int64), "holds one, which int64 cannot"),
        (refusal(Float64Array::from(vec![1.0, 1.5]), DataType::Int32), "holds 1.5, which int32 cannot"),
        (refusal(Float64Array::from(vec![f64::NAN]), DataType::Int32), "holds NaN"),
        (
            refusal(TimestampNanosecondArray::from(vec![1]), DataType::Timestamp(TimeUnit::Microsecond, None)),
            "which timestamp[us] cannot",
        ),
        (refusal(Int64Array::from(vec![2]), DataType::Boolean), "holds 2, which bool cannot"),
    ] {
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn unknown_names_and_types_are_refused() {
    let schema = Arc::new(Schema::new(vec![Field::new("c", DataType::Int64, true)]));
    let refused = |name: &str, wanted: DataType| Casts::new(&schema, &[(name.to_owned(), wanted)].into()).unwrap_err();
    assert_eq!(refused("d", DataType::Int8).kind(), ErrorKind::Config);
    assert!(refused("d", DataType::Int8).hint().unwrap().contains("c"));
    assert_eq!(refused("c", DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano)).column(), Some("c"));
}
