//! Values as text: of sql_variant, of types whose text the user asks for, and in messages.

use std::io::Write;

use crate::cursor::Cursor;
use crate::decode::moment::Moment;
use crate::decode::number;
use crate::types::Kind;
use crate::wire_type::WireType;

/// Why a value has no text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoText {
    /// The bytes are none of the type's.
    Bytes,
    /// Characters that are none in its code page.
    Malformed,
    /// A collation whose code page is not known.
    Charset,
}

/// Appends a value as text, in full.
pub(crate) fn append(bytes: &[u8], wire: &WireType, text: &mut Vec<u8>) -> Result<(), NoText> {
    let written = match wire.kind {
        Kind::Bit => write!(text, "{}", u8::from(number::bit(bytes).ok_or(NoText::Bytes)?)),
        Kind::TinyInt => write!(text, "{}", u8::from_le_bytes(array(bytes)?)),
        Kind::SmallInt => write!(text, "{}", i16::from_le_bytes(array(bytes)?)),
        Kind::Int => write!(text, "{}", i32::from_le_bytes(array(bytes)?)),
        Kind::BigInt => write!(text, "{}", i64::from_le_bytes(array(bytes)?)),
        // The fewest digits that stand for the number.
        Kind::Real => write!(text, "{:?}", f32::from_le_bytes(array(bytes)?)),
        Kind::Float => write!(text, "{:?}", f64::from_le_bytes(array(bytes)?)),
        Kind::Decimal { precision, scale } => {
            append_decimal(number::decimal(bytes, precision).ok_or(NoText::Bytes)?, scale, text)
        }
        Kind::Money => append_decimal(number::money(bytes).ok_or(NoText::Bytes)?, 4, text),
        Kind::SmallMoney => append_decimal(number::small_money(bytes).ok_or(NoText::Bytes)?, 4, text),
        Kind::Date
        | Kind::Time(_)
        | Kind::SmallDateTime
        | Kind::DateTime
        | Kind::DateTime2(_)
        | Kind::DateTimeOffset(_) => write!(text, "{}", Moment::read(bytes, wire.kind).ok_or(NoText::Bytes)?),
        Kind::Text => return append_characters(bytes, wire, text),
        Kind::Xml => {
            // It may begin with a mark of its byte order, which is none of its characters.
            return append_characters(bytes.strip_prefix(&[0xFF, 0xFE]).unwrap_or(bytes), wire, text);
        }
        Kind::Binary => append_hexadecimal(bytes, text),
        Kind::Uuid => append_uuid(number::uuid(bytes).ok_or(NoText::Bytes)?, text),
        Kind::Variant => return append_variant(bytes, text),
    };
    written.map_err(|_| NoText::Bytes)
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], NoText> {
    bytes.try_into().map_err(|_| NoText::Bytes)
}

fn append_characters(bytes: &[u8], wire: &WireType, text: &mut Vec<u8>) -> Result<(), NoText> {
    let charset = wire.charset.ok_or(NoText::Charset)?;
    charset.append(bytes, text).map_err(|_| NoText::Malformed)
}

fn append_decimal(number: i128, scale: u8, text: &mut Vec<u8>) -> std::io::Result<()> {
    let power = 10_u128.pow(u32::from(scale));
    let sign = if number < 0 { "-" } else { "" };
    let number = number.unsigned_abs();
    match scale {
        0 => write!(text, "{sign}{number}"),
        _ => write!(text, "{sign}{}.{:0width$}", number / power, number % power, width = usize::from(scale)),
    }
}

fn append_hexadecimal(bytes: &[u8], text: &mut Vec<u8>) -> std::io::Result<()> {
    text.extend_from_slice(b"0x");
    bytes.iter().try_for_each(|byte| write!(text, "{byte:02X}"))
}

/// In upper case, as SQL Server writes it.
fn append_uuid(bytes: [u8; 16], text: &mut Vec<u8>) -> std::io::Result<()> {
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            text.push(b'-');
        }
        write!(text, "{byte:02X}")?;
    }
    Ok(())
}

/// A value of a type of its own: its type, its properties, then itself ([MS-TDS] 2.2.5.5.3).
fn append_variant(bytes: &[u8], text: &mut Vec<u8>) -> Result<(), NoText> {
    let mut cursor = Cursor::new(bytes);
    let (wire, length) = (|| {
        let token = cursor.u8()?;
        let length = cursor.u8()?;
        let properties = cursor.take(usize::from(length))?;
        Ok::<_, crate::cursor::Stop>((WireType::of_variant(token, properties)?, cursor.position()))
    })()
    .map_err(|_| NoText::Bytes)?;
    append(bytes.get(length..).unwrap_or_default(), &wire, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variant(bytes: &[u8]) -> Result<String, NoText> {
        let mut text = Vec::new();
        append_variant(bytes, &mut text)?;
        Ok(String::from_utf8(text).unwrap())
    }

    #[test]
    fn a_variant_is_the_text_of_its_own_type() {
        for (bytes, text) in [
            (&[0x38, 0, 0xFE, 0xFF, 0xFF, 0xFF][..], "-2"),
            (&[0x30, 0, 255], "255"),
            (&[0x32, 0, 1], "1"),
            (&[0x3E, 0, 0x9A, 0x99, 0x99, 0x99, 0x99, 0x99, 0xB9, 0x3F], "0.1"),
            (&[0x6C, 2, 9, 2, 0, 0x05, 0, 0, 0], "-0.05"),
            (&[0x3C, 0, 0, 0, 0, 0, 0x10, 0x27, 0, 0], "1.0000"),
            (&[0x28, 0, 0x80, 0x46, 0x0B], "2024-02-29"),
            (&[0x29, 1, 0, 0x80, 0x51, 0x01], ""),
            (&[0xE7, 7, 9, 4, 0xD0, 0, 52, 0x40, 0x1F, b'h', 0, b'i', 0], "hi"),
            (&[0xA7, 7, 9, 4, 0xD0, 0, 52, 0x40, 0x1F, 0x80], "€"),
            (&[0xA5, 2, 8, 0, 0xDE, 0xAD], "0xDEAD"),
            (
                &[0x24, 0, 0x33, 0x22, 0x11, 0, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF],
                "00112233-4455-6677-8899-AABBCCDDEEFF",
            ),
        ] {
            match text {
                // A day and no second of it too much.
                "" => assert_eq!(variant(bytes), Err(NoText::Bytes)),
                _ => assert_eq!(variant(bytes).as_deref(), Ok(text)),
            }
        }
        assert_eq!(variant(&[]), Err(NoText::Bytes));
        assert_eq!(variant(&[0x38, 0, 1]), Err(NoText::Bytes));
        assert_eq!(variant(&[0x62, 0, 1]), Err(NoText::Bytes));
    }
}
