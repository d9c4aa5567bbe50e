//! What a reader knows of the rows that it needs, for sources that can leave others out without reading them.

use arrow_array::ArrayRef;

/// A condition that a row must fulfil to be of use: one of its tests.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array};
/// use bowshot_core::{Condition, Options, Test};
///
/// let seven: ArrayRef = Arc::new(Int64Array::from(vec![7]));
/// let condition = Condition { any: vec![("id".into(), Test::Equal(seven)), ("id".into(), Test::Null)] };
/// let options = Options { prune: vec![condition], ..Options::default() };
/// assert_eq!(options.prune.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Columns of the source with what is asked of each.
    pub any: Vec<(String, Test)>,
}

/// What is asked of a column's value. Each array holds one value, of the column's own type and not NULL; it is compared as Arrow's
/// kernels do, which no NULL passes.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// It is this value.
    Equal(ArrayRef),
    /// It is less.
    Less(ArrayRef),
    /// It is less, or this value.
    LessOrEqual(ArrayRef),
    /// It is greater.
    Greater(ArrayRef),
    /// It is greater, or this value.
    GreaterOrEqual(ArrayRef),
    /// It is NULL.
    Null,
    /// It is not NULL.
    NotNull,
}
