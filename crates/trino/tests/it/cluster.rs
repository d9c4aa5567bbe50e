//! A cluster that answers every query with a fixed list of answers, one after the other.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};

use bowshot_testkit::FalseServer;

/// What came from the client.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

/// One answer of the cluster.
#[derive(Clone, Debug)]
pub enum Answer {
    /// JSON with the place of the next answer, if there is one.
    Page(String),
    /// The same, with headers.
    With(Vec<(&'static str, &'static str)>, String),
    /// Another status.
    Status(u16, &'static str),
    /// Bytes as they are; the connection ends then.
    Bytes(Vec<u8>),
    /// Nothing, for as long as the client waits.
    Silence,
    /// The connection ends.
    HangUp,
}

/// A page without the braces around it.
pub fn page(inside: &str) -> Answer {
    Answer::Page(inside.to_owned())
}

pub struct Cluster {
    server: FalseServer,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Cluster {
    /// Gives `answers` in turn; a page points to the next one unless it is the last.
    pub fn start(answers: Vec<Answer>) -> Self {
        let script = Mutex::new(answers.into_iter().collect::<std::collections::VecDeque<_>>());
        Cluster::with(move |_| {
            let mut script = script.lock().unwrap();
            let answer = script.pop_front().unwrap_or(Answer::Status(410, "no answer is left"));
            (answer, !script.is_empty())
        })
    }

    /// Asks `behaviour` for every answer, and whether there is another one.
    pub fn with(behaviour: impl Fn(&Asked) -> (Answer, bool) + Send + Sync + 'static) -> Self {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&asked);
        let server = FalseServer::raw(move |client| serve(client, &log, &behaviour)).unwrap();
        Cluster { server, asked }
    }

    pub fn uri(&self) -> String {
        format!("trino://ada@127.0.0.1:{}/shop/small", self.server.port())
    }

    pub fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    pub fn count(&self, method: &str) -> usize {
        self.asked().iter().filter(|asked| asked.method == method).count()
    }
}

fn serve(client: TcpStream, log: &Mutex<Vec<Asked>>, behaviour: &impl Fn(&Asked) -> (Answer, bool)) -> io::Result<()> {
    let mut reader = BufReader::new(client.try_clone()?);
    let mut client = client;
    while let Some(asked) = request(&mut reader)? {
        let number = {
            let mut log = log.lock().unwrap();
            log.push(asked.clone());
            log.len()
        };
        if asked.method == "DELETE" {
            client.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
            continue;
        }
        let (answer, more) = behaviour(&asked);
        let next = match more {
            true => format!("\"nextUri\":\"http://inner.example:8080/v1/statement/executing/q1/{number}\","),
            false => String::new(),
        };
        let (status, headers, body) = match answer {
            Answer::Page(inside) => (200, Vec::new(), format!("{{\"id\":\"q1\",{next}{inside}}}")),
            Answer::With(headers, inside) => (200, headers, format!("{{\"id\":\"q1\",{next}{inside}}}")),
            Answer::Status(status, body) => (status, Vec::new(), body.to_owned()),
            Answer::Bytes(bytes) => return client.write_all(&bytes),
            Answer::Silence => {
                // Until the client hangs up.
                let _ = client.read(&mut [0; 1])?;
                return Ok(());
            }
            Answer::HangUp => return Ok(()),
        };
        let mut head = format!("HTTP/1.1 {status} X\r\nContent-Length: {}\r\n", body.len());
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        client.write_all(format!("{head}\r\n{body}").as_bytes())?;
    }
    Ok(())
}

fn request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split(' ').map(str::to_owned);
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.insert(name.to_ascii_lowercase(), value.to_owned());
    }
    let length = headers.get("content-length").and_then(|length: &String| length.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some(Asked { method, path, headers, body: String::from_utf8_lossy(&body).into_owned() }))
}

/// A column of a type without parameters.
pub fn column(name: &str, of: &str) -> String {
    format!(r#"{{"name":"{name}","type":"{of}","typeSignature":{{"rawType":"{of}","arguments":[]}}}}"#)
}

/// A column `n` of bigint.
pub fn numbers() -> String {
    format!("\"columns\":[{}]", column("n", "bigint"))
}
