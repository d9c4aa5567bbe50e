//! The state of the files that all partitions see: the files as they were listed, each with its size and its version.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::SystemTime;

/// A file as it was listed.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// For people, and the address in an object store; nothing secret is in it.
    pub(crate) name: String,
    /// On the disk, or within the store.
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) version: Version,
    /// What the folders on the way say: `year=2024`. `None` is Hive's word for NULL.
    pub(crate) keys: Vec<(String, Option<String>)>,
}

/// What tells one content of a file from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// When it was written, and which file it is where that is known.
    Local { modified: Option<SystemTime>, number: Option<(u64, u64)> },
    /// The object store's own name of the version.
    #[cfg(feature = "remote")]
    Remote { tag: Option<String> },
}

impl Version {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let number = {
            use std::os::unix::fs::MetadataExt;
            Some((metadata.dev(), metadata.ino()))
        };
        #[cfg(not(unix))]
        let number = None;
        Version::Local { modified: metadata.modified().ok(), number }
    }
}

/// What names the state.
pub(crate) fn name(files: usize) -> String {
    let plural = if files == 1 { "" } else { "s" };
    format!("{files} file{plural} as listed; size and time of change are checked at opening and after reading")
}
