//! Opens files: one store a connection.

use std::sync::Arc;

use bowshot_core::{Cancel, Result};

use crate::list;
use crate::open::Open;
use crate::snapshot::File;
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

    pub(crate) fn open(&self, file: &Arc<File>) -> Result<Open> {
        match self {
            Store::Local => Open::local(file),
            #[cfg(feature = "remote")]
            Store::Remote(remote) => Ok(Open::remote(file, remote.object(file))),
        }
    }
}
