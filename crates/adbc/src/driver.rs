//! Finds and loads drivers.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use adbc_core::LOAD_FLAG_DEFAULT;
use adbc_core::error::Status;
use adbc_core::options::AdbcVersion;
use adbc_driver_manager::ManagedDriver;
use bowshot_core::{Error, ErrorKind, Result};
use parking_lot::Mutex;

use crate::duckdb;
use crate::family::Family;
use crate::uri::Location;

/// Folders of Python packages, in the order of the search.
static PACKAGES: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Says in which folders of Python packages drivers that are named without a path are searched for, in place of the
/// folders said before: `pip install duckdb adbc-driver-sqlite` is then all that `duckdb:` and `adbc:sqlite` need.
///
/// Without it, and after it, the packages of `VIRTUAL_ENV` and `CONDA_PREFIX` are searched.
pub fn search_packages(folders: impl IntoIterator<Item = PathBuf>) {
    *PACKAGES.lock() = folders.into_iter().collect();
}

/// Loads the driver of a location. A library stays loaded for as long as the process runs, since batches that it made may
/// live that long.
pub(crate) fn load(location: &Location) -> Result<ManagedDriver> {
    let name = &location.driver;
    if is_path(name) {
        return load_path(Path::new(name), location);
    }
    // What the user installed for all programs, with a manifest or on the library path, comes first.
    let mut trace = None;
    for name in names(name) {
        match load_from(OsStr::new(&name), location) {
            Ok(driver) => return Ok(driver),
            Err(error) if error.status == Status::NotFound => trace = trace.or(Some(error)),
            Err(error) => return Err(broken(location, &error.message)),
        }
    }
    if let Some(path) = packages().iter().find_map(|folder| in_package(folder, name)) {
        return load_path(&path, location);
    }
    let package = package(name);
    let hint = match location.family {
        Family::DuckDb => {
            "install it with: pip install duckdb   (or name DuckDB's library: duckdb:///x.db?driver=/path/to/libduckdb.so)"
                .to_owned()
        }
        _ => format!(
            "install it, for example with: pip install {}   (or give its path: adbc:/path/to/lib{package}.so?…, or put \
             its folder into ADBC_DRIVER_PATH)",
            package.replace('_', "-"),
        ),
    };
    let error = Error::new(ErrorKind::Config, format!("no ADBC driver \"{name}\" was found")).with_hint(hint);
    Err(match trace {
        Some(trace) => error.with_source(trace),
        None => error,
    })
}

fn load_path(path: &Path, location: &Location) -> Result<ManagedDriver> {
    if path.is_absolute() && !path.exists() && !path.with_extension("toml").exists() {
        return Err(Error::new(ErrorKind::Config, format!("there is no ADBC driver {}", path.display()))
            .with_hint("check the path of the driver's library"));
    }
    load_from(path.as_os_str(), location).map_err(|error| broken(location, &error.message))
}

fn load_from(name: &OsStr, location: &Location) -> adbc_core::error::Result<ManagedDriver> {
    let entrypoint = location.entrypoint.as_ref().map(String::as_bytes);
    // DuckDB's library is a driver under a name of its own.
    let entrypoint = entrypoint.or((location.family == Family::DuckDb).then_some(duckdb::ENTRYPOINT.as_bytes()));
    match ManagedDriver::load_from_name(name, entrypoint, AdbcVersion::V110, LOAD_FLAG_DEFAULT, None) {
        Err(error) if error.status == Status::NotImplemented => {
            ManagedDriver::load_from_name(name, entrypoint, AdbcVersion::V100, LOAD_FLAG_DEFAULT, None)
        }
        loaded => loaded,
    }
}

/// The error of a library that is there and no driver.
fn broken(location: &Location, message: &str) -> Error {
    let driver = &location.driver;
    let hint = match &location.entrypoint {
        _ if message.contains("undefined symbol: Py") => {
            "this is Python's own module, which no other program can load: name DuckDB's library with \
             driver=/path/to/libduckdb.so"
                .to_owned()
        }
        Some(entrypoint) => format!("entrypoint={entrypoint} must be a function of that library"),
        None => "its entry point may have an unusual name: say it with entrypoint=NAME".to_owned(),
    };
    let message = format!("the ADBC driver \"{driver}\" cannot be loaded: {}", location.secrets.hide(message));
    Error::new(ErrorKind::Config, message).with_hint(hint)
}

fn is_path(name: &str) -> bool {
    name.contains(['/', '\\']) || Path::new(name).extension().is_some()
}

/// The names under which a driver may be known: `sqlite`, `adbc_driver_sqlite`.
fn names(name: &str) -> Vec<String> {
    let package = package(name);
    if name == package { vec![package] } else { vec![name.to_owned(), package] }
}

/// The Python package of a driver.
fn package(name: &str) -> String {
    let name = name.replace('-', "_");
    if name.starts_with("adbc_driver_") || name == "duckdb" { name } else { format!("adbc_driver_{name}") }
}

/// Folders with Python packages: what the process said, then those of active environments.
fn packages() -> Vec<PathBuf> {
    let mut folders = PACKAGES.lock().clone();
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        let Some(root) = std::env::var_os(variable).map(PathBuf::from) else { continue };
        folders.push(root.join("Lib").join("site-packages"));
        let versions = std::fs::read_dir(root.join("lib")).into_iter().flatten().flatten();
        let pythons = versions
            .map(|entry| entry.path())
            .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python")));
        folders.extend(pythons.map(|python| python.join("site-packages")));
    }
    folders
}

/// The library of a driver among the packages of a folder.
fn in_package(folder: &Path, name: &str) -> Option<PathBuf> {
    let package = package(name);
    if package == "duckdb" {
        // Else the module itself, which only Python can load: _duckdb.cpython-313-x86_64-linux-gnu.so.
        return library(folder, "libduckdb.").or_else(|| library(folder, "_duckdb."));
    }
    let folder = folder.join(&package);
    library(&folder, &format!("lib{package}.")).or_else(|| library(&folder, &format!("{package}.")))
}

/// The shared library in a folder whose name begins so.
fn library(folder: &Path, start: &str) -> Option<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(start) && [".so", ".dylib", ".dll", ".pyd"].iter().any(|end| name.ends_with(end))
        })
        .collect();
    found.sort();
    found.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_searched_by_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let touch = |path: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
            path
        };
        let sqlite = touch("adbc_driver_sqlite/libadbc_driver_sqlite.so");
        touch("adbc_driver_sqlite/libadbc_driver_sqlite.so.txt");
        let duckdb = touch("_duckdb.cpython-311-x86_64-linux-gnu.so");
        for name in ["sqlite", "adbc_driver_sqlite", "adbc-driver-sqlite"] {
            assert_eq!(in_package(folder.path(), name).as_ref(), Some(&sqlite), "{name}");
        }
        assert_eq!(in_package(folder.path(), "duckdb"), Some(duckdb));
        let library = touch("libduckdb.so");
        assert_eq!(in_package(folder.path(), "duckdb"), Some(library));
        assert_eq!(in_package(folder.path(), "postgresql"), None);
    }
}
