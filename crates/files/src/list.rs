//! Which files there are.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use bowshot_core::{Address, Error, ErrorKind, Result};

use crate::error::{io, missing};
use crate::format::{Format, is_orc, may_be_document, orc};
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
            let orc_file = found.iter().map(|(below, _)| below.clone()).find(|below| is_orc(below));
            found.retain(|(below, _)| is_data(location, below));
            if let (true, Some(below)) = (found.is_empty(), orc_file) {
                return Err(orc(&below));
            }
            pass_documents(location, &mut found, |(below, _)| below);
        }
        Ok(metadata) => found.push((String::new(), metadata)),
        Err(_) if glob::is_pattern(path) => {
            let (folder, start) = (glob::folder(path), start(path));
            if start.is_dir() {
                walk(start, "", &mut found)?;
            }
            found.retain(|(below, _)| glob::matches(path, &format!("{folder}{below}")));
            return finish(location, path, start, found);
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
        Arc::new(File { name, path, below, size: metadata.len(), version: Version::of(&metadata), keys })
    };
    Ok(found.into_iter().map(file).collect())
}

/// Where the file is that a listing of the location would name so.
pub(crate) fn find(location: &Location, path: &str, below: &str) -> Result<PathBuf> {
    let root = Path::new(path);
    let inside = || if is_inside(below) { Ok(()) } else { Err(outside(location, below)) };
    match std::fs::metadata(root) {
        Ok(metadata) if metadata.is_dir() => {
            inside()?;
            if is_data(location, below) { Ok(root.join(below)) } else { Err(outside(location, below)) }
        }
        Ok(_) if below.is_empty() => Ok(root.to_path_buf()),
        Ok(_) => Err(outside(location, below)),
        Err(_) if glob::is_pattern(path) => {
            inside()?;
            let found = glob::matches(path, &format!("{}{below}", glob::folder(path)));
            if found { Ok(start(path).join(below)) } else { Err(outside(location, below)) }
        }
        Err(error) => {
            let name = Address::new(path).to_string();
            Err(if error.kind() == std::io::ErrorKind::NotFound { missing(&name) } else { io(&name, error) })
        }
    }
}

/// Where names of files begin.
pub(crate) fn start(path: &str) -> &Path {
    let root = Path::new(path);
    match glob::folder(path) {
        _ if !glob::is_pattern(path) || root.exists() => root,
        "" => Path::new("."),
        folder => Path::new(folder),
    }
}

/// Whether a name leads to a file below a folder, through none that are hidden: not out of it, and to no other root.
pub(crate) fn is_inside(below: &str) -> bool {
    let parts = Path::new(below).components();
    let plain = parts.clone().all(|part| matches!(part, Component::Normal(_)));
    // `..` is hidden too.
    plain && parts.count() == below.split('/').count() && !below.split('/').any(is_hidden)
}

/// The error of a ticket whose file a location does not have.
pub(crate) fn outside(location: &Location, below: &str) -> Error {
    let place = Address::new(location.shown());
    let message = match below {
        "" => format!("the ticket is of a single file, and {place} is a folder"),
        _ => format!("the ticket's file {below:?} is none of those that are read from {place}"),
    };
    Error::new(ErrorKind::Config, message).with_hint(
        "join with the address that the plan was made with, or with that of the same folder on this machine, with the same options",
    )
}

/// The error of a place without files.
pub(crate) fn none(path: &str) -> Error {
    Error::new(ErrorKind::Io, format!("no files are at {}", Address::new(path))).with_hint(
        "check the path; of a folder, files named .parquet, .csv, .tsv, .jsonl, .ndjson, .json, .arrow, .feather, .ipc or \
         .arrows are read, and all others with ?format=…",
    )
}

/// Whether a file of a folder is one to read.
pub(crate) fn is_data(location: &Location, below: &str) -> bool {
    location.format.is_some() || Format::of_name(below).is_some()
}

/// Passes over `.json` files of a folder that lie beside data in another format: they describe it, as a rule.
pub(crate) fn pass_documents<T>(location: &Location, found: &mut Vec<T>, name: impl Fn(&T) -> &str) {
    let is_other = |file: &T| Format::of_name(name(file)).is_some_and(|format| format != Format::Json);
    if location.format.is_none() && found.iter().any(is_other) {
        found.retain(|file| !may_be_document(name(file)));
    }
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
