//! `bowshot-testkit postgres [--tls] [--port N] [-c name=value]… [--rule 'pg_hba line']…`
//!
//! Starts a private server, prints one line of JSON on standard output when it takes connections, and stops it when
//! standard input closes or on SIGTERM or SIGINT. For tests and benchmarks that are not written in Rust.

use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::mpsc;

use bowshot_testkit::{Builder, Postgres, Result};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

const USAGE: &str = "usage: bowshot-testkit postgres [--tls] [--port N] [-c name=value]… [--rule 'pg_hba line']…";

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
    if arguments.next().as_deref() != Some("postgres") {
        return Err(USAGE.into());
    }
    let builder = builder(arguments)?;
    // Before the server: a signal meanwhile must not leave it behind.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let mut server = builder.start()?;
    let mut output = std::io::stdout().lock();
    writeln!(output, "{}", description(&server))?;
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

fn builder(mut arguments: impl Iterator<Item = String>) -> Result<Builder> {
    let mut builder = Postgres::builder();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value; {USAGE}"));
        builder = match argument.as_str() {
            "--tls" => builder.tls(),
            "--port" => builder.port(value()?.parse()?),
            "--rule" => builder.rule(value()?),
            "-c" => {
                let setting = value()?;
                let (name, value) = setting.split_once('=').ok_or(USAGE)?;
                builder.setting(name, value)
            }
            _ => return Err(USAGE.into()),
        };
    }
    Ok(builder)
}

fn description(server: &Postgres) -> serde_json::Value {
    serde_json::json!({
        "uri": server.uri(),
        "socket_uri": server.socket_uri(),
        "socket": server.socket_folder(),
        "host": "127.0.0.1",
        "port": server.port(),
        "pid": server.pid(),
        "superuser": server.superuser(),
        "password": server.password(),
        "folder": server.socket_folder(),
        "certificates": server.certificates().map(|certificates| serde_json::json!({
            "root": certificates.root(),
            "other_root": certificates.other_root(),
            "server": certificates.server(),
            "client": certificates.client(),
            "client_key": certificates.client_key(),
        })),
    })
}
