//! Decimals to the nearest float64, which pandas' `coerce_float` asks for.

use arrow_buffer::i256;

/// Up to here every whole number is a float64.
const EXACT: i128 = 1 << 53;

/// The powers of ten that float64 holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// Powers of ten by which a value is divided as long as that leaves no rest, with their number of digits.
const STRIPS: [(i128, i8); 4] = [(100_000_000, 8), (10_000, 4), (100, 2), (10, 1)];

/// `value / 10^scale`, rounded once.
pub(crate) fn narrow_to_float(value: i128, scale: i8) -> f64 {
    // Both sides are exact, so their quotient is the float64 nearest to the decimal.
    match usize::try_from(scale).ok().and_then(|scale| POWERS.get(scale)) {
        Some(power) if value.abs() <= EXACT => whole(value) / power,
        _ => strip(value, scale),
    }
}

/// The same for 256 bits: unconstrained NUMERICs, mostly small numbers with many zeros behind.
pub(crate) fn wide_to_float(value: i256, scale: i8) -> f64 {
    // 10^19 takes half of the digits of decimal256(76, 38) away.
    let half = i256::from_i128(10_000_000_000_000_000_000);
    if let Some(narrow) = value.to_i128() {
        return narrow_to_float(narrow, scale);
    }
    if scale >= 19 && value.wrapping_rem(half) == i256::ZERO {
        return wide_to_float(value.wrapping_div(half), scale - 19);
    }
    from_text(&value.to_string(), scale)
}

/// Without zeros behind, many a long decimal is a short one.
fn strip(mut value: i128, mut scale: i8) -> f64 {
    if value == 0 {
        return 0.0;
    }
    for (power, digits) in STRIPS {
        while scale >= digits && value % power == 0 {
            value /= power;
            scale -= digits;
        }
    }
    match usize::try_from(scale).ok().and_then(|scale| POWERS.get(scale)) {
        Some(power) if value.abs() <= EXACT => whole(value) / power,
        _ => from_text(&value.to_string(), scale),
    }
}

/// The slow way, right for all.
fn from_text(digits: &str, scale: i8) -> f64 {
    // The standard library rounds to the nearest; what is out of its range becomes infinite or zero.
    format!("{digits}e{}", -i16::from(scale)).parse().unwrap_or(f64::NAN)
}

#[expect(clippy::cast_precision_loss, reason = "called with at most 2^53, which float64 holds exactly")]
fn whole(value: i128) -> f64 {
    value as f64
}
