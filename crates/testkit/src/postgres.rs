//! A PostgreSQL server of one's own.

mod binaries;
mod builder;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

pub use builder::Builder;

use crate::watchdog::Watchdog;
use crate::{Certificates, Result};

/// The superuser's role and its password.
const SUPERUSER: &str = "postgres";
const PASSWORD: &str = "bowshot";

/// How long a server may take to stop before it is killed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running PostgreSQL server in a folder of its own, on a free port of this machine. Dropping it stops it.
///
/// Passwords are checked with SCRAM, over TCP and over the Unix socket.
pub struct Postgres {
    server: Option<Child>,
    port: u16,
    binaries: PathBuf,
    certificates: Option<Certificates>,
    // Dropped in this order: the server is stopped by then.
    _watchdog: Watchdog,
    folder: TempDir,
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
        self.folder.path()
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
        self.server.as_ref().map(Child::id)
    }

    /// Runs SQL with `psql` as the superuser; what it prints, without headers, columns separated by `|`.
    pub fn psql(&self, sql: &str) -> Result<String> {
        self.psql_in(SUPERUSER, sql)
    }

    /// Runs SQL in another database.
    pub fn psql_in(&self, database: &str, sql: &str) -> Result<String> {
        let mut psql = Command::new(self.binaries.join("psql"))
            .args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-"])
            .env("PGHOST", self.socket_folder())
            .env("PGPORT", self.port.to_string())
            .env("PGUSER", SUPERUSER)
            .env("PGPASSWORD", PASSWORD)
            .env("PGDATABASE", database)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut input) = psql.stdin.take() {
            input.write_all(sql.as_bytes())?;
        }
        let output = psql.wait_with_output()?;
        if !output.status.success() {
            return Err(format!("psql failed: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
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
        self.end(Signal::SIGINT)
    }

    /// Ends the server on the spot, as a crash would.
    pub fn crash(&mut self) -> Result<()> {
        self.end(Signal::SIGQUIT)
    }

    /// What the server wrote into its log.
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn end(&mut self, signal: Signal) -> Result<()> {
        let Some(mut server) = self.server.take() else { return Ok(()) };
        kill(Pid::from_raw(i32::try_from(server.id())?), signal)?;
        let started = Instant::now();
        while server.try_wait()?.is_none() {
            if started.elapsed() > PATIENCE {
                server.kill()?;
                server.wait()?;
                return Err(format!("the server did not stop by itself; its log:\n{}", self.log()).into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the watchdog's folder goes either way.
        let _ = self.crash();
    }
}

/// Percent-encodes all but letters, digits and the few marks that mean themselves everywhere in a URI.
fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}
