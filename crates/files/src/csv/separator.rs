//! The line `sep=;`, by which programs tell Excel what stands between fields.

/// The delimiter that the first line names, and where the next line begins; `None` where it is no such line.
///
/// `last` says that nothing follows.
pub(super) fn separator(text: &[u8], last: bool) -> Option<(u8, usize)> {
    let (quote, inside) = match text.strip_prefix(b"\"") {
        Some(inside) => (true, inside),
        None => (false, text),
    };
    let name = inside.get(..4).filter(|name| name.eq_ignore_ascii_case(b"sep="))?;
    let rest = inside.get(name.len()..)?;
    let (delimiter, rest) = match rest {
        [b'\\', b't', rest @ ..] => (b'\t', rest),
        [byte, rest @ ..] if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !b"\"\r\n".contains(byte) => {
            (*byte, rest)
        }
        _ => return None,
    };
    let rest = if quote { rest.strip_prefix(b"\"")? } else { rest };
    let returns = rest.iter().take_while(|byte| **byte == b'\r').count();
    let end = match rest.get(returns) {
        Some(b'\n') => returns + 1,
        // A CR alone ends the line.
        Some(_) if returns > 0 => 1,
        None if last => rest.len(),
        _ => return None,
    };
    Some((delimiter, text.len() - rest.len() + end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_names_the_delimiter() {
        for (text, wanted) in [
            ("sep=;\na;b", Some((b';', 6))),
            ("SEP=,\r\na", Some((b',', 7))),
            ("sep=\t\r\r\na", Some((b'\t', 8))),
            ("sep=\\t\na", Some((b'\t', 7))),
            ("\"sep=|\"\ra|b", Some((b'|', 8))),
            ("sep=;\r\ra;b", Some((b';', 6))),
            ("sep=;", Some((b';', 5))),
            ("sep=;;\na", None),
            ("sep=a\n", None),
            ("sep=\n", None),
            ("\"sep=;\n", None),
            ("sep=;,b\n", None),
            ("separator\n", None),
            ("se", None),
        ] {
            assert_eq!(separator(text.as_bytes(), true), wanted, "{text:?}");
        }
    }
}
