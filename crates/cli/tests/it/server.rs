//! `bowshot serve` on a free port.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::RecordBatch;
use bowshot_connect::connect;
use bowshot_core::{Cancel, Options, Plan, Query, Request, Result, Stream};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

/// Nothing here takes so long, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A running gateway; dropping it ends it.
pub struct Server {
    process: Child,
    log: Arc<Mutex<String>>,
    /// As its log tells it: `grpc://127.0.0.1:4711`.
    pub uri: String,
    _folder: TempDir,
}

/// The command, without what the environment may configure.
pub fn bowshot(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bowshot"));
    std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("BOWSHOT_")).for_each(|(name, _)| {
        command.env_remove(name);
    });
    command.args(arguments).stdin(Stdio::null());
    command
}

/// A folder with an empty database in it.
pub fn database() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shop.db");
    std::fs::write(&path, "").unwrap();
    (folder, path)
}

impl Server {
    /// In front of an empty SQLite database named `shop`.
    pub fn start(arguments: &[&str]) -> Server {
        let (folder, path) = database();
        let source = format!("shop=sqlite:///{}", path.display());
        let mut command = bowshot(&["serve", &source, "--listen", "127.0.0.1:0"]);
        let mut process = command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (lines, written) = (BufReader::new(process.stderr.take().unwrap()), Arc::clone(&log));
        thread::spawn(move || {
            for line in lines.lines().map_while(|line| line.ok()) {
                let mut log = written.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        let mut server = Server { process, log, uri: String::new(), _folder: folder };
        let log = server.wait_for("listening on ");
        let uri = log.split("listening on ").nth(1).unwrap();
        server.uri = uri.split(|end: char| end.is_whitespace() || end == '"').next().unwrap().to_owned();
        server
    }

    /// What it has written.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// Waits until it has written this.
    pub fn wait_for(&mut self, words: &str) -> String {
        let started = Instant::now();
        loop {
            let log = self.log();
            if log.contains(words) {
                return log;
            }
            let ended = self.process.try_wait().unwrap();
            assert!(ended.is_none() && started.elapsed() < PATIENCE, "no \"{words}\": {log}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    pub fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.process.id()).unwrap()), signal).unwrap();
    }

    /// Waits for its end.
    pub fn end(&mut self) -> ExitStatus {
        let started = Instant::now();
        loop {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            assert!(started.elapsed() < PATIENCE, "the gateway does not end: {}", self.log());
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// A query through it, with these options of the URI.
    pub fn plan(&self, options: &str, sql: &str) -> Result<Plan> {
        connect(&format!("{}/?{options}", self.uri))?.plan(&request(sql), &Cancel::new())
    }

    /// The rows of a query through it.
    pub fn rows(&self, options: &str, sql: &str) -> Result<usize> {
        rows(stream(self.plan(options, sql)?))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn request(sql: &str) -> Request {
    // Little is read ahead.
    Request::new(Query::new(sql), Options { buffer_bytes: 1 << 20, ..Options::default() })
}

/// Begins to read a plan.
pub fn stream(plan: Plan) -> Stream {
    Stream::start(plan, &request("").options, Cancel::new())
}

/// The rows of all batches.
pub fn rows(stream: Stream) -> Result<usize> {
    stream.map(|batch| batch.map(|batch: RecordBatch| batch.num_rows())).sum()
}
