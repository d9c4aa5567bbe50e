//! From the parser's lines and columns to bytes of the text.

use sqlparser::tokenizer::Location;

/// The byte at which a location stands; `None` if it lies outside of the text, or the parser made the node up.
///
/// The parser counts lines from 1, ended by `\n` alone, and in them characters, a tab as one, from 1.
pub(crate) fn byte_offset(sql: &str, location: Location) -> Option<usize> {
    let line = usize::try_from(location.line).ok()?.checked_sub(1)?;
    let column = usize::try_from(location.column).ok()?.checked_sub(1)?;
    let start = match line.checked_sub(1) {
        None => 0,
        Some(breaks) => sql.match_indices('\n').nth(breaks)?.0 + 1,
    };
    let (offset, _) = sql.get(start..)?.char_indices().nth(column)?;
    Some(start + offset)
}
