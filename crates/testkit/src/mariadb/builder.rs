//! From nothing to a running server.

use std::fs;
use std::path::Path;

use super::{MariaDb, PASSWORD, USER, binaries};
use crate::owner::Owner;
use crate::process::Process;
use crate::{Certificates, Result};

/// Settings of a server that is not started yet.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    port: Option<u16>,
    settings: Vec<(String, String)>,
    tls: bool,
}

/// Small files and little memory. InnoDB's files are made with these, so they stay as they are.
const SMALL: [&str; 4] = [
    "--innodb-log-file-size=16M",
    "--innodb-data-file-path=ibdata1:4M:autoextend",
    "--innodb-autoextend-increment=1",
    "--innodb-undo-tablespaces=0",
];

impl Builder {
    /// Listens on this port instead of a free one.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = Some(port);
        self
    }

    /// Sets one of the server's settings, by the name that it has as a variable. An empty value is a bare switch.
    #[must_use]
    pub fn setting(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// Lets the server speak TLS, with certificates of its own.
    #[must_use]
    pub fn tls(mut self) -> Self {
        self.tls = true;
        self
    }

    /// Starts the server and waits until it takes connections.
    ///
    /// # Errors
    /// MariaDB is not installed, or does not start; its log says why.
    pub fn start(self) -> Result<MariaDb> {
        let binaries = binaries::find()?;
        let owner = Owner::find(&["mysql", "nobody"])?;
        let process = Process::folder("bowshot-my-", &owner)?;
        let root = process.path().to_owned();
        // Servers that are set up at the same moment may give their temporary tables the same names.
        let (data, temporary) = (root.join("data"), root.join("tmp"));
        for folder in [&data, &temporary] {
            fs::create_dir(folder)?;
            owner.give(folder)?;
        }
        let mut install = owner.command(&binaries.install);
        install.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]).args(SMALL);
        install.arg("--skip-name-resolve").arg(argument("datadir", &data)).arg(argument("tmpdir", &temporary));
        install.args(binaries.base.as_ref().map(|base| argument("basedir", base)));
        let output = install.output()?;
        if !output.status.success() {
            let said = [output.stdout, output.stderr].concat();
            return Err(format!("mariadb-install-db failed: {}", String::from_utf8_lossy(&said)).into());
        }
        fs::write(
            root.join("init.sql"),
            format!(
                "CREATE USER IF NOT EXISTS '{USER}'@'127.0.0.1';\n\
                 GRANT ALL ON *.* TO '{USER}'@'127.0.0.1' WITH GRANT OPTION;\n\
                 ALTER USER '{USER}'@'127.0.0.1' IDENTIFIED BY '{PASSWORD}';\n\
                 ALTER USER '{USER}'@'localhost' IDENTIFIED BY '{PASSWORD}';\n\
                 CREATE DATABASE IF NOT EXISTS bowshot CHARACTER SET utf8mb4;\n"
            ),
        )?;
        let certificates = if self.tls { Some(owner.certificates(&root, USER)?) } else { None };
        let arguments = self.arguments(&root, certificates.as_ref());
        let mut server = MariaDb { process, port: 0, asked: self.port, binaries, owner, arguments, certificates };
        server.start_again()?;
        Ok(server)
    }

    fn arguments(&self, root: &Path, certificates: Option<&Certificates>) -> Vec<String> {
        let mut arguments: Vec<String> = SMALL.map(str::to_owned).into();
        arguments.extend(
            [
                "--bind-address=127.0.0.1",
                "--skip-name-resolve",
                "--innodb-buffer-pool-size=64M",
                "--character-set-server=utf8mb4",
                "--performance-schema=off",
                "--max-connections=100",
                "--table-open-cache=400",
                // A test's data need not outlive a power cut.
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-flush-method=nosync",
                "--innodb-doublewrite=0",
                "--sync-binlog=0",
            ]
            .map(str::to_owned),
        );
        arguments.push(argument("datadir", &root.join("data")));
        arguments.push(argument("tmpdir", &root.join("tmp")));
        arguments.push(argument("socket", &root.join("socket")));
        arguments.push(argument("pid-file", &root.join("data/pid")));
        arguments.push(argument("init-file", &root.join("init.sql")));
        if let Some(certificates) = certificates {
            arguments.push(argument("ssl-cert", &certificates.server()));
            arguments.push(argument("ssl-key", &certificates.server_key()));
            arguments.push(argument("ssl-ca", &certificates.root()));
        }
        // Last, so that they replace ours.
        for (name, value) in &self.settings {
            let name = name.replace('_', "-");
            arguments.push(if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") });
        }
        arguments
    }
}

fn argument(name: &str, path: &Path) -> String {
    format!("--{name}={}", path.display())
}
