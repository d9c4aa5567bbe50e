//! Values of any length as a page holds them: each behind its length in four bytes. See "Plain" in
//! [Encodings.md](https://github.com/apache/parquet-format/blob/master/Encodings.md) of the Parquet format.

use parquet::errors::ParquetError;

use super::column::Plain;
use super::wrong;

/// What is said of text that is none; the reader of all columns adds which one it is.
pub(in super::super) const NOT_TEXT: &str = "text that is not UTF-8";

/// The four bytes of a smaller length are ASCII.
const ASCII: usize = 128;

/// The next value, and what is behind it.
#[inline(always)]
pub(super) fn next<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], ParquetError> {
    let short = || wrong("a page has fewer values than it says");
    let (length, behind) = rest.split_first_chunk().ok_or_else(short)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).map_err(|_| short())?;
    let (value, behind) = behind.split_at_checked(length).ok_or_else(short)?;
    *rest = behind;
    Ok(value)
}

/// Passes over the next values of a page.
pub(super) fn pass(page: &mut Plain, count: usize) -> Result<(), ParquetError> {
    let mut rest = page.rest();
    for _ in 0..count {
        next(&mut rest)?;
    }
    page.at = page.bytes.len() - rest.len();
    Ok(())
}

/// Whether each of these values is UTF-8, of which the longest has so many bytes. Lengths below 128 are ASCII, which no
/// character can reach across: then all of it is one text or some value is none.
pub(super) fn check_text(mut values: &[u8], longest: usize) -> Result<(), ParquetError> {
    let not = |_| wrong(NOT_TEXT);
    if longest < ASCII {
        return std::str::from_utf8(values).map(|_| ()).map_err(not);
    }
    while !values.is_empty() {
        std::str::from_utf8(next(&mut values)?).map_err(not)?;
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in super::super) fn page(values: &[&[u8]]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| [&u32::try_from(value.len()).unwrap().to_le_bytes()[..], value].concat())
            .collect()
    }

    fn is_text(values: &[&[u8]]) -> bool {
        check_text(&page(values), values.iter().map(|value| value.len()).max().unwrap_or(0)).is_ok()
    }

    #[test]
    fn every_value_is_text_alone() {
        let long = "ü".repeat(100);
        for more in [&b""[..], long.as_bytes()] {
            assert!(is_text(&["ünï".as_bytes(), b"", more, "🏹".as_bytes()]));
            // Halves of a character, whole only together; and one that ends in the length behind it.
            assert!(!is_text(&[b"\xc3", b"\xa9", more]));
            assert!(!is_text(&[b"a", more, b"\xc3"]));
        }
    }

    #[test]
    fn values_are_passed_over() {
        let mut plain = Plain { bytes: page(&[b"ab", b"", b"cde"]).into(), at: 0 };
        pass(&mut plain, 2).unwrap();
        assert_eq!(plain.rest(), page(&[b"cde"]));
        assert!(pass(&mut plain, 2).is_err());
    }
}
