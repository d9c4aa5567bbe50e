//! Object stores and web servers, played by a small server on loopback.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, ErrorKind};

use crate::support::*;

/// Serves the files of a folder: HEAD, GET with ranges and conditions, and S3's list of a bucket called "bucket".
struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    /// Answers nothing any more.
    silent: Arc<AtomicBool>,
}

impl Server {
    fn start(root: &Path) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let silent = Arc::new(AtomicBool::new(false));
        let (root, log, quiet) = (root.to_path_buf(), Arc::clone(&requests), Arc::clone(&silent));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (root, log, quiet) = (root.clone(), Arc::clone(&log), Arc::clone(&quiet));
                std::thread::spawn(move || serve(stream.unwrap(), &root, &log, &quiet));
            }
        });
        Server { port, requests, silent }
    }

    fn s3(&self, path: &str) -> String {
        let endpoint = format!("http%3A%2F%2F127.0.0.1%3A{}", self.port);
        format!(
            "s3://bucket/{path}?endpoint={endpoint}&allow_http=true&region=x&access_key_id=AKIAX&secret_access_key=hunter22"
        )
    }
}

fn serve(stream: TcpStream, root: &Path, log: &Mutex<Vec<String>>, quiet: &AtomicBool) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).unwrap_or(0) == 0 {
                return;
            }
            if line.trim().is_empty() {
                break;
            }
            lines.push(line.trim().to_owned());
        }
        while quiet.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        log.lock().unwrap().push(lines.join("\n"));
        let mut words = lines[0].split(' ');
        let (method, target) = (words.next().unwrap(), words.next().unwrap());
        let header = |name: &str| {
            let line = lines.iter().find(|line| line.to_lowercase().starts_with(&format!("{name}:")))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let target = target.replace("%3D", "=");
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let answer = if query.contains("list-type=2") {
            let prefix = query.split('&').find_map(|pair| pair.strip_prefix("prefix=")).unwrap_or("");
            respond("200 OK", &[], list(root, &prefix.replace("%2F", "/")).as_bytes(), method)
        } else {
            let file = root.join(path.trim_start_matches('/').trim_start_matches("bucket/"));
            match std::fs::read(&file) {
                Err(_) => respond("404 Not Found", &[], b"<Error><Code>NoSuchKey</Code></Error>", method),
                Ok(bytes) => one(&bytes, header("range"), header("if-match"), method),
            }
        };
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

fn tag(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(7_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    format!("\"{sum:x}\"")
}

fn one(bytes: &[u8], range: Option<String>, condition: Option<String>, method: &str) -> Vec<u8> {
    let tag = tag(bytes);
    if condition.is_some_and(|condition| condition != tag) {
        return respond("412 Precondition Failed", &[], b"", method);
    }
    let mut headers = vec![format!("ETag: {tag}"), "Last-Modified: Tue, 05 Nov 2024 10:00:00 GMT".into()];
    match range.and_then(|range| range.strip_prefix("bytes=").map(str::to_owned)) {
        Some(range) => {
            let (start, end) = range.split_once('-').unwrap();
            let (start, end): (usize, usize) = (start.parse().unwrap(), end.parse().unwrap());
            let end = (end + 1).min(bytes.len());
            headers.push(format!("Content-Range: bytes {start}-{}/{}", end - 1, bytes.len()));
            respond("206 Partial Content", &headers, &bytes[start..end], method)
        }
        None => respond("200 OK", &headers, bytes, method),
    }
}

fn respond(status: &str, headers: &[String], body: &[u8], method: &str) -> Vec<u8> {
    let mut answer = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    for header in headers {
        answer += &format!("{header}\r\n");
    }
    let mut answer = (answer + "\r\n").into_bytes();
    if method != "HEAD" {
        answer.extend_from_slice(body);
    }
    answer
}

fn list(root: &Path, prefix: &str) -> String {
    fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { walk(&path, files) } else { files.push(path) }
        }
    }
    let mut files = Vec::new();
    walk(root, &mut files);
    let mut xml = String::from("<ListBucketResult><IsTruncated>false</IsTruncated>");
    for path in files {
        let key = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        if key.starts_with(prefix) {
            let bytes = std::fs::read(&path).unwrap();
            xml += &format!(
                "<Contents><Key>{key}</Key><LastModified>2024-11-05T10:00:00.000Z</LastModified><ETag>{}</ETag><Size>{}</Size></Contents>",
                tag(&bytes).replace('"', "&quot;"),
                bytes.len()
            );
        }
    }
    xml + "</ListBucketResult>"
}

fn lake() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let batch = many_types(5_000);
    for year in [2023, 2024] {
        let path = folder.path().join(format!("lake/year={year}"));
        std::fs::create_dir_all(&path).unwrap();
        write_parquet(
            &path.join("p.parquet"),
            &batch,
            parquet::file::properties::WriterProperties::builder().set_max_row_group_row_count(Some(2_000)).build(),
        );
    }
    crate::arrow::write_file(&folder.path().join("x.arrow"), &batch, 1_000, None);
    crate::arrow::write_stream(&folder.path().join("x.arrows"), &batch);
    std::fs::write(folder.path().join("x.csv"), "a,b\n1,x\n2,\"y\nz\"\n").unwrap();
    std::fs::write(folder.path().join("x.jsonl"), "{\"a\":1}\n{\"a\":2,\"b\":[{}]}\n").unwrap();
    folder
}

#[test]
fn a_bucket_is_read_like_a_folder() {
    let folder = lake();
    let server = Server::start(folder.path());
    for path in ["lake", "lake/", "lake/*/*.parquet"] {
        let found = read(&server.s3(path), "");
        assert_eq!(found.num_rows(), 10_000, "{path}");
    }
    let found = read(&server.s3("lake/"), "SELECT year, id FROM lake LIMIT 7000");
    assert_same(&found, &read(&uri(&folder.path().join("lake")), "SELECT year, id FROM lake LIMIT 7000"));
    let found = read(&server.s3("lake/year=2024/p.parquet"), "");
    assert_same(&found, &many_types(5_000));
    assert_same(&read(&server.s3("x.arrow"), ""), &many_types(5_000));
    assert_eq!(read(&server.s3("x.arrows"), "").num_rows(), 5_010);
    assert_eq!(read(&server.s3("x.csv"), "").num_rows(), 2);
    assert_eq!(read(&format!("{}&infer=all", server.s3("x.jsonl")), "SELECT b, a FROM x").num_columns(), 2);
    assert_eq!(failure(&server.s3("nothing/"), "").kind(), ErrorKind::Io);
    std::fs::create_dir(folder.path().join("old")).unwrap();
    std::fs::write(folder.path().join("old/x.orc"), "ORC").unwrap();
    assert!(failure(&server.s3("old/"), "").message().contains("ORC"));
    std::fs::create_dir(folder.path().join("lake/_delta_log")).unwrap();
    std::fs::write(folder.path().join("lake/_delta_log/0.json"), "{}").unwrap();
    assert!(failure(&server.s3("lake/"), "").to_string().contains("deltalake"));
    assert_eq!(read(&server.s3("lake/*/*.parquet"), "").num_rows(), 10_000);
    // Requests are signed, and the secret itself never leaves.
    let requests = server.requests.lock().unwrap().join("\n");
    assert!(requests.contains("AWS4-HMAC-SHA256") && !requests.contains("hunter22"));
}

#[test]
fn a_file_of_the_web_is_read_in_ranges() {
    let folder = lake();
    let server = Server::start(folder.path());
    let address = format!("http://127.0.0.1:{}", server.port);
    assert_same(&read(&format!("{address}/lake/year=2023/p.parquet"), ""), &many_types(5_000));
    let before = server.requests.lock().unwrap().len();
    assert_eq!(read(&format!("{address}/x.arrow"), "SELECT id FROM x").num_rows(), 5_000);
    assert!(server.requests.lock().unwrap().len() > before);
    assert_eq!(read(&format!("{address}/x.csv#header=false"), "").num_rows(), 3);
    assert_eq!(failure(&format!("{address}/none.csv"), "").kind(), ErrorKind::Io);
    assert_eq!(failure(&format!("{address}/"), "").kind(), ErrorKind::Unsupported);
}

#[test]
fn an_object_that_changes_after_planning_is_an_error() {
    let folder = lake();
    let server = Server::start(folder.path());
    let planned = plan(&server.s3("x.csv"), "", &options()).unwrap();
    std::fs::write(folder.path().join("x.csv"), "a,b\n1,x\n2,\"y\nq\"\n").unwrap();
    let error = finish(planned, &options()).unwrap_err();
    assert!(error.to_string().contains("changed"), "{error}");
}

#[test]
fn partitions_of_a_bucket_are_read_by_tickets() {
    let folder = lake();
    let server = Server::start(folder.path());
    for (path, query) in [
        ("lake/", "SELECT year, id, text FROM lake"),
        ("lake/*/*.parquet", "SELECT id FROM data LIMIT 7000"),
        ("lake/year=2024/p.parquet", ""),
        ("x.arrow", "SELECT id, list FROM x"),
        ("x.arrows", ""),
        ("x.csv", ""),
    ] {
        let address = server.s3(path);
        let small = bowshot_core::Options { buffer_bytes: 1 << 16, ..options() };
        crate::tickets::assert_travels(&address, query, &small);
    }
    // An address is brought along, and a ticket has no secret of it.
    let (address, elsewhere) = (server.s3("lake/"), server.s3("lake/year=2023/"));
    let tickets = crate::tickets::tickets(&address, "SELECT id FROM lake", &options());
    let bytes = tickets[0].to_bytes().unwrap();
    assert!(!bytes.windows(8).any(|part| part == b"hunter22" || part == b"127.0.0."));
    assert_eq!(crate::tickets::refused(&elsewhere, &tickets[0]).kind(), ErrorKind::SnapshotGone);
    let requests = server.requests.lock().unwrap().len();
    crate::tickets::join(&address, &tickets[0]).unwrap();
    let asked = server.requests.lock().unwrap()[requests..].join("\n");
    assert!(!asked.contains("list-type"), "{asked}");
    // Another object has that name, and then none.
    for year in [2023, 2024] {
        std::fs::copy(folder.path().join("x.csv"), folder.path().join(format!("lake/year={year}/p.parquet"))).unwrap();
    }
    let error = crate::tickets::refused(&address, &tickets[0]);
    assert!(error.kind() == ErrorKind::SnapshotGone && error.message().contains("p.parquet"), "{error}");
    std::fs::remove_dir_all(folder.path().join("lake")).unwrap();
    let error = crate::tickets::refused(&address, &tickets[0]);
    assert!(error.kind() == ErrorKind::SnapshotGone && error.message().contains("p.parquet"), "{error}");
}

#[test]
fn dead_hosts_and_cancels_end_within_seconds() {
    let begin = Instant::now();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = failure(&format!("http://127.0.0.1:{closed}/x.csv"), "");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert!(begin.elapsed() < Duration::from_secs(10));

    let folder = lake();
    let server = Server::start(folder.path());
    server.silent.store(true, Ordering::SeqCst);
    let cancel = Cancel::new();
    let stop = cancel.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        stop.cancel();
    });
    let begin = Instant::now();
    let request = bowshot_core::Request::new(bowshot_core::Query::new(""), options());
    let source = bowshot_files::Files::from_uri(&server.s3("x.csv")).unwrap();
    let error = bowshot_core::Source::plan(&source, &request, &cancel).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert!(begin.elapsed() < Duration::from_secs(1));
    stopper.join().unwrap();
    assert!(!format!("{source:?}{error:?}").contains("hunter22"));
}
