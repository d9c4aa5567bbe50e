//! Opens files: one store a connection.

use std::sync::Arc;

use bowshot_core::{Cancel, Result};

use crate::error::{changed, io, missing};
use crate::held::HeldFile;
use crate::list;
use crate::open::Open;
use crate::snapshot::{File, Version};
use crate::uri::{Location, Place};

/// The disk, or a connection to an object store.
pub(crate) enum Store {
    Local,
    #[cfg(feature = "remote")]
    Remote(crate::remote::Remote),
}

impl Store {
    /// Nothing is sent yet.
    pub(crate) fn new(location: &Location, cancel: &Cancel) -> Result<Self> {
        match &location.place {
            Place::Local(_) => Ok(Store::Local),
            #[cfg(feature = "remote")]
            Place::Remote { address, options } => {
                Ok(Store::Remote(crate::remote::Remote::new(address, options, cancel)?))
            }
            #[cfg(not(feature = "remote"))]
            Place::Remote { address, .. } => {
                let _ = cancel;
                Err(bowshot_core::Error::new(
                    bowshot_core::ErrorKind::Unsupported,
                    format!("this build does not read {address}"),
                ))
            }
        }
    }

    /// The files of the location, in the order of their paths.
    pub(crate) fn list(&self, location: &Location) -> Result<Vec<Arc<File>>> {
        match (self, &location.place) {
            (_, Place::Local(path)) => list::local(location, path),
            #[cfg(feature = "remote")]
            (Store::Remote(remote), Place::Remote { .. }) => remote.list(location),
            (_, Place::Remote { address, .. }) => Err(list::none(address)),
        }
    }

    /// The file of a ticket, if the location has it and it is still the same. On the machine where it was listed, at the same place
    /// (`here`), it must be the very same file; elsewhere one of the same size and time of change, as copies and other mounts have it.
    pub(crate) fn find(&self, location: &Location, wanted: &HeldFile, here: bool) -> Result<Arc<File>> {
        match (self, &location.place) {
            (_, Place::Local(path)) => {
                let path = list::find(location, path, &wanted.below)?;
                let name = path.strip_prefix(".").unwrap_or(&path).display().to_string();
                let metadata = std::fs::metadata(&path).map_err(|error| match error.kind() {
                    std::io::ErrorKind::NotFound => missing(&name),
                    _ => io(&name, error),
                })?;
                let version = Version::of(&metadata);
                let same = match here {
                    true => version == wanted.version,
                    false => version.elsewhere() == wanted.version.elsewhere(),
                };
                if !same || metadata.len() != wanted.size || !metadata.is_file() {
                    return Err(changed(&name));
                }
                let (below, keys) = (wanted.below.clone(), wanted.keys.clone());
                Ok(Arc::new(File { name, path, below, size: metadata.len(), version, keys }))
            }
            #[cfg(feature = "remote")]
            (Store::Remote(remote), Place::Remote { .. }) => remote.find(location, wanted),
            (_, Place::Remote { address, .. }) => Err(list::none(address)),
        }
    }

    pub(crate) fn open(&self, file: &Arc<File>) -> Result<Open> {
        match self {
            Store::Local => Open::local(file),
            #[cfg(feature = "remote")]
            Store::Remote(remote) => Ok(Open::remote(file, remote.object(file))),
        }
    }
}
