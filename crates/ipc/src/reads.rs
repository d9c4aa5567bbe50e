//! What a client of a Flight server reads beside Arrow's own messages.

use crate::excerpt::EXCERPTS;
use crate::packed::PACKED;

/// What a client says, in a header of each call, that it reads beside Arrow's own messages.
///
/// ```
/// use bowshot_ipc::Reads;
///
/// let reads = Reads::of(Some("packed, something of tomorrow"));
/// assert_eq!(reads, Reads { packed: true, excerpts: false });
/// assert_eq!(Reads { packed: true, excerpts: true }.value(), "packed, parquet");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reads {
    /// [Packed](crate::pack) batches.
    pub packed: bool,
    /// [Excerpts](crate::ExcerptNote) of Parquet files.
    pub excerpts: bool,
}

impl Reads {
    /// The header.
    pub const HEADER: &str = "bowshot-reads";

    /// What the header's value says.
    pub fn of(value: Option<&str>) -> Reads {
        let says = |word: &str| value.is_some_and(|value| value.split(',').any(|said| said.trim() == word));
        Reads { packed: says(PACKED), excerpts: says(EXCERPTS) }
    }

    /// The header's value; empty where there is nothing to say.
    pub fn value(self) -> String {
        let words = [(self.packed, PACKED), (self.excerpts, EXCERPTS)];
        words.into_iter().filter_map(|(says, word)| says.then_some(word)).collect::<Vec<_>>().join(", ")
    }
}
