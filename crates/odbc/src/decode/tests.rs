use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use bowshot_core::Impossible;

use super::*;
use crate::abi::{self, c};
use crate::block::Access;

const STRICT: Rules = Rules { infinity: Impossible::Error, zero_dates: Impossible::Error };

fn read(data_type: DataType, values: &[Option<&str>], rules: Rules) -> Result<ArrayRef, Place> {
    let access = Access::Bounded { c_type: c::CHAR, size: 64 };
    let mut slot = Slot::new(1, access, true, values.len());
    for (row, value) in values.iter().enumerate() {
        let (data, length) = slot.place(row).unwrap();
        if let Some(value) = value {
            data[..value.len()].copy_from_slice(value.as_bytes());
            *length = isize::try_from(value.len()).unwrap();
        } else {
            *length = abi::NULL_DATA;
        }
    }
    let rule = Rule { data_type, access, form: Form::Text, cast: None };
    let mut decoder = decoder(&rule, rules).unwrap();
    decoder.append(&slot, values.len())?;
    Ok(decoder.finish().unwrap())
}

#[test]
fn values_that_do_not_fit_are_named() {
    for (data_type, value, misfit) in [
        (DataType::Decimal128(10, 2), "NaN", Misfit::Not("a number that decimals can hold")),
        (DataType::UInt32, "-1", Misfit::Range),
        (DataType::Date32, "infinity", Misfit::Infinite),
        (DataType::Date32, "2024-00-00", Misfit::ZeroDate),
        (
            DataType::Time64(TimeUnit::Microsecond),
            "24:00:00",
            Misfit::Not("a time of a day from 00:00 to before 24:00"),
        ),
        (DataType::Time64(TimeUnit::Microsecond), "12:00:00.0000001", Misfit::Digits),
        (DataType::FixedSizeBinary(16), "a0eebc99", Misfit::Not("a UUID")),
        (DataType::Boolean, "yes", Misfit::Not("true or false")),
    ] {
        let place = read(data_type, &[None, Some(value)], STRICT).unwrap_err();
        assert_eq!(place, Place { row: 1, misfit, value: value.to_owned() });
    }
}

#[test]
fn impossible_dates_become_null_by_wish() {
    let lax = Rules { infinity: Impossible::Null, zero_dates: Impossible::Null };
    let array = read(DataType::Date32, &[Some("infinity"), Some("0000-00-00"), Some("1970-01-02")], lax).unwrap();
    assert_eq!(array.null_count(), 2);
}

#[test]
fn a_decoder_starts_anew_after_each_batch() {
    let array = read(DataType::UInt32, &[Some("4294967295"), None], STRICT).unwrap();
    assert_eq!(array.as_primitive::<UInt32Type>().iter().collect::<Vec<_>>(), [Some(u32::MAX), None]);
    let uuid =
        read(DataType::FixedSizeBinary(16), &[Some("A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"), None], STRICT).unwrap();
    assert_eq!(uuid.as_fixed_size_binary().value(0)[..2], [0xa0, 0xee]);
    assert_eq!(uuid.null_count(), 1);
}

#[test]
fn a_double_that_is_no_float_is_refused() {
    let access = Access::Fixed { c_type: c::DOUBLE, size: 8 };
    let rule = Rule { data_type: DataType::Float32, access, form: Form::Native, cast: None };
    let mut slot = Slot::new(1, access, true, 1);
    for (value, fits) in [(f64::from(2.1_f32), true), (2.1, false), (f64::INFINITY, true)] {
        let (data, length) = slot.place(0).unwrap();
        data.copy_from_slice(&value.to_ne_bytes());
        *length = 8;
        assert_eq!(decoder(&rule, STRICT).unwrap().append(&slot, 1).is_ok(), fits, "{value}");
    }
}
