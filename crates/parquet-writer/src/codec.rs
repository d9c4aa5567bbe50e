//! Compression: the codecs by name, and the levels that each has.

use bowshot_core::{Error, ErrorKind, Result};
use parquet::basic::{BrotliLevel, Compression, GzipLevel, ZstdLevel};

/// How pages are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Codec {
    /// Not at all.
    None,
    /// Snappy: fast, and read by everything.
    #[default]
    Snappy,
    /// Gzip, at a level from 0 to 9; 6 is usual.
    Gzip(u32),
    /// Zstandard, at a level from 1 to 22; 3 is usual.
    Zstd(i32),
    /// LZ4 without frames, which Parquet calls `LZ4_RAW`.
    Lz4,
    /// Brotli, at a level from 0 to 11; 1 is usual.
    Brotli(u32),
}

/// The names of the codecs, for errors.
const NAMES: &str = "none, snappy, gzip, zstd, lz4 or brotli";

impl Codec {
    /// The codec of a name in lower case, at a level or its usual one.
    ///
    /// # Errors
    /// There is no such codec, or it has no such level.
    pub fn new(name: &str, level: Option<&str>) -> Result<Self> {
        match name {
            "none" | "snappy" | "lz4" => {
                if let Some(level) = level {
                    let message = format!("compression_level is \"{level}\", but the codec {name} has no levels");
                    let hint = "leave compression_level out, or choose gzip, zstd or brotli";
                    return Err(Error::new(ErrorKind::Config, message).with_hint(hint));
                }
                Ok(match name {
                    "none" => Codec::None,
                    "lz4" => Codec::Lz4,
                    _ => Codec::Snappy,
                })
            }
            "gzip" => Ok(Codec::Gzip(chosen(name, level, 6, 0, 9)?)),
            "zstd" => Ok(Codec::Zstd(chosen(name, level, 3, 1, 22)?)),
            "brotli" => Ok(Codec::Brotli(chosen(name, level, 1, 0, 11)?)),
            other => Err(Error::new(ErrorKind::Config, format!("compression is \"{other}\", which is no codec"))
                .with_hint(format!("write {NAMES}"))),
        }
    }

    /// The crate's name for it.
    ///
    /// # Errors
    /// The codec has no such level.
    pub(crate) fn compression(self) -> Result<Compression> {
        let refused = |error: parquet::errors::ParquetError| {
            Error::new(ErrorKind::Config, format!("compression_level does not fit the codec: {error}"))
                .with_hint("write gzip 0 to 9, zstd 1 to 22 or brotli 0 to 11")
        };
        Ok(match self {
            Codec::None => Compression::UNCOMPRESSED,
            Codec::Snappy => Compression::SNAPPY,
            Codec::Lz4 => Compression::LZ4_RAW,
            Codec::Gzip(level) => Compression::GZIP(GzipLevel::try_new(level).map_err(refused)?),
            Codec::Zstd(level) => Compression::ZSTD(ZstdLevel::try_new(level).map_err(refused)?),
            Codec::Brotli(level) => Compression::BROTLI(BrotliLevel::try_new(level).map_err(refused)?),
        })
    }
}

fn chosen<T>(name: &str, level: Option<&str>, usual: T, least: T, most: T) -> Result<T>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let Some(text) = level else { return Ok(usual) };
    match text.parse::<T>() {
        Ok(level) if level >= least && level <= most => Ok(level),
        _ => Err(Error::new(ErrorKind::Config, format!("compression_level is \"{text}\", which {name} does not have"))
            .with_hint(format!("write a whole number from {least} to {most}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_levels_are_understood_or_refused_by_name() {
        assert_eq!(Codec::new("gzip", None).unwrap(), Codec::Gzip(6));
        assert_eq!(Codec::new("zstd", Some("19")).unwrap(), Codec::Zstd(19));
        assert_eq!(Codec::new("brotli", Some("11")).unwrap(), Codec::Brotli(11));
        for (name, level, words) in [
            ("zip", None, ["compression is \"zip\"", "none, snappy, gzip"]),
            ("snappy", Some("1"), ["snappy has no levels", "leave compression_level out"]),
            ("zstd", Some("23"), ["compression_level is \"23\"", "from 1 to 22"]),
            ("gzip", Some("-1"), ["compression_level is \"-1\"", "from 0 to 9"]),
            ("brotli", Some("much"), ["compression_level is \"much\"", "from 0 to 11"]),
        ] {
            let error = Codec::new(name, level).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Config);
            assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}");
        }
    }

    #[test]
    fn levels_of_the_type_are_checked_as_well() {
        assert!(Codec::Zstd(23).compression().is_err());
        assert!(Codec::Gzip(10).compression().is_err());
        assert!(Codec::Brotli(12).compression().is_err());
        for codec in [Codec::None, Codec::Snappy, Codec::Lz4, Codec::Gzip(0), Codec::Zstd(22), Codec::Brotli(11)] {
            codec.compression().unwrap();
        }
    }
}
