//! The console of a gateway that is none: a few statements run for ever, others begin and end, and a query has made-up
//! rows. For looking at the page, and for its tests.
//!
//! ```text
//! cargo run -p bowshot-gateway-console --example demo
//! ```
//! With `--idle` nothing has happened yet. It prints one line of JSON, `{"console": "http://127.0.0.1:…"}`, and ends when its standard input is closed.

mod answers;
mod work;

use std::io::{Read, Write};
use std::net::IpAddr;
use std::sync::Arc;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_gateway_console::{Answer, Ask, Console, ConsoleOptions, Host, SourceStatus, Who};
use bowshot_gateway_monitor::{Monitor, Sent, Statement};

struct Demo {
    monitor: Monitor,
}

impl Host for Demo {
    fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    fn is_open(&self) -> bool {
        true
    }

    fn login(&self, _: Option<&str>, _: IpAddr) -> Result<Who> {
        Ok(Who { user: "anonymous".into(), sees_all: true })
    }

    fn sources(&self, _: &Who) -> Vec<SourceStatus> {
        let source = |name: &str, kind: &str, reachable, detail: &str| SourceStatus {
            name: name.into(),
            kind: kind.into(),
            reachable,
            detail: (!detail.is_empty()).then(|| detail.into()),
        };
        vec![
            source("shop", "PostgreSQL", Some(true), "16.4"),
            source("lake", "Parquet", Some(true), "8 files, 2.1 GB"),
            source("billing", "MariaDB", Some(false), "no answer from the server in 5 s"),
            source("archive", "SQLite", None, ""),
        ]
    }

    fn run(&self, who: &Who, ask: &Ask, cancel: &Cancel) -> Result<Answer> {
        let statement = Statement {
            user: who.user.clone(),
            client: "console".into(),
            source: ask.source.clone().or_else(|| Some("shop".into())),
            sql: ask.sql.clone(),
            session: None,
        };
        let running = self.monitor.begin(statement, cancel.clone());
        let answer = answers::answer(ask, cancel).inspect_err(|error| running.failed(error))?;
        running.planned(1, "the console reads one endpoint", None);
        let mut reading = running.endpoint(0);
        reading.opened();
        for batch in &answer.batches {
            let rows = u64::try_from(batch.num_rows()).unwrap_or(u64::MAX);
            let bytes = u64::try_from(batch.get_array_memory_size()).unwrap_or(u64::MAX);
            reading.sent(&Sent { rows, bytes, wire_bytes: bytes, waited: std::time::Duration::ZERO, codec: "none" });
        }
        reading.done();
        Ok(answer)
    }

    fn ready(&self) -> Result<()> {
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let demo = Arc::new(Demo { monitor: Monitor::default() });
    let listener = Console::listen(([127, 0, 0, 1], 0).into()).await?;
    let address = listener.local_addr().map_err(io)?;
    if !std::env::args().any(|argument| argument == "--idle") {
        work::start(&demo.monitor);
    }
    // The only line that it prints, for whoever started it.
    writeln!(std::io::stdout(), "{{\"console\": \"http://{address}\"}}").map_err(io)?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    std::thread::spawn(move || {
        // Whatever comes, or an error: the end of it is the end.
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        drop(stop);
    });
    let stopped = async move { drop(stopped.await) };
    Console::new(demo, ConsoleOptions::default()).serve(listener, stopped).await
}

fn io(error: std::io::Error) -> Error {
    Error::new(ErrorKind::Io, format!("the demo cannot begin: {error}")).with_source(error)
}
