//! Which files there are.

use std::path::Path;
use std::sync::Arc;

use bowshot_core::{Address, Error, ErrorKind, Result};

use crate::error::io;
use crate::format::Format;
use crate::lake::Lake;
use crate::snapshot::{File, Version};
use crate::uri::Location;
use crate::{glob, hive};

/// The files of a path on the disk, in the order of their paths.
pub(crate) fn local(location: &Location, path: &str) -> Result<Vec<Arc<File>>> {
    let root = Path::new(path);
    let mut found = Vec::new();
    // A path that exists means itself, stars and all.
    match std::fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => {
            if let Some(lake) = walk(root, "", &mut found)? {
                return Err(lake.refusal(path));
            }
            found.retain(|(below, _)| is_data(location, below));
        }
        Ok(metadata) => found.push((String::new(), metadata)),
        Err(_) if glob::is_pattern(path) => {
            let folder = glob::folder(path);
            let start = if folder.is_empty() { Path::new(".") } else { Path::new(folder) };
            if start.is_dir() {
                walk(start, "", &mut found)?;
            }
            found.retain(|(below, _)| glob::matches(path, &format!("{folder}{below}")));
            let root = start.to_path_buf();
            return finish(location, path, &root, found);
        }
        Err(error) => return Err(io(&Address::new(path).to_string(), error)),
    }
    finish(location, path, root, found)
}

fn finish(
    location: &Location,
    path: &str,
    root: &Path,
    mut found: Vec<(String, std::fs::Metadata)>,
) -> Result<Vec<Arc<File>>> {
    found.sort_by(|one, other| one.0.cmp(&other.0));
    if found.is_empty() {
        return Err(none(path));
    }
    let file = |(below, metadata): (String, std::fs::Metadata)| {
        let path = if below.is_empty() { root.to_path_buf() } else { root.join(&below) };
        let name = path.strip_prefix(".").unwrap_or(&path).display().to_string();
        let keys = if location.hive { hive::keys(&below) } else { Vec::new() };
        Arc::new(File { name, path, size: metadata.len(), version: Version::of(&metadata), keys })
    };
    Ok(found.into_iter().map(file).collect())
}

/// The error of a place without files.
pub(crate) fn none(path: &str) -> Error {
    Error::new(ErrorKind::Io, format!("no files are at {}", Address::new(path))).with_hint(
        "check the path; of a folder, files named .parquet, .csv, .tsv, .arrow, .feather, .ipc or .arrows are read, and \
         all others with ?format=…",
    )
}

/// Whether a file of a folder is one to read.
pub(crate) fn is_data(location: &Location, below: &str) -> bool {
    location.format.is_some() || Format::of_name(below).is_some()
}

/// Whether a file or folder is a writer's own, such as `_SUCCESS`, `_delta_log` and `.part.crc`.
pub(crate) fn is_hidden(name: &str) -> bool {
    // A folder of a key may well begin with an underscore.
    name.starts_with('.') || (name.starts_with('_') && !name.contains('='))
}

/// Finds the files of a folder; whether a table format's log is among them.
fn walk(folder: &Path, below: &str, found: &mut Vec<(String, std::fs::Metadata)>) -> Result<Option<Lake>> {
    let mut lake = None;
    let failed = |error| io(&folder.display().to_string(), error);
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Err(Error::new(
                ErrorKind::Unsupported,
                format!("the name of {} is not UTF-8", entry.path().display()),
            ));
        };
        let place = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        lake = lake.or(Lake::of(&place));
        if is_hidden(name) {
            continue;
        }
        let path = entry.path();
        // Links are followed; one that leads nowhere is an error when it is a file to read.
        let metadata = std::fs::metadata(&path).map_err(|error| io(&path.display().to_string(), error))?;
        // A chain of folders longer than a path can be is a link to a folder above.
        if metadata.is_dir() && place.len() < 4_096 {
            lake = lake.or(walk(&path, &place, found)?);
        } else if metadata.is_file() {
            found.push((place, metadata));
        }
    }
    Ok(lake)
}
