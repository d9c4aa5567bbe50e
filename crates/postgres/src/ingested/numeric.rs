//! PostgreSQL's `numeric` in binary form (`numeric_recv` in `src/backend/utils/adt/numeric.c`).

use bytes::{BufMut, BytesMut};

/// The sign of numbers below zero.
const NEGATIVE: u16 = 0x4000;

/// How many decimal digits one of its digits is.
const GROUP: usize = 4;

/// Appends a decimal, of which `unscaled` is the number without its point, and `scale` the digits behind that. `None` where that is
/// no such number.
pub(super) fn put(unscaled: &str, scale: i8, out: &mut BytesMut) -> Option<()> {
    let (negative, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, unscaled),
    };
    let behind = usize::try_from(scale.max(0)).ok()?;
    let zeros = usize::from(scale.min(0).unsigned_abs());
    let mut digits = format!("{digits}{}", "0".repeat(zeros));
    if digits.len() < behind {
        digits.insert_str(0, &"0".repeat(behind - digits.len()));
    }
    let point = digits.len() - behind;
    // Whole groups before and behind the point.
    let front = point.next_multiple_of(GROUP) - point;
    let back = behind.next_multiple_of(GROUP) - behind;
    let padded = format!("{}{digits}{}", "0".repeat(front), "0".repeat(back));
    let groups: Vec<i16> = padded
        .as_bytes()
        .chunks(GROUP)
        .map(|group| std::str::from_utf8(group).ok()?.parse().ok())
        .collect::<Option<_>>()?;
    let leading = groups.iter().take_while(|group| **group == 0).count();
    let trailing = groups.iter().rev().take_while(|group| **group == 0).count();
    let kept = groups.get(leading..groups.len().saturating_sub(trailing)).unwrap_or_default();
    let weight = if kept.is_empty() {
        0
    } else {
        i16::try_from((point + front) / GROUP).ok()? - 1 - i16::try_from(leading).ok()?
    };
    out.put_i16(i16::try_from(kept.len()).ok()?);
    out.put_i16(weight);
    out.put_u16(if negative && !kept.is_empty() { NEGATIVE } else { 0 });
    out.put_u16(u16::try_from(behind).ok()?);
    kept.iter().for_each(|group| out.put_i16(*group));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Digits, weight, negative, scale.
    fn parts(unscaled: &str, scale: i8) -> (Vec<i16>, i16, bool, u16) {
        let mut out = BytesMut::new();
        put(unscaled, scale, &mut out).unwrap();
        let words: Vec<i16> = out.chunks(2).map(|word| i16::from_be_bytes([word[0], word[1]])).collect();
        assert_eq!(usize::try_from(words[0]).unwrap(), words.len() - 4);
        (words[4..].to_vec(), words[1], words[2] == 0x4000, u16::try_from(words[3]).unwrap())
    }

    #[test]
    fn numbers_are_groups_of_four_digits_around_the_point() {
        assert_eq!(parts("12345", 2), (vec![123, 4500], 0, false, 2));
        assert_eq!(parts("-1234567", 0), (vec![123, 4567], 1, true, 0));
        assert_eq!(parts("1", 6), (vec![100], -2, false, 6));
        assert_eq!(parts("0", 3), (vec![], 0, false, 3));
        assert_eq!(parts("5", -5), (vec![50], 1, false, 0));
        assert_eq!(parts("10000", 0), (vec![1], 1, false, 0));
    }
}
