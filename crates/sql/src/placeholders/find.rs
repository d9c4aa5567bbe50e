//! Finds the placeholders of each style.

use super::{Mark, Meaning};
use crate::Dialect;
use crate::lex::{Kind, Token, is_word};

/// The text that placeholders are looked for in. Each method finds those of one style, in the order of the text.
pub(super) struct Finder<'a> {
    pub(super) sql: &'a str,
    pub(super) tokens: &'a [Token],
    pub(super) dialect: Dialect,
}

impl<'a> Finder<'a> {
    fn is_symbol(&self, index: usize, symbol: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is_symbol(self.sql, symbol))
    }

    /// The word that is this token. Tokens have no gaps: it touches the token before it.
    fn word(&self, index: usize) -> Option<&'a str> {
        self.tokens.get(index).filter(|token| token.kind == Kind::Word).map(|token| token.text(self.sql))
    }

    /// The number that is this token; one that no list is long enough for is as good as none too large to hold.
    fn number(&self, index: usize) -> Option<usize> {
        let digits = self.word(index).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some(digits.parse().unwrap_or(usize::MAX))
    }

    /// The bytes of `count` tokens.
    fn mark(&self, index: usize, count: usize, meaning: Meaning<'a>) -> Option<Mark<'a>> {
        let (first, last) = (self.tokens.get(index)?, self.tokens.get(index + count - 1)?);
        Some(Mark { range: first.range.start..last.range.end, meaning })
    }

    fn symbols<'b>(&'b self, symbol: &'b str) -> impl Iterator<Item = usize> + 'b {
        (0..self.tokens.len()).filter(move |index| self.is_symbol(*index, symbol))
    }

    /// `$1`.
    pub(super) fn dollars(&self) -> Vec<Mark<'a>> {
        let mark = |index| self.mark(index, 2, Meaning::Number(self.number(index + 1)?));
        self.symbols("$").filter_map(mark).collect()
    }

    /// `?` and `?1`.
    pub(super) fn questions(&self) -> Vec<Mark<'a>> {
        let mark = |index: usize| {
            // `?|`, `?&` and `@?` are operators; `?||` is a placeholder before a concatenation.
            let operator = self.is_symbol(index + 1, "&")
                || (self.is_symbol(index + 1, "|") && !self.is_symbol(index + 2, "|"))
                || index.checked_sub(1).is_some_and(|before| self.is_symbol(before, "@"));
            if operator && self.dialect == Dialect::Postgres {
                return None;
            }
            match self.number(index + 1) {
                Some(number) => self.mark(index, 2, Meaning::Number(number)),
                None => self.mark(index, 1, Meaning::Next),
            }
        };
        self.symbols("?").filter_map(mark).collect()
    }

    /// `%s`, and `%%` if there is any.
    pub(super) fn percents(&self) -> Vec<Mark<'a>> {
        self.with_doubled(|index| match self.word(index + 1) {
            Some("s") => self.mark(index, 2, Meaning::Next),
            _ => None,
        })
    }

    /// `%(name)s`, and `%%` if there is any.
    pub(super) fn named_percents(&self) -> Vec<Mark<'a>> {
        self.with_doubled(|index| {
            if !self.is_symbol(index + 1, "(") {
                return None;
            }
            let (start, inside) = (self.tokens.get(index)?.range.start, self.tokens.get(index + 1)?.range.end);
            let name = self.sql.get(inside..)?.split_once(')')?.0;
            let end = inside + name.len() + 2;
            let bytes = self.sql.as_bytes();
            let ends = bytes.get(end - 1) == Some(&b's') && !bytes.get(end).is_some_and(|byte| is_word(*byte));
            ends.then_some(Mark { range: start..end, meaning: Meaning::Name(name) })
        })
    }

    /// What `placeholder` finds at single percent signs and, if it finds anything, the doubled ones.
    fn with_doubled(&self, placeholder: impl Fn(usize) -> Option<Mark<'a>>) -> Vec<Mark<'a>> {
        let mut marks: Vec<Mark<'a>> = Vec::new();
        let mut found = false;
        let mut index = 0;
        while let Some(token) = self.tokens.get(index) {
            let mut step = 1;
            if token.kind == Kind::Text || token.kind == Kind::QuotedName {
                let doubled = token.text(self.sql).match_indices("%%");
                let start = token.range.start;
                marks.extend(
                    doubled.map(|(at, _)| Mark { range: start + at..start + at + 2, meaning: Meaning::Percent }),
                );
            } else if self.is_symbol(index, "%") && self.is_symbol(index + 1, "%") {
                marks.extend(self.mark(index, 2, Meaning::Percent));
                step = 2;
            } else if self.is_symbol(index, "%")
                && let Some(mark) = placeholder(index)
            {
                let end = mark.range.end;
                step = self.tokens.iter().skip(index).take_while(|token| token.range.start < end).count();
                found = true;
                marks.push(mark);
            }
            index += step;
        }
        if found { marks } else { Vec::new() }
    }

    /// `:name`. Inside of brackets a colon after a value belongs to a slice, unless what follows `is_given`.
    pub(super) fn colons(&self, is_given: impl Fn(&str) -> bool) -> Vec<Mark<'a>> {
        let mut marks = Vec::new();
        let mut brackets = 0_usize;
        let mut before: Option<&Token> = None;
        for (index, token) in self.tokens.iter().enumerate() {
            match token.text(self.sql) {
                "[" if token.kind == Kind::Symbol => brackets += 1,
                "]" if token.kind == Kind::Symbol => brackets = brackets.saturating_sub(1),
                ":" if token.kind == Kind::Symbol => {
                    let name = self.word(index + 1).filter(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
                    if let Some(name) = name
                        && !self.is_cast_or_path(index)
                        && !(brackets > 0 && before.is_some_and(|before| self.ends_value(before, name, &is_given)))
                    {
                        marks.extend(self.mark(index, 2, Meaning::Name(name)));
                    }
                }
                _ => {}
            }
            if !token.is_blank() {
                before = Some(token);
            }
        }
        marks
    }

    /// Whether the colon at `index` touches a colon (`::text`) or a name (`a:b`) before it.
    fn is_cast_or_path(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1) else { return false };
        self.is_symbol(before, ":")
            || self.tokens.get(before).is_some_and(|token| matches!(token.kind, Kind::Word | Kind::QuotedName))
    }

    /// Whether a value ends with `token`. A word may also be a keyword: then `name` decides, by being a parameter.
    fn ends_value(&self, token: &Token, name: &str, is_given: impl Fn(&str) -> bool) -> bool {
        let text = token.text(self.sql);
        match token.kind {
            Kind::Word => text.starts_with(|first: char| first.is_ascii_digit()) || !is_given(name),
            Kind::QuotedName | Kind::Text => true,
            Kind::Symbol => matches!(text, ")" | "]"),
            Kind::Space | Kind::Comment => false,
        }
    }
}
