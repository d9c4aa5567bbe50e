//! What a connection string leaves open is taken from the process and the machine around it.

use std::path::PathBuf;

/// The surroundings of a connection string. Tests have their own; nobody changes those of the process.
pub(crate) struct Environment<'a> {
    /// The value of an environment variable.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    /// The name of the operating system's user.
    pub(crate) user: Option<String>,
    /// Where `.pgpass` and `.postgresql/` lie.
    pub(crate) home: Option<PathBuf>,
    /// Folders in which servers put their Unix sockets, the likeliest first.
    pub(crate) socket_folders: Vec<PathBuf>,
    /// Folders in which administrators put `pg_service.conf`.
    pub(crate) system_folders: Vec<PathBuf>,
}

impl Environment<'static> {
    /// The process's own.
    pub(crate) fn process() -> Self {
        let user = nix::unistd::User::from_uid(nix::unistd::geteuid()).ok().flatten();
        Environment {
            variable: &|name| std::env::var(name).ok(),
            user: user.map(|user| user.name),
            home: std::env::home_dir(),
            // Debian's and Red Hat's folder, and that of a server built from source.
            socket_folders: vec!["/var/run/postgresql".into(), "/tmp".into()],
            system_folders: vec!["/etc/postgresql-common".into(), "/etc/sysconfig/pgsql".into(), "/etc".into()],
        }
    }
}

impl Environment<'_> {
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }

    /// A file in the user's own folder, whether it exists or not.
    pub(super) fn home_file(&self, name: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(name))
    }
}
