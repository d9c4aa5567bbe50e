//! The state of the files that all partitions see: the files as they were listed, each with its size and its version.

use std::fs::Metadata;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// A file as it was listed.
#[derive(Clone, Debug)]
pub(crate) struct File {
    /// For people, and the address in an object store; nothing secret is in it.
    pub(crate) name: String,
    /// On the disk, or within the store.
    pub(crate) path: PathBuf,
    /// The same below the location that was listed, with slashes; nothing where that is the file itself.
    pub(crate) below: String,
    pub(crate) size: u64,
    pub(crate) version: Version,
    /// What the folders on the way say: `year=2024`. `None` is Hive's word for NULL.
    pub(crate) keys: Vec<(String, Option<String>)>,
}

/// What tells one content of a file from another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Version {
    /// When it was written, and which file it is where that is known.
    Local { modified: Option<Moment>, number: Option<(u64, u64)> },
    /// The object store's own name of the version, and when it was written.
    #[cfg(feature = "remote")]
    Remote { tag: Option<String>, modified: i64 },
}

/// Nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Moment(i128);

impl Moment {
    fn of(time: SystemTime) -> Option<Self> {
        let nanoseconds = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i128::try_from(after.as_nanos()).ok()?,
            Err(before) => -i128::try_from(before.duration().as_nanos()).ok()?,
        };
        Some(Moment(nanoseconds))
    }
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
        Version::Local { modified: metadata.modified().ok().and_then(Moment::of), number }
    }

    /// When it was written, of a file on the disk.
    pub(crate) fn written(&self) -> Option<SystemTime> {
        let Version::Local { modified: Some(Moment(nanoseconds)), .. } = self else { return None };
        UNIX_EPOCH.checked_add(std::time::Duration::from_nanos(u64::try_from(*nanoseconds).ok()?))
    }

    /// The same where numbers of files mean nothing: on another machine.
    pub(crate) fn elsewhere(&self) -> Self {
        match self {
            Version::Local { modified, .. } => Version::Local { modified: *modified, number: None },
            #[cfg(feature = "remote")]
            Version::Remote { .. } => self.clone(),
        }
    }
}

/// What names the state.
pub(crate) fn name(files: usize) -> String {
    let plural = if files == 1 { "" } else { "s" };
    format!("{files} file{plural} as listed; size and time of change are checked at opening and after reading")
}
