//! How a source writes the names of tables and columns.

/// How a source writes the names of tables and columns.
///
/// ```
/// use bowshot_core::Naming;
///
/// assert_eq!(Naming::default().quote("a \"b\""), "\"a \"\"b\"\"\"");
/// let brackets = Naming { quotes: Some(('[', ']')), ..Naming::default() };
/// assert_eq!(brackets.quote("a]b"), "[a]]b]");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Naming {
    /// What opens and what closes a quoted name; `None` where names cannot be quoted.
    pub quotes: Option<(char, char)>,
    /// Whether a backslash between the quotes escapes what follows it.
    pub backslashes: bool,
    /// What becomes of names that are not quoted.
    pub case: Case,
    /// Whether a column may be written with its table's name before it.
    pub qualified: bool,
}

/// What becomes of the letters of names that are not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    /// They stay as they are.
    Kept,
    /// They become small letters.
    Lower,
    /// They become capital letters.
    Upper,
}

impl Default for Naming {
    /// As the standard of SQL quotes names, for a database that keeps their case.
    fn default() -> Self {
        Naming { quotes: Some(('"', '"')), backslashes: false, case: Case::Kept, qualified: true }
    }
}

impl Naming {
    /// The name in quotes; those inside are doubled.
    pub fn quote(&self, name: &str) -> String {
        let Some((open, close)) = self.quotes else { return name.to_owned() };
        let mut quoted = String::with_capacity(name.len() + 2);
        quoted.push(open);
        for character in name.chars() {
            match character {
                '\\' if self.backslashes => quoted.push('\\'),
                _ if character == close => quoted.push(close),
                _ => {}
            }
            quoted.push(character);
        }
        quoted.push(close);
        quoted
    }
}

impl Case {
    /// A name that is not quoted as the database keeps it.
    pub fn fold(self, name: &str) -> String {
        match self {
            Case::Kept => name.to_owned(),
            Case::Lower => name.to_lowercase(),
            Case::Upper => name.to_uppercase(),
        }
    }
}
