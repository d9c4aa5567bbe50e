//! Text in the order of a collation, as numbers.

use bowshot_core::{ErrorKind, Result};

use crate::catalog::{cell, literal};
use crate::connect::Session;

/// How many characters count behind those that all keys have in common.
const CHARACTERS: u32 = 12;

/// The characters that literals between two keys are made of, in the order of a collation, and what all keys begin with.
pub(super) struct Alphabet {
    charset: String,
    collation: String,
    /// Characters that are equal in the collation stand together.
    classes: Vec<Vec<char>>,
    common: String,
}

impl Alphabet {
    /// Asks the server for the order of the printable characters of ASCII; `None` where it does not tell.
    pub(super) fn of(session: &mut Session, charset: &str, collation: &str) -> Result<Option<Self>> {
        let word =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !word(charset) || !word(collation) {
            return Ok(None);
        }
        // Spaces at the end may not count, and these two would have to be quoted.
        let characters: Vec<char> = ('!'..='~').filter(|character| !matches!(character, '\'' | '\\')).collect();
        let weight = |character: &char| {
            format!("HEX(WEIGHT_STRING(CONVERT('{character}' USING {charset}) COLLATE {collation}))")
        };
        let weights: Vec<String> = characters.iter().map(weight).collect();
        let answer = match session.query(&format!("SELECT {}", weights.join(", "))) {
            Ok(answer) => answer.into_iter().next().unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Sql => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut weighed: Vec<(&str, char)> =
            characters.iter().enumerate().map(|(place, character)| (cell(&answer, place), *character)).collect();
        weighed.retain(|(weight, _)| !weight.is_empty());
        weighed.sort_unstable();
        let mut classes: Vec<(&str, Vec<char>)> = Vec::new();
        for (weight, character) in weighed {
            match classes.last_mut() {
                Some((last, class)) if *last == weight => class.push(character),
                _ => classes.push((weight, vec![character])),
            }
        }
        let classes: Vec<Vec<char>> = classes.into_iter().map(|(_, class)| class).collect();
        let (charset, collation) = (charset.to_owned(), collation.to_owned());
        let known = classes.len() > 1;
        Ok(known.then_some(Alphabet { charset, collation, classes, common: String::new() }))
    }

    /// Takes what all of these have in common for what all keys begin with.
    pub(super) fn settle(&mut self, seen: &[String]) {
        let mut seen = seen.iter();
        let mut common = seen.next().cloned().unwrap_or_default();
        for other in seen {
            let same = common.chars().zip(other.chars()).take_while(|(one, other)| one == other);
            let bytes = same.map(|(character, _)| character.len_utf8()).sum();
            common.truncate(bytes);
        }
        // A space at the end may not count.
        self.common = common.trim_end_matches(' ').to_owned();
    }

    /// The end of the text, the classes, everything else.
    fn base(&self) -> i128 {
        i128::try_from(self.classes.len() + 2).unwrap_or(2)
    }

    fn digit(&self, character: char) -> i128 {
        if character == ' ' {
            return 0;
        }
        let class = self.classes.iter().position(|class| class.contains(&character));
        class.map_or(self.base() - 1, |class| i128::try_from(class + 1).unwrap_or(1))
    }

    /// A text as a number. What does not begin as all others do lies before or behind them.
    pub(super) fn number(&self, text: &str) -> i128 {
        let Some(tail) = text.strip_prefix(self.common.as_str()) else {
            return if text < self.common.as_str() { 0 } else { self.base().pow(CHARACTERS) - 1 };
        };
        let mut characters = tail.chars();
        let mut number = 0;
        for _ in 0..CHARACTERS {
            number = number * self.base() + characters.next().map_or(0, |character| self.digit(character));
        }
        number
    }

    /// The literal of a number; not certain where other characters than the known ones would have to stand in it.
    pub(super) fn literal(&self, number: i128) -> (String, bool) {
        let mut digits = Vec::new();
        let mut rest = number.max(0);
        for _ in 0..CHARACTERS {
            digits.push(rest % self.base());
            rest /= self.base();
        }
        let mut text = self.common.clone();
        let mut certain = true;
        for digit in digits.into_iter().rev() {
            let class = usize::try_from(digit).ok().and_then(|digit| digit.checked_sub(1));
            let Some(class) = class else { break };
            match self.classes.get(class).and_then(|class| class.first()) {
                Some(character) => text.push(*character),
                None => {
                    certain = false;
                    break;
                }
            }
        }
        (literal(&text), certain)
    }

    /// What the server has to confirm of two literals, of which the first should be the lower one.
    pub(super) fn check(&self, low: &str, high: &str) -> String {
        let Alphabet { charset, collation, .. } = self;
        let side = |text: &str| format!("CONVERT({text} USING {charset}) COLLATE {collation}");
        format!("{} < {}", side(low), side(high))
    }
}
