//! What a source may know of all rows of a result without reading them.

/// A fact about all rows of a result.
///
/// ```
/// use bowshot_core::Aggregate;
///
/// let asked = [Aggregate::Rows, Aggregate::Greatest("id".into())];
/// assert_eq!(asked[1].column(), Some("id"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// How many rows there are.
    Rows,
    /// How many rows have a value in this column, not NULL.
    Values(String),
    /// The least value of this column; NULL where it has none.
    Least(String),
    /// The greatest value of this column; NULL where it has none.
    Greatest(String),
}

impl Aggregate {
    /// The column that it is of.
    #[must_use]
    pub fn column(&self) -> Option<&str> {
        match self {
            Aggregate::Rows => None,
            Aggregate::Values(column) | Aggregate::Least(column) | Aggregate::Greatest(column) => Some(column),
        }
    }
}
