//! How ClickHouse spells types: a name, and arguments in parentheses.

/// `name(argument, …)`.
#[derive(Debug, PartialEq)]
pub(super) struct Spelling<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: Vec<&'a str>,
}

impl<'a> Spelling<'a> {
    /// Takes a type apart; `None` where its parentheses or quotes are not closed.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let Some((name, rest)) = text.split_once('(') else {
            return (!text.is_empty()).then_some(Spelling { name: text, arguments: Vec::new() });
        };
        let inside = rest.strip_suffix(')')?;
        let mut arguments = Vec::new();
        let mut begin = 0;
        for (place, byte) in outside(inside)? {
            if byte == b',' {
                arguments.push(inside.get(begin..place)?.trim());
                begin = place + 1;
            }
        }
        let last = inside.get(begin..)?.trim();
        if !(last.is_empty() && arguments.is_empty()) {
            arguments.push(last);
        }
        Some(Spelling { name: name.trim(), arguments })
    }
}

/// The bytes of a text that stand outside of quotes and parentheses; `None` where these are not closed.
fn outside(text: &str) -> Option<Vec<(usize, u8)>> {
    let (mut found, mut depth, mut quote) = (Vec::new(), 0_usize, None);
    let mut bytes = text.bytes().enumerate();
    while let Some((place, byte)) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => {
                bytes.next()?;
            }
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'\'' | b'`' | b'"') => quote = Some(byte),
            (None, b'(') => depth += 1,
            (None, b')') => depth = depth.checked_sub(1)?,
            (None, _) if depth == 0 => found.push((place, byte)),
            (None, _) => {}
        }
    }
    (depth == 0 && quote.is_none()).then_some(found)
}

/// A member of a tuple: perhaps a name, and its type.
pub(super) struct Label<'a> {
    pub(super) name: Option<String>,
    /// The name as it was written, with the space behind it.
    pub(super) label: &'a str,
    pub(super) kind: &'a str,
}

impl<'a> Label<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let Some((space, _)) = outside(text)?.into_iter().find(|(_, byte)| *byte == b' ') else {
            return Some(Label { name: None, label: "", kind: text });
        };
        let (label, kind) = text.split_at_checked(space + 1)?;
        let written = label.trim();
        let name = if written.starts_with(['`', '"']) { unquoted(written)? } else { written.to_owned() };
        Some(Label { name: Some(name), label, kind })
    }
}

/// What a quoted text means.
pub(super) fn unquoted(text: &str) -> Option<String> {
    let mut characters = text.trim().chars();
    let quote = characters.next().filter(|quote| matches!(quote, '\'' | '`' | '"'))?;
    let mut meant = String::new();
    loop {
        match characters.next()? {
            '\\' => meant.push(match characters.next()? {
                'n' => '\n',
                't' => '\t',
                'r' => '\r',
                'b' => '\u{8}',
                'f' => '\u{c}',
                '0' => '\0',
                'a' => '\u{7}',
                'v' => '\u{b}',
                other => other,
            }),
            end if end == quote => return characters.next().is_none().then_some(meant),
            other => meant.push(other),
        }
    }
}

/// `'label' = value` of an enumeration.
pub(super) fn labelled(text: &str) -> Option<(String, i16)> {
    let (label, value) = text.rsplit_once('=')?;
    Some((unquoted(label)?, value.trim().parse().ok()?))
}
