mod nested;
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

#[test]
fn one_of_several_columns_of_a_name_is_turned() {
    let schema =
        Arc::new(Schema::new(vec![Field::new("c", DataType::Int64, true), Field::new("c", DataType::Int64, true)]));
    let casts = Casts::new(&schema, &BTreeMap::new()).unwrap();
    let casts = casts.with_column(1, &DataType::Decimal128(5, 2)).unwrap().with_column(0, &DataType::Int64).unwrap();
    let batch = |n: i64| {
        let column = || Arc::new(Int64Array::from(vec![n])) as ArrayRef;
        RecordBatch::try_new(Arc::clone(&schema), vec![column(), column()]).unwrap()
    };
    let turned = casts.apply(batch(7)).unwrap();
    assert_eq!((turned.schema(), turned.column(0).data_type()), (casts.schema(), &DataType::Int64));
    assert_eq!(turned.column(1).data_type(), &DataType::Decimal128(5, 2));
    let error = casts.apply(batch(70_000)).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("c")));
    assert!(error.hint().unwrap().contains("utf8"), "{error}");
    assert!(casts.with_column(0, &DataType::Interval(arrow_schema::IntervalUnit::MonthDayNano)).is_err());
}

#[test]
fn no_way_out_is_what_was_asked_for() {
    let bytes = || arrow_array::BinaryArray::from(vec![b"\xff".as_slice()]);
    for wanted in [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View] {
        let hint = turn(bytes(), wanted).unwrap_err().hint().unwrap().to_owned();
        assert_eq!(hint, "read its bytes: types={\"c\": \"binary\"}");
    }
    let hint = turn(Float64Array::from(vec![0.1]), DataType::Float32).unwrap_err().hint().unwrap().to_owned();
    assert!(hint.contains("astype(\"float32\")") && !hint.contains("types={"), "{hint}");
}

#[test]
fn zones_are_declared_and_never_lost() {
    let (micros, utc) = (TimeUnit::Microsecond, || Some("UTC".into()));
    let naive = || TimestampMicrosecondArray::from(vec![Some(3), None]);
    let turned = turn(naive(), DataType::Timestamp(micros, utc())).unwrap();
    assert_eq!(turned.as_ref(), &naive().with_timezone("UTC") as &dyn Array);
    let elsewhere = DataType::Timestamp(micros, Some("Europe/Berlin".into()));
    assert!(turn(naive().with_timezone("UTC"), elsewhere.clone()).is_ok());
    for (column, wanted, hint) in [
        (naive(), elsewhere, "declares that it is in UTC"),
        (naive(), DataType::Time64(micros), "date would be lost"),
        (naive().with_timezone("UTC"), DataType::Timestamp(micros, None), "zone would be lost"),
        (naive().with_timezone("UTC"), DataType::Date32, "zone would be lost"),
    ] {
        let error = turn(column, wanted).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config);
        assert!(error.hint().unwrap().contains(hint), "{error}");
    }
}
