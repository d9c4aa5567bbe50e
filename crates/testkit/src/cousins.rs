//! Servers that speak PostgreSQL's protocol and are not PostgreSQL.
//!
//! Their programs come from Maven Central; `dev/cousins_setup.sh` fetches them, and Java 17 or later runs them (the one
//! in `JAVA_HOME`, else PATH's). `COUSINS_FOLDER` names the folder of the programs where it is an unusual one.

use std::path::{Path, PathBuf};
use std::process::Command;

use nix::sys::signal::Signal;

use crate::Result;
use crate::client::answer;
use crate::owner::Owner;
use crate::postgres::binaries;
use crate::process::Process;

/// The database in which a server is asked whether it is there; H2 makes it.
const READY_DATABASE: &str = "./ready";

/// H2, with a file a database. A database comes to be when somebody opens it.
pub struct H2(Server);

/// QuestDB. It has one database, whatever name is asked for.
pub struct QuestDb(Server);

/// A server on a free port of this machine. Dropping it stops it.
struct Server {
    process: Process,
    port: u16,
    user: &'static str,
    password: &'static str,
}

impl H2 {
    /// Starts a server without databases.
    pub fn start() -> Result<Self> {
        let jar = program("h2-2.5.252.jar")?;
        let command = |folder: &Path, port: u16| {
            let mut java = java("256m");
            java.arg("-Dh2.bindAddress=127.0.0.1").arg("-cp").arg(&jar).arg("org.h2.tools.Server");
            java.args(["-pg", "-ifNotExists", "-pgPort", &port.to_string()]).arg("-baseDir").arg(folder);
            java
        };
        Server::start("h2", "sa", "bowshot", command).map(H2)
    }

    /// The URI of a database.
    pub fn uri(&self, database: &str) -> String {
        self.0.uri(self.0.password, &format!("./{database}"))
    }

    /// The URI of a database with a password that may not be the right one.
    pub fn uri_of(&self, password: &str, database: &str) -> String {
        self.0.uri(password, &format!("./{database}"))
    }

    /// Runs SQL in a database; what it prints, without headers, columns separated by `|`.
    pub fn psql(&self, database: &str, sql: &str) -> Result<String> {
        self.0.psql(&format!("./{database}"), sql)
    }

    /// Ends the server on the spot.
    pub fn crash(&mut self) -> Result<()> {
        self.0.process.end(Signal::SIGKILL)
    }
}

impl QuestDb {
    /// Starts a server without tables.
    pub fn start() -> Result<Self> {
        let jar = program("questdb-9.3.4.jar")?;
        let command = |folder: &Path, port: u16| {
            let mut java = java("512m");
            java.env("QDB_PG_NET_BIND_TO", format!("127.0.0.1:{port}"));
            // What else it would serve, on ports that nobody here uses.
            for service in ["HTTP", "HTTP_MIN", "LINE_TCP", "LINE_UDP", "TELEMETRY"] {
                java.env(format!("QDB_{service}_ENABLED"), "false");
            }
            java.arg("-p").arg(&jar).args(["-m", "io.questdb/io.questdb.ServerMain", "-d"]).arg(folder);
            java
        };
        Server::start("questdb", "admin", "quest", command).map(QuestDb)
    }

    /// Its URI.
    pub fn uri(&self) -> String {
        self.uri_of(self.0.password)
    }

    /// Its URI with a password that may not be the right one.
    pub fn uri_of(&self, password: &str) -> String {
        self.0.uri(password, "qdb")
    }

    /// Runs SQL; what it prints, without headers, columns separated by `|`.
    pub fn psql(&self, sql: &str) -> Result<String> {
        self.0.psql("qdb", sql)
    }

    /// Ends the server on the spot.
    pub fn crash(&mut self) -> Result<()> {
        self.0.process.end(Signal::SIGKILL)
    }
}

impl Server {
    fn start(
        name: &str,
        user: &'static str,
        password: &'static str,
        command: impl Fn(&Path, u16) -> Command,
    ) -> Result<Self> {
        let mut process = Process::folder(name, &Owner::ourselves())?;
        let folder = process.path().to_owned();
        // Whoever listens there may be somebody else: it is our server once it lets our user in.
        let ready = |port, _: &str| psql((user, password), port, READY_DATABASE, "SELECT 1").is_ok();
        let port = process.start(None, |port| command(&folder, port), ready)?;
        Ok(Server { process, port, user, password })
    }

    fn uri(&self, password: &str, database: &str) -> String {
        format!("postgresql://{}:{password}@127.0.0.1:{}/{database}", self.user, self.port)
    }

    fn psql(&self, database: &str, sql: &str) -> Result<String> {
        let answer = psql((self.user, self.password), self.port, database, sql);
        answer.map_err(|failure| format!("{failure}\nthe server's log:\n{}", self.process.log()).into())
    }
}

/// Runs SQL as a user with a password; what `psql` prints.
fn psql((user, password): (&str, &str), port: u16, database: &str, sql: &str) -> Result<String> {
    let mut psql = Command::new(binaries::find()?.join("psql"));
    psql.args(["-XAtq", "-v", "ON_ERROR_STOP=1", "-f", "-"])
        .env("PGHOST", "127.0.0.1")
        .env("PGPORT", port.to_string())
        .env("PGUSER", user)
        .env("PGPASSWORD", password)
        .env("PGDATABASE", database);
    answer(psql, sql)
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the watchdog's folder goes either way.
        let _ = self.process.end(Signal::SIGKILL);
    }
}

/// Java with so much memory.
fn java(memory: &str) -> Command {
    let home = std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java"));
    let mut java = Command::new(home.unwrap_or_else(|| "java".into()));
    java.arg(format!("-Xmx{memory}"));
    java
}

/// The path of a server's program.
fn program(jar: &str) -> Result<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = || folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")));
    let jars = folder("COUSINS_FOLDER").or_else(|| Some(cache()?.join("bowshot/cousins")));
    let path = jars.ok_or("neither COUSINS_FOLDER nor HOME is set")?.join(jar);
    if path.is_file() {
        Ok(path)
    } else {
        Err(format!("{} is missing: run dev/cousins_setup.sh", path.display()).into())
    }
}
