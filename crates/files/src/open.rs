//! A file that is open: bytes at a place, whether they are on a disk or far away.

use std::fs::File as Handle;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use bowshot_core::Result;
use bytes::{Bytes, BytesMut};

use crate::error::{changed, io as io_error, missing};
use crate::snapshot::{File, Version};

/// An open file. Reads at a place do not disturb each other.
pub(crate) struct Open {
    pub(crate) file: Arc<File>,
    inner: Inner,
}

enum Inner {
    Local(Handle),
    Memory(Bytes),
    #[cfg(feature = "remote")]
    Remote(crate::remote::Object),
}

impl Open {
    /// Opens a file of the disk, if it is still the one that was listed.
    pub(crate) fn local(file: &Arc<File>) -> Result<Self> {
        let handle = Handle::open(&file.path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(&file.name),
            _ => io_error(&file.name, error),
        })?;
        let open = Open { file: Arc::clone(file), inner: Inner::Local(handle) };
        open.check()?;
        Ok(open)
    }

    /// A file that is in memory.
    pub(crate) fn memory(name: &str, bytes: Bytes) -> Self {
        let version = Version::Local { modified: None, number: None };
        let (name, path, size) = (name.to_owned(), PathBuf::new(), bytes.len() as u64);
        Open {
            file: Arc::new(File { name, path, below: String::new(), size, version, keys: Vec::new() }),
            inner: Inner::Memory(bytes),
        }
    }

    /// A file of an object store.
    #[cfg(feature = "remote")]
    pub(crate) fn remote(file: &Arc<File>, object: crate::remote::Object) -> Self {
        Open { file: Arc::clone(file), inner: Inner::Remote(object) }
    }

    pub(crate) fn len(&self) -> u64 {
        self.file.size
    }

    /// Whether many small reads are cheap.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self.inner, Inner::Local(_))
    }

    /// The file of the disk, to be mapped.
    pub(crate) fn handle(&self) -> Option<&Handle> {
        match &self.inner {
            Inner::Local(handle) => Some(handle),
            Inner::Memory(_) => None,
            #[cfg(feature = "remote")]
            Inner::Remote(_) => None,
        }
    }

    /// An error if the file changed since it was listed. An object store is asked for the listed version at each read.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(handle) = self.handle() {
            let metadata = handle.metadata().map_err(|error| io_error(&self.file.name, error))?;
            if metadata.len() != self.file.size || Version::of(&metadata) != self.file.version {
                return Err(changed(&self.file.name));
            }
        }
        Ok(())
    }

    /// `length` bytes from `start`.
    pub(crate) fn read(&self, start: u64, length: u64) -> Result<Bytes> {
        self.read_over(BytesMut::new(), start, length)
    }

    /// `length` bytes from `start`, in the memory of `old` bytes where there is room: memory that was used a moment ago costs less
    /// than new one.
    pub(crate) fn read_over(&self, old: BytesMut, start: u64, length: u64) -> Result<Bytes> {
        // Before memory is taken for what a damaged file asks for.
        if start.checked_add(length).is_none_or(|end| end > self.len()) {
            return Err(crate::error::damaged(&self.file.name, "it points to a place behind its end"));
        }
        match &self.inner {
            Inner::Local(handle) => read_at(handle, old, start, length).map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => match self.check() {
                    Ok(()) => crate::error::damaged(&self.file.name, "it ends before its data does"),
                    Err(changed) => changed,
                },
                _ => io_error(&self.file.name, error),
            }),
            Inner::Memory(bytes) => slice(bytes, start, length),
            #[cfg(feature = "remote")]
            Inner::Remote(object) => object.read(start, length),
        }
    }

    /// Several ranges, together where that saves time.
    pub(crate) fn read_all(&self, ranges: &[(u64, u64)]) -> Result<Vec<Bytes>> {
        match &self.inner {
            Inner::Local(_) | Inner::Memory(_) => {
                ranges.iter().map(|(start, length)| self.read(*start, *length)).collect()
            }
            #[cfg(feature = "remote")]
            Inner::Remote(object) => object.read_all(ranges),
        }
    }
}

/// Bytes that are there: without a copy.
fn slice(bytes: &Bytes, start: u64, length: u64) -> Result<Bytes> {
    let place = |place: u64| {
        usize::try_from(place).map_err(|_| io_error("a file in memory", io::ErrorKind::OutOfMemory.into()))
    };
    let start = place(start)?;
    Ok(bytes.slice(start..start + place(length)?))
}

fn read_at(handle: &Handle, old: BytesMut, start: u64, length: u64) -> io::Result<Bytes> {
    let length = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    if old.capacity() >= length {
        let mut bytes = old;
        // Zeroes only what was never used.
        bytes.resize(length, 0);
        read_exact_at(handle, &mut bytes, start)?;
        return Ok(bytes.freeze());
    }
    drop(old);
    let mut bytes = Vec::with_capacity(length);
    while bytes.len() < length {
        match read_more(handle, &mut bytes, start) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            _ => {}
        }
    }
    bytes.truncate(length);
    Ok(bytes.into())
}

/// Fills `bytes` with those from `start`.
#[cfg(unix)]
fn read_exact_at(handle: &Handle, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(handle, bytes, start)
}

/// Fills `bytes` with those from `start`.
#[cfg(windows)]
fn read_exact_at(handle: &Handle, bytes: &mut [u8], start: u64) -> io::Result<()> {
    let mut read = 0;
    while let Some(rest) = bytes.get_mut(read..).filter(|rest| !rest.is_empty()) {
        match std::os::windows::fs::FileExt::seek_read(handle, rest, start + read as u64)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => read += count,
        }
    }
    Ok(())
}

/// Fills what room `bytes` have with what follows them in the file, where they begin at `start`; how many bytes that are.
#[cfg(unix)]
fn read_more(handle: &Handle, bytes: &mut Vec<u8>, start: u64) -> io::Result<usize> {
    let at = start + bytes.len() as u64;
    // Room that nobody zeroed.
    Ok(rustix::io::pread(handle, rustix::buffer::spare_capacity(bytes), at)?)
}

/// Fills what room `bytes` have with what follows them in the file, where they begin at `start`; how many bytes that are.
#[cfg(windows)]
fn read_more(handle: &Handle, bytes: &mut Vec<u8>, start: u64) -> io::Result<usize> {
    let before = bytes.len();
    bytes.resize(bytes.capacity(), 0);
    let rest = bytes.get_mut(before..).unwrap_or_default();
    let read = std::os::windows::fs::FileExt::seek_read(handle, rest, start + before as u64)?;
    bytes.truncate(before + read);
    Ok(read)
}

/// Reads a range from its beginning to its end.
pub(crate) struct Sequence {
    open: Arc<Open>,
    at: u64,
    end: u64,
    held: Bytes,
}

/// How much is read at once.
const STEP: u64 = 1 << 20;
/// A round trip to an object store is worth more.
const REMOTE_STEP: u64 = 8 << 20;

impl Sequence {
    pub(crate) fn new(open: Arc<Open>, start: u64, end: u64) -> Self {
        Sequence { open, at: start, end, held: Bytes::new() }
    }
}

impl io::Read for Sequence {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.held.is_empty() && self.at < self.end {
            let step = if self.open.is_local() { STEP } else { REMOTE_STEP };
            let length = step.min(self.end - self.at);
            self.held = self.open.read(self.at, length).map_err(io::Error::other)?;
            self.at += length;
        }
        let length = buffer.len().min(self.held.len());
        let part = self.held.split_to(length);
        if let Some(target) = buffer.get_mut(..length) {
            target.copy_from_slice(&part);
        }
        Ok(length)
    }
}
