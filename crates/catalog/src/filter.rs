//! What clients narrow a listing with: patterns, exact names, table types.

/// A pattern of Flight SQL's and ADBC's: `%` stands for any characters, `_` for any one; every other character, the backslash too,
/// means itself.
///
/// `FlightSql.proto` (CommandGetTables, CommandGetDbSchemas) knows no escape, and clients hand over names of tables as
/// they are: with one, a name that holds a backslash could not be found by itself.
pub struct Pattern(Vec<Part>);

#[derive(Debug, PartialEq)]
enum Part {
    /// `%`
    Any,
    /// `_`
    One,
    Exactly(char),
}

impl Pattern {
    /// A pattern as a client writes it.
    pub fn new(pattern: &str) -> Self {
        let mut parts = Vec::with_capacity(pattern.len());
        for character in pattern.chars() {
            match character {
                // Two in a row mean what one means.
                '%' if parts.last() == Some(&Part::Any) => {}
                '%' => parts.push(Part::Any),
                '_' => parts.push(Part::One),
                other => parts.push(Part::Exactly(other)),
            }
        }
        Pattern(parts)
    }

    /// Whether the whole name is what the pattern describes, in time proportional to the product of both lengths.
    pub fn matches(&self, name: &str) -> bool {
        let name: Vec<char> = name.chars().collect();
        let (mut part, mut place) = (0, 0);
        // The last `%`, and where the name went on behind what it stands for.
        let mut retry: Option<(usize, usize)> = None;
        while let Some(character) = name.get(place) {
            let fits = match self.0.get(part) {
                Some(Part::Any) => {
                    retry = Some((part, place));
                    part += 1;
                    continue;
                }
                Some(Part::One) => true,
                Some(Part::Exactly(wanted)) => wanted == character,
                None => false,
            };
            if fits {
                (part, place) = (part + 1, place + 1);
                continue;
            }
            let Some((any, start)) = retry else { return false };
            (part, place) = (any + 1, start + 1);
            retry = Some((any, place));
        }
        self.0.get(part..).is_some_and(|rest| rest.iter().all(|part| *part == Part::Any))
    }
}

/// Whether a catalog or schema is the one that a command names. `None` asks for all; an empty name asks for what has
/// none (`FlightSql.proto`: "An empty string retrieves those without a catalog").
pub fn is_asked(asked: Option<&str>, name: Option<&str>) -> bool {
    asked.is_none_or(|asked| asked == name.unwrap_or_default())
}

/// Whether a schema's name fits the pattern of a command, if it has one. An empty pattern asks for what has no schema.
pub fn fits(pattern: Option<&Pattern>, name: Option<&str>) -> bool {
    pattern.is_none_or(|pattern| pattern.matches(name.unwrap_or_default()))
}

#[cfg(test)]
mod tests;
