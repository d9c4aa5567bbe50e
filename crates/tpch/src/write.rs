//! Writing the files, once.

use std::fs;
use std::path::{Path, PathBuf};

use bowshot_core::{Error, ErrorKind, Result};

use crate::demo::{Demo, TABLES};
use crate::format::failed;
use crate::rows::{dressed, plain, rows};

/// The folder with the demo's files, in which each table has a folder of its own; they are made if they are not there yet.
///
/// They appear all at once: who is interrupted leaves nothing that looks whole, and of two who write at the same time one
/// wins. To make them, the generator keeps about 300 MB of text in memory.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) for a size that makes no sense, of kind [`Io`](ErrorKind::Io) where the folder
/// cannot be written to.
pub fn write(cache: &Path, demo: &Demo) -> Result<PathBuf> {
    demo.check()?;
    let folder = cache.join(demo.folder());
    if folder.is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(cache).map_err(|error| failed(cache, error))?;
    let unfinished =
        tempfile::Builder::new().prefix(".tpch-").tempdir_in(cache).map_err(|error| failed(cache, error))?;
    for table in TABLES {
        write_table(&unfinished.path().join(table), table, demo)?;
    }
    match fs::rename(unfinished.path(), &folder) {
        Ok(()) => {
            // Nothing is left there to be deleted.
            let _ = unfinished.keep();
            Ok(folder)
        }
        // Somebody else was quicker, with the same files.
        Err(_) if folder.is_dir() => Ok(folder),
        Err(error) => Err(failed(&folder, error)),
    }
}

fn write_table(folder: &Path, table: &str, demo: &Demo) -> Result<()> {
    fs::create_dir(folder).map_err(|error| failed(folder, error))?;
    let parts = demo.files(table);
    for part in 1..=parts {
        let missing = || Error::new(ErrorKind::Internal, format!("TPC-H has no table {table}"));
        let reader = rows(table, demo.scale, part, parts).ok_or_else(missing)?;
        let schema = plain(&reader.schema());
        let batches = reader.map(|batch| dressed(&batch?, &schema));
        let path = folder.join(format!("part-{part}.{}", demo.format.extension()));
        demo.format.write(&path, &schema, batches)?;
    }
    Ok(())
}
