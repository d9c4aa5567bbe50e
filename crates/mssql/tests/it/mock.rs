//! A server that speaks TDS just well enough: it lets clients in and answers each query with the bytes that a test gives.

use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rustls::{ServerConfig, ServerConnection, StreamOwned};

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

/// The fields of LOGIN7 that matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Login {
    pub version: u32,
    pub packet_size: u32,
    pub user: String,
    pub password: String,
    pub application: String,
    pub server: String,
    pub database: String,
    pub read_only: bool,
    /// Whether it came encrypted.
    pub encrypted: bool,
}

/// A query, with its parameters if it came as `sp_executesql`.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    pub sql: String,
    pub declared: String,
    pub parameters: Vec<Parameter>,
    pub transaction: u64,
    /// The number of its connection.
    pub connection: usize,
}

/// A parameter: its name, its type's token, its bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub name: String,
    pub token: u8,
    pub value: Option<Vec<u8>>,
}

impl Parameter {
    pub fn text(&self) -> String {
        let bytes = self.value.clone().unwrap_or_default();
        let units: Vec<u16> = bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        String::from_utf16(&units).unwrap()
    }
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

impl Request {
    pub fn is_describe(&self) -> bool {
        self.sql.contains("sp_describe_first_result_set")
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

fn prelogin_encryption(message: &[u8]) -> u8 {
    let option = message.chunks(5).find(|option| option[0] == 1).expect("the option ENCRYPTION");
    message[usize::from(u16::from_be_bytes([option[1], option[2]]))]
}

impl Login {
    /// Reads LOGIN7 ([MS-TDS] 2.2.6.4).
    fn read(message: &[u8]) -> Login {
        let u32_at = |at: usize| u32::from_le_bytes(message[at..at + 4].try_into().unwrap());
        let u16_at = |at: usize| usize::from(u16::from_le_bytes([message[at], message[at + 1]]));
        assert_eq!(u32_at(0) as usize, message.len());
        let bytes = |at: usize| message[u16_at(at)..u16_at(at) + 2 * u16_at(at + 2)].to_vec();
        let text = |bytes: Vec<u8>| {
            String::from_utf16(&bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>())
                .unwrap()
        };
        // The password's halves of bytes are swapped, then its bits.
        let password = bytes(44).into_iter().map(|byte| (byte ^ 0xA5).rotate_left(4)).collect();
        Login {
            version: u32_at(4),
            packet_size: u32_at(8),
            user: text(bytes(40)),
            password: text(password),
            application: text(bytes(48)),
            server: text(bytes(52)),
            database: text(bytes(68)),
            read_only: message[26] & 0x20 != 0,
            encrypted: false,
        }
    }
}

/// Reads from the front of bytes.
struct Front<'a>(&'a [u8]);

impl<'a> Front<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn number(&mut self, length: usize) -> u64 {
        self.take(length).iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
    }

    fn length(&mut self, length: usize) -> usize {
        usize::try_from(self.number(length)).unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf16(&bytes.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect::<Vec<_>>()).unwrap()
}

impl Request {
    fn batch(message: &[u8], connection: usize) -> Request {
        let mut front = Front(message);
        let transaction = headers(&mut front);
        Request { sql: text(front.0), declared: String::new(), parameters: Vec::new(), transaction, connection }
    }

    /// `sp_executesql` ([MS-TDS] 2.2.6.6).
    fn procedure(message: &[u8], connection: usize) -> Request {
        let mut front = Front(message);
        let transaction = headers(&mut front);
        assert_eq!((front.number(2), front.number(2), front.number(2)), (0xFFFF, 10, 0));
        let mut parameters = Vec::new();
        while !front.0.is_empty() {
            parameters.push(Parameter::read(&mut front));
        }
        let values = parameters.split_off(2);
        let [sql, declared] = [0, 1].map(|index: usize| parameters[index].text());
        Request { sql, declared, parameters: values, transaction, connection }
    }
}

fn headers(front: &mut Front<'_>) -> u64 {
    assert_eq!((front.number(4), front.number(4), front.number(2)), (22, 18, 2));
    let transaction = front.number(8);
    assert_eq!(front.number(4), 1);
    transaction
}

impl Parameter {
    fn read(front: &mut Front<'_>) -> Parameter {
        let length = front.length(1);
        let name = text(front.take(2 * length));
        assert_eq!(front.number(1), 0);
        let token = front.take(1)[0];
        let value = match token {
            0x26 | 0x68 | 0x6D => {
                front.number(1);
                match front.length(1) {
                    0 => None,
                    length => Some(front.take(length).to_vec()),
                }
            }
            0xE7 | 0xA5 => {
                let most = front.number(2);
                if token == 0xE7 {
                    front.take(5);
                }
                if most == 0xFFFF { chunks(front) } else { short(front) }
            }
            _ => panic!("a parameter of type {token:#x}"),
        };
        Parameter { name, token, value }
    }
}

fn short(front: &mut Front<'_>) -> Option<Vec<u8>> {
    match front.length(2) {
        0xFFFF => None,
        length => Some(front.take(length).to_vec()),
    }
}

fn chunks(front: &mut Front<'_>) -> Option<Vec<u8>> {
    if front.number(8) == u64::MAX {
        return None;
    }
    let mut value = Vec::new();
    loop {
        match front.length(4) {
            0 => return Some(value),
            length => value.extend(front.take(length)),
        }
    }
}
