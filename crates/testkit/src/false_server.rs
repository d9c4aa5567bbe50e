//! A server that speaks PostgreSQL's protocol just well enough to be believed, and then does what a test wants.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crate::Result;

/// The first four bytes after the length of a request that is no startup.
const TLS_REQUEST: u32 = 80_877_103;
const CANCEL_REQUEST: u32 = 80_877_102;

/// Listens on a free port of this machine. Dropping it closes the port; connections end with their behaviour.
pub struct FalseServer {
    port: u16,
    shared: Arc<Shared>,
    listener: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    stopped: AtomicBool,
    connections: AtomicUsize,
    cancels: AtomicUsize,
}

impl FalseServer {
    /// Lets every client in, without a password, waits for its first message, sends `script` and hangs up.
    pub fn start(script: Vec<u8>) -> Result<Self> {
        Self::with(move |mut client| {
            // Whatever the first message is, and how much of it comes at once.
            let _ = client.read(&mut [0; 8192])?;
            client.write_all(&script)
        })
    }

    /// Lets every client in, without a password, and hands the connection over.
    pub fn with(behaviour: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Result<Self> {
        Self::listen(move |mut client, shared| if welcome(&mut client, shared)? { behaviour(client) } else { Ok(()) })
    }

    /// Hands every connection over as it comes, before its first byte was read.
    pub fn raw(behaviour: impl Fn(TcpStream) -> io::Result<()> + Send + Sync + 'static) -> Result<Self> {
        Self::listen(move |client, _| behaviour(client))
    }

    fn listen(behaviour: impl Fn(TcpStream, &Shared) -> io::Result<()> + Send + Sync + 'static) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(Shared::default());
        let (behaviour, accepting) = (Arc::new(behaviour), Arc::clone(&shared));
        let thread = std::thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                if accepting.stopped.load(Ordering::SeqCst) {
                    break;
                }
                accepting.connections.fetch_add(1, Ordering::SeqCst);
                let (behaviour, shared) = (Arc::clone(&behaviour), Arc::clone(&accepting));
                // A client that hangs up on us is what many tests are about.
                std::thread::spawn(move || behaviour(client, &shared).unwrap_or_default());
            }
        });
        Ok(FalseServer { port, shared, listener: Some(thread) })
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// A URI that leads here.
    pub fn uri(&self) -> String {
        format!("postgresql://false@127.0.0.1:{}/false", self.port)
    }

    /// How many connections came, requests to cancel included.
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// How many requests to cancel came (not with [`FalseServer::raw`]).
    pub fn cancels(&self) -> usize {
        self.shared.cancels.load(Ordering::SeqCst)
    }
}

impl Drop for FalseServer {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread that accepts.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

/// One message as a server sends it: its tag, its length, its body.
pub fn message(tag: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap_or(u32::MAX);
    [&[tag], length.to_be_bytes().as_slice(), body].concat()
}

/// Answers a client up to its ReadyForQuery; `false` if it only wanted to cancel.
fn welcome(client: &mut TcpStream, shared: &Shared) -> io::Result<bool> {
    loop {
        let mut word = [0; 4];
        client.read_exact(&mut word)?;
        let length = usize::try_from(u32::from_be_bytes(word)).unwrap_or_default().clamp(8, 10_000);
        client.read_exact(&mut word)?;
        let mut rest = vec![0; length - 8];
        client.read_exact(&mut rest)?;
        match u32::from_be_bytes(word) {
            TLS_REQUEST => client.write_all(b"N")?,
            CANCEL_REQUEST => {
                shared.cancels.fetch_add(1, Ordering::SeqCst);
                return Ok(false);
            }
            _ => break,
        }
    }
    let greeting = [
        message(b'R', &[0; 4]),
        message(b'S', b"server_version\x0015.0\0"),
        message(b'S', b"client_encoding\0UTF8\0"),
        message(b'S', b"in_hot_standby\0off\0"),
        message(b'K', &[0, 0, 0, 1, 0, 0, 0, 2]),
        message(b'Z', b"I"),
    ];
    client.write_all(&greeting.concat())?;
    Ok(true)
}
