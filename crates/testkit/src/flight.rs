//! Flight SQL servers that others wrote.
//!
//! Their programs come from PyPI; `dev/flight_setup.sh` installs them. `FLIGHT_VENV` names the folder where it is an
//! unusual one.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::Signal;

use crate::Result;
use crate::owner::Owner;
use crate::process::Process;

/// roapi: files as tables, on DataFusion.
pub struct Roapi(Server);

/// Sail's Flight SQL server: a distributed engine that speaks Spark's SQL.
pub struct Sail(Server);

/// A server on a free port of this machine. Dropping it stops it.
struct Server {
    process: Process,
    port: u16,
}

impl Roapi {
    /// Starts a server that has these tables, each from a file (CSV, JSON, Parquet).
    pub fn start(tables: &[(&str, &Path)]) -> Result<Self> {
        // It also serves HTTP and PostgreSQL's protocol, on ports that nobody here uses: 0 is any one that is free. Where a port is
        // taken it ends, which may be after the other ones are there.
        let mut arguments = ["-a", "127.0.0.1:0", "-p", "127.0.0.1:0"].map(str::to_owned).to_vec();
        for (name, file) in tables {
            arguments.extend(["-t".to_owned(), format!("{name}={}", file.display())]);
        }
        Server::start("roapi", |port| {
            let flight = ["--addr-flight-sql".to_owned(), format!("127.0.0.1:{port}")];
            arguments.iter().cloned().chain(flight).collect()
        })
        .map(Roapi)
    }

    /// The URI of its Flight SQL.
    pub fn uri(&self) -> String {
        self.0.uri()
    }

    /// Ends the server on the spot.
    pub fn crash(&mut self) -> Result<()> {
        self.0.process.end(Signal::SIGKILL)
    }
}

impl Sail {
    /// Starts a server without tables.
    pub fn start() -> Result<Self> {
        Server::start("sail", |port| {
            ["flight", "server", "--ip", "127.0.0.1", "--port", &port.to_string()].map(str::to_owned).into()
        })
        .map(Sail)
    }

    /// The URI of its Flight SQL.
    pub fn uri(&self) -> String {
        self.0.uri()
    }

    /// Ends the server on the spot.
    pub fn crash(&mut self) -> Result<()> {
        self.0.process.end(Signal::SIGKILL)
    }
}

impl Server {
    fn start(name: &str, arguments: impl Fn(u16) -> Vec<String>) -> Result<Self> {
        let program = programs()?.join(name);
        if !program.exists() {
            return Err(format!("{} is missing: run dev/flight_setup.sh", program.display()).into());
        }
        let mut process = Process::folder(name, &Owner::ourselves())?;
        let folder = process.path().to_owned();
        let command = |port| {
            let mut command = Command::new(&program);
            command.current_dir(&folder).args(arguments(port));
            command
        };
        let port = process.start(None, command, |port, _| TcpStream::connect(("127.0.0.1", port)).is_ok())?;
        Ok(Server { process, port })
    }

    fn uri(&self) -> String {
        format!("grpc://127.0.0.1:{}", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the watchdog's folder goes either way.
        let _ = self.process.end(Signal::SIGKILL);
    }
}

/// The folder of the servers' programs.
fn programs() -> Result<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = || folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    let venv = folder("FLIGHT_VENV").or_else(|| Some(cache()?.join("bowshot/flight-venv")));
    Ok(venv.ok_or("neither FLIGHT_VENV nor HOME is set")?.join("bin"))
}
