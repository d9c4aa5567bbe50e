//! What can be wrong with a line, as the scanner and the builders find it.

/// Where in a line, and what.
#[derive(Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) kind: FaultKind,
}

#[derive(Debug, PartialEq)]
pub(super) enum FaultKind {
    /// JSON has something else in this place.
    Expected(&'static str),
    /// The line ends before its record does.
    Unfinished,
    /// Something stands behind the record.
    Behind,
    /// The line is a value of another kind.
    NotObject,
    /// A word such as `NaN`, which JavaScript and Python know and JSON does not.
    Word,
    /// A number that JSON does not write so: `01`, `+1`, `.5`, `1.`
    Number,
    /// A character below 0x20 in a text.
    Control(u8),
    /// A backslash before what it cannot escape.
    Escape,
    /// Half of a surrogate pair, which is no character.
    Surrogate,
    /// A byte that is not UTF-8.
    Utf8(u8),
    /// Values within values within values.
    Deep,
    /// A value of another type than its column.
    Misfit { wanted: String, inferred: bool },
    /// A key that no column is named after.
    Unknown(String),
    /// A key that the object had before.
    Twice(String),
    /// A record whose arrays take more memory than a batch may have.
    Heavy,
    /// More keys than there may be columns.
    Wide,
}

impl FaultKind {
    pub(super) fn at(self, at: usize) -> Fault {
        Fault { at, kind: self }
    }
}
