//! What the value of a setting may be.

use std::net::SocketAddr;

/// What a setting wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An IP address and a port.
    Address,
    /// That, or `off`.
    AddressOrOff,
    /// The path of a file or a folder.
    Path,
    /// Any text.
    Text,
    /// A whole number above zero.
    Count,
    /// A number of bytes, perhaps with a unit.
    Bytes,
    /// A whole number of seconds above zero.
    Seconds,
    /// `true` or `false`.
    Truth,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Texts: an array in the file, with commas between them elsewhere.
    List,
}

impl Kind {
    /// Whether the text is such a value.
    pub(crate) fn allows(self, text: &str) -> bool {
        match self {
            Kind::Address => text.parse::<SocketAddr>().is_ok(),
            Kind::AddressOrOff => text == "off" || text.parse::<SocketAddr>().is_ok(),
            Kind::Path | Kind::Text | Kind::List => !text.is_empty(),
            Kind::Count => text.parse::<usize>().is_ok_and(|count| count > 0),
            Kind::Bytes => bytes(text).is_some(),
            // A century is as good as for ever, and sums of such times overflow nowhere.
            Kind::Seconds => text.parse::<u64>().is_ok_and(|seconds| (1..=3_155_760_000).contains(&seconds)),
            Kind::Truth => matches!(text, "true" | "false"),
            Kind::OneOf(words) => words.contains(&text),
        }
    }

    /// What to write, for messages and for the documents.
    pub(crate) fn wants(self) -> String {
        match self {
            Kind::Address => "an IP address and a port, such as 127.0.0.1:31337".to_owned(),
            Kind::AddressOrOff => "an IP address and a port, or off".to_owned(),
            Kind::Path => "a path".to_owned(),
            Kind::Text => "text".to_owned(),
            Kind::Count => "a whole number above 0".to_owned(),
            Kind::Bytes => "bytes, such as 4194304 or \"4 MiB\"".to_owned(),
            Kind::Seconds => "whole seconds above 0".to_owned(),
            Kind::Truth => "true or false".to_owned(),
            Kind::OneOf(words) => words.join(" or "),
            Kind::List => "texts: an array in the file, with commas between them elsewhere".to_owned(),
        }
    }

    /// Whether TOML writes such a value without quotes.
    pub(crate) fn is_bare(self, text: &str) -> bool {
        match self {
            Kind::Count | Kind::Seconds | Kind::Truth => true,
            Kind::Bytes => text.bytes().all(|byte| byte.is_ascii_digit()),
            _ => false,
        }
    }
}

/// Reads `4194304`, `4 MiB`, `4MiB`; at least one byte. Units are powers of 1024, as memory is counted.
pub(crate) fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_start_matches(|character: char| character.is_ascii_digit());
    let number: u64 = text.get(..text.len().checked_sub(digits.len())?)?.parse().ok()?;
    let shift = match digits.trim() {
        "" | "B" => 0,
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return None,
    };
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_may_have_a_unit() {
        for (text, expected) in [
            ("1", Some(1)),
            ("4194304", Some(4 << 20)),
            ("4 MiB", Some(4 << 20)),
            ("4MiB", Some(4 << 20)),
            ("512 B", Some(512)),
            ("2 TiB", Some(2 << 40)),
            ("0", None),
            ("4 MB", None),
            ("MiB", None),
            ("-1", None),
            ("1.5 GiB", None),
            ("99999999999 TiB", None),
            ("", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }

    #[test]
    fn each_kind_knows_its_values() {
        for (kind, right, wrong) in [
            (Kind::Address, "[::1]:0", "localhost:80"),
            (Kind::AddressOrOff, "off", "on"),
            (Kind::Count, "1", "0"),
            (Kind::Seconds, "60", "99999999999"),
            (Kind::Truth, "true", "yes"),
            (Kind::OneOf(&["text", "json"]), "json", "xml"),
            (Kind::Path, "/a", ""),
        ] {
            assert!(kind.allows(right) && !kind.allows(wrong), "{kind:?}");
        }
    }
}
