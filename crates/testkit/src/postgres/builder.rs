//! From nothing to a running server.

use std::fs;
use std::path::Path;

use super::{PASSWORD, Postgres, SUPERUSER, binaries};
use crate::owner::Owner;
use crate::process::Process;
use crate::{Certificates, Result};

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
        let owner = Owner::find(&["postgres"])?;
        let mut process = Process::folder("bowshot-pg-", &owner)?;
        let root = process.path().to_owned();
        let password = root.join("password");
        fs::write(&password, PASSWORD)?;
        owner.give(&password)?;
        let mut initdb = owner.command(&binaries.join("initdb"));
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
        let certificates = if self.tls { Some(owner.certificates(&root, SUPERUSER)?) } else { None };
        self.write_rules(&root.join("data/pg_hba.conf"))?;

        let settings = self.settings(&root, certificates.as_ref());
        let command = |port: u16| {
            let mut server = owner.command(&binaries.join("postgres"));
            server.arg("-D").arg(root.join("data")).arg("-c").arg(format!("port={port}"));
            for (name, value) in &settings {
                server.arg("-c").arg(format!("{name}={value}"));
            }
            server
        };
        // The file's eighth line is the server's state.
        let state = || fs::read_to_string(root.join("data/postmaster.pid")).unwrap_or_default();
        let ready = |_, _: &str| state().lines().nth(7).is_some_and(|line| line.trim() == "ready");
        let port = process.start(self.port, command, ready)?;
        Ok(Postgres { process, port, binaries, certificates })
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

    fn settings(&self, root: &Path, certificates: Option<&Certificates>) -> Vec<(String, String)> {
        let mut settings: Vec<(&str, String)> = vec![
            ("listen_addresses", "127.0.0.1".to_owned()),
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
        settings.into_iter().map(|(name, value)| (name.to_owned(), value)).chain(self.settings.clone()).collect()
    }
}
