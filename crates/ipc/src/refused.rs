//! Why a message is not read.

use std::fmt;

/// Why a message is not read.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is not what Arrow's format says: why, in words for people.
    Broken(String),
    /// What is compressed in it, or packed, becomes so many bytes as it says, and so many are allowed.
    TooLarge {
        /// What they would become.
        bytes: usize,
        /// What is allowed.
        limit: usize,
    },
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refused::Broken(why) => formatter.write_str(why),
            Refused::TooLarge { bytes, limit } => {
                write!(formatter, "a batch that would become {bytes} bytes, more than {limit}")
            }
        }
    }
}

impl std::error::Error for Refused {}
