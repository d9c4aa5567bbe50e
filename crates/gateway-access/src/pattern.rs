//! Names of tables with `*` in them.

use bowshot_core::{Error, ErrorKind, Result};

/// One part of a name, `*` standing for any characters, also for none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part(String);

impl Part {
    pub(crate) fn any() -> Self {
        Part("*".into())
    }

    pub(crate) fn is_any(&self) -> bool {
        !self.0.is_empty() && self.0.chars().all(|letter| letter == '*')
    }

    /// Whether the name fits, letter by letter.
    pub(crate) fn fits(&self, name: &str) -> bool {
        fits(&self.0, name)
    }

    /// Whether the name fits if capital letters count as small ones.
    pub(crate) fn fits_ignoring_case(&self, name: &str) -> bool {
        fits(&self.0.to_lowercase(), &name.to_lowercase())
    }

    /// Whether all names that fit `other` fit this too, capital letters counting as small ones.
    ///
    /// A `*` of `other` can only be met by a `*` here, and what meets a star meets whatever the star stands for.
    pub(crate) fn covers(&self, other: &Part) -> bool {
        self.fits_ignoring_case(&other.0)
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut rest) = name.strip_prefix(head) else { return false };
    let (middle, last) = tail.rsplit_once('*').unwrap_or(("", tail));
    for piece in middle.split('*').filter(|piece| !piece.is_empty()) {
        // The first place leaves most for what follows, so no other place needs to be tried.
        let Some((_, after)) = rest.split_once(piece) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

/// A pattern on `source.schema.table`. Parts that are left out at the end are `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pattern {
    pub(crate) source: Part,
    pub(crate) schema: Part,
    pub(crate) table: Part,
}

impl Pattern {
    /// Reads `source`, `source.schema` or `source.schema.table`. A part in double quotes may hold dots; a quote in it is
    /// written twice.
    pub(crate) fn parse(text: &str) -> Result<Self> {
        let mut parts = split(text)?.into_iter();
        let source = parts.next().unwrap_or_else(Part::any);
        let pattern = Pattern {
            source,
            schema: parts.next().unwrap_or_else(Part::any),
            table: parts.next().unwrap_or_else(Part::any),
        };
        if parts.next().is_some() {
            return Err(malformed(text, "has more than three parts"));
        }
        Ok(pattern)
    }
}

fn split(text: &str) -> Result<Vec<Part>> {
    let mut parts = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted).ok_or_else(|| malformed(text, "has a quote that does not end"))?,
            None => {
                let end = rest.find('.').unwrap_or(rest.len());
                let (part, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                if part.contains('"') {
                    return Err(malformed(text, "has a quote in the middle of a part"));
                }
                (part.to_owned(), after)
            }
        };
        if part.is_empty() {
            return Err(malformed(text, "has an empty part"));
        }
        parts.push(Part(part));
        match after.strip_prefix('.') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(parts),
            None => return Err(malformed(text, "has letters after a quote")),
        }
    }
}

/// The text up to the closing quote, and what comes after it.
fn unquote(quoted: &str) -> Option<(String, &str)> {
    let mut part = String::new();
    let mut rest = quoted;
    loop {
        let (before, after) = rest.split_once('"')?;
        part.push_str(before);
        match after.strip_prefix('"') {
            Some(more) => {
                part.push('"');
                rest = more;
            }
            None => return Some((part, after)),
        }
    }
}

fn malformed(text: &str, why: &str) -> Error {
    Error::new(ErrorKind::Config, format!("the pattern {text:?} {why}"))
        .with_hint("write source.schema.table, with * for any characters, and \"…\" around a name that holds dots")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The definition of a wildcard, word for word.
    fn slow(pattern: &[char], name: &[char]) -> bool {
        match pattern {
            [] => name.is_empty(),
            ['*', rest @ ..] => (0..=name.len()).any(|at| slow(rest, &name[at..])),
            [letter, rest @ ..] => name.first() == Some(letter) && slow(rest, &name[1..]),
        }
    }

    proptest! {
        #[test]
        fn a_pattern_fits_exactly_what_its_definition_says(pattern in "[ab*]{0,7}", name in "[ab]{0,9}") {
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(fits(&pattern, &name), slow(&letters(&pattern), &letters(&name)));
        }

        #[test]
        fn what_covers_a_pattern_fits_every_name_of_it(
            wide in "[ab*]{1,6}", narrow in "[ab*]{1,6}", name in "[ab]{0,8}"
        ) {
            let (wide, narrow) = (Part(wide), Part(narrow));
            if wide.covers(&narrow) && narrow.fits(&name) {
                prop_assert!(wide.fits(&name));
            }
        }

        #[test]
        fn no_text_makes_a_pattern_panic(text in "\\PC*|[a.\"*]{0,12}") {
            let _ = Pattern::parse(&text);
        }

        #[test]
        fn a_quoted_name_comes_back_whole(name in "\\PC{1,12}") {
            let quoted = format!("\"{}\".b", name.replace('"', "\"\""));
            prop_assert_eq!(Pattern::parse(&quoted).unwrap().source, Part(name));
        }
    }

    #[test]
    fn parts_that_are_left_out_are_stars() {
        assert_eq!(Pattern::parse("shop").unwrap(), Pattern::parse("shop.*.*").unwrap());
        assert_eq!(Pattern::parse("shop.public").unwrap(), Pattern::parse("shop.public.*").unwrap());
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for bad in ["", ".", "a.", ".a", "a..b", "a.b.c.d", "\"a", "\"\"", "a\"b", "\"a\"b", "\"a\".\"b"] {
            assert_eq!(Pattern::parse(bad).unwrap_err().kind(), ErrorKind::Config, "{bad}");
        }
    }

    #[test]
    fn a_question_mark_and_a_per_cent_sign_are_letters() {
        assert!(!Part("a?".into()).fits("ab"));
        assert!(!Part("a%".into()).fits("ab"));
        assert!(Part("a?".into()).fits("a?"));
    }
}
