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
    scripts: Arc<Mutex<Scripts>>,
}

#[derive(Default)]
struct Scripts {
    /// How many connections came.
    count: usize,
    all: Vec<Vec<u8>>,
    /// Where a script is held back for a moment.
    cuts: Vec<usize>,
}

impl Replay {
    pub(super) fn start() -> Self {
        let scripts: Arc<Mutex<Scripts>> = Arc::default();
        let shared = Arc::clone(&scripts);
        let server = FalseServer::raw(move |client| answer(client, &shared)).unwrap();
        Replay { server, scripts }
    }

    /// From now on the first connection gets the first script and so on; those behind get the last one.
    pub(super) fn say(&self, scripts: Vec<Vec<u8>>) {
        self.say_in_pieces(scripts, Vec::new());
    }

    /// The same, with a moment's rest at each of these places.
    pub(super) fn say_in_pieces(&self, scripts: Vec<Vec<u8>>, cuts: Vec<usize>) {
        *self.scripts.lock().unwrap() = Scripts { count: 0, all: scripts, cuts };
    }

    pub(super) fn uri(&self) -> String {
        format!("postgresql://trusted@127.0.0.1:{}/hostile?sslmode=disable", self.server.port())
    }
}

fn answer(mut client: TcpStream, scripts: &Mutex<Scripts>) -> std::io::Result<()> {
    let mut request = [0; 8];
    client.read_exact(&mut request)?;
    if request[4..] == CANCEL_REQUEST {
        return Ok(());
    }
    let (script, cuts) = {
        let mut scripts = scripts.lock().unwrap();
        scripts.count += 1;
        let index = (scripts.count - 1).min(scripts.all.len() - 1);
        (scripts.all[index].clone(), scripts.cuts.clone())
    };
    client.set_read_timeout(Some(Duration::from_secs(8)))?;
    client.set_nodelay(true)?;
    let mut at = 0;
    for cut in cuts {
        client.write_all(&script[at..cut])?;
        std::thread::sleep(Duration::from_millis(1));
        at = cut;
    }
    client.write_all(&script[at..])?;
    client.shutdown(Shutdown::Write)?;
    // A socket closed before everything was read from it takes back what was sent.
    std::io::copy(&mut client, &mut std::io::sink()).map(|_| ())
}
