//! Where MariaDB's programs are.

use std::env;
use std::path::{Path, PathBuf};

use crate::Result;

/// MariaDB's programs.
#[derive(Clone, Debug)]
pub(super) struct Binaries {
    /// The server.
    pub(super) server: PathBuf,
    /// The command-line client.
    pub(super) client: PathBuf,
    /// What makes a folder of data.
    pub(super) install: PathBuf,
    /// The folder that the server's own files are found from, where they are not where the server was built for.
    pub(super) base: Option<PathBuf>,
}

/// The programs in the folder `MARIADB_BIN` and those beside it, or else Debian's, or else PATH's.
pub(super) fn find() -> Result<Binaries> {
    if let Some(folder) = env::var_os("MARIADB_BIN").map(PathBuf::from) {
        let base = folder.parent().unwrap_or(Path::new("/")).to_owned();
        let folders = [folder.clone(), base.join("scripts"), base.join("sbin")];
        let missing = || format!("MARIADB_BIN is {}, which has no mariadbd and mariadb", folder.display());
        return Ok(complete(&folders, Some(base)).ok_or_else(missing)?);
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> =
        ["/usr/sbin", "/usr/bin"].map(PathBuf::from).into_iter().chain(env::split_paths(&path)).collect();
    complete(&folders, None).ok_or_else(|| {
        "MariaDB is not installed: apt-get install mariadb-server-core mariadb-client-core, or set MARIADB_BIN".into()
    })
}

fn complete(folders: &[PathBuf], base: Option<PathBuf>) -> Option<Binaries> {
    let find = |program: &str| folders.iter().map(|folder| folder.join(program)).find(|path| path.is_file());
    Some(Binaries { server: find("mariadbd")?, client: find("mariadb")?, install: find("mariadb-install-db")?, base })
}
