//! The private file of what finds no room in memory.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;

use crate::encode::decode;

/// A file without a name, which is gone when the last one who knows it drops it.
struct SpillFile(Mutex<File>);

impl SpillFile {
    /// A new file in `folder`.
    fn create(folder: &Path) -> Result<Self> {
        open(folder).map(|file| SpillFile(Mutex::new(file))).map_err(|error| {
            let folder = folder.display();
            Error::new(ErrorKind::Io, format!("no file for spilled batches can be made in {folder}: {error}"))
                .with_hint("name a folder that may be written as the spill folder, or set its limit to 0 bytes")
                .with_source(error)
        })
    }

    /// Writes all `bytes` from position `start` on.
    fn write(&self, start: u64, bytes: &[u8]) -> io::Result<()> {
        let mut file = self.0.lock();
        file.seek(SeekFrom::Start(start))?;
        file.write_all(bytes)
    }

    fn read(&self, start: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut file = self.0.lock();
        file.seek(SeekFrom::Start(start))?;
        file.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

fn open(folder: &Path) -> io::Result<File> {
    let file = tempfile::tempfile_in(folder)?;
    // A file without a name is made with the rights that the process gives to all of its files.
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(file)
}

/// What writes into the file, which is made when it is needed.
pub(crate) struct Spill {
    folder: PathBuf,
    /// Everything that was spilled holds it too, so that the disk is free as soon as the query and its readers are done.
    file: Option<Arc<SpillFile>>,
}

impl Spill {
    pub(crate) fn new(folder: &Path) -> Self {
        Spill { folder: folder.to_owned(), file: None }
    }

    /// Into a file that takes nothing, as if the disk were full.
    #[cfg(test)]
    pub(crate) fn full(folder: &Path) -> Self {
        let path = folder.join("read only");
        std::fs::write(&path, "").unwrap();
        let file = SpillFile(Mutex::new(File::open(path).unwrap()));
        Spill { folder: folder.to_owned(), file: Some(Arc::new(file)) }
    }

    /// Writes a batch as it was encoded; `None` where the disk does not take it.
    ///
    /// # Errors
    /// Of kind [`Io`](ErrorKind::Io) where there can be no file at all.
    pub(crate) fn write(&mut self, start: u64, message: &[u8]) -> Result<Option<Spilled>> {
        let file = match &self.file {
            Some(file) => Arc::clone(file),
            None => Arc::clone(self.file.insert(Arc::new(SpillFile::create(&self.folder)?))),
        };
        let written = file.write(start, message);
        Ok(written.is_ok().then_some(Spilled { file, start, length: message.len() }))
    }
}

/// A batch that waits on disk.
pub(crate) struct Spilled {
    file: Arc<SpillFile>,
    start: u64,
    length: usize,
}

impl Spilled {
    /// Its place in the file.
    pub(crate) fn start(&self) -> u64 {
        self.start
    }

    /// Reads it back.
    pub(crate) fn read(&self) -> Result<RecordBatch> {
        let bytes = self.file.read(self.start, self.length).map_err(|error| {
            Error::new(ErrorKind::Io, format!("a spilled batch cannot be read back: {error}")).with_source(error)
        })?;
        decode(&bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_private_and_has_no_name() {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFile::create(folder.path()).unwrap();
        spill.write(0, b"some rows").unwrap();
        assert_eq!(spill.read(5, 4).unwrap(), b"rows");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            let metadata = spill.0.lock().metadata().unwrap();
            assert_eq!((metadata.mode() & 0o777, metadata.nlink()), (0o600, 0));
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_named_with_the_way_out() {
        let error = SpillFile::create(Path::new("/no/such/folder")).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Io);
        assert!(error.to_string().contains("/no/such/folder") && error.hint().is_some(), "{error}");
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let file = Arc::new(SpillFile::create(folder.path()).unwrap());
        file.write(0, b"no batch at all").unwrap();
        for (start, length) in [(0, 15), (0, 16), (100, 1)] {
            let spilled = Spilled { file: Arc::clone(&file), start, length };
            assert_eq!(spilled.read().unwrap_err().kind(), ErrorKind::Io);
        }
    }
}
