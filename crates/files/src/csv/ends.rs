//! What ends a line.

use memchr::memchr_iter;
use serde::{Deserialize, Serialize};

/// The byte that ends a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Ends {
    /// LF, with any number of CRs before it.
    Feed,
    /// CR alone, as Excel's "CSV (Macintosh)" has it.
    Return,
}

impl Ends {
    pub(super) fn byte(self) -> u8 {
        match self {
            Ends::Feed => b'\n',
            Ends::Return => b'\r',
        }
    }

    /// How many lines end in some bytes.
    pub(super) fn count(self, bytes: &[u8]) -> u64 {
        memchr_iter(self.byte(), bytes).count() as u64
    }
}
