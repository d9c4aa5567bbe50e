//! The type that holds each value of two others.

use arrow_schema::{DECIMAL128_MAX_PRECISION, DataType, TimeUnit};

/// Whole numbers of this many binary digits, and no more, are all among those of float32 and float64.
const FLOAT32_BITS: usize = 24;
const FLOAT64_BITS: usize = 53;

/// The narrowest type that has each value of both, exactly; `None` where there is none, or where one means something else.
///
/// Numbers of 64 bits and floating-point numbers have none in common: float64 does not have all of the former.
pub(crate) fn wider(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::{Date32, Date64, Decimal128, Dictionary, Float32, Float64, Null, Timestamp};
    if one.equals_datatype(other) {
        return Some(one.clone());
    }
    match (one, other) {
        (Null, wide) | (wide, Null) => Some(wide.clone()),
        (Dictionary(_, values), wide) | (wide, Dictionary(_, values)) => wider(values, wide),
        (Date32, Date64) | (Date64, Date32) => Some(Date64),
        (Float32, Float64) | (Float64, Float32) => Some(Float64),
        (number, Float32) | (Float32, number) if number.is_integer() && bits(number)? <= FLOAT32_BITS => Some(Float32),
        (number, Float32 | Float64) | (Float32 | Float64, number) if number.is_integer() => {
            (bits(number)? <= FLOAT64_BITS).then_some(Float64)
        }
        (Decimal128(precision, scale), Decimal128(other_precision, other_scale)) => {
            let before = |precision: &u8, scale: &i8| i16::from(*precision) - i16::from(*scale);
            let (whole, scale) =
                (before(precision, scale).max(before(other_precision, other_scale)), scale.max(other_scale));
            let precision = u8::try_from(whole + i16::from(*scale)).ok()?;
            (precision <= DECIMAL128_MAX_PRECISION).then_some(Decimal128(precision, *scale))
        }
        (Timestamp(unit, zone), Timestamp(other_unit, other_zone)) if zone == other_zone => {
            let finer = if fineness(*unit) > fineness(*other_unit) { unit } else { other_unit };
            Some(Timestamp(*finer, zone.clone()))
        }
        (one, other) if is_text(one) && is_text(other) => Some(DataType::LargeUtf8),
        (one, other) if is_bytes(one) && is_bytes(other) => Some(DataType::LargeBinary),
        (one, other) => integer(one, other),
    }
}

/// The type of whole numbers that has those of both.
fn integer(one: &DataType, other: &DataType) -> Option<DataType> {
    use DataType::{Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
    let signed = one.is_signed_integer() || other.is_signed_integer();
    let types = if signed { [Int8, Int16, Int32, Int64] } else { [UInt8, UInt16, UInt32, UInt64] };
    let wanted = bits(one)?.max(bits(other)?);
    types.into_iter().find(|candidate| bits(candidate).is_some_and(|bits| bits >= wanted))
}

/// How many binary digits the numbers of a type have, without their sign.
fn bits(of: &DataType) -> Option<usize> {
    let all = of.is_integer().then(|| of.primitive_width())?? * 8;
    Some(if of.is_signed_integer() { all - 1 } else { all })
}

fn fineness(unit: TimeUnit) -> u8 {
    match unit {
        TimeUnit::Second => 0,
        TimeUnit::Millisecond => 1,
        TimeUnit::Microsecond => 2,
        TimeUnit::Nanosecond => 3,
    }
}

fn is_text(of: &DataType) -> bool {
    matches!(of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

fn is_bytes(of: &DataType) -> bool {
    matches!(of, DataType::Binary | DataType::LargeBinary | DataType::BinaryView)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wider_type_has_all_values_of_both() {
        use DataType::{Boolean, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt32, UInt64, Utf8};
        let (decimal, seconds) = (DataType::Decimal128, DataType::Timestamp(TimeUnit::Second, None));
        let micros = |zone: Option<&str>| DataType::Timestamp(TimeUnit::Microsecond, zone.map(Into::into));
        let cases = [
            (Int32, Int64, Some(Int64)),
            (Int8, UInt8, Some(Int16)),
            (Int8, UInt32, Some(Int64)),
            (Int64, UInt64, None),
            (UInt8, UInt64, Some(UInt64)),
            (Float32, Float64, Some(Float64)),
            (Int16, Float32, Some(Float32)),
            (Int32, Float32, Some(Float64)),
            (UInt32, Float64, Some(Float64)),
            (Int64, Float64, None),
            (Int64, Float32, None),
            (decimal(9, 2), decimal(12, 2), Some(decimal(12, 2))),
            (decimal(9, 2), decimal(9, 4), Some(decimal(11, 4))),
            (decimal(5, -2), decimal(4, 1), Some(decimal(8, 1))),
            (decimal(38, 0), decimal(10, 1), None),
            (decimal(38, 38), decimal(1, 0), None),
            (seconds.clone(), micros(None), Some(micros(None))),
            (seconds, micros(Some("UTC")), None),
            (Utf8, DataType::LargeUtf8, Some(DataType::LargeUtf8)),
            (DataType::Dictionary(Box::new(Int8), Box::new(Utf8)), Utf8, Some(Utf8)),
            (DataType::Null, Int8, Some(Int8)),
            (Boolean, Int8, None),
            (Utf8, Int32, None),
            (Utf8, DataType::Binary, None),
        ];
        for (one, other, expected) in cases {
            assert_eq!(wider(&one, &other), expected, "{one} and {other}");
            assert_eq!(wider(&other, &one), expected, "{other} and {one}");
        }
    }
}
