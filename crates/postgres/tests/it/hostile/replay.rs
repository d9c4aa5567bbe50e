//! A server that says what was recorded, or what became of it.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bowshot_testkit::FalseServer;

/// What comes instead of a protocol number in a request to cancel.
const CANCEL_REQUEST: [u8; 4] = 80_877_102_u32.to_be_bytes();

/// Sends one script a connection, all of it at once, whatever is asked.
pub(super) struct Replay {
    server: FalseServer,
    scripts: Arc<Mutex<(usize, Vec<Vec<u8>>)>>,
}

impl Replay {
    pub(super) fn start() -> Self {
        let scripts: Arc<Mutex<(usize, Vec<Vec<u8>>)>> = Arc::default();
        let shared = Arc::clone(&scripts);
        let server = FalseServer::raw(move |client| answer(client, &shared)).unwrap();
        Replay { server, scripts }
    }

    /// From now on the first connection gets the first script and so on; those behind get the last one.
    pub(super) fn say(&self, scripts: Vec<Vec<u8>>) {
        *self.scripts.lock().unwrap() = (0, scripts);
    }

    pub(super) fn uri(&self) -> String {
        format!("postgresql://trusted@127.0.0.1:{}/hostile?sslmode=disable", self.server.port())
    }
}

fn answer(mut client: TcpStream, scripts: &Mutex<(usize, Vec<Vec<u8>>)>) -> std::io::Result<()> {
    let mut request = [0; 8];
    client.read_exact(&mut request)?;
    if request[4..] == CANCEL_REQUEST {
        return Ok(());
    }
    let script = {
        let mut scripts = scripts.lock().unwrap();
        scripts.0 += 1;
        let index = (scripts.0 - 1).min(scripts.1.len() - 1);
        scripts.1[index].clone()
    };
    client.set_read_timeout(Some(Duration::from_secs(8)))?;
    client.write_all(&script)?;
    client.shutdown(Shutdown::Write)?;
    // A socket closed before everything was read from it takes back what was sent.
    std::io::copy(&mut client, &mut std::io::sink()).map(|_| ())
}
