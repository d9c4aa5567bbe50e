//! The console's requests, as browsers and others send them, with a gateway that is none.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use arrow_array::{Int64Array, RecordBatch, StringArray};
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::{HeaderMap, Method, Request, StatusCode};
use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_gateway_monitor::{METRICS_TYPE, Monitor, Running, Statement};
use http_body_util::BodyExt;
use serde_json::Value;
use tower::ServiceExt;

use crate::peer::Peer;
use crate::{Answer, Ask, Console, ConsoleOptions, Host, SourceStatus, Who};

/// `ann:hunter2`, and `root:hunter2`, who sees all.
const ANN: &str = "Basic YW5uOmh1bnRlcjI=";
const ROOT: &str = "Basic cm9vdDpodW50ZXIy";

#[derive(Default)]
struct Fake {
    monitor: Monitor,
    open: bool,
    draining: AtomicBool,
    hangs: AtomicBool,
    /// Whether a statement saw that it was cancelled.
    cancelled: AtomicBool,
}

impl Fake {
    /// Blocks for as long as it is told to, at most ten seconds.
    fn hang(&self) {
        for _ in 0..1_000 {
            if !self.hangs.load(Ordering::SeqCst) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    fn begin(&self, user: &str, cancel: Cancel) -> Running {
        let sql = "SELECT * FROM orders".into();
        self.monitor.begin(Statement { user: user.into(), sql, ..Statement::default() }, cancel)
    }
}

impl Host for Fake {
    fn monitor(&self) -> &Monitor {
        &self.monitor
    }

    fn is_open(&self) -> bool {
        self.open
    }

    fn login(&self, authorization: Option<&str>, _: IpAddr) -> Result<Who> {
        match authorization {
            Some(ANN) => Ok(Who { user: "ann".into(), sees_all: false }),
            Some(ROOT) => Ok(Who { user: "root".into(), sees_all: true }),
            None if self.open => Ok(Who { user: "anonymous".into(), sees_all: true }),
            _ => Err(Error::new(ErrorKind::Authentication, "the login failed")),
        }
    }

    fn sources(&self, who: &Who) -> Vec<SourceStatus> {
        self.hang();
        vec![SourceStatus { name: who.user.clone(), kind: "SQLite".into(), reachable: Some(true), detail: None }]
    }

    fn run(&self, who: &Who, ask: &Ask, cancel: &Cancel) -> Result<Answer> {
        let running = self.begin(&who.user, cancel.clone());
        if ask.sql == "sleep" {
            while !cancel.is_cancelled() {
                std::thread::sleep(Duration::from_millis(5));
            }
            self.cancelled.store(true, Ordering::SeqCst);
            return Err(Error::cancelled());
        }
        if ask.sql == "fail" {
            let error = Error::new(ErrorKind::Sql, "no such table").with_sqlstate("42P01").with_position(15);
            return Err(error.with_hint("look at the tables"));
        }
        running.finished();
        let numbers = Int64Array::from_iter_values(i64::MAX - 4..=i64::MAX);
        let names = StringArray::from_iter_values(["a", "b", "c", "d", "e"]);
        let batch = RecordBatch::try_from_iter([("n", Arc::new(numbers) as _), ("name", Arc::new(names) as _)])?;
        Ok(Answer { schema: batch.schema(), batches: vec![batch], truncated: false })
    }

    fn ready(&self) -> Result<()> {
        self.hang();
        match self.draining.load(Ordering::SeqCst) {
            true => Err(Error::new(ErrorKind::Connect, "the gateway is draining")),
            false => Ok(()),
        }
    }
}

/// A console, and somebody who asks it.
struct Visit {
    host: Arc<Fake>,
    console: Console,
}

struct Reply {
    status: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Reply {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }

    fn error(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap().to_owned()
    }
}

impl Visit {
    fn new(open: bool, options: ConsoleOptions) -> Self {
        let host = Arc::new(Fake { open, ..Fake::default() });
        Visit { console: Console::new(Arc::clone(&host) as _, options), host }
    }

    fn open() -> Self {
        Self::new(true, ConsoleOptions::default())
    }

    async fn from(&self, peer: IpAddr, method: Method, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut request = Request::builder().method(method).uri(path).extension(ConnectInfo(Peer(peer)));
        if !headers.iter().any(|(name, _)| *name == "host") {
            request = request.header("host", "localhost:31338");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body.to_owned())).unwrap();
        let response = self.console.router().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let text = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
        Reply { status: parts.status, headers: parts.headers, text }
    }

    async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Reply {
        self.from(Ipv4Addr::LOCALHOST.into(), Method::GET, path, headers, "").await
    }

    /// As the page itself does it.
    async fn post(&self, path: &str, body: &str) -> Reply {
        let headers = [
            ("x-bowshot-console", "1"),
            ("origin", "http://localhost:31338"),
            ("sec-fetch-site", "same-origin"),
            ("content-type", "application/json"),
        ];
        self.from(Ipv4Addr::LOCALHOST.into(), Method::POST, path, &headers, body).await
    }
}

#[tokio::test]
async fn the_page_and_all_that_it_names_are_there() {
    let visit = Visit::open();
    let page = visit.get("/", &[]).await;
    assert_eq!(
        (page.status, &page.headers["content-type"]),
        (StatusCode::OK, &"text/html; charset=utf-8".parse().unwrap())
    );
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(page.headers["x-content-type-options"], "nosniff");
    let named = |text: &str| -> Vec<String> {
        let quoted = text
            .split(['"', '\''])
            .filter(|part| part.ends_with(".js") || part.ends_with(".css") || part.ends_with(".svg"));
        quoted.map(|name| format!("/{}", name.trim_start_matches("./").trim_start_matches('/'))).collect()
    };
    let mut names = named(&page.text);
    assert!(names.len() >= 3, "{names:?}");
    let mut seen = std::collections::BTreeSet::new();
    while let Some(name) = names.pop() {
        if seen.insert(name.clone()) {
            let file = visit.get(&name, &[]).await;
            assert_eq!(file.status, StatusCode::OK, "{name}");
            assert!(!file.text.contains("https://"), "{name} names another place");
            names.extend(named(&file.text));
        }
    }
    assert_eq!(seen.len(), 14, "every file is named by another: {seen:?}");
}

#[tokio::test]
async fn a_user_logs_in_once_and_has_a_cookie_then() {
    let visit = Visit::new(false, ConsoleOptions::default());
    let stranger = visit.get("/", &[]).await;
    assert_eq!(stranger.status, StatusCode::UNAUTHORIZED);
    assert_eq!(stranger.headers["www-authenticate"], "Basic realm=\"bowshot\", charset=\"UTF-8\"");
    let wrong = visit.get("/api/who", &[("authorization", "Basic YW5uOndyb25n")]).await;
    assert_eq!((wrong.status, wrong.error().as_str()), (StatusCode::UNAUTHORIZED, "the login failed"));
    assert!(!wrong.headers.contains_key("set-cookie"));
    let ann = visit.get("/api/who", &[("authorization", ANN)]).await;
    assert_eq!(ann.json()["user"], "ann");
    let cookie = ann.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let again = visit.get("/api/who", &[("cookie", &cookie)]).await;
    assert_eq!((again.json()["user"].as_str(), again.headers.contains_key("set-cookie")), (Some("ann"), false));
    assert_eq!(visit.get("/api/who", &[("cookie", "bowshot_console=0")]).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_open_console_answers_this_machine_alone() {
    let away: IpAddr = "10.0.0.7".parse().unwrap();
    let visit = Visit::open();
    assert_eq!(visit.get("/api/who", &[]).await.json()["user"], "anonymous");
    assert_eq!(visit.from(away, Method::GET, "/api/who", &[], "").await.status, StatusCode::FORBIDDEN);
    assert_eq!(visit.from(away, Method::GET, "/health", &[], "").await.status, StatusCode::OK);
    let insecure = Visit::new(true, ConsoleOptions { insecure: true, ..ConsoleOptions::default() });
    assert_eq!(insecure.from(away, Method::GET, "/api/who", &[], "").await.status, StatusCode::OK);
}

#[tokio::test]
async fn strangers_pages_reach_nothing() {
    let visit = Visit::open();
    let rebound = visit.get("/api/running", &[("host", "evil.example:31338")]).await;
    assert_eq!(rebound.status, StatusCode::MISDIRECTED_REQUEST);
    assert_eq!(visit.get("/health", &[("host", "evil.example")]).await.status, StatusCode::MISDIRECTED_REQUEST);
    let cross = visit.get("/api/running", &[("sec-fetch-site", "cross-site")]).await;
    assert_eq!(cross.status, StatusCode::FORBIDDEN);
    let body = "{\"sql\": \"SELECT 1\"}";
    let json = ("content-type", "application/json");
    for headers in [
        &[json][..],
        &[json, ("origin", "http://localhost:31338")],
        &[json, ("x-bowshot-console", "1"), ("origin", "http://evil.example")],
        &[json, ("x-bowshot-console", "1"), ("origin", "null")],
        &[json, ("x-bowshot-console", "1"), ("sec-fetch-site", "same-site")],
    ] {
        let peer = Ipv4Addr::LOCALHOST.into();
        for path in ["/api/query", "/api/kill/1"] {
            let reply = visit.from(peer, Method::POST, path, headers, body).await;
            assert_eq!(reply.status, StatusCode::FORBIDDEN, "{path} {headers:?}");
        }
    }
    assert!(visit.host.monitor.history(&bowshot_gateway_monitor::Viewer::all(""), 1).is_empty(), "nothing ran");
}

#[tokio::test]
async fn what_runs_is_shown_and_can_be_killed() {
    let visit = Visit::open();
    let cancel = Cancel::new();
    let running = visit.host.begin("ann", cancel.clone());
    running.planned(2, "its pages were split", Some("3-1"));
    let mut reading = running.endpoint(1);
    reading.opened();
    let shown = visit.get("/api/running", &[]).await.json();
    assert_eq!((&shown[0]["sql"], &shown[0]["state"]), (&"SELECT * FROM orders".into(), &"reading".into()));
    assert_eq!(shown[0]["readings"][0]["state"], "waiting");
    assert!(shown[0]["started_ms"].as_u64().unwrap() > 1_700_000_000_000);
    let endpoints = visit.get("/api/endpoints", &[]).await.json();
    assert_eq!((&endpoints[1]["statement"], &endpoints[1]["state"]), (&1.into(), &"reading".into()));
    let missing = visit.post("/api/kill/99", "").await;
    assert_eq!(
        (missing.status, missing.error().as_str()),
        (StatusCode::NOT_FOUND, "no statement 99 of yours is running")
    );
    assert_eq!(visit.post("/api/kill/one", "").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(visit.post("/api/kill/1", "").await.status, StatusCode::NO_CONTENT);
    assert!(cancel.is_cancelled());
    assert_eq!(visit.get("/api/running", &[]).await.json(), Value::Array(Vec::new()));
    let ended = visit.get("/api/history?limit=1", &[]).await.json();
    assert_eq!((&ended[0]["state"], &ended[0]["error"]), (&"cancelled".into(), &"killed by anonymous".into()));
    assert_eq!(visit.get("/api/history?limit=many", &[]).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(visit.get("/api/throughput", &[]).await.json()["seconds"].as_array().unwrap().len(), 300);
}

#[tokio::test]
async fn a_user_sees_and_kills_only_what_is_his() {
    let visit = Visit::new(false, ConsoleOptions::default());
    let cancel = Cancel::new();
    let _running = visit.host.begin("bob", cancel.clone());
    let count = async |who| visit.get("/api/running", &[("authorization", who)]).await.json().as_array().unwrap().len();
    assert_eq!((count(ANN).await, count(ROOT).await), (0, 1));
    let kill = async |who| {
        let headers = [("x-bowshot-console", "1"), ("authorization", who)];
        visit.from(Ipv4Addr::LOCALHOST.into(), Method::POST, "/api/kill/1", &headers, "").await.status
    };
    assert_eq!((kill(ANN).await, cancel.is_cancelled()), (StatusCode::NOT_FOUND, false));
    assert_eq!((kill(ROOT).await, cancel.is_cancelled()), (StatusCode::NO_CONTENT, true));
    assert_eq!(visit.get("/api/sources", &[("authorization", ANN)]).await.json()[0]["name"], "ann");
}

#[tokio::test]
async fn a_query_comes_back_with_every_digit() {
    let visit = Visit::open();
    let reply = visit.post("/api/query", "{\"sql\": \"SELECT\", \"limit\": 2}").await;
    assert_eq!(reply.status, StatusCode::OK);
    let answer = reply.json();
    assert_eq!(answer["columns"][0], serde_json::json!({"name": "n", "type": "int64", "kind": "number"}));
    assert_eq!(answer["rows"], serde_json::json!([["9223372036854775803", "a"], ["9223372036854775804", "b"]]));
    assert_eq!((&answer["truncated"], &answer["cut"]), (&true.into(), &0.into()));
    let bounded = Visit::new(true, ConsoleOptions { query_rows: 3, ..ConsoleOptions::default() });
    let answer = bounded.post("/api/query", "{\"sql\": \"SELECT\", \"limit\": 99}").await.json();
    assert_eq!((answer["rows"].as_array().unwrap().len(), &answer["truncated"]), (3, &true.into()));
}

#[tokio::test]
async fn an_error_says_what_where_and_the_way_out() {
    let visit = Visit::open();
    let reply = visit.post("/api/query", "{\"sql\": \"fail\"}").await;
    assert_eq!(reply.status, StatusCode::BAD_REQUEST);
    let error = &reply.json()["error"];
    assert_eq!((&error["kind"], &error["message"]), (&"sql".into(), &"no such table".into()));
    assert_eq!((&error["sqlstate"], &error["position"]), (&"42P01".into(), &15.into()));
    assert_eq!(error["hint"], "look at the tables");
    for wrong in ["{\"sql\": \"  \"}", "{\"sql\": 1}", "{", ""] {
        let reply = visit.post("/api/query", wrong).await;
        assert!(reply.status.is_client_error() && !reply.error().is_empty(), "{wrong}");
    }
    let long = format!("{{\"sql\": \"{}\"}}", "x".repeat(2 << 20));
    assert_eq!(visit.post("/api/query", &long).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(visit.get("/api/nothing", &[]).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_query_that_takes_too_long_is_cancelled_in_its_source() {
    let options = ConsoleOptions { query_time: Duration::from_millis(50), ..ConsoleOptions::default() };
    let visit = Visit::new(true, options);
    let reply = visit.post("/api/query", "{\"sql\": \"sleep\"}").await;
    assert_eq!((reply.status, reply.json()["error"]["kind"].as_str()), (StatusCode::GATEWAY_TIMEOUT, Some("timeout")));
    came(&visit.host.cancelled).await;
}

#[tokio::test]
async fn a_page_that_goes_away_ends_its_query() {
    let visit = Visit::open();
    let asking =
        tokio::time::timeout(Duration::from_millis(50), visit.post("/api/query", "{\"sql\": \"sleep\"}")).await;
    assert!(asking.is_err(), "it would go on for ever");
    came(&visit.host.cancelled).await;
}

async fn came(flag: &AtomicBool) {
    for _ in 0..1_000 {
        if flag.load(Ordering::SeqCst) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not happen within ten seconds");
}

#[tokio::test]
async fn readiness_falls_while_it_drains_or_a_probe_hangs() {
    let visit =
        Visit::new(false, ConsoleOptions { probe_time: Duration::from_millis(50), ..ConsoleOptions::default() });
    let ready = async || {
        let reply = visit.get("/ready", &[]).await;
        (reply.status, reply.text)
    };
    assert_eq!(ready().await, (StatusCode::OK, "ready\n".into()));
    visit.host.draining.store(true, Ordering::SeqCst);
    let (status, why) = ready().await;
    assert_eq!((status, why.as_str()), (StatusCode::SERVICE_UNAVAILABLE, "not ready: the gateway is draining\n"));
    visit.host.draining.store(false, Ordering::SeqCst);
    visit.host.hangs.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        let (status, why) = ready().await;
        assert!(status == StatusCode::SERVICE_UNAVAILABLE && why.contains("the probe has not come back"), "{why}");
    }
    assert_eq!(visit.get("/health", &[]).await.text, "live\n");
    let sources = visit.get("/api/sources", &[("authorization", ANN)]).await;
    assert_eq!(sources.status, StatusCode::GATEWAY_TIMEOUT);
    visit.host.hangs.store(false, Ordering::SeqCst);
    for _ in 0..1_000 {
        if ready().await.0 == StatusCode::OK {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not become ready again within ten seconds");
}

#[tokio::test]
async fn figures_are_for_users_unless_they_are_told_to_be_open() {
    let visit = Visit::new(false, ConsoleOptions::default());
    assert_eq!(visit.get("/metrics", &[]).await.status, StatusCode::UNAUTHORIZED);
    let figures = visit.get("/metrics", &[("authorization", ANN)]).await;
    assert!(figures.text.contains("bowshot_statements_running 0") && figures.headers["content-type"] == METRICS_TYPE);
    let open = Visit::new(false, ConsoleOptions { open_metrics: true, ..ConsoleOptions::default() });
    assert_eq!(open.get("/metrics", &[]).await.status, StatusCode::OK);
    assert_eq!(open.get("/api/running", &[]).await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn it_serves_on_a_port_and_ends_when_it_is_told() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = Console::listen(([127, 0, 0, 1], 0).into()).await.unwrap();
    let address = listener.local_addr().unwrap();
    assert!(Console::listen(address).await.unwrap_err().to_string().contains("choose another port"));
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let console = Visit::open().console;
    let serving = tokio::spawn(async move { console.serve(listener, async move { drop(stopped.await) }).await });
    let mut client = tokio::net::TcpStream::connect(address).await.unwrap();
    let request = format!("GET /api/who HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    client.write_all(request.as_bytes()).await.unwrap();
    let mut reply = String::new();
    client.read_to_string(&mut reply).await.unwrap();
    assert!(reply.starts_with("HTTP/1.1 200 OK") && reply.contains("\"user\":\"anonymous\""), "{reply}");
    drop(stop);
    tokio::time::timeout(Duration::from_secs(10), serving).await.unwrap().unwrap().unwrap();
}
