//! A server that speaks TDS just well enough: it lets clients in and answers each query with the bytes that a test gives.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

use super::messages::prelogin_encryption;
pub use super::messages::{Login, Parameter, Request};
use super::tokens;

/// What a client sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    PreLogin {
        encryption: u8,
    },
    Login(Login),
    /// A query; `transaction` is the one that it names.
    Query(Request),
    Attention,
}

/// What the server does with a query.
pub enum Reply {
    /// These tokens.
    Tokens(Vec<u8>),
    /// These bytes without packets around them, then nothing more.
    Raw(Vec<u8>),
    /// These tokens in a message that does not end, and then the connection does.
    HangUp(Vec<u8>),
    /// These tokens in a message that does not end, until the client sends something.
    Stall(Vec<u8>),
    /// The first tokens, then the others again and again, until the client is gone or asks to stop.
    Endless(Vec<u8>, Vec<u8>),
}

/// How the server logs clients in.
#[derive(Clone, Default)]
pub struct Door {
    /// The answer to PRELOGIN's question of encryption: 0 off, 1 on, 2 not supported, 3 required.
    pub encryption: u8,
    pub tls: Option<Arc<ServerConfig>>,
    /// TLS before anything else.
    pub strict: bool,
    /// What it says to LOGIN7 in place of a welcome.
    pub login: Option<Vec<u8>>,
    /// The length of its packets.
    pub packet_size: u16,
}

type Answer = dyn Fn(&Request) -> Reply + Send + Sync;

/// Listens on a free port of this machine until it is dropped.
pub struct Mock {
    pub port: u16,
    shared: Arc<Shared>,
}

struct Shared {
    door: Door,
    answer: Box<Answer>,
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    open: AtomicUsize,
    stopped: AtomicBool,
}

impl Mock {
    pub fn start(answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Mock {
        // Packets so small that most tokens lie in two of them.
        let door = Door { packet_size: 512, encryption: 2, ..Door::default() };
        Self::with(door, move |request| match request.sql.contains("snapshot_isolation_state") {
            true => Reply::Tokens(tokens::numbers("", &[0])),
            false => answer(request),
        })
    }

    pub fn with(door: Door, answer: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Mock {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            door,
            answer: Box::new(answer),
            seen: Mutex::default(),
            connections: AtomicUsize::new(0),
            open: AtomicUsize::new(0),
            stopped: AtomicBool::new(false),
        });
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            while let Ok((client, _)) = listener.accept() {
                if accepting.stopped.load(Ordering::SeqCst) {
                    break;
                }
                let number = accepting.connections.fetch_add(1, Ordering::SeqCst);
                accepting.open.fetch_add(1, Ordering::SeqCst);
                let shared = Arc::clone(&accepting);
                std::thread::spawn(move || {
                    let _ = shared.serve(client, number);
                    shared.open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        Mock { port, shared }
    }

    /// Answers every query with this result.
    pub fn result(described: Vec<tokens::Described>, result: Vec<u8>) -> Mock {
        Self::start(move |request| match request.is_describe() {
            true => Reply::Tokens(tokens::description(&described)),
            false => Reply::Tokens(result.clone()),
        })
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// The queries that came, without those that every session and every plan begins with.
    pub fn queries(&self) -> Vec<Request> {
        let query = |seen| match seen {
            Seen::Query(request) if !request.sql.contains("snapshot_isolation_state") => Some(request),
            _ => None,
        };
        self.seen().into_iter().filter_map(query).collect()
    }

    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// How many connections have not ended.
    pub fn open(&self) -> usize {
        self.shared.open.load(Ordering::SeqCst)
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// A connection, encrypted or not.
enum Stream {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.read(buffer),
            Stream::Tls(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Stream::Plain(stream) => stream.write(bytes),
            Stream::Tls(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Stream::Plain(stream) => stream.flush(),
            Stream::Tls(stream) => stream.flush(),
        }
    }
}

/// A whole message, and its type.
fn receive(stream: &mut impl Read) -> io::Result<(u8, Vec<u8>)> {
    let mut message = Vec::new();
    loop {
        let mut header = [0; 8];
        stream.read_exact(&mut header)?;
        let length = usize::from(u16::from_be_bytes([header[2], header[3]])) - 8;
        let start = message.len();
        message.resize(start + length, 0);
        stream.read_exact(&mut message[start..])?;
        if header[1] & 1 == 1 {
            return Ok((header[0], message));
        }
    }
}

fn send(stream: &mut impl Write, kind: u8, message: &[u8], size: u16, ends: bool) -> io::Result<()> {
    let mut parts = message.chunks(usize::from(size) - 8).peekable();
    let mut packets = Vec::new();
    loop {
        let part = parts.next().unwrap_or_default();
        let last = parts.peek().is_none();
        let [high, low] = u16::try_from(part.len() + 8).unwrap().to_be_bytes();
        packets.extend([kind, u8::from(last && ends), high, low, 0, 57, 1, 0]);
        packets.extend(part);
        if last {
            break;
        }
    }
    stream.write_all(&packets)?;
    stream.flush()
}

impl Shared {
    fn saw(&self, seen: Seen) {
        self.seen.lock().unwrap().push(seen);
    }

    fn serve(&self, client: TcpStream, number: usize) -> io::Result<()> {
        client.set_nodelay(true)?;
        let tls = || {
            let config = self.door.tls.clone().expect("a mock with a certificate");
            ServerConnection::new(config).map_err(io::Error::other)
        };
        let mut stream = match self.door.strict {
            true => Stream::Tls(Box::new(StreamOwned::new(tls()?, client))),
            false => Stream::Plain(client),
        };
        let (_, message) = receive(&mut stream)?;
        let wanted = prelogin_encryption(&message);
        self.saw(Seen::PreLogin { encryption: wanted });
        // VERSION and ENCRYPTION.
        let answer = [0, 0, 11, 0, 6, 1, 0, 17, 0, 1, 0xFF, 16, 0, 3, 232, 0, 0, self.door.encryption];
        send(&mut stream, 4, &answer, 4096, true)?;
        let encrypts = self.door.encryption != 2 && !self.door.strict;
        if encrypts {
            stream = match stream {
                Stream::Plain(client) => Stream::Tls(Box::new(handshake(tls()?, client)?)),
                tls => tls,
            };
        }
        let (_, message) = receive(&mut stream)?;
        self.saw(Seen::Login(Login { encrypted: matches!(stream, Stream::Tls(_)), ..Login::read(&message) }));
        if encrypts && self.door.encryption == 0 {
            stream = match stream {
                Stream::Tls(stream) => Stream::Plain(stream.into_parts().1),
                plain => plain,
            };
        }
        let size = self.door.packet_size.max(512);
        let accepted = self.door.login.is_none();
        let answer = self.door.login.clone().unwrap_or_else(|| tokens::welcome(size));
        send(&mut stream, 4, &answer, 4096, true)?;
        if !accepted {
            // The client hangs up.
            let _ = stream.read(&mut [0]);
            return Ok(());
        }
        loop {
            let (kind, message) = receive(&mut stream)?;
            let request = match kind {
                1 => Request::batch(&message, number),
                3 => Request::procedure(&message, number),
                6 => {
                    self.saw(Seen::Attention);
                    send(&mut stream, 4, &tokens::done_with(0x20), size, true)?;
                    continue;
                }
                _ => return Ok(()),
            };
            if request.sql.starts_with("SET TEXTSIZE") {
                send(&mut stream, 4, &tokens::done_with(0), size, true)?;
                continue;
            }
            self.saw(Seen::Query(request.clone()));
            match (self.answer)(&request) {
                Reply::Tokens(tokens) => send(&mut stream, 4, &tokens, size, true)?,
                Reply::Raw(bytes) => {
                    stream.write_all(&bytes)?;
                    stream.flush()?;
                    let _ = stream.read(&mut [0]);
                    return Ok(());
                }
                Reply::HangUp(tokens) => return send(&mut stream, 4, &tokens, size, false),
                Reply::Stall(tokens) => send(&mut stream, 4, &tokens, size, false)?,
                Reply::Endless(first, again) => {
                    send(&mut stream, 4, &first, size, false)?;
                    self.send_on_and_on(&mut stream, &again, size)?;
                }
            }
        }
    }

    /// Sends until the client does.
    fn send_on_and_on(&self, stream: &mut Stream, again: &[u8], size: u16) -> io::Result<()> {
        let Stream::Plain(socket) = stream else { return Err(io::Error::other("only without TLS")) };
        let watch = socket.try_clone()?;
        watch.set_nonblocking(false)?;
        let asked = Arc::new(AtomicBool::new(false));
        let asks = Arc::clone(&asked);
        let waiting = std::thread::spawn(move || {
            let _ = watch.peek(&mut [0]);
            asks.store(true, Ordering::SeqCst);
        });
        while !asked.load(Ordering::SeqCst) {
            send(stream, 4, again, size, false)?;
        }
        let _ = waiting.join();
        Ok(())
    }
}

/// The handshake inside of TDS packets.
fn handshake(
    mut connection: ServerConnection,
    mut client: TcpStream,
) -> io::Result<StreamOwned<ServerConnection, TcpStream>> {
    while connection.is_handshaking() {
        if connection.wants_write() {
            let mut message = Vec::new();
            while connection.wants_write() {
                connection.write_tls(&mut message)?;
            }
            send(&mut client, 0x12, &message, 4096, true)?;
            continue;
        }
        let (_, message) = receive(&mut client)?;
        let mut rest = message.as_slice();
        while !rest.is_empty() {
            connection.read_tls(&mut rest)?;
            connection.process_new_packets().map_err(io::Error::other)?;
        }
    }
    // The end of the handshake is ours.
    let mut message = Vec::new();
    while connection.wants_write() {
        connection.write_tls(&mut message)?;
    }
    if !message.is_empty() {
        send(&mut client, 0x12, &message, 4096, true)?;
    }
    Ok(StreamOwned::new(connection, client))
}
