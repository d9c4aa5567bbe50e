//! What is known of the programs that wrote files, where it decides how these are read.

/// The faults of a file's writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Writer {
    tells_lengths: bool,
    always_compresses: bool,
}

impl Writer {
    /// Of the name and the version that a footer gives.
    pub(super) fn new(name: Option<&str>) -> Self {
        Writer {
            tells_lengths: !is_before(name, "parquet-mr", (1, 2, 9)),
            always_compresses: is_before(name, "parquet-cpp", (2, 0, 0)),
        }
    }

    /// Whether its column chunks are as long as it says: before version 1.2.9, parquet-mr counted the dictionary without its header
    /// ([PARQUET-816](https://issues.apache.org/jira/browse/PARQUET-816)).
    pub(super) fn tells_lengths(self) -> bool {
        self.tells_lengths
    }

    /// Whether it compresses pages of the second version whatever it says of them: before version 2.0, parquet-cpp did so
    /// ([ARROW-10353](https://issues.apache.org/jira/browse/ARROW-10353)).
    pub(super) fn always_compresses(self) -> bool {
        self.always_compresses
    }
}

/// Whether the name is that of an older version of a program.
fn is_before(name: Option<&str>, program: &str, version: (u32, u32, u32)) -> bool {
    let Some(rest) = name.and_then(|name| name.strip_prefix(program)) else { return false };
    // Another program whose name is longer (parquet-cpp-arrow).
    if rest.starts_with(|letter: char| !letter.is_whitespace()) {
        return false;
    }
    let rest = rest.trim_start().trim_start_matches("version ");
    let mut numbers = rest.split(|letter: char| !letter.is_ascii_digit()).map(|digits| digits.parse().unwrap_or(0_u32));
    let mut next = || numbers.next().unwrap_or(0);
    (next(), next(), next()) < version
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writers_with_faults_are_known() {
        for (writer, tells_lengths, always_compresses) in [
            (None, true, false),
            (Some("parquet-cpp-arrow version 26.0.1"), true, false),
            (Some("parquet-cpp-arrow version 1.0.0"), true, false),
            (Some("parquet-cpp version 1.5.1-SNAPSHOT"), true, true),
            (Some("parquet-cpp version 2.0.0"), true, false),
            (Some("parquet-rs version 0.1.0"), true, false),
            (Some("parquet-mr version 1.2.9"), true, false),
            (Some("parquet-mr version 1.10.0 (build 031a6654009e3b82020012a18434c582bd74c73a)"), true, false),
            (Some("parquet-mr version 2.0"), true, false),
            (Some("parquet-mr version 1.2.8-SNAPSHOT"), false, false),
            (Some("parquet-mr version 1.1"), false, false),
            (Some("parquet-mr"), false, false),
        ] {
            let expected = Writer { tells_lengths, always_compresses };
            assert_eq!(Writer::new(writer), expected, "{writer:?}");
        }
    }
}
