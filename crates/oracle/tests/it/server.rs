//! A false Oracle database: listener, login, cursors. What it answers to statements, the tests say.

use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use aes::Aes256;
use aes::cipher::{BlockDecrypt, BlockEncrypt, KeyInit};
use bowshot_testkit::FalseServer;
use pbkdf2::pbkdf2_hmac;
use sha2::{Digest, Sha512};

use crate::answers::Answer;
use crate::ttc::{self, Request, Row};

pub const PASSWORD: &str = "ti/ger";
const SALT: [u8; 16] = [7; 16];
const SECRET: [u8; 32] = [42; 32];
const ROUNDS: u32 = 64;

type Answers = Arc<dyn Fn(&str, &Row) -> Answer + Send + Sync>;

/// What the server does and saw.
pub struct Database {
    server: FalseServer,
    pub seen: Arc<Seen>,
}

/// What a server saw.
#[derive(Default)]
pub struct Seen {
    pub statements: Mutex<Vec<String>>,
    pub breaks: AtomicUsize,
    pub logoffs: AtomicUsize,
    pub fetches: AtomicUsize,
}

/// How the server speaks.
#[derive(Clone, Copy)]
pub struct Manner {
    pub version: u8,
    /// Bytes of data in a packet.
    pub packet: usize,
    /// Rows of a page, whatever the client asks for.
    pub page: usize,
    /// How often the listener wants to be asked again.
    pub resend: usize,
}

pub const CLASSIC: Manner = Manner { version: ttc::VERSION_19, packet: 8000, page: 1000, resend: 0 };
pub const MODERN: Manner = Manner { version: ttc::VERSION_23, packet: 8000, page: 1000, resend: 0 };

impl Database {
    pub fn start(manner: Manner, answers: impl Fn(&str, &Row) -> Answer + Send + Sync + 'static) -> Database {
        let seen = Arc::<Seen>::default();
        let (shared, answers): (_, Answers) = (Arc::clone(&seen), Arc::new(answers));
        let server = FalseServer::raw(move |stream| {
            Conversation::new(stream, manner, Arc::clone(&answers), Arc::clone(&shared)).run()
        });
        Database { server: server.unwrap(), seen }
    }

    /// A server with one result for every query.
    pub fn with(manner: Manner, answer: Answer) -> Database {
        Database::start(manner, move |sql, _| {
            if sql.contains("ALL_TABLES") {
                // The dictionary shows no table.
                Answer::Rows(vec![ttc::column("OWNER", 1)], Vec::new())
            } else if is_query(sql) {
                answer.clone()
            } else {
                Answer::Done
            }
        })
    }

    pub fn uri(&self) -> String {
        format!("oracle://scott:ti%2Fger@127.0.0.1:{}/orclpdb1", self.port())
    }

    pub fn port(&self) -> u16 {
        self.server.port()
    }

    pub fn connections(&self) -> usize {
        self.server.connections()
    }

    pub fn statements(&self) -> Vec<String> {
        self.seen.statements.lock().unwrap().clone()
    }
}

pub fn is_query(sql: &str) -> bool {
    sql.trim_start()
        .get(..6)
        .is_some_and(|word| word.eq_ignore_ascii_case("select") || word.eq_ignore_ascii_case("with q"))
}

struct Cursor {
    answer: Answer,
    next: usize,
    defined: bool,
}

struct Conversation {
    stream: TcpStream,
    manner: Manner,
    answers: Answers,
    seen: Arc<Seen>,
    wide: bool,
    cursors: HashMap<u32, Cursor>,
}

impl Conversation {
    fn new(stream: TcpStream, manner: Manner, answers: Answers, seen: Arc<Seen>) -> Self {
        stream.set_nodelay(true).unwrap();
        Conversation { stream, manner, answers, seen, wide: false, cursors: HashMap::new() }
    }

    fn run(mut self) -> io::Result<()> {
        for _ in 0..self.manner.resend {
            self.asked()?;
            self.send(11, &[])?;
        }
        self.asked()?;
        let modern = self.manner.version >= 18;
        let mut accept = Vec::new();
        accept.extend_from_slice(&(if modern { 319_u16 } else { 318 }).to_be_bytes());
        accept.extend_from_slice(&[0; 12]);
        accept.push(0);
        accept.extend_from_slice(&[0; 9]);
        accept.extend_from_slice(&8192_u32.to_be_bytes());
        accept.extend_from_slice(&[0; 5]);
        accept.extend_from_slice(&(if modern { 0x1200_0000_u32 } else { 0 }).to_be_bytes());
        self.send(2, &accept)?;
        self.wide = true;
        if !self.log_in(modern)? {
            return Ok(());
        }
        loop {
            let request = self.request()?;
            match request {
                Request::Logoff => {
                    self.seen.logoffs.fetch_add(1, Ordering::SeqCst);
                    self.respond(&ttc::done())?;
                    // The last packet says that nothing more comes.
                    let _ = self.packet();
                    return Ok(());
                }
                Request::Execute { sql, cursor, options, values, .. } => self.execute(sql, cursor, options, &values)?,
                Request::Fetch { cursor } => {
                    self.seen.fetches.fetch_add(1, Ordering::SeqCst);
                    self.fetch(cursor)?;
                }
                Request::Login(function, _) | Request::Other(function) => panic!("nobody expected function {function}"),
            }
        }
    }

    /// A request to connect; a long descriptor follows in a packet of its own.
    fn asked(&mut self) -> io::Result<()> {
        let (kind, body) = self.packet()?;
        assert_eq!(kind, 1, "a request to connect");
        if u16::from_be_bytes([body[16], body[17]]) > 230 {
            assert_eq!(self.packet()?.0, 6, "its descriptor");
        }
        Ok(())
    }

    /// The server's half of a login with a password of 12c.
    fn log_in(&mut self, modern: bool) -> io::Result<bool> {
        let mut greeting = Vec::new();
        if modern {
            let (_, body) = self.packet()?;
            assert_eq!(body[2], 34, "a fast login");
            greeting = [ttc::protocol(self.manner.version), vec![2, 0, 0]].concat();
        } else {
            assert_eq!(self.packet()?.1[2], 1);
            self.send_data(&ttc::protocol(self.manner.version), false)?;
            assert_eq!(self.packet()?.1[2], 2);
            self.send_data(&[2, 0, 0], false)?;
            assert!(matches!(self.request()?, Request::Login(118, _)));
        }
        let mut key = [0; 64];
        pbkdf2_hmac::<Sha512>(
            PASSWORD.as_bytes(),
            &[SALT.as_slice(), b"AUTH_PBKDF2_SPEEDY_KEY"].concat(),
            ROUNDS,
            &mut key,
        );
        let hash = Sha512::new().chain_update(key).chain_update(SALT).finalize();
        let question = ttc::pairs(&[
            ("AUTH_SESSKEY", &hex(&encrypt(&hash[..32], &SECRET)), 0),
            ("AUTH_VFR_DATA", &hex(&SALT), 0x4815),
            ("AUTH_PBKDF2_CSK_SALT", &hex(&[9; 16]), 0),
            ("AUTH_PBKDF2_VGEN_COUNT", &ROUNDS.to_string(), 0),
            ("AUTH_PBKDF2_SDER_COUNT", "3", 0),
            ("AUTH_GLOBALLY_UNIQUE_DBID\0", "F", 0),
        ]);
        self.respond(&[greeting, question, ttc::done()].concat())?;
        let Request::Login(115, proof) = self.request()? else { panic!("no proof of the password") };
        let theirs = decrypt(&hash[..32], &unhex(&value(&proof, "AUTH_SESSKEY")));
        let mixed = hex(&[&theirs[..32], &SECRET].concat());
        let mut combined = [0; 32];
        pbkdf2_hmac::<Sha512>(mixed.as_bytes(), &[9; 16], 3, &mut combined);
        let password = decrypt(&combined, &unhex(&value(&proof, "AUTH_PASSWORD")));
        if !password.get(16..).is_some_and(|password| password.starts_with(PASSWORD.as_bytes())) {
            self.refuse(1017, "ORA-01017: invalid username/password; logon denied", 0)?;
            return Ok(false);
        }
        let answer = encrypt(&combined, &[[1_u8; 16].as_slice(), b"SERVER_TO_CLIENT"].concat());
        let session = ttc::pairs(&[
            ("AUTH_VERSION_NO", if modern { "386007040" } else { "318767104" }, 0),
            ("AUTH_SESSION_ID", "42", 0),
            ("AUTH_SERIAL_NUM", "4711", 0),
            ("AUTH_SC_DBUNIQUE_NAME", "false", 0),
            ("AUTH_SC_SERVICE_NAME", "orclpdb1", 0),
            ("AUTH_SC_INSTANCE_NAME", "false", 0),
            ("AUTH_DBNAME", "FALSE", 0),
            ("AUTH_MAX_OPEN_CURSORS", "300", 0),
            ("AUTH_INSTANCENAME", "false", 0),
            ("AUTH_SVR_RESPONSE", &hex(&answer), 0),
        ]);
        self.respond(&[session, ttc::done()].concat())?;
        Ok(true)
    }

    fn execute(&mut self, sql: Option<String>, cursor: u32, options: u32, values: &Row) -> io::Result<()> {
        let version = self.manner.version;
        let Some(sql) = sql else {
            // How the columns are to be sent.
            assert!(options & ttc::DEFINE != 0);
            self.cursors.get_mut(&cursor).expect("an open cursor").defined = true;
            return self.fetch(cursor);
        };
        self.seen.statements.lock().unwrap().push(sql.clone());
        let mut answer = (self.answers)(&sql, values);
        let described = options & ttc::DESCRIBE != 0;
        if let Answer::Late(delay, late) = answer {
            if !described {
                self.wait(delay)?;
            }
            answer = *late;
        }
        if let Answer::Error(code, message, position) = answer {
            return self.refuse(code, message, position);
        }
        let number = u16::try_from(self.cursors.len() + 1).unwrap();
        let columns = answer.columns().to_vec();
        let mut body = Vec::new();
        if !columns.is_empty() {
            body.extend(ttc::describe(&columns, version));
        }
        self.cursors.insert(number.into(), Cursor { answer, next: 0, defined: false });
        if !described && options & ttc::FETCH != 0 && !columns.is_empty() {
            // A small result comes at once.
            let cursor = &self.cursors[&u32::from(number)];
            body.extend(ttc::rows(&columns, cursor.answer.rows(), None, false));
            body.extend(ttc::status(1403, "ORA-01403: no data found", 0, number, version));
        } else {
            body.extend([8, 0, 0, 0, 0]);
            body.extend(ttc::status(0, "", 0, number, version));
        }
        self.respond(&body)
    }

    fn fetch(&mut self, number: u32) -> io::Result<()> {
        let (version, page) = (self.manner.version, self.manner.page);
        let cursor = self.cursors.get_mut(&number).expect("an open cursor");
        let (columns, rows) = (cursor.answer.columns().to_vec(), cursor.answer.rows());
        let end = (cursor.next + page).min(rows.len());
        let above = cursor.next.checked_sub(1).map(|above| &rows[above]);
        let mut body = ttc::rows(&columns, &rows[cursor.next..end], above, cursor.defined);
        cursor.next = end;
        let id = u16::try_from(number).unwrap();
        if end < rows.len() {
            body.extend(ttc::status(0, "", 0, id, version));
            return self.respond(&body);
        }
        match cursor.answer.clone() {
            Answer::Hangs(..) => {
                self.send_data(&body, false)?;
                self.wait(Duration::from_secs(60))
            }
            Answer::Dies(..) => {
                self.send_data(&body, false)?;
                Err(io::ErrorKind::Other.into())
            }
            Answer::Breaks(_, _, code, message) => {
                self.send_data(&body, false)?;
                self.refuse(code, message, 0)
            }
            _ => {
                body.extend(ttc::status(1403, "ORA-01403: no data found", 0, id, version));
                self.respond(&body)
            }
        }
    }

    /// Works for a while, unless the client breaks in.
    fn wait(&mut self, delay: Duration) -> io::Result<()> {
        self.stream.set_read_timeout(Some(delay))?;
        match self.packet() {
            Ok((12, body)) if body == [1, 0, 3] => {
                self.seen.breaks.fetch_add(1, Ordering::SeqCst);
                Err(io::ErrorKind::Interrupted.into())
            }
            Ok((kind, body)) => panic!("packet {kind} in the middle of work: {body:?}"),
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                self.stream.set_read_timeout(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Breaks off and says why.
    fn refuse(&mut self, code: u32, message: &str, position: u16) -> io::Result<()> {
        self.send(12, &[1, 0, 1])?;
        loop {
            let (kind, body) = self.packet()?;
            if kind == 12 && body == [1, 0, 2] {
                break;
            }
        }
        self.send(12, &[1, 0, 2])?;
        let body = ttc::status(code, message, position, 0, self.manner.version);
        self.respond(&body)
    }

    fn request(&mut self) -> io::Result<Request> {
        let (kind, body) = self.packet()?;
        assert_eq!(kind, 6);
        if body[..2] == [0, 0x40] {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(ttc::request(&body[2..], self.manner.version))
    }

    fn packet(&mut self) -> io::Result<(u8, Vec<u8>)> {
        let mut head = [0; 8];
        self.stream.read_exact(&mut head)?;
        let length = if self.wide {
            u32::from_be_bytes([head[0], head[1], head[2], head[3]])
        } else {
            u16::from_be_bytes([head[0], head[1]]).into()
        };
        let mut body = vec![0; usize::try_from(length).unwrap() - 8];
        self.stream.read_exact(&mut body)?;
        Ok((head[4], body))
    }

    fn send(&mut self, kind: u8, body: &[u8]) -> io::Result<()> {
        let length = body.len() + 8;
        let mut packet = if self.wide {
            u32::try_from(length).unwrap().to_be_bytes().to_vec()
        } else {
            [u16::try_from(length).unwrap().to_be_bytes(), [0, 0]].concat()
        };
        packet.extend_from_slice(&[kind, 0, 0, 0]);
        packet.extend_from_slice(body);
        self.stream.write_all(&packet)
    }

    /// A whole response; newer servers mark its end.
    fn respond(&mut self, body: &[u8]) -> io::Result<()> {
        if self.manner.version >= 18 {
            self.send_data(&[body, &[29]].concat(), true)
        } else {
            self.send_data(body, false)
        }
    }

    fn send_data(&mut self, body: &[u8], ends: bool) -> io::Result<()> {
        let count = body.len().div_ceil(self.manner.packet).max(1);
        for (number, chunk) in (1..).zip(body.chunks(self.manner.packet)) {
            let flags = if ends && number == count { 0x2000_u16 } else { 0 };
            self.send(6, &[flags.to_be_bytes().as_slice(), chunk].concat())?;
        }
        Ok(())
    }
}

/// AES in chained blocks, from a zero vector on.
fn encrypt(key: &[u8], plain: &[u8]) -> Vec<u8> {
    let cipher = Aes256::new_from_slice(key).unwrap();
    let mut last = [0_u8; 16];
    let mut out = Vec::new();
    for chunk in plain.chunks_exact(16) {
        let mut block = [0; 16];
        for (index, byte) in block.iter_mut().enumerate() {
            *byte = chunk[index] ^ last[index];
        }
        cipher.encrypt_block((&mut block).into());
        last = block;
        out.extend_from_slice(&block);
    }
    out
}

fn decrypt(key: &[u8], secret: &[u8]) -> Vec<u8> {
    let cipher = Aes256::new_from_slice(key).unwrap();
    let mut last = [0_u8; 16];
    let mut out = Vec::new();
    for chunk in secret.chunks_exact(16) {
        let mut block: [u8; 16] = chunk.try_into().unwrap();
        cipher.decrypt_block((&mut block).into());
        out.extend(block.iter().zip(last).map(|(byte, last)| byte ^ last));
        last = chunk.try_into().unwrap();
    }
    out
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    text.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// The hexadecimal value behind a name in a login.
fn value(bytes: &[u8], name: &str) -> String {
    let at = bytes.windows(name.len()).position(|window| window == name.as_bytes()).expect(name) + name.len();
    // Its length as a number, and again in a byte.
    let length = usize::from(bytes[at + 1]);
    String::from_utf8(bytes[at + 3..at + 3 + length].to_vec()).unwrap()
}
