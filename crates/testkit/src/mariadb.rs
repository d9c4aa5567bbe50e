//! A MariaDB server of one's own.

mod binaries;
mod builder;

use std::path::PathBuf;
use std::process::Command;

use binaries::Binaries;
pub use builder::Builder;
use nix::sys::signal::Signal;

use crate::client::answer;
use crate::encode::encode;
use crate::owner::Owner;
use crate::process::Process;
use crate::{Certificates, Result};

/// The user that may do everything, and its password.
const USER: &str = "root";
const PASSWORD: &str = "bowshot";

/// The database that every server has, in utf8mb4.
const DATABASE: &str = "bowshot";

/// A running MariaDB server in a folder of its own, on a free port of this machine. Dropping it stops it.
///
/// There is an empty database `bowshot`; everybody needs a password, over TCP and over the Unix socket.
pub struct MariaDb {
    process: Process,
    port: u16,
    /// The port that was asked for.
    asked: Option<u16>,
    binaries: Binaries,
    owner: Owner,
    arguments: Vec<String>,
    certificates: Option<Certificates>,
}

impl MariaDb {
    /// Starts a server with default settings.
    ///
    /// # Errors
    /// See [`Builder::start`].
    pub fn start() -> Result<Self> {
        Builder::default().start()
    }

    /// For a server with settings of its own.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Starts the server after [`MariaDb::stop`] or [`MariaDb::crash`], with the same data, on the same port.
    ///
    /// # Errors
    /// The server runs, or does not start; its log says why.
    pub fn start_again(&mut self) -> Result<()> {
        if self.pid().is_some() {
            return Err("the server runs".into());
        }
        let (binaries, owner, arguments) = (&self.binaries, &self.owner, &self.arguments);
        let command = |port: u16| {
            let mut server = owner.command(&binaries.server);
            server.arg("--no-defaults").arg(format!("--port={port}"));
            server.args(binaries.base.as_ref().map(|base| format!("--basedir={}", base.display())));
            server.args(arguments);
            server
        };
        self.port = self.process.start(self.asked, command, |_, log| log.contains(": ready for connections"))?;
        self.asked = Some(self.port);
        Ok(())
    }

    /// A URI of root over TCP, of the database `bowshot`.
    pub fn uri(&self) -> String {
        self.uri_of(USER, PASSWORD, DATABASE)
    }

    /// A URI over TCP; everything in it is encoded as it must be.
    pub fn uri_of(&self, user: &str, password: &str, database: &str) -> String {
        let [user, password, database] = [user, password, database].map(encode);
        format!("mysql://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// A URI of root over the Unix socket.
    pub fn socket_uri(&self) -> String {
        let socket = encode(&self.socket().to_string_lossy());
        format!("mysql://{USER}:{PASSWORD}@localhost/{DATABASE}?socket={socket}")
    }

    /// The Unix socket.
    pub fn socket(&self) -> PathBuf {
        self.process.path().join("socket")
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The user that may do everything.
    pub fn user(&self) -> &'static str {
        USER
    }

    /// That user's password.
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

    /// Runs SQL with the client `mariadb` as root in the database `bowshot`; what it prints, without headers, columns
    /// separated by tabs.
    ///
    /// # Errors
    /// The server's, as the client prints it.
    pub fn sql(&self, sql: &str) -> Result<String> {
        let mut client = Command::new(&self.binaries.client);
        // What was typed is UTF-8, whatever the terminal's language is.
        client
            .args(["--no-defaults", "--batch", "--skip-column-names", "--default-character-set=utf8mb4"])
            .args([format!("--user={USER}"), format!("--socket={}", self.socket().display())])
            .args(["--max-allowed-packet=1G", DATABASE])
            .env("MYSQL_PWD", PASSWORD);
        answer(client, sql)
    }

    /// Ends every connection, then the server.
    ///
    /// # Errors
    /// The server did not end by itself and was killed.
    pub fn stop(&mut self) -> Result<()> {
        self.process.end(Signal::SIGTERM)
    }

    /// Ends the server on the spot, as a crash would.
    ///
    /// # Errors
    /// It cannot be sent a signal.
    pub fn crash(&mut self) -> Result<()> {
        self.process.end(Signal::SIGKILL)
    }

    /// What the server wrote into its log.
    pub fn log(&self) -> String {
        self.process.log()
    }
}

impl Drop for MariaDb {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the watchdog's folder goes either way.
        let _ = self.crash();
    }
}
