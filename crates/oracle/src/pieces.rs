//! Row addresses, which come in pieces, as the text that Oracle shows.

use oracledb_protocol::ProtocolError;
use oracledb_protocol::wire::TtcReader;

type Result<T> = std::result::Result<T, ProtocolError>;

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The parts of a physical address.
struct Physical {
    object: u32,
    file: u16,
    block: u32,
    slot: u16,
}

impl Physical {
    /// Six digits of the object, three of the file, six of the block, three of the row.
    fn text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(18);
        for (value, digits) in [(self.object, 6), (self.file.into(), 3), (self.block, 6), (self.slot.into(), 3)] {
            text.extend((0..digits).rev().map(|place| digit(value.checked_shr(6 * place).unwrap_or_default())));
        }
        text
    }
}

/// The digit of the lowest six bits.
fn digit(value: u32) -> u8 {
    usize::try_from(value & 63).ok().and_then(|index| DIGITS.get(index)).copied().unwrap_or(b'A')
}

/// A ROWID.
pub(crate) fn rowid(reader: &mut TtcReader<'_>) -> Result<Option<Vec<u8>>> {
    match reader.read_u8()? {
        0 | 255 => return Ok(None),
        _ => {}
    }
    let (object, file) = (reader.read_ub4()?, reader.read_ub2()?);
    reader.skip(1)?;
    let (block, slot) = (reader.read_ub4()?, reader.read_ub2()?);
    Ok(Some(Physical { object, file, block, slot }.text()))
}

/// A UROWID: physical, or the key of a row in an index-organized table.
pub(crate) fn universal_rowid(reader: &mut TtcReader<'_>) -> Result<Option<Vec<u8>>> {
    if reader.read_bytes()?.is_none() {
        return Ok(None);
    }
    let Some(bytes) = reader.read_bytes()? else { return Ok(None) };
    match bytes.as_slice() {
        [1, o1, o2, o3, o4, f1, f2, b1, b2, b3, b4, s1, s2, ..] => {
            let physical = Physical {
                object: u32::from_be_bytes([*o1, *o2, *o3, *o4]),
                file: u16::from_be_bytes([*f1, *f2]),
                block: u32::from_be_bytes([*b1, *b2, *b3, *b4]),
                slot: u16::from_be_bytes([*s1, *s2]),
            };
            Ok(Some(physical.text()))
        }
        [1, ..] | [] => Err(ProtocolError::TtcDecode("a row address that is too short")),
        [_, key @ ..] => Ok(Some(logical(key))),
    }
}

/// An asterisk and the bytes in base 64, without padding.
fn logical(key: &[u8]) -> Vec<u8> {
    let mut text = vec![b'*'];
    for group in key.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        text.extend((0..=group.len()).map(|place| digit(bits >> (18 - 6 * place))));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn physical_addresses_are_eighteen_digits() {
        // AAAR3sAAEAAAACXAAA is the first row of scott.emp in many installations.
        let bytes = [13, 3, 0x01, 0x1d, 0xec, 1, 4, 0, 2, 0x00, 0x97, 0];
        let text = rowid(&mut TtcReader::new(&bytes)).unwrap().unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "AAAR3sAAEAAAACXAAA");
        assert_eq!(rowid(&mut TtcReader::new(&[0])).unwrap(), None);
        let universal = [14, 1, 0, 1, 0x1d, 0xec, 0, 4, 0, 0, 0, 0x97, 0, 0];
        let bytes = [[1, 14].as_slice(), &universal[..1], &universal[1..], &[0]].concat();
        let text = universal_rowid(&mut TtcReader::new(&bytes)).unwrap().unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), "AAAR3sAAEAAAACXAAA");
    }

    #[test]
    fn logical_addresses_are_in_base_64() {
        assert_eq!(logical(b"\x00\x00\x00"), b"*AAAA");
        assert_eq!(logical(b"Man"), b"*TWFu");
        assert_eq!(logical(b"Ma"), b"*TWE");
        assert_eq!(logical(b"M"), b"*TQ");
    }
}
