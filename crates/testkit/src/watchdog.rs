//! Stops a server and removes its folder when the process that started it ends without doing so.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A small process that waits for the end of ours. A server in a `static` is never dropped, and a killed test drops
/// nothing: both close the pipe that this waits on.
pub(crate) struct Watchdog(Child);

impl Watchdog {
    /// Watches over the server with this process id and this folder.
    pub(crate) fn start(process: u32, folder: &Path) -> io::Result<Self> {
        // Java answers QUIT with a page of text and runs on.
        let script = "read -r line; kill -QUIT \"$1\" 2>/dev/null; waits=0; \
                      while kill -0 \"$1\" 2>/dev/null; do sleep 0.1; waits=$((waits + 1)); \
                      [ $waits -ge 50 ] && kill -KILL \"$1\" 2>/dev/null; done; rm -rf \"$2\"";
        let child = Command::new("/bin/sh")
            .args(["-c", script, "watchdog", &process.to_string()])
            .arg(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Watchdog(child))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        // Killed before its pipe closes: the server was stopped properly and its process id may be another's by now.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
