//! The options of a session, as Flight's `SetSessionOptions` has them.

use std::collections::BTreeMap;
use std::fmt;

/// The longest name of an option, in bytes.
const LONGEST_NAME: usize = 256;

/// The largest value of an option, in bytes.
const LARGEST_VALUE: usize = 64 << 10;

/// The most options that a session holds.
const MOST: usize = 256;

/// The value of an option: one of the types of `SessionOptionValue` in
/// [Flight.proto](https://github.com/apache/arrow/blob/main/format/Flight.proto).
#[derive(Clone, PartialEq)]
pub enum OptionValue {
    /// Text.
    String(String),
    /// Yes or no.
    Bool(bool),
    /// A whole number.
    I64(i64),
    /// A number.
    F64(f64),
    /// A list of texts.
    Strings(Vec<String>),
}

impl OptionValue {
    fn size(&self) -> usize {
        match self {
            OptionValue::String(text) => text.len(),
            OptionValue::Strings(texts) => texts.iter().map(|text| text.len() + size_of::<String>()).sum(),
            OptionValue::Bool(_) | OptionValue::I64(_) | OptionValue::F64(_) => 8,
        }
    }
}

impl fmt::Debug for OptionValue {
    /// Only the type: clients put passwords into options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OptionValue::String(_) => "String(…)",
            OptionValue::Bool(_) => "Bool(…)",
            OptionValue::I64(_) => "I64(…)",
            OptionValue::F64(_) => "F64(…)",
            OptionValue::Strings(_) => "Strings(…)",
        })
    }
}

/// Why an option is not set: the first two codes of `SetSessionOptionsResult.ErrorValue`, and its general one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// `INVALID_NAME`: it is empty or overlong.
    InvalidName,
    /// `INVALID_VALUE`: it is too large.
    InvalidValue,
    /// `ERROR`: the session holds too many options already.
    TooMany,
}

/// The options of one session. What a client can make it hold is bounded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionOptions(BTreeMap<String, OptionValue>);

impl SessionOptions {
    /// Sets an option, or removes it: a value without a type means that in Flight.
    ///
    /// # Errors
    /// The option is not as one can be; nothing has changed.
    pub fn set(&mut self, name: &str, value: Option<OptionValue>) -> Result<(), OptionError> {
        if name.is_empty() || name.len() > LONGEST_NAME {
            return Err(OptionError::InvalidName);
        }
        let Some(value) = value else {
            self.0.remove(name);
            return Ok(());
        };
        if value.size() > LARGEST_VALUE {
            return Err(OptionError::InvalidValue);
        }
        if self.0.len() >= MOST && !self.0.contains_key(name) {
            return Err(OptionError::TooMany);
        }
        self.0.insert(name.to_owned(), value);
        Ok(())
    }

    /// The value of an option.
    pub fn get(&self, name: &str) -> Option<&OptionValue> {
        self.0.get(name)
    }

    /// All options, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &OptionValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// How many options are set.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether none is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_is_set_replaced_and_removed() {
        let mut options = SessionOptions::default();
        options.set("catalog", Some(OptionValue::String("shop".into()))).unwrap();
        options.set("catalog", Some(OptionValue::Strings(vec!["a".into(), "b".into()]))).unwrap();
        options.set("partitions", Some(OptionValue::I64(-4))).unwrap();
        options.set("ratio", Some(OptionValue::F64(0.5))).unwrap();
        options.set("cache", Some(OptionValue::Bool(false))).unwrap();
        assert_eq!(options.get("catalog"), Some(&OptionValue::Strings(vec!["a".into(), "b".into()])));
        options.set("catalog", None).unwrap();
        options.set("never set", None).unwrap();
        let names: Vec<_> = options.iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["cache", "partitions", "ratio"]);
    }

    #[test]
    fn a_client_cannot_fill_the_memory_with_options() {
        let mut options = SessionOptions::default();
        let text = |size| Some(OptionValue::String("x".repeat(size)));
        assert_eq!(options.set("", text(1)), Err(OptionError::InvalidName));
        assert_eq!(options.set(&"n".repeat(257), text(1)), Err(OptionError::InvalidName));
        assert_eq!(options.set("a", text(LARGEST_VALUE + 1)), Err(OptionError::InvalidValue));
        let empties = Some(OptionValue::Strings(vec![String::new(); LARGEST_VALUE]));
        assert_eq!(options.set("a", empties), Err(OptionError::InvalidValue));
        for at in 0..MOST {
            options.set(&format!("option{at}"), text(1)).unwrap();
        }
        assert_eq!(options.set("one more", text(1)), Err(OptionError::TooMany));
        options.set("option0", text(2)).unwrap();
        assert_eq!(options.len(), MOST);
    }

    #[test]
    fn what_debug_shows_holds_no_value() {
        let mut options = SessionOptions::default();
        options.set("password", Some(OptionValue::String("hunter2".into()))).unwrap();
        options.set("list", Some(OptionValue::Strings(vec!["hunter2".into()]))).unwrap();
        let shown = format!("{options:?}");
        assert!(shown.contains("password") && !shown.contains("hunter2"));
    }
}
