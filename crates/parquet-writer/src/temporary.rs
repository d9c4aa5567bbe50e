//! A file that takes its target's place when it is whole.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use bowshot_core::{Error, ErrorKind, Result};

use crate::failure::io_failed;

/// How many temporary files this process has made: part of their names.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// A new file beside its target. Dropping it removes it; [`commit`](Self::commit) gives it the target's name.
#[derive(Debug)]
pub(crate) struct Temporary {
    file: File,
    path: PathBuf,
    target: PathBuf,
    overwrite: bool,
    is_target: bool,
}

impl Temporary {
    /// Begins a file that will be called `target`. Links are followed, so that a link to a file stays one.
    ///
    /// # Errors
    /// The target exists and is not to be replaced, or is no file; the folder is missing or cannot be written.
    pub(crate) fn create(target: &Path, overwrite: bool) -> Result<Self> {
        let target = resolve(target)?;
        match target.metadata() {
            Ok(found) if !found.is_file() => {
                let what = if found.is_dir() { "a folder" } else { "no regular file" };
                return Err(Error::new(ErrorKind::Io, format!("{} is {what}", target.display()))
                    .with_hint("name a file to write to"));
            }
            Ok(_) if !overwrite => return Err(exists(&target)),
            _ => {}
        }
        if target.file_name().is_none() {
            return Err(Error::new(ErrorKind::Config, format!("\"{}\" names no file", target.display()))
                .with_hint("name a file to write to"));
        }
        let (file, path) = open_hidden(&target).map_err(|error| io_failed(&target.display().to_string(), &error))?;
        Ok(Temporary { file, path, target, overwrite, is_target: false })
    }

    /// The path of the target, as errors name it.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// Puts the file in its target's place, once all of it is on the disk.
    ///
    /// # Errors
    /// The disk fails, or the target came to exist meanwhile and is not to be replaced.
    pub(crate) fn commit(&mut self) -> Result<()> {
        let failed = |error: io::Error| io_failed(&self.target.display().to_string(), &error);
        self.file.sync_all().map_err(failed)?;
        if self.overwrite {
            std::fs::rename(&self.path, &self.target).map_err(failed)?;
        } else {
            rename_new(&self.path, &self.target).map_err(|error| match error.kind() {
                io::ErrorKind::AlreadyExists => exists(&self.target),
                _ => failed(error),
            })?;
        }
        self.is_target = true;
        // The name itself is on the disk once the folder is; some file systems have no such call.
        if let Some(folder) = self.target.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Write for Temporary {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.is_target {
            // Nobody is left to hear of it.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// A new file in the target's folder. Its name is short, so that it is allowed wherever the target's is.
fn open_hidden(target: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = target.with_file_name(format!(".bowshot-{}-{count}.partial", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            // Left by a process of the same number, or made by one of another machine.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, path)),
        }
    }
}

/// The file that a path leads to: links are followed; what does not exist yet is taken by its name.
fn resolve(target: &Path) -> Result<PathBuf> {
    let failed = |error: io::Error| io_failed(&target.display().to_string(), &error);
    match target.canonicalize() {
        Ok(path) => Ok(path),
        // A link that leads nowhere would be replaced by the file.
        Err(error) if error.kind() == io::ErrorKind::NotFound && target.is_symlink() => Err(failed(error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => std::path::absolute(target).map_err(failed),
        Err(error) => Err(failed(error)),
    }
}

fn exists(target: &Path) -> Error {
    Error::new(ErrorKind::Io, format!("{} exists already", target.display()))
        .with_hint("write to another name, or replace it: overwrite=true")
}

/// Renames a file, never over another one.
#[cfg(target_os = "linux")]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    use rustix::io::Errno;

    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // File systems that have no such rename.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rename_linked(from, to),
        done => Ok(done?),
    }
}

#[cfg(not(target_os = "linux"))]
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    rename_linked(from, to)
}

/// A second name for the file is refused where the name is taken.
fn rename_linked(from: &Path, to: &Path) -> io::Result<()> {
    match std::fs::hard_link(from, to) {
        Ok(()) => std::fs::remove_file(from),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        // No links either: the look at the beginning is what is left.
        Err(_) if !to.exists() => std::fs::rename(from, to),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_target_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.parquet");
        let mut file = Temporary::create(&target, false).unwrap();
        file.write_all(b"half").unwrap();
        assert!(!target.exists());
        drop(file);
        assert!(names(folder.path()).is_empty());

        let mut file = Temporary::create(&target, false).unwrap();
        file.write_all(b"whole").unwrap();
        file.commit().unwrap();
        drop(file);
        assert_eq!(names(folder.path()), ["a.parquet"]);
        assert_eq!(std::fs::read(&target).unwrap(), b"whole");
    }

    #[test]
    fn what_exists_is_replaced_only_where_that_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.parquet");
        std::fs::write(&target, b"old").unwrap();
        let error = Temporary::create(&target, false).unwrap_err();
        assert!(error.to_string().contains("exists already"), "{error}");

        let mut file = Temporary::create(&target, true).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(std::fs::read(&target).unwrap(), b"old");
        file.commit().unwrap();
        drop(file);
        assert_eq!(std::fs::read(&target).unwrap(), b"new");
        assert_eq!(names(folder.path()), ["a.parquet"]);
    }

    #[test]
    fn a_file_that_came_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.parquet");
        let mut file = Temporary::create(&target, false).unwrap();
        std::fs::write(&target, b"theirs").unwrap();
        let error = file.commit().unwrap_err();
        drop(file);
        assert!(error.to_string().contains("exists already"), "{error}");
        assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
        assert_eq!(names(folder.path()), ["a.parquet"]);

        let from = folder.path().join("from");
        std::fs::write(&from, b"ours").unwrap();
        assert_eq!(rename_linked(&from, &target).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        rename_linked(&from, &folder.path().join("free")).unwrap();
        assert_eq!(names(folder.path()), ["a.parquet", "free"]);
    }

    #[test]
    fn what_is_no_file_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        for (target, words) in [
            (folder.path().to_owned(), "is a folder"),
            ("/dev/null".into(), "is no regular file"),
            (folder.path().join("missing/a.parquet"), "No such file"),
        ] {
            let error = Temporary::create(&target, true).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Io);
            assert!(error.to_string().contains(words), "{error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("real"), folder.path().join("link"));
        std::fs::write(&target, b"old").unwrap();
        std::os::unix::fs::symlink(&target, &link).unwrap();
        let mut file = Temporary::create(&link, true).unwrap();
        file.write_all(b"new").unwrap();
        file.commit().unwrap();
        assert!(link.is_symlink());
        assert_eq!(std::fs::read(&target).unwrap(), b"new");

        std::fs::remove_file(&target).unwrap();
        assert!(Temporary::create(&link, true).unwrap_err().to_string().contains("No such file"));
    }
}
