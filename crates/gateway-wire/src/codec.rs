//! How the bodies of messages are compressed.

use std::fmt;
use std::str::FromStr;

use arrow_ipc::CompressionType;
use bowshot_core::{Error, ErrorKind};

/// How the buffers of a message's body are compressed, from the lightest to the heaviest.
///
/// These are the ones that Arrow has: `BodyCompression` in `format/Message.fbs`. Every record batch message carries its
/// own, so it may change from one message of a stream to the next.
///
/// ```
/// use bowshot_gateway_wire::Codec;
///
/// assert_eq!("zstd".parse::<Codec>()?, Codec::Zstd);
/// assert_eq!(Codec::Lz4.to_string(), "lz4");
/// assert!("gzip".parse::<Codec>().is_err());
/// # Ok::<(), bowshot_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Codec {
    /// As it is.
    #[default]
    None,
    /// LZ4 frames: light.
    Lz4,
    /// Zstandard, level 1: smaller, at a few times the work.
    Zstd,
}

impl Codec {
    /// All of them, the lightest first.
    pub const ALL: [Codec; 3] = [Codec::None, Codec::Lz4, Codec::Zstd];

    /// As it is written in headers and options.
    pub fn name(self) -> &'static str {
        match self {
            Codec::None => "none",
            Codec::Lz4 => "lz4",
            Codec::Zstd => "zstd",
        }
    }

    /// Arrow's word for it.
    pub(crate) fn compression(self) -> Option<CompressionType> {
        match self {
            Codec::None => None,
            Codec::Lz4 => Some(CompressionType::LZ4_FRAME),
            Codec::Zstd => Some(CompressionType::ZSTD),
        }
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Codec {
    type Err = Error;

    /// The codec of this name, in lower case.
    ///
    /// # Errors
    /// Of kind [`Config`](ErrorKind::Config): another name.
    fn from_str(name: &str) -> Result<Self, Error> {
        Codec::ALL.into_iter().find(|codec| codec.name() == name).ok_or_else(|| {
            Error::new(ErrorKind::Config, format!("there is no compression named \"{name}\""))
                .with_hint("choose none, lz4 or zstd")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways_and_others_are_refused() {
        for codec in Codec::ALL {
            assert_eq!(codec.to_string().parse::<Codec>().unwrap(), codec);
        }
        for wrong in ["", "LZ4", "gzip", "none "] {
            assert_eq!(wrong.parse::<Codec>().unwrap_err().kind(), ErrorKind::Config);
        }
    }
}
