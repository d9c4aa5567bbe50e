//! How the database behind a driver writes names, as the driver says.

use std::sync::Arc;

use bowshot_core::{Cancel, Case, Naming, Result};

use crate::abi;
use crate::session::Session;
use crate::uri::Location;

/// Connects and asks the driver.
pub(crate) fn naming(location: &Arc<Location>, cancel: &Cancel) -> Result<Naming> {
    let session = Session::open(location, &[], cancel)?;
    session.call(cancel, |desk| {
        let quotes = desk.connection.text_information(abi::IDENTIFIER_QUOTE_CHAR);
        let case = desk.connection.bits_information(abi::IDENTIFIER_CASE) & 0xffff;
        Ok(naming_of(&quotes, case))
    })
}

/// A blank is a driver's word for "names cannot be quoted".
fn naming_of(quotes: &str, case: u32) -> Naming {
    let quotes = quotes.trim().chars().next().map(|open| (open, if open == '[' { ']' } else { open }));
    let case = match case {
        abi::IC_UPPER => Case::Upper,
        abi::IC_LOWER => Case::Lower,
        _ => Case::Kept,
    };
    Naming { quotes, case, ..Naming::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drivers_words_are_understood() {
        assert_eq!(naming_of("`", 3).quote("a`b"), "`a``b`");
        assert_eq!(naming_of("[", 4).quote("a]b"), "[a]]b]");
        assert_eq!(naming_of(" ", 4).quote("t"), "t");
        assert_eq!(naming_of("\"", abi::IC_UPPER).case, Case::Upper);
        assert_eq!(naming_of("\"", abi::IC_LOWER).case, Case::Lower);
    }
}
