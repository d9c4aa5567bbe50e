//! The process of a real server, from its start on a free port to its end.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::Result;
use crate::owner::Owner;
use crate::port;
use crate::watchdog::Watchdog;

/// How long a server may take to start.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a server may take to stop before it is killed.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

/// A folder of one's own and the server that runs in it.
pub(crate) struct Process {
    // Dropped in this order: the server is stopped by then.
    running: Option<(Child, Watchdog)>,
    folder: TempDir,
}

impl Process {
    /// A folder that belongs to the owner; nothing runs in it yet.
    pub(crate) fn folder(prefix: &str, owner: &Owner) -> Result<Self> {
        // A Unix socket's path has about 100 characters at most.
        let parent = std::env::temp_dir();
        let parent = if parent.as_os_str().len() > 50 { PathBuf::from("/tmp") } else { parent };
        let folder = tempfile::Builder::new().prefix(prefix).tempdir_in(parent)?;
        // Others may look for the socket, and for the certificates that are theirs.
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        owner.give(folder.path())?;
        Ok(Process { running: None, folder })
    }

    /// Starts the server that `command` makes for a port, and waits until it is `ready`, which sees the port and what
    /// the server wrote into its log since. Gives the port: the one that is asked for, or a free one.
    pub(crate) fn start(
        &mut self,
        port: Option<u16>,
        command: impl Fn(u16) -> Command,
        ready: impl Fn(u16, &str) -> bool,
    ) -> Result<u16> {
        // Another process may take the free port in between: then a new one is tried.
        let attempts = if port.is_some() { 1 } else { 3 };
        for _ in 0..attempts {
            let port = match port {
                Some(port) => port,
                None => port::free()?,
            };
            let earlier = self.log().len();
            let log = File::options().create(true).append(true).open(self.folder.path().join("log"))?;
            let server = command(port).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?;
            let watchdog = Watchdog::start(server.id(), self.folder.path())?;
            self.running = Some((server, watchdog));
            if self.wait(|log| ready(port, log.get(earlier..).unwrap_or_default()))? {
                return Ok(port);
            }
        }
        Err(format!("the server did not start; its log:\n{}", self.log()).into())
    }

    /// Whether the server takes connections; `false` if it ended instead, or had to be.
    fn wait(&mut self, ready: impl Fn(&str) -> bool) -> Result<bool> {
        let started = Instant::now();
        while let Some((server, _)) = &mut self.running {
            if server.try_wait()?.is_some() {
                self.running = None;
            } else if ready(&self.log()) {
                return Ok(true);
            } else if started.elapsed() > PATIENCE {
                self.end(Signal::SIGKILL)?;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(false)
    }

    /// The server's process id; `None` while none runs.
    pub(crate) fn id(&self) -> Option<u32> {
        self.running.as_ref().map(|(server, _)| server.id())
    }

    /// The folder.
    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// What the server wrote into its log.
    pub(crate) fn log(&self) -> String {
        fs::read(self.folder.path().join("log"))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Sends the signal and waits for the server's end; kills it where it does not come.
    pub(crate) fn end(&mut self, signal: Signal) -> Result<()> {
        // The watchdog goes last: while we wait, we may be killed ourselves.
        let Some((mut server, _watchdog)) = self.running.take() else { return Ok(()) };
        kill(Pid::from_raw(i32::try_from(server.id())?), signal)?;
        let started = Instant::now();
        while server.try_wait()?.is_none() {
            if started.elapsed() > STOP_PATIENCE {
                server.kill()?;
                server.wait()?;
                return Err(format!("the server did not stop by itself; its log:\n{}", self.log()).into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}
