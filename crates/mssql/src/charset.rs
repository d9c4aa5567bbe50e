//! The code pages of char, varchar and text, as their collations name them.

mod oem;

use encoding_rs::{DecoderResult, Encoding};

use oem::{CP437, CP850};

/// How text is written on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Charset {
    /// nchar, nvarchar, ntext, xml.
    Utf16,
    /// Collations that end in `_UTF8`.
    Utf8,
    /// One byte a character; the characters from 0x80 on.
    Oem(&'static [char; 128]),
    /// A code page of Windows.
    Page(&'static Encoding),
}

/// Text that is none in its code page.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

impl Charset {
    /// The code page of a collation's five bytes ([MS-TDS] 2.2.5.1.2); `None` for those that are not known.
    pub(crate) fn of(collation: [u8; 5]) -> Option<Charset> {
        let [a, b, c, d, sort] = collation;
        let info = u32::from_le_bytes([a, b, c, d]);
        if tds_protocol::collation::is_utf8_collation(info) {
            return Some(Charset::Utf8);
        }
        // A collation of SQL Server's own has a number that decides; the others are those of Windows.
        if sort != 0 {
            return match tds_protocol::collation::code_page_for_sort_id(sort)? {
                437 => Some(Charset::Oem(&CP437)),
                850 => Some(Charset::Oem(&CP850)),
                _ => tds_protocol::collation::encoding_for_sort_id(sort).map(Charset::Page),
            };
        }
        let page = match info & 0xFFFF {
            // No collation at all: of values in sql_variant that hold no text, and of servers that say nothing.
            0 => encoding_rs::WINDOWS_1252,
            // Sami, Upper Sorbian, Romansh, Maltese, Welsh, Frisian, Greenlandic, Breton, Occitan, Corsican, Alsatian,
            // Mapudungun, Mohawk.
            0x043B | 0x042E | 0x0417 | 0x0452 | 0x0462 | 0x046F | 0x047E | 0x0482 | 0x0483 | 0x0484 | 0x047A
            | 0x047C => encoding_rs::WINDOWS_1252,
            // Bosnian (Cyrillic), Bashkir, Kazakh, Tajik, Macedonian, Yakut.
            0x046D | 0x043F | 0x0428 => encoding_rs::WINDOWS_1251,
            // Uzbek (Latin).
            0x0443 => encoding_rs::WINDOWS_1254,
            // Turkmen.
            0x0442 => encoding_rs::WINDOWS_1250,
            // Uighur.
            0x0480 => encoding_rs::WINDOWS_1256,
            _ => tds_protocol::collation::encoding_for_lcid(info)?,
        };
        Some(Charset::Page(page))
    }

    /// Appends text as UTF-8.
    pub(crate) fn append(self, bytes: &[u8], text: &mut Vec<u8>) -> Result<(), Malformed> {
        match self {
            Charset::Utf16 => append_utf16(bytes, text),
            Charset::Utf8 => {
                std::str::from_utf8(bytes).map_err(|_| Malformed)?;
                text.extend_from_slice(bytes);
                Ok(())
            }
            _ if bytes.is_ascii() => {
                text.extend_from_slice(bytes);
                Ok(())
            }
            Charset::Oem(upper) => {
                let mut utf8 = [0; 4];
                for byte in bytes {
                    let character = match byte.checked_sub(128) {
                        None => char::from(*byte),
                        Some(index) => upper.get(usize::from(index)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
                    };
                    text.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
                }
                Ok(())
            }
            Charset::Page(encoding) => append_page(encoding, bytes, text),
        }
    }
}

fn append_utf16(bytes: &[u8], text: &mut Vec<u8>) -> Result<(), Malformed> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Malformed);
    }
    let before = text.len();
    text.reserve(units.len());
    // Most text is ASCII: half of the bytes, no decisions.
    let mut high = 0;
    text.extend(units.iter().map(|[low, up]| {
        high |= *up | (*low & 0x80);
        *low
    }));
    if high == 0 {
        return Ok(());
    }
    text.truncate(before);
    let mut utf8 = [0; 4];
    for character in char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit))) {
        let character = character.map_err(|_| Malformed)?;
        text.extend_from_slice(character.encode_utf8(&mut utf8).as_bytes());
    }
    Ok(())
}

fn append_page(encoding: &'static Encoding, bytes: &[u8], text: &mut Vec<u8>) -> Result<(), Malformed> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut rest = bytes;
    let mut piece = [0; 1024];
    loop {
        let (outcome, read, written) = decoder.decode_to_utf8_without_replacement(rest, &mut piece, true);
        text.extend_from_slice(piece.get(..written).unwrap_or_default());
        rest = rest.get(read..).unwrap_or_default();
        match outcome {
            DecoderResult::InputEmpty => return Ok(()),
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => return Err(Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(charset: Charset, bytes: &[u8]) -> Result<String, Malformed> {
        let mut text = Vec::new();
        charset.append(bytes, &mut text)?;
        Ok(String::from_utf8(text).unwrap())
    }

    fn collation(lcid: u32, sort: u8) -> Option<Charset> {
        let [a, b, c, d] = lcid.to_le_bytes();
        Charset::of([a, b, c, d, sort])
    }

    #[test]
    fn collations_name_code_pages() {
        // The four collations that people have: SQL_Latin1_General_CP1_CI_AS, Latin1_General_CI_AS, …_UTF8, Japanese.
        assert_eq!(collation(0x00D0_0409, 52), Some(Charset::Page(encoding_rs::WINDOWS_1252)));
        assert_eq!(collation(0x00D0_0409, 0), Some(Charset::Page(encoding_rs::WINDOWS_1252)));
        assert_eq!(collation(0x04D0_0409, 0), Some(Charset::Utf8));
        assert_eq!(collation(0x00D0_0411, 0), Some(Charset::Page(encoding_rs::SHIFT_JIS)));
        // A SQL collation's number decides, not its language.
        assert_eq!(collation(0x00D0_0409, 80), Some(Charset::Page(encoding_rs::WINDOWS_1250)));
        assert_eq!(collation(0x00D0_0409, 30), Some(Charset::Oem(&CP437)));
        assert_eq!(collation(0x00D0_0409, 49), Some(Charset::Oem(&CP850)));
        // Hindi has no code page, 255 is no sort order.
        assert_eq!(collation(0x0439, 0), None);
        assert_eq!(collation(0x0409, 255), None);
    }

    #[test]
    fn text_is_exact_or_refused() {
        assert_eq!(text(Charset::Utf16, b"a\0b\0"), Ok("ab".into()));
        assert_eq!(text(Charset::Utf16, &[0xE4, 0, 0x3D, 0xD8, 0, 0xDE]), Ok("ä😀".into()));
        assert_eq!(text(Charset::Utf16, &[0, 1]), Ok("\u{100}".into()));
        assert_eq!(text(Charset::Utf16, &[0x3D, 0xD8]), Err(Malformed));
        assert_eq!(text(Charset::Utf16, b"a"), Err(Malformed));
        assert_eq!(text(Charset::Utf8, "ä".as_bytes()), Ok("ä".into()));
        assert_eq!(text(Charset::Utf8, &[0xC3]), Err(Malformed));
        assert_eq!(text(Charset::Page(encoding_rs::WINDOWS_1252), &[0x80, b'1']), Ok("€1".into()));
        assert_eq!(text(Charset::Page(encoding_rs::SHIFT_JIS), &[0x93, 0xFA, 0x96, 0x7B]), Ok("日本".into()));
        assert_eq!(text(Charset::Page(encoding_rs::SHIFT_JIS), &[0x93]), Err(Malformed));
        assert_eq!(text(Charset::Oem(&CP437), &[b'a', 0x81, 0xE1]), Ok("aüß".into()));
        assert_eq!(text(Charset::Oem(&CP850), &[0xD5, 0x9D]), Ok("ıØ".into()));
        let long = "é".repeat(5000);
        let bytes = vec![0xE9; 5000];
        assert_eq!(text(Charset::Page(encoding_rs::WINDOWS_1252), &bytes), Ok(long));
    }
}
