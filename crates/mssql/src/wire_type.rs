//! How a column's values stand in a row: TYPE_INFO of the protocol ([MS-TDS] 2.2.5.6).

use crate::charset::Charset;
use crate::cursor::{Cursor, Stop};
use crate::types::Kind;

/// How the length of a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// It is always the same, and there is no NULL.
    Fixed(usize),
    /// In one byte; 0 is NULL.
    Byte,
    /// In two bytes; 0xFFFF is NULL.
    Short,
    /// In four bytes; 0 is NULL.
    Long,
    /// Behind a pointer to the text, which may be missing.
    Pointer,
    /// In chunks.
    Chunks,
}

/// How a column's values stand in a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WireType {
    pub(crate) kind: Kind,
    pub(crate) framing: Framing,
    /// Of text; `None` where the collation has a code page that is not known.
    pub(crate) charset: Option<Charset>,
    /// The length of every value, where the type has but one.
    pub(crate) length: Option<usize>,
}

/// The length that stands for "in chunks".
const MAX: u16 = 0xFFFF;

impl WireType {
    fn new(kind: Kind, framing: Framing, length: Option<usize>) -> Self {
        WireType { kind, framing, charset: Some(Charset::Utf16), length }
    }

    fn fixed(kind: Kind, length: usize) -> Self {
        Self::new(kind, Framing::Fixed(length), Some(length))
    }

    fn sized(kind: Kind, length: u8) -> Self {
        Self::new(kind, Framing::Byte, Some(usize::from(length)))
    }

    /// Reads TYPE_INFO, and of the large types also the name of the table that stands behind it in a column's
    /// description.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<WireType, Stop> {
        let token = cursor.u8()?;
        Ok(match token {
            // A column that is always NULL.
            0x1F => Self::fixed(Kind::Text, 0),
            0x30 => Self::fixed(Kind::TinyInt, 1),
            0x32 => Self::fixed(Kind::Bit, 1),
            0x34 => Self::fixed(Kind::SmallInt, 2),
            0x38 => Self::fixed(Kind::Int, 4),
            0x7F => Self::fixed(Kind::BigInt, 8),
            0x3A => Self::fixed(Kind::SmallDateTime, 4),
            0x3D => Self::fixed(Kind::DateTime, 8),
            0x3B => Self::fixed(Kind::Real, 4),
            0x3E => Self::fixed(Kind::Float, 8),
            0x7A => Self::fixed(Kind::SmallMoney, 4),
            0x3C => Self::fixed(Kind::Money, 8),
            0x24 => match cursor.u8()? {
                16 => Self::sized(Kind::Uuid, 16),
                length => return Err(wrong("uniqueidentifier", length)),
            },
            0x26 => match cursor.u8()? {
                1 => Self::sized(Kind::TinyInt, 1),
                2 => Self::sized(Kind::SmallInt, 2),
                4 => Self::sized(Kind::Int, 4),
                8 => Self::sized(Kind::BigInt, 8),
                length => return Err(wrong("integer", length)),
            },
            0x68 => match cursor.u8()? {
                1 => Self::sized(Kind::Bit, 1),
                length => return Err(wrong("bit", length)),
            },
            0x6D => match cursor.u8()? {
                4 => Self::sized(Kind::Real, 4),
                8 => Self::sized(Kind::Float, 8),
                length => return Err(wrong("float", length)),
            },
            0x6E => match cursor.u8()? {
                4 => Self::sized(Kind::SmallMoney, 4),
                8 => Self::sized(Kind::Money, 8),
                length => return Err(wrong("money", length)),
            },
            0x6F => match cursor.u8()? {
                4 => Self::sized(Kind::SmallDateTime, 4),
                8 => Self::sized(Kind::DateTime, 8),
                length => return Err(wrong("datetime", length)),
            },
            0x37 | 0x3F | 0x6A | 0x6C => {
                let _length = cursor.u8()?;
                Self::new(decimal(cursor.u8()?, cursor.u8()?)?, Framing::Byte, None)
            }
            0x28 => Self::sized(Kind::Date, 3),
            0x29 => {
                let scale = scale(cursor)?;
                Self::new(Kind::Time(scale), Framing::Byte, Some(time_length(scale)))
            }
            0x2A => {
                let scale = scale(cursor)?;
                Self::new(Kind::DateTime2(scale), Framing::Byte, Some(time_length(scale) + 3))
            }
            0x2B => {
                let scale = scale(cursor)?;
                Self::new(Kind::DateTimeOffset(scale), Framing::Byte, Some(time_length(scale) + 5))
            }
            0xA5 | 0xAD => Self::new(Kind::Binary, short_or_chunks(cursor.u16()?), None),
            0xA7 | 0xAF => {
                let framing = short_or_chunks(cursor.u16()?);
                WireType { charset: Charset::of(cursor.array()?), ..Self::new(Kind::Text, framing, None) }
            }
            0xE7 | 0xEF => {
                let framing = short_or_chunks(cursor.u16()?);
                let _collation: [u8; 5] = cursor.array()?;
                Self::new(Kind::Text, framing, None)
            }
            0x22 => {
                cursor.u32()?;
                table_name(cursor)?;
                Self::new(Kind::Binary, Framing::Pointer, None)
            }
            0x23 => {
                cursor.u32()?;
                let charset = Charset::of(cursor.array()?);
                table_name(cursor)?;
                WireType { charset, ..Self::new(Kind::Text, Framing::Pointer, None) }
            }
            0x63 => {
                cursor.u32()?;
                let _collation: [u8; 5] = cursor.array()?;
                table_name(cursor)?;
                Self::new(Kind::Text, Framing::Pointer, None)
            }
            0x62 => {
                cursor.u32()?;
                Self::new(Kind::Variant, Framing::Long, None)
            }
            0xF0 => {
                cursor.u16()?;
                for _ in 0..3 {
                    cursor.short_text()?;
                }
                cursor.text()?;
                Self::new(Kind::Binary, Framing::Chunks, None)
            }
            0xF1 => {
                if cursor.u8()? != 0 {
                    cursor.short_text()?;
                    cursor.short_text()?;
                    cursor.text()?;
                }
                Self::new(Kind::Xml, Framing::Chunks, None)
            }
            // json is only sent as such to who asks for it at login; its text is UTF-8.
            0xF4 => WireType { charset: Some(Charset::Utf8), ..Self::new(Kind::Text, Framing::Chunks, None) },
            _ => return Err(Stop::broken(format!("a column of the unknown type 0x{token:02X}"))),
        })
    }

    /// The type inside of a sql_variant: its value follows its properties ([MS-TDS] 2.2.5.5.3).
    pub(crate) fn of_variant(token: u8, properties: &[u8]) -> Result<WireType, Stop> {
        let mut cursor = Cursor::new(properties);
        Ok(match token {
            0x24 | 0x28 | 0x30 | 0x32 | 0x34 | 0x38 | 0x3A | 0x3B | 0x3C | 0x3D | 0x3E | 0x7A | 0x7F => {
                // GUID needs its length, which its properties leave out.
                let description = [token, 16];
                Self::read(&mut Cursor::new(&description))?
            }
            0x29..=0x2B => Self::read(&mut Cursor::new(&[token, cursor.u8()?]))?,
            0x37 | 0x3F | 0x6A | 0x6C => Self::new(decimal(cursor.u8()?, cursor.u8()?)?, Framing::Byte, None),
            0xA5 | 0xAD => Self::new(Kind::Binary, Framing::Short, None),
            0xA7 | 0xAF => {
                WireType { charset: Charset::of(cursor.array()?), ..Self::new(Kind::Text, Framing::Short, None) }
            }
            0xE7 | 0xEF => Self::new(Kind::Text, Framing::Short, None),
            _ => return Err(Stop::broken(format!("a sql_variant of the unknown type 0x{token:02X}"))),
        })
    }
}

/// How many bytes a time of day takes.
pub(crate) fn time_length(scale: u8) -> usize {
    match scale {
        0..=2 => 3,
        3 | 4 => 4,
        _ => 5,
    }
}

fn scale(cursor: &mut Cursor<'_>) -> Result<u8, Stop> {
    match cursor.u8()? {
        scale @ 0..=7 => Ok(scale),
        scale => Err(Stop::broken(format!("a time with {scale} digits"))),
    }
}

fn decimal(precision: u8, scale: u8) -> Result<Kind, Stop> {
    if (1..=38).contains(&precision) && scale <= precision {
        Ok(Kind::Decimal { precision, scale })
    } else {
        Err(Stop::broken(format!("a decimal({precision},{scale})")))
    }
}

fn wrong(what: &str, length: u8) -> Stop {
    Stop::broken(format!("a column of type {what} with {length} bytes"))
}

fn short_or_chunks(length: u16) -> Framing {
    if length == MAX { Framing::Chunks } else { Framing::Short }
}

fn table_name(cursor: &mut Cursor<'_>) -> Result<(), Stop> {
    for _ in 0..cursor.u8()? {
        cursor.text()?;
    }
    Ok(())
}
