//! The console beside a gateway, as its page and operators' tools ask it.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::{Value, json};

use crate::server::{Server, stream};

/// Nothing here takes so long, on any machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What goes on until somebody ends it.
const ENDLESS: &str = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) AS n FROM n";

/// What `printf ann:s3cret | base64` prints.
const ANN: &str = "authorization: Basic YW5uOnMzY3JldA==";

/// A gateway with its console, and the console's address.
fn start(arguments: &[&str]) -> (Server, String) {
    let mut all = vec!["--console", "127.0.0.1:0"];
    all.extend_from_slice(arguments);
    let mut server = Server::start(&all);
    let log = server.wait_for("console on http://");
    let address = log.split("console on http://").nth(1).unwrap().lines().next().unwrap().to_owned();
    (server, address)
}

/// What the console answers: the status, the headers and the body.
fn ask(address: &str, call: &str, headers: &[&str], body: &str) -> (u16, String, String) {
    let mut connection = TcpStream::connect(address).unwrap();
    connection.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut text = format!("{call} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    headers.iter().for_each(|header| text.extend([header, "\r\n"]));
    text.push_str(&format!("content-length: {}\r\n\r\n{body}", body.len()));
    connection.write_all(text.as_bytes()).unwrap();
    let mut answer = String::new();
    connection.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, head.to_owned(), body.to_owned())
}

fn get(address: &str, path: &str) -> (u16, String) {
    let (status, _, body) = ask(address, &format!("GET {path}"), &[], "");
    (status, body)
}

/// What a list of the console holds.
fn list(address: &str, path: &str) -> Vec<Value> {
    let (status, body) = get(address, path);
    assert_eq!(status, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

/// Asks a query with a user's login, or without one.
fn query_as(address: &str, login: &[&str], question: &Value) -> (u16, Value) {
    let headers = [&["x-bowshot-console: 1", "content-type: application/json"], login].concat();
    let (status, _, body) = ask(address, "POST /api/query", &headers, &question.to_string());
    (status, serde_json::from_str(&body).unwrap())
}

fn query(address: &str, sql: &str) -> (u16, Value) {
    query_as(address, &[], &json!({ "sql": sql, "limit": 2 }))
}

/// The number of the statement that runs, once there is one.
fn running(address: &str) -> u64 {
    at_least(address, "/api/running", 1)[0]["id"].as_u64().unwrap()
}

/// What a list of the console holds, once that is so much.
fn at_least(address: &str, path: &str, count: usize) -> Vec<Value> {
    let started = Instant::now();
    loop {
        let held = list(address, path);
        if held.len() >= count {
            return held;
        }
        assert!(started.elapsed() < PATIENCE, "{path} never holds {count}: {held:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

fn kill(address: &str, id: u64) {
    let (status, _, body) = ask(address, &format!("POST /api/kill/{id}"), &["x-bowshot-console: 1"], "");
    assert_eq!(status, 204, "{body}");
}

#[test]
fn what_the_console_asks_and_what_clients_ask_is_seen_and_counted() {
    let (server, address) = start(&[]);
    assert_eq!(get(&address, "/health"), (200, "live\n".to_owned()));
    assert_eq!(get(&address, "/ready"), (200, "ready\n".to_owned()));
    assert!(get(&address, "/").1.contains("<title>"));

    let numbers = "SELECT 9007199254740993 AS n UNION ALL SELECT 2 UNION ALL SELECT 3";
    let (status, answer) = query(&address, numbers);
    assert_eq!((status, &answer["rows"]), (200, &json!([["9007199254740993"], ["2"]])), "{answer}");
    assert_eq!((&answer["columns"][0]["name"], &answer["truncated"]), (&json!("n"), &json!(true)));
    let (status, answer) = query(&address, "SELECT n FROM nowhere");
    assert!(status >= 400 && answer["error"]["message"].as_str().unwrap().contains("nowhere"), "{answer}");
    assert_eq!(server.rows("", numbers).unwrap(), 3);

    let ended = at_least(&address, "/api/history", 3);
    let clients: Vec<_> = ended.iter().map(|statement| statement["client"] == "console").collect();
    assert_eq!(clients, [false, true, true], "{ended:?}");
    assert_eq!((&ended[1]["state"], &ended[2]["state"]), (&json!("failed"), &json!("finished")), "{ended:?}");
    let (status, figures) = get(&address, "/metrics");
    assert_eq!(status, 200);
    assert!(figures.contains("bowshot_statements_total{outcome=\"finished\"} 2"), "{figures}");

    let sources = list(&address, "/api/sources");
    assert_eq!((&sources[0]["name"], &sources[0]["kind"]), (&json!("shop"), &json!("SQLite")), "{sources:?}");
    assert_eq!(sources[0]["reachable"], true, "{sources:?}");
    // Its own table, by the engine.
    let (status, answer) = query(&address, "SELECT client FROM bowshot.queries WHERE state = 'failed'");
    assert_eq!((status, &answer["rows"]), (200, &json!([["console"]])), "{answer}");
}

#[test]
fn a_statement_is_ended_from_the_console_whoever_asked_it() {
    let (server, address) = start(&[]);
    let asking = {
        let address = address.clone();
        thread::spawn(move || query(&address, ENDLESS))
    };
    kill(&address, running(&address));
    let (status, answer) = asking.join().unwrap();
    assert_eq!((status, &answer["error"]["kind"]), (409, &json!("cancelled")), "{answer}");

    let asking = thread::spawn(move || (server.rows("", ENDLESS), server));
    kill(&address, running(&address));
    let (read, _server) = asking.join().unwrap();
    read.unwrap_err();
    let ended = at_least(&address, "/api/history", 2);
    assert!(ended.iter().all(|statement| statement["state"] == "cancelled"), "{ended:?}");
}

#[test]
fn where_there_are_users_the_console_asks_who_it_is_and_obeys_their_rights() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bowshot.toml");
    let hash = bowshot_gateway_access::hash("s3cret").unwrap();
    let text = format!(
        "[[user]]\nname = \"ann\"\npassword_hash = '{hash}'\nrules = [\"deny shop.*.secret\", \"allow shop\"]\n"
    );
    std::fs::write(&file, text).unwrap();
    let (server, address) = start(&["--config", file.to_str().unwrap()]);
    let (status, head, _) = ask(&address, "GET /api/who", &[], "");
    assert!(status == 401 && head.to_ascii_lowercase().contains("www-authenticate: basic"), "{head}");
    assert_eq!(get(&address, "/health").0, 200);
    assert_eq!(get(&address, "/metrics").0, 401);
    let wrong = "authorization: Basic YW5uOndyb25n";
    assert_eq!(ask(&address, "GET /api/who", &[wrong], "").0, 401);

    let (status, head, body) = ask(&address, "GET /api/who", &[ANN], "");
    assert_eq!(status, 200, "{body}");
    let who: Value = serde_json::from_str(&body).unwrap();
    assert_eq!((&who["user"], &who["sees_all"], &who["open"]), (&json!("ann"), &json!(false), &json!(false)));
    let cookie =
        head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("set-cookie: ").map(str::to_owned));
    let cookie = format!("cookie: {}", cookie.unwrap().split(';').next().unwrap());
    let (status, answer) = query_as(&address, &[&cookie], &json!({ "sql": "SELECT 1 AS one" }));
    assert_eq!((status, &answer["rows"]), (200, &json!([["1"]])), "{answer}");
    let (status, answer) = query_as(&address, &[&cookie], &json!({ "sql": "SELECT * FROM secret" }));
    assert!(status >= 400 && answer["error"]["message"].as_str().unwrap().contains("may not be read"), "{answer}");
    let (_, _, figures) = ask(&address, "GET /metrics", &[ANN], "");
    assert!(figures.contains("bowshot_logins_refused_total 1"), "{figures}");
    assert!(!server.log().contains("s3cret"), "{}", server.log());
}

#[test]
fn the_console_outlives_a_drain_and_says_so() {
    let (mut server, address) = start(&[]);
    let promised = server.plan("", "SELECT 7 AS seven").unwrap();
    server.signal(Signal::SIGTERM);
    server.wait_for("ending: new work is refused");
    let (status, why) = get(&address, "/ready");
    assert!(status == 503 && why.contains("draining"), "{status}: {why}");
    assert_eq!(get(&address, "/health").0, 200);
    let (status, answer) = query(&address, "SELECT 1 AS one");
    assert!(status >= 500 && answer["error"]["message"].as_str().unwrap().contains("takes no new work"), "{answer}");
    assert_eq!(crate::server::rows(stream(promised)).unwrap(), 1);
    assert!(server.end().success(), "{}", server.log());
}

#[test]
fn a_statement_of_the_console_does_not_hold_up_the_end() {
    for at_once in [false, true] {
        let (mut server, address) = start(&[]);
        // What was promised is waited for, until a second signal comes.
        let promised = at_once.then(|| server.plan("", "SELECT 7 AS seven").unwrap());
        let before = list(&address, "/api/running").len();
        let asking = {
            let address = address.clone();
            thread::spawn(move || query(&address, ENDLESS))
        };
        at_least(&address, "/api/running", before + 1);
        server.signal(Signal::SIGTERM);
        if at_once {
            server.wait_for("ending: new work is refused");
            server.signal(Signal::SIGINT);
        }
        assert_eq!(server.end().code(), Some(if at_once { 130 } else { 0 }), "{}", server.log());
        assert!(server.log().contains("statements of the console are cut off"), "{}", server.log());
        // The connection may end before the answer.
        drop((promised, asking.join()));
    }
}
