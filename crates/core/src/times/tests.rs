use arrow_array::types::Int8Type;
use arrow_array::*;
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::TimeUnit;

use super::*;

fn settled(column: ArrayRef, wanted: Option<DataType>) -> Result<ArrayRef> {
    let schema = Arc::new(Schema::new(vec![Field::new("t", column.data_type().clone(), true)]));
    let types = wanted.map(|wanted| ("t".to_owned(), wanted)).into_iter().collect();
    let mut columns = vec![column];
    let times = TimesOfDay::new(&schema, &types);
    times.settle(&mut columns)?;
    assert_eq!(columns[0].data_type(), times.schema().field(0).data_type());
    Ok(columns.remove(0))
}

/// Arrays of every unit: a value within, NULL over one without, and this one.
fn units(outside: bool) -> Vec<ArrayRef> {
    let counts = |day: i64, at: i64| [0, day + 5, if outside { at } else { day - 1 }];
    let nulls = || Some(NullBuffer::from(vec![true, false, true]));
    let (s, ms, us, ns) = (86_400, 86_400_000, 86_400_000_000, 86_400_000_000_000);
    let narrow = |counts: [i64; 3]| counts.map(|count| i32::try_from(count).unwrap()).to_vec();
    vec![
        Arc::new(Time32SecondArray::new(narrow(counts(s, s)).into(), nulls())),
        Arc::new(Time32MillisecondArray::new(narrow(counts(ms, -1)).into(), nulls())),
        Arc::new(Time64MicrosecondArray::new(counts(us, us).to_vec().into(), nulls())),
        Arc::new(Time64NanosecondArray::new(counts(ns, -1).to_vec().into(), nulls())),
    ]
}

/// The array within each kind of type that holds others.
fn nested(of: &ArrayRef) -> Vec<ArrayRef> {
    let field = || Arc::new(Field::new("item", of.data_type().clone(), true));
    let keys = PrimitiveArray::<Int8Type>::from(vec![0, 1, 2]);
    let names: ArrayRef = Arc::new(StringArray::from(vec!["a", "b", "c"]));
    let entries = vec![Arc::new(Field::new("key", DataType::Utf8, false)), field()];
    let entries = StructArray::new(entries.into(), vec![names, Arc::clone(of)], None);
    let map = Arc::new(Field::new("entries", entries.data_type().clone(), false));
    let ends = PrimitiveArray::<arrow_array::types::Int32Type>::from(vec![2, 4, 6]);
    vec![
        Arc::new(ListArray::new(field(), OffsetBuffer::from_lengths([1, 2]), Arc::clone(of), None)),
        Arc::new(LargeListArray::new(field(), OffsetBuffer::from_lengths([3]), Arc::clone(of), None)),
        Arc::new(FixedSizeListArray::new(field(), 3, Arc::clone(of), None)),
        Arc::new(ListViewArray::new(field(), vec![0, 1].into(), vec![1, 2].into(), Arc::clone(of), None)),
        Arc::new(StructArray::new(vec![field()].into(), vec![Arc::clone(of)], None)),
        Arc::new(DictionaryArray::new(keys, Arc::clone(of))),
        Arc::new(MapArray::new(map, OffsetBuffer::from_lengths([2, 1]), entries, None, false)),
        Arc::new(RunArray::try_new(&ends, of.as_ref()).unwrap()),
    ]
}

#[test]
fn a_time_outside_of_a_day_is_an_error_on_every_level() {
    for (within, outside) in units(false).into_iter().zip(units(true)) {
        assert!(settled(Arc::clone(&within), None).is_ok(), "NULL hides what it likes");
        let error = settled(Arc::clone(&outside), None).unwrap_err();
        assert_eq!((error.kind(), error.column()), (ErrorKind::Value, Some("t")), "{error}");
        for (within, outside) in nested(&within).into_iter().zip(nested(&outside)) {
            assert!(settled(within, None).is_ok());
            let error = settled(Arc::clone(&outside), None).unwrap_err();
            assert_eq!(error.column(), Some("t"), "{error}");
            // The way out that is named.
            if error.to_string().contains("types={\"t\": \"int64\"}") {
                assert!(settled(outside, Some(DataType::Int64)).is_ok(), "{error}");
            } else {
                assert!(
                    error.to_string().contains("types={\"t\": \"int32\"}")
                        || error.to_string().contains("the other columns")
                );
            }
        }
    }
}

#[test]
fn what_is_not_in_the_slice_or_behind_a_null_is_not_looked_at() {
    let [_, _, micros, _] = units(true).try_into().unwrap();
    let lists = nested(&micros);
    assert!(settled(lists[0].slice(0, 1), None).is_ok());
    assert!(settled(lists[4].slice(0, 2), None).is_ok());
    assert!(settled(micros.slice(0, 2), None).is_ok());
    let field = Arc::new(Field::new("item", micros.data_type().clone(), true));
    let hidden = Some(NullBuffer::from(vec![true, true, false]));
    assert!(settled(Arc::new(StructArray::new(vec![field].into(), vec![micros], hidden)), None).is_ok());
}

#[test]
fn text_and_numbers_hold_every_time() {
    let texts = |column: ArrayRef| -> Vec<Option<String>> {
        let text = settled(column, Some(DataType::Utf8)).unwrap();
        let text = text.as_any().downcast_ref::<StringArray>().unwrap();
        text.iter().map(|text| text.map(str::to_owned)).collect()
    };
    let some = |text: &str| Some(text.to_owned());
    let [s, ms, us, ns] = units(true).try_into().unwrap();
    assert_eq!(texts(Arc::clone(&s)), [some("00:00:00"), None, some("24:00:00")]);
    assert_eq!(texts(ms), [some("00:00:00"), None, some("-00:00:00.001")]);
    assert_eq!(texts(Arc::clone(&us)), [some("00:00:00"), None, some("24:00:00")]);
    assert_eq!(texts(ns), [some("00:00:00"), None, some("-00:00:00.000000001")]);
    assert_eq!(
        settled(s, Some(DataType::Int32)).unwrap().as_ref(),
        &Int32Array::from(vec![Some(0), None, Some(86_400)])
    );
    let numbers = Int64Array::from(vec![Some(0), None, Some(86_400_000_000)]);
    assert_eq!(settled(us, Some(DataType::Int64)).unwrap().as_ref(), &numbers);
}

#[test]
fn text_is_that_of_arrow_within_a_day() {
    for count in [0_i64, 1, 1_000, 1_500_000, 86_399_999_999, 45_296_000_000, 45_296_120_000] {
        let time: ArrayRef = Arc::new(Time64MicrosecondArray::from(vec![count]));
        let wanted = cast(&time, &DataType::Utf8).unwrap();
        assert_eq!(settled(time, Some(DataType::Utf8)).unwrap().as_ref(), wanted.as_ref());
    }
    assert_eq!(written::time(-90_061_000_000_000, TimeUnit::Nanosecond), "-25:01:01");
}
