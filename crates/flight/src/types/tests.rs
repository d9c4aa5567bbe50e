use arrow_array::{ArrayRef, DictionaryArray, Int32Array, Int64Array, StringArray, types::Int8Type};

use super::*;

fn schema(fields: &[(&str, DataType, bool)]) -> SchemaRef {
    Arc::new(Schema::new(
        fields.iter().map(|(name, of, nullable)| Field::new(*name, of.clone(), *nullable)).collect::<Vec<_>>(),
    ))
}

fn batch(schema: &SchemaRef, columns: Vec<ArrayRef>) -> RecordBatch {
    RecordBatch::try_new(Arc::clone(schema), columns).unwrap()
}

#[test]
fn the_databases_own_name_of_a_type_is_kept() {
    let named = Field::new("a", DataType::Int64, false).with_metadata([(TYPE_NAME.into(), "BIGINT".into())].into());
    let schema = Schema::new(vec![named, Field::new("b", DataType::Utf8, true)])
        .with_metadata([("pandas".into(), "{}".into())].into());
    let announced = announced(&schema);
    assert_eq!(announced.field(0).metadata()[SOURCE_TYPE], "BIGINT");
    assert_eq!(announced.field(1).metadata()[SOURCE_TYPE], "utf8");
    assert!(!announced.field(0).is_nullable());
    assert!(announced.metadata().is_empty());
}

#[test]
fn other_columns_are_named() {
    let plan = schema(&[("a", DataType::Int64, true), ("b", DataType::Utf8, true)]);
    for (found, words) in [
        (schema(&[("a", DataType::Int64, true)]), "it has 1, not 2"),
        (schema(&[("a", DataType::Int64, true), ("c", DataType::Utf8, true)]), "column 2 is \"c\", not \"b\""),
        (schema(&[("a", DataType::Int32, true), ("b", DataType::Utf8, true)]), "column \"a\" is int32, not int64"),
        (schema(&[("a", DataType::Int64, true), ("b", DataType::Binary, true)]), "column \"b\" is binary, not utf8"),
    ] {
        let Err(error) = Fit::new(&plan, &found, "endpoint 2 of 4") else { panic!("{found} was taken") };
        assert_eq!(error.kind(), ErrorKind::Protocol);
        assert!(
            error.message().starts_with("endpoint 2 of 4 has other columns") && error.message().contains(words),
            "{error}"
        );
    }
}

#[test]
fn encodings_may_differ() {
    let coded = DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    let text: ArrayRef = Arc::new(StringArray::from(vec!["x", "y", "x"]));
    let dictionary: ArrayRef = Arc::new(["x", "y", "x"].into_iter().collect::<DictionaryArray<Int8Type>>());
    for (ours, theirs, column) in [
        (&coded, &DataType::Utf8, &text),
        (&DataType::Utf8, &coded, &dictionary),
        (&DataType::Utf8View, &coded, &dictionary),
    ] {
        let (plan, found) = (schema(&[("a", ours.clone(), true)]), schema(&[("a", theirs.clone(), true)]));
        let fit = Fit::new(&plan, &found, "").unwrap();
        let fitted = fit.apply(batch(&found, vec![Arc::clone(column)])).unwrap();
        assert_eq!(fitted.schema(), plan);
        let plain = arrow_cast::cast(fitted.column(0), &DataType::Utf8).unwrap();
        assert_eq!(&plain, &text);
    }
    let list = |name: &str| DataType::List(Arc::new(Field::new(name, DataType::Int64, true)));
    assert!(Fit::new(&schema(&[("a", list("item"), true)]), &schema(&[("a", list("element"), true)]), "").is_ok());
}

#[test]
fn nulls_come_only_where_they_were_announced() {
    let (plan, found) = (schema(&[("a", DataType::Int64, false)]), schema(&[("a", DataType::Int64, true)]));
    let fit = Fit::new(&plan, &found, "").unwrap();
    let fitted = fit.apply(batch(&found, vec![Arc::new(Int64Array::from(vec![1]))])).unwrap();
    assert_eq!(fitted.schema(), plan);
    let error = fit.apply(batch(&found, vec![Arc::new(Int64Array::from(vec![None]))])).unwrap_err();
    assert_eq!((error.kind(), error.column()), (ErrorKind::Protocol, Some("a")));
    let fit = Fit::new(&found, &plan, "").unwrap();
    let ours = fit.apply(batch(&plan, vec![Arc::new(Int64Array::from(vec![1]))])).unwrap();
    assert_eq!(ours.schema(), found);
    let other = schema(&[("a", DataType::Int32, false)]);
    assert!(fit.apply(batch(&other, vec![Arc::new(Int32Array::from(vec![1]))])).is_err());
}
