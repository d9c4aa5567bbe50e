//! Where PostgreSQL's programs are.

use std::env;
use std::path::{Path, PathBuf};

use crate::Result;

/// The folder with `initdb` and `postgres`: `POSTGRES_BIN`, or else Debian's newest version, or else one of PATH.
pub(crate) fn find() -> Result<PathBuf> {
    if let Some(folder) = env::var_os("POSTGRES_BIN").map(PathBuf::from) {
        return match complete(&folder) {
            true => Ok(folder),
            false => Err(format!("POSTGRES_BIN is {}, which has no initdb and postgres", folder.display()).into()),
        };
    }
    places()
        .find(|folder| complete(folder))
        .ok_or_else(|| "PostgreSQL is not installed: apt-get install postgresql, or set POSTGRES_BIN".into())
}

/// The client for a server of `folder`: its own, or else one of another version, which speaks to every server.
pub(crate) fn psql(folder: &Path) -> Result<PathBuf> {
    std::iter::once(folder.to_owned())
        .chain(places())
        .map(|folder| folder.join("psql"))
        .find(|program| program.is_file())
        .ok_or_else(|| "psql is not installed: apt-get install postgresql-client".into())
}

/// Debian's folders, the newest version first, and those of PATH.
fn places() -> impl Iterator<Item = PathBuf> {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    versions.sort();
    let path = env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = env::split_paths(&path).collect();
    versions.into_iter().rev().map(|(_, folder)| folder).chain(path)
}

fn complete(folder: &Path) -> bool {
    ["initdb", "postgres"].iter().all(|program| folder.join(program).is_file())
}
