//! Whose a server is: the real ones refuse to run as root.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use nix::unistd::{User, geteuid};

use crate::{Certificates, Result};

/// The user that a server and its files belong to; none where that is who runs the test.
pub(crate) struct Owner(Option<User>);

impl Owner {
    /// Who runs the test, or else, where that is root, the first of these users that there is.
    pub(crate) fn find(names: &[&str]) -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Owner(None));
        }
        for name in names {
            if let Some(user) = User::from_name(name)? {
                return Ok(Owner(Some(user)));
            }
        }
        Err(format!("the server refuses to run as root, and there is no user {} to run it as", names.join(" or "))
            .into())
    }

    /// Who runs the test, for servers that do not mind root.
    pub(crate) fn ourselves() -> Self {
        Owner(None)
    }

    /// Makes a file or folder the owner's.
    pub(crate) fn give(&self, path: &Path) -> Result<()> {
        if let Some(owner) = &self.0 {
            chown(path, Some(owner.uid.as_raw()), Some(owner.gid.as_raw()))?;
        }
        Ok(())
    }

    /// Makes certificates for a server: clients read theirs, and the server's keys must belong to its user.
    pub(crate) fn certificates(&self, root: &Path, client: &str) -> Result<Certificates> {
        use std::fs::{Permissions, set_permissions};
        use std::os::unix::fs::PermissionsExt;

        let certificates = Certificates::make(&root.join("certificates"), client)?;
        let ours = [certificates.server_key(), certificates.nameless_key()];
        let open = [certificates.root(), certificates.other_root(), certificates.server(), certificates.nameless()];
        for path in ours.iter().chain(&open) {
            self.give(path)?;
        }
        for path in &open {
            set_permissions(path, Permissions::from_mode(0o644))?;
        }
        Ok(certificates)
    }

    /// A program that runs as the owner, with nothing of our environment.
    pub(crate) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        // The folder that we are in may be closed to the server's user.
        command.current_dir("/").env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").env("TZ", "UTC");
        // Its own group: Ctrl-C in a terminal is for the tests, which then stop it.
        command.process_group(0);
        if let Some(owner) = &self.0 {
            command.uid(owner.uid.as_raw()).gid(owner.gid.as_raw());
        }
        command
    }
}
