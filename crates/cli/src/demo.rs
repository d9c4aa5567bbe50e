//! What is served where nothing is named: the tables of TPC-H, generated once into the user's cache.

use std::path::PathBuf;

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_tpch::Demo;

use crate::config::{Origin, Source};

/// The demo's sources, a table each. The first time they are generated, which takes some seconds.
///
/// # Errors
/// Of kind [`Config`](ErrorKind::Config) where there is no folder for them, of kind [`Io`](ErrorKind::Io) where it cannot be
/// written to.
pub(crate) fn sources() -> Result<Vec<Source>> {
    let folder = bowshot_tpch::write(&cache()?, &Demo::default())?;
    let source = |(table, files): (&'static str, PathBuf)| {
        let address = format!("{table}={}/", files.display());
        Source::of_text(&address, Origin::Default)
    };
    Ok(bowshot_tpch::tables(&folder).into_iter().map(source).collect())
}

/// The user's cache.
fn cache() -> Result<PathBuf> {
    let folder = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let cache = folder("XDG_CACHE_HOME").or_else(|| folder("HOME").map(|home| home.join(".cache")));
    cache.map(|cache| cache.join("bowshot")).ok_or_else(|| {
        Error::new(ErrorKind::Config, "nothing is named to be served, and there is no folder for the demo's tables")
            .with_hint("give the address of a database or files, or set HOME: bowshot serve postgresql://user@host/db")
    })
}
