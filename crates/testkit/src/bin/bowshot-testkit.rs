//! `bowshot-testkit postgres|mariadb [--tls] [--port N] [-c name=value]… [--rule 'pg_hba line']…`, and
//! `bowshot-testkit conformance NAME`, a database with all suites of the conformance cases set up in it.
//!
//! Starts a private server, prints one line of JSON on standard output when it takes connections, and stops it when
//! standard input closes or on SIGTERM or SIGINT. For tests and benchmarks that are not written in Rust.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use bowshot_testkit::conformance::{Database, Situation, databases, suites};
use bowshot_testkit::{Certificates, MariaDb, Postgres, Result};
use serde_json::{Map, Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

const USAGE: &str = "usage: bowshot-testkit postgres|mariadb [--tls] [--port N] [-c name=value]… [--rule 'pg_hba line']…\n       \
                     bowshot-testkit conformance NAME";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // The terminal's end of standard error may be gone.
            let _ = writeln!(std::io::stderr(), "{failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: impl Iterator<Item = String>) -> Result<()> {
    let database = arguments.next().ok_or(USAGE)?;
    // Before the server: a signal meanwhile must not leave it behind.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let mut server: Box<dyn Server> = match database.as_str() {
        "conformance" => Box::new(Cases::prepare(&arguments.next().ok_or(USAGE)?)?),
        database => Wishes::read(arguments)?.start(database)?,
    };
    let mut output = std::io::stdout().lock();
    writeln!(output, "{}", server.description())?;
    output.flush()?;

    let (ended, end) = mpsc::channel();
    let closed = ended.clone();
    std::thread::spawn(move || {
        let mut input = std::io::stdin().lock();
        // An error ends it as its end does.
        while input.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
        let _ = closed.send(());
    });
    std::thread::spawn(move || {
        signals.forever().next();
        let _ = ended.send(());
    });
    end.recv()?;
    server.stop()
}

/// What the command line says of the server.
#[derive(Default)]
struct Wishes {
    tls: bool,
    port: Option<u16>,
    settings: Vec<(String, String)>,
    rules: Vec<String>,
}

impl Wishes {
    fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self> {
        let mut wishes = Wishes::default();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value; {USAGE}"));
            match argument.as_str() {
                "--tls" => wishes.tls = true,
                "--port" => wishes.port = Some(value()?.parse()?),
                "--rule" => wishes.rules.push(value()?),
                "-c" => {
                    let setting = value()?;
                    let (name, value) = setting.split_once('=').ok_or(USAGE)?;
                    wishes.settings.push((name.to_owned(), value.to_owned()));
                }
                _ => return Err(USAGE.into()),
            }
        }
        Ok(wishes)
    }

    fn start(self, database: &str) -> Result<Box<dyn Server>> {
        /// What both builders have by the same names.
        macro_rules! with {
            ($builder:expr) => {{
                let builder = self.port.into_iter().fold($builder, |builder, port| builder.port(port));
                let builder = if self.tls { builder.tls() } else { builder };
                self.settings.into_iter().fold(builder, |builder, (name, value)| builder.setting(name, value))
            }};
        }
        Ok(match database {
            "postgres" => {
                let builder = with!(Postgres::builder());
                Box::new(self.rules.into_iter().fold(builder, |builder, rule| builder.rule(rule)).start()?)
            }
            "mariadb" if self.rules.is_empty() => Box::new(with!(MariaDb::builder()).start()?),
            _ => return Err(USAGE.into()),
        })
    }
}

/// A server as this program sees it.
trait Server {
    /// What the one line says.
    fn description(&self) -> Value;

    fn stop(&mut self) -> Result<()>;
}

/// A database with all suites set up in it; it ends when it is dropped.
struct Cases {
    _database: Box<dyn Database>,
    description: Value,
}

impl Cases {
    fn prepare(name: &str) -> Result<Self> {
        let mut database = databases::start(name)?;
        let version = database.version();
        let mut uris = Map::new();
        for suite in suites(name)?.iter().filter(|suite| !suite.cases_of(version).is_empty()) {
            uris.insert(suite.name.clone(), database.prepare(&suite.name, &suite.setup_of(version))?.into());
        }
        let address = |situation: &Situation| {
            Some((serde_json::to_value(situation).ok()?.as_str()?.to_owned(), database.address(*situation)?.into()))
        };
        let addresses: Map<String, Value> = Situation::UNREACHABLE.iter().filter_map(address).collect();
        let description = json!({ "version": version, "suites": uris, "addresses": addresses });
        Ok(Cases { _database: database, description })
    }
}

impl Server for Cases {
    fn description(&self) -> Value {
        self.description.clone()
    }

    fn stop(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Server for Postgres {
    fn description(&self) -> Value {
        json!({
            "uri": self.uri(),
            "socket_uri": self.socket_uri(),
            "socket": self.socket_folder(),
            "host": "127.0.0.1",
            "port": self.port(),
            "pid": self.pid(),
            "superuser": self.superuser(),
            "password": self.password(),
            "folder": self.socket_folder(),
            "certificates": self.certificates().map(files),
        })
    }

    fn stop(&mut self) -> Result<()> {
        Postgres::stop(self)
    }
}

impl Server for MariaDb {
    fn description(&self) -> Value {
        json!({
            "uri": self.uri(),
            "socket_uri": self.socket_uri(),
            "socket": self.socket(),
            "host": "127.0.0.1",
            "port": self.port(),
            "pid": self.pid(),
            "superuser": self.user(),
            "password": self.password(),
            "folder": self.socket().parent(),
            "certificates": self.certificates().map(files),
        })
    }

    fn stop(&mut self) -> Result<()> {
        MariaDb::stop(self)
    }
}

fn files(certificates: &Certificates) -> Value {
    json!({
        "root": certificates.root(),
        "other_root": certificates.other_root(),
        "server": certificates.server(),
        "client": certificates.client(),
        "client_key": certificates.client_key(),
    })
}
