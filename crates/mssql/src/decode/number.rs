//! Numbers and identifiers as the wire has them.

/// decimal and numeric: a sign, then the digits as a whole number ([MS-TDS] 2.2.5.5.1.6).
#[inline]
pub(crate) fn decimal(bytes: &[u8], precision: u8) -> Option<i128> {
    let (sign, digits) = bytes.split_first()?;
    if digits.len() > 16 || digits.is_empty() {
        return None;
    }
    let mut number = [0; 16];
    number.get_mut(..digits.len())?.copy_from_slice(digits);
    let number = u128::from_le_bytes(number);
    if number >= 10_u128.checked_pow(u32::from(precision))? {
        return None;
    }
    let number = number.cast_signed();
    match sign {
        1 => Some(number),
        0 => Some(-number),
        _ => None,
    }
}

/// money: the upper half comes first ([MS-TDS] 2.2.5.5.1.2).
#[inline]
pub(crate) fn money(bytes: &[u8]) -> Option<i128> {
    let bytes: [u8; 8] = bytes.try_into().ok()?;
    let [a, b, c, d, e, f, g, h] = bytes;
    Some(i128::from(i64::from_le_bytes([e, f, g, h, a, b, c, d])))
}

/// smallmoney.
#[inline]
pub(crate) fn small_money(bytes: &[u8]) -> Option<i128> {
    Some(i128::from(i32::from_le_bytes(bytes.try_into().ok()?)))
}

/// uniqueidentifier in the order of RFC 9562: on the wire, its first three numbers are little-endian.
#[inline]
pub(crate) fn uuid(bytes: &[u8]) -> Option<[u8; 16]> {
    let bytes: [u8; 16] = bytes.try_into().ok()?;
    let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
    let [i, j, k, l, m, n, o, p] = rest;
    Some([d, c, b, a, f, e, h, g, i, j, k, l, m, n, o, p])
}

/// bit.
#[inline]
pub(crate) fn bit(bytes: &[u8]) -> Option<bool> {
    match bytes {
        [0] => Some(false),
        [1] => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_exact_to_38_digits() {
        assert_eq!(decimal(&[1, 0x39, 0x30, 0, 0], 9), Some(12345));
        assert_eq!(decimal(&[0, 0x39, 0x30, 0, 0], 9), Some(-12345));
        let most = 10_u128.pow(38) - 1;
        let bytes = [vec![0], most.to_le_bytes().to_vec()].concat();
        assert_eq!(decimal(&bytes, 38), Some(-most.cast_signed()));
        // Too many digits, another sign, no digits, too long.
        assert_eq!(decimal(&[1, 0x39, 0x30, 0, 0], 4), None);
        assert_eq!(decimal(&[2, 1, 0, 0, 0], 9), None);
        assert_eq!(decimal(&[1], 9), None);
        assert_eq!(decimal(&[1; 18], 38), None);
    }

    #[test]
    fn money_has_its_upper_half_first() {
        assert_eq!(money(&[0, 0, 0, 0, 0x10, 0x27, 0, 0]), Some(10_000));
        assert_eq!(money(&[0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]), Some(-1));
        assert_eq!(money(&[0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF]), Some(i128::from(i64::MAX)));
        assert_eq!(small_money(&[0, 0, 0, 0x80]), Some(i128::from(i32::MIN)));
    }
}
