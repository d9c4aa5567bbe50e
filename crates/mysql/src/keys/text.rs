//! Text in the order of a collation, as numbers.

use std::collections::BTreeSet;

use bowshot_core::{ErrorKind, Result};

use crate::catalog::{cell, literal};
use crate::connect::Session;

/// How many characters count behind those that all keys have in common.
const CHARACTERS: usize = 14;

/// Characters of a script that stand together.
const BLOCK: u32 = 64;

/// How many characters beyond ASCII are learnt, and how many are known at most: as digits of numbers of 128 bits.
const MOST_FURTHER: usize = 160;
const MOST_KNOWN: usize = 400;

/// The characters that literals between two keys are made of, in the order of a collation, and what all keys begin with.
pub(super) struct Alphabet {
    charset: String,
    collation: String,
    /// Characters that are equal in the collation stand together.
    classes: Vec<Vec<char>>,
    /// Whether a blank is lower than all of these, so that it stands where a shorter text has ended.
    blanks: bool,
    common: String,
    /// The classes that stand at each place behind that.
    places: Vec<Vec<usize>>,
}

impl Alphabet {
    /// Asks the server for the order of the printable characters of ASCII; `None` where it does not tell.
    pub(super) fn of(session: &mut Session, charset: &str, collation: &str) -> Result<Option<Self>> {
        let word =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !word(charset) || !word(collation) {
            return Ok(None);
        }
        let characters: Vec<char> = ('!'..='~').filter(|character| *character != '\\').collect();
        let mut alphabet = Alphabet {
            charset: charset.to_owned(),
            collation: collation.to_owned(),
            classes: Vec::new(),
            blanks: false,
            common: String::new(),
            places: Vec::new(),
        };
        let Some(mut weighed) = alphabet.weigh(session, &[&[' '], characters.as_slice()].concat())? else {
            return Ok(None);
        };
        weighed.sort_unstable();
        alphabet.blanks = weighed.first().is_some_and(|(_, lowest)| *lowest == ' ')
            && weighed.get(1).map(|(next, _)| next) != weighed.first().map(|(lowest, _)| lowest);
        weighed.retain(|(_, character)| *character != ' ');
        alphabet.classes = classes(weighed);
        Ok((alphabet.classes.len() > 1).then_some(alphabet))
    }

    /// Learns the order of the letters that keys have beyond ASCII, and of those of the same script.
    pub(super) fn learn(&mut self, session: &mut Session, seen: &[String]) -> Result<()> {
        let further = |character: &char| !character.is_ascii() && self.class(*character).is_none();
        let found: BTreeSet<char> = seen.iter().flat_map(|text| text.chars()).filter(further).collect();
        let block = |character: &char| {
            let first = u32::from(*character) & !(BLOCK - 1);
            (first..first + BLOCK).filter_map(char::from_u32).filter(|other| other.is_alphabetic())
        };
        let near: BTreeSet<char> = found.iter().flat_map(block).filter(further).collect();
        let learnt: BTreeSet<char> = found.into_iter().chain(near).take(MOST_FURTHER).collect();
        let known = self.classes.iter().flatten();
        let all: Vec<char> = known.copied().chain(learnt.iter().copied()).collect();
        if !learnt.is_empty()
            && all.len() <= MOST_KNOWN
            && let Some(weighed) = self.weigh(session, &all)?
        {
            self.classes = classes(weighed);
        }
        Ok(())
    }

    /// What the server sorts each character by; `None` where it does not tell.
    fn weigh(&self, session: &mut Session, characters: &[char]) -> Result<Option<Vec<(String, char)>>> {
        let Alphabet { charset, collation, .. } = self;
        let weight = |character: &char| {
            let text = literal(&character.to_string());
            format!("HEX(WEIGHT_STRING(CONVERT({text} USING {charset}) COLLATE {collation}))")
        };
        let weights: Vec<String> = characters.iter().map(weight).collect();
        let answer = match session.query(&format!("SELECT {}", weights.join(", "))) {
            Ok(answer) => answer.into_iter().next().unwrap_or_default(),
            Err(error) if error.kind() == ErrorKind::Sql => return Ok(None),
            Err(error) => return Err(error),
        };
        let weighed =
            characters.iter().enumerate().map(|(place, character)| (cell(&answer, place).to_owned(), *character));
        Ok(Some(weighed.filter(|(weight, _)| !weight.is_empty()).collect()))
    }

    /// The class of a character.
    fn class(&self, character: char) -> Option<usize> {
        self.classes.iter().position(|class| class.contains(&character))
    }

    /// Whether two characters mean the same to the collation.
    fn is_same(&self, one: char, other: char) -> bool {
        one == other || self.class(one).is_some_and(|class| self.class(other) == Some(class))
    }

    /// What follows the beginning that all keys have in common; `None` for a text that begins in another way.
    fn tail<'a>(&self, text: &'a str) -> Option<&'a str> {
        let mut rest = text.chars();
        self.common
            .chars()
            .all(|wanted| rest.next().is_some_and(|found| self.is_same(wanted, found)))
            .then_some(rest.as_str())
    }

    /// Learns from these what all keys begin with, and which characters stand at each place behind that.
    pub(super) fn settle(&mut self, seen: &[String]) {
        let mut texts = seen.iter();
        let mut common = texts.next().cloned().unwrap_or_default();
        for other in texts {
            let same = common.chars().zip(other.chars()).take_while(|(one, other)| self.is_same(*one, *other));
            let bytes = same.map(|(character, _)| character.len_utf8()).sum();
            common.truncate(bytes);
        }
        // A space at the end may not count.
        self.common = common.trim_end_matches(' ').to_owned();
        let tails: Vec<Vec<char>> =
            seen.iter().filter_map(|text| self.tail(text)).map(|tail| tail.chars().collect()).collect();
        self.places = (0..CHARACTERS)
            .map(|place| self.likely(&tails.iter().filter_map(|tail| tail.get(place).copied()).collect::<Vec<_>>()))
            .collect();
    }

    /// The classes of the characters that are likely to stand where these were seen: where there is one digit, there
    /// are others.
    fn likely(&self, seen: &[char]) -> Vec<usize> {
        let any = |test: fn(&char) -> bool| seen.iter().any(test);
        let digits = any(char::is_ascii_digit);
        let letters = any(char::is_ascii_alphabetic);
        let further = any(|character| character.is_ascii_alphabetic() && !character.is_ascii_hexdigit());
        let likely = |character: &char| {
            seen.contains(character)
                || (digits && character.is_ascii_digit())
                || (letters && character.is_ascii_hexdigit() && character.is_ascii_alphabetic())
                || (further && character.is_ascii_alphabetic())
        };
        let classes = self.classes.iter().enumerate();
        classes.filter(|(_, class)| class.iter().any(likely)).map(|(place, _)| place).collect()
    }

    /// How many digits a place has: the text's end, its classes, everything else.
    fn base(&self, place: usize) -> i128 {
        self.places.get(place).and_then(|classes| i128::try_from(classes.len() + 2).ok()).unwrap_or(2)
    }

    /// A text as a number. What does not begin as all others do lies before or behind them.
    pub(super) fn number(&self, text: &str) -> i128 {
        let Some(tail) = self.tail(text) else {
            return if text < self.common.as_str() { 0 } else { i128::MAX };
        };
        let mut characters = tail.chars();
        let mut number = 0_i128;
        // Once a character is none of its place's, the rest is as high or as low as can be.
        let mut rest_high = None;
        for (place, classes) in self.places.iter().enumerate() {
            let top = self.base(place) - 1;
            let digit = match (rest_high, characters.next()) {
                (Some(high), _) => {
                    if high {
                        top
                    } else {
                        0
                    }
                }
                (None, None | Some(' ')) => 0,
                (None, Some(character)) => match self.class(character) {
                    None => {
                        rest_high = Some(false);
                        top
                    }
                    Some(class) => {
                        let below = classes.partition_point(|known| *known < class);
                        let known = classes.get(below) == Some(&class);
                        if !known {
                            rest_high = Some(true);
                        }
                        i128::try_from(below + usize::from(known)).unwrap_or(0)
                    }
                },
            };
            number = number * (top + 1) + digit;
        }
        number
    }

    /// The digits of a number, a digit a place.
    fn digits(&self, number: i128) -> Vec<i128> {
        let mut digits = Vec::new();
        let mut rest = number.max(0);
        for place in (0..self.places.len()).rev() {
            digits.push(rest % self.base(place));
            rest /= self.base(place);
        }
        digits.reverse();
        digits
    }

    /// The first number at or above this one that is a text of known characters: nothing stands behind a text's end, and
    /// what lies above the known characters has no literal.
    pub(super) fn next_certain(&self, number: i128) -> i128 {
        let mut digits = self.digits(number);
        let zeros = |digits: &mut Vec<i128>, from: usize| digits.iter_mut().skip(from).for_each(|digit| *digit = 0);
        if let Some(end) = digits.iter().position(|digit| *digit == 0).filter(|_| !self.blanks) {
            let behind = digits.iter().skip(end).any(|digit| *digit > 0);
            let above = digits.iter().take(end).enumerate().any(|(place, digit)| *digit + 1 == self.base(place));
            if behind && !above {
                zeros(&mut digits, end + 1);
                if let Some(digit) = digits.get_mut(end) {
                    *digit = 1;
                }
            }
        }
        if let Some(top) =
            (0..digits.len()).find(|place| digits.get(*place).is_some_and(|digit| *digit + 1 == self.base(*place)))
        {
            zeros(&mut digits, top);
            // One more in front of it; that may be the highest as well.
            let Some(before) = top.checked_sub(1) else { return i128::MAX };
            if let Some(digit) = digits.get_mut(before) {
                *digit += 1;
            }
            return self.next_certain(self.number_of(&digits));
        }
        self.number_of(&digits)
    }

    fn number_of(&self, digits: &[i128]) -> i128 {
        digits.iter().enumerate().fold(0, |number, (place, digit)| number * self.base(place) + digit)
    }

    /// The literal of a number, or of the text that it begins with.
    pub(super) fn literal(&self, number: i128) -> String {
        let mut text = self.common.clone();
        let digits = self.digits(number);
        let end = digits.iter().rposition(|digit| *digit > 0).map_or(0, |last| last + 1);
        for (classes, digit) in self.places.iter().zip(digits).take(end) {
            if digit == 0 && self.blanks {
                text.push(' ');
                continue;
            }
            let place = usize::try_from(digit).ok().and_then(|digit| digit.checked_sub(1));
            let class = place.and_then(|place| classes.get(place)).and_then(|class| self.classes.get(*class));
            let Some(character) = class.and_then(|class| class.first()) else { break };
            text.push(*character);
        }
        literal(&text)
    }

    /// What the server has to confirm of two literals, of which the first should be the lower one.
    pub(super) fn check(&self, low: &str, high: &str) -> String {
        let Alphabet { charset, collation, .. } = self;
        let side = |text: &str| format!("CONVERT({text} USING {charset}) COLLATE {collation}");
        format!("{} < {}", side(low), side(high))
    }
}

/// The characters in the order of their weights, those of the same weight together.
fn classes(mut weighed: Vec<(String, char)>) -> Vec<Vec<char>> {
    weighed.sort_unstable();
    let mut classes: Vec<(String, Vec<char>)> = Vec::new();
    for (weight, character) in weighed {
        match classes.last_mut() {
            Some((last, class)) if *last == weight => class.push(character),
            _ => classes.push((weight, vec![character])),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alphabet(seen: &[&str]) -> Alphabet {
        let classes = ('0'..='9').map(|digit| vec![digit]);
        let letters = ('A'..='Z').map(|letter| vec![letter, letter.to_ascii_lowercase()]);
        let classes = [vec!['-']].into_iter().chain(classes).chain(letters).collect();
        let mut alphabet = Alphabet {
            charset: String::new(),
            collation: String::new(),
            classes,
            blanks: false,
            common: String::new(),
            places: Vec::new(),
        };
        alphabet.settle(&seen.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
        alphabet
    }

    #[test]
    fn the_order_of_text_is_that_of_its_numbers() {
        let alphabet = alphabet(&["user-000001", "user-099000"]);
        assert_eq!(alphabet.common, "user-0");
        let words = ["", "user-0", "user-000001", "user-000002", "user-01", "user-05A", "user-06", "user-0\u{e9}", "v"];
        let numbers: Vec<i128> = words.iter().map(|word| alphabet.number(word)).collect();
        assert!(numbers.is_sorted(), "{numbers:?}");
        for word in ["user-000001", "user-012345"] {
            let number = alphabet.number(word);
            assert_eq!((alphabet.literal(number), alphabet.next_certain(number)), (format!("'{word}'"), number));
        }
        let behind = alphabet.next_certain(alphabet.number("user-0\u{e9}") - 5);
        assert!(behind >= alphabet.number("user-0\u{e9}"));
    }
}
