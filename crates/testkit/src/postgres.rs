//! A PostgreSQL server of one's own.

pub(crate) mod binaries;
mod builder;

use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::Signal;

pub use builder::Builder;

use crate::client::answer;
use crate::encode::encode;
use crate::process::Process;
use crate::{Certificates, Result};

/// The superuser's role and its password.
const SUPERUSER: &str = "postgres";
const PASSWORD: &str = "bowshot";

/// A running PostgreSQL server in a folder of its own, on a free port of this machine. Dropping it stops it.
///
/// Passwords are checked with SCRAM, over TCP and over the Unix socket.
pub struct Postgres {
    process: Process,
    port: u16,
    binaries: PathBuf,
    certificates: Option<Certificates>,
}

impl Postgres {
    /// Starts a server with default settings.
    pub fn start() -> Result<Self> {
        Builder::default().start()
    }

    /// For a server with settings of its own.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A URI of the superuser over TCP.
    pub fn uri(&self) -> String {
        self.uri_of(SUPERUSER, PASSWORD, SUPERUSER)
    }

    /// A URI over TCP; everything in it is encoded as it must be.
    pub fn uri_of(&self, user: &str, password: &str, database: &str) -> String {
        let [user, password, database] = [user, password, database].map(encode);
        format!("postgresql://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// A URI of the superuser over the Unix socket.
    pub fn socket_uri(&self) -> String {
        let folder = encode(&self.socket_folder().to_string_lossy());
        format!("postgresql://{SUPERUSER}:{PASSWORD}@{folder}:{}/{SUPERUSER}", self.port)
    }

    /// The folder with the Unix socket.
    pub fn socket_folder(&self) -> &Path {
        self.process.path()
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The superuser's role.
    pub fn superuser(&self) -> &'static str {
        SUPERUSER
    }

    /// The superuser's password.
    pub fn password(&self) -> &'static str {
        PASSWORD
    }

    /// The certificates of a server that was built with [`Builder::tls`].
    pub fn certificates(&self) -> Option<&Certificates> {
        self.certificates.as_ref()
    }

    /// The server's process; `None` once it was stopped.
    pub fn pid(&self) -> Option<u32> {
        self.process.id()
    }

    /// Runs SQL with `psql` as the superuser; what it prints, without headers, columns separated by `|`.
    pub fn psql(&self, sql: &str) -> Result<String> {
        self.psql_in(SUPERUSER, sql)
    }

    /// Runs SQL in another database.
    pub fn psql_in(&self, database: &str, sql: &str) -> Result<String> {
        let mut psql = Command::new(binaries::psql(&self.binaries)?);
        psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-"])
            .env("PGHOST", self.socket_folder())
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", SUPERUSER)
            .env("PGPASSWORD", PASSWORD)
            .env("PGDATABASE", database);
        answer(psql, sql)
    }

    /// Ends every connection but its own.
    pub fn kill_backends(&self) -> Result<()> {
        self.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()",
        )?;
        Ok(())
    }

    /// Ends every connection, then the server.
    pub fn stop(&mut self) -> Result<()> {
        self.process.end(Signal::SIGINT)
    }

    /// Ends the server on the spot, as a crash would.
    pub fn crash(&mut self) -> Result<()> {
        self.process.end(Signal::SIGQUIT)
    }

    /// What the server wrote into its log.
    pub fn log(&self) -> String {
        self.process.log()
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the watchdog's folder goes either way.
        let _ = self.crash();
    }
}
