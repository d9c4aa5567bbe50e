//! From nothing to a running server.

use std::fs::{self, File};
use std::net::TcpListener;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::unistd::{User, geteuid};

use super::{PASSWORD, Postgres, SUPERUSER, binaries};
use crate::watchdog::Watchdog;
use crate::{Certificates, Result};

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// Settings of a server that is not started yet.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    port: Option<u16>,
    settings: Vec<(String, String)>,
    rules: Vec<String>,
    tls: bool,
}

impl Builder {
    /// Listens on this port instead of a free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Sets one of the server's settings, as in `postgresql.conf`.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// Adds a line to `pg_hba.conf`, before the ones that ask everybody for a password.
    #[must_use]
    pub fn rule(mut self, line: impl Into<String>) -> Self {
        self.rules.push(line.into());
        self
    }

    /// Lets the server speak TLS, with certificates of its own.
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// Starts the server and waits until it takes connections.
    pub fn start(self) -> Result<Postgres> {
        let binaries = binaries::find()?;
        let owner = owner()?;
        // A Unix socket's path has about 100 characters at most.
        let parent = std::env::temp_dir();
        let parent = if parent.as_os_str().len() > 50 { PathBuf::from("/tmp") } else { parent };
        let folder = tempfile::Builder::new().prefix("bowshot-pg-").tempdir_in(parent)?;
        let root = folder.path();
        // Others may look for the socket, and for the certificates that are theirs.
        fs::set_permissions(root, fs::Permissions::from_mode(0o755))?;
        let password = root.join("password");
        fs::write(&password, PASSWORD)?;
        for path in [root, &password] {
            give_to(path, owner.as_ref())?;
        }
        let mut initdb = command(&binaries, "initdb", owner.as_ref());
        initdb
            .args(["--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", "--auth=scram-sha-256"])
            .args(["--username", SUPERUSER])
            .arg("--pwfile")
            .arg(&password)
            .arg("--pgdata")
            .arg(root.join("data"));
        let output = initdb.output()?;
        if !output.status.success() {
            return Err(format!("initdb failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        fs::remove_file(password)?;
        let certificates = if self.tls { Some(self.certificates(root, owner.as_ref())?) } else { None };
        self.write_rules(&root.join("data/pg_hba.conf"))?;

        // Another process may take the free port in between: then a new one is tried.
        let mut last = String::new();
        for _ in 0..3 {
            let port = match self.port {
                Some(port) => port,
                None => TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port(),
            };
            let mut server = self.command(&binaries, root, port, certificates.as_ref(), owner.as_ref())?;
            let watchdog = Watchdog::start(server.id(), root)?;
            if wait_until_ready(&mut server, &root.join("data/postmaster.pid"))? {
                return Ok(Postgres {
                    server: Some(server),
                    port,
                    binaries,
                    certificates,
                    _watchdog: watchdog,
                    folder,
                });
            }
            last = fs::read_to_string(root.join("log")).unwrap_or_default();
            if self.port.is_some() {
                break;
            }
        }
        Err(format!("PostgreSQL did not start; its log:\n{last}").into())
    }

    fn certificates(&self, root: &Path, owner: Option<&User>) -> Result<Certificates> {
        let certificates = Certificates::make(&root.join("certificates"), SUPERUSER)?;
        // Clients read theirs; the server reads its own, whose keys must belong to its user.
        let ours = [certificates.server_key(), certificates.nameless_key()];
        let open = [certificates.root(), certificates.other_root(), certificates.server(), certificates.nameless()];
        for path in ours.iter().chain(&open) {
            give_to(path, owner)?;
        }
        for path in &open {
            fs::set_permissions(path, fs::Permissions::from_mode(0o644))?;
        }
        Ok(certificates)
    }

    fn write_rules(&self, path: &Path) -> Result<()> {
        let mut lines = self.rules.clone();
        lines.push("local all all scram-sha-256".to_owned());
        lines.push("host all all 127.0.0.1/32 scram-sha-256".to_owned());
        lines.push("local replication all scram-sha-256".to_owned());
        lines.push("host replication all 127.0.0.1/32 scram-sha-256".to_owned());
        // Written in place, so that the file stays its owner's.
        fs::write(path, lines.join("\n") + "\n")?;
        Ok(())
    }

    fn command(
        &self,
        binaries: &Path,
        root: &Path,
        port: u16,
        certificates: Option<&Certificates>,
        owner: Option<&User>,
    ) -> Result<Child> {
        let mut settings: Vec<(&str, String)> = vec![
            ("listen_addresses", "127.0.0.1".to_owned()),
            ("port", port.to_string()),
            ("unix_socket_directories", root.display().to_string()),
            // A test's data need not outlive a power cut.
            ("fsync", "off".to_owned()),
            ("synchronous_commit", "off".to_owned()),
            ("full_page_writes", "off".to_owned()),
            ("lc_messages", "C".to_owned()),
        ];
        if let Some(certificates) = certificates {
            settings.push(("ssl", "on".to_owned()));
            settings.push(("ssl_cert_file", certificates.server().display().to_string()));
            settings.push(("ssl_key_file", certificates.server_key().display().to_string()));
            settings.push(("ssl_ca_file", certificates.root().display().to_string()));
        }
        // Last, so that they replace ours.
        settings.extend(self.settings.iter().map(|(name, value)| (name.as_str(), value.clone())));
        let log = File::options().create(true).append(true).open(root.join("log"))?;
        let mut server = command(binaries, "postgres", owner);
        server.arg("-D").arg(root.join("data"));
        for (name, value) in settings {
            server.arg("-c").arg(format!("{name}={value}"));
        }
        Ok(server.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?)
    }
}

/// Whose the server must be: it refuses to run as root.
fn owner() -> Result<Option<User>> {
    if !geteuid().is_root() {
        return Ok(None);
    }
    let missing = "PostgreSQL refuses to run as root, and there is no user \"postgres\" to run it as";
    User::from_name("postgres")?.map(Some).ok_or_else(|| missing.into())
}

fn give_to(path: &Path, owner: Option<&User>) -> Result<()> {
    if let Some(owner) = owner {
        chown(path, Some(owner.uid.as_raw()), Some(owner.gid.as_raw()))?;
    }
    Ok(())
}

fn command(binaries: &Path, program: &str, owner: Option<&User>) -> Command {
    let mut command = Command::new(binaries.join(program));
    // The folder that we are in may be closed to the server's user.
    command.current_dir("/").env_clear().env("PATH", "/usr/bin:/bin").env("LC_ALL", "C.UTF-8").env("TZ", "UTC");
    // Its own group: Ctrl-C in a terminal is for the tests, which then stop it.
    command.process_group(0);
    if let Some(owner) = owner {
        command.uid(owner.uid.as_raw()).gid(owner.gid.as_raw());
    }
    command
}

/// Whether the server takes connections; `false` if it ended instead.
fn wait_until_ready(server: &mut Child, file: &Path) -> Result<bool> {
    let started = Instant::now();
    while started.elapsed() < PATIENCE {
        if server.try_wait()?.is_some() {
            return Ok(false);
        }
        // The file's eighth line is the server's state.
        let state = fs::read_to_string(file).unwrap_or_default();
        if state.lines().nth(7).is_some_and(|line| line.trim() == "ready") {
            return Ok(true);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    server.kill()?;
    server.wait()?;
    Ok(false)
}
