//! The private servers themselves: they start, answer, and leave nothing behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use bowshot_testkit::{FalseServer, MariaDb, Postgres, Result};

/// Whether a process of this id exists.
fn runs(process: u32) -> bool {
    PathBuf::from(format!("/proc/{process}")).exists()
}

fn eventually(mut condition: impl FnMut() -> bool) -> bool {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(10) {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

#[test]
fn a_server_starts_answers_and_stops() {
    let mut server = Postgres::builder().setting("work_mem", "77MB").tls().start().unwrap();
    assert_eq!(server.psql("SHOW work_mem").unwrap(), "77MB");
    assert_eq!(server.psql("SELECT 1, 'a'; SELECT 2").unwrap(), "1|a\n2");
    assert!(server.psql("SELECT x").unwrap_err().to_string().contains("column \"x\" does not exist"));
    server.psql("CREATE DATABASE other").unwrap();
    assert_eq!(server.psql_in("other", "SELECT current_database()").unwrap(), "other");
    assert!(server.uri_of("a b", "p@ss", "d/b").ends_with("/d%2Fb"));
    assert!(server.certificates().unwrap().client_key().exists());

    let (process, folder) = (server.pid().unwrap(), server.socket_folder().to_owned());
    assert!(runs(process) && folder.exists());
    server.stop().unwrap();
    assert!(!runs(process) && server.pid().is_none());
    server.stop().unwrap();
    drop(server);
    assert!(!folder.exists());
}

#[test]
fn mariadb_starts_answers_crashes_starts_again_and_stops() {
    let mut server = MariaDb::builder().setting("sort_buffer_size", "77824").tls().start().unwrap();
    assert_eq!(server.sql("SELECT @@sort_buffer_size, @@have_ssl").unwrap(), "77824\tYES");
    assert_eq!(server.sql("SELECT 1, 'ä'; SELECT 2").unwrap(), "1\tä\n2");
    assert!(server.sql("SELECT x").unwrap_err().to_string().contains("Unknown column 'x'"));
    server.sql("CREATE TABLE numbers (n INT); INSERT INTO numbers VALUES (7)").unwrap();
    // The client without a password, over the socket that lets root of this machine in elsewhere.
    let accounts =
        "SELECT COUNT(*) FROM mysql.global_priv WHERE User = 'root' AND Priv LIKE '%\"authentication_string\":\"\"%'";
    assert_eq!(server.sql(accounts).unwrap(), "0");
    assert!(server.certificates().unwrap().client_key().exists());

    let (process, folder) = (server.pid().unwrap(), server.socket().parent().unwrap().to_owned());
    assert!(runs(process) && folder.exists());
    let port = server.port();
    server.crash().unwrap();
    assert!(!runs(process) && server.pid().is_none());
    server.start_again().unwrap();
    assert!(server.start_again().is_err());
    assert_eq!((server.port(), server.sql("SELECT n FROM numbers").unwrap().as_str()), (port, "7"));
    server.stop().unwrap();
    drop(server);
    assert!(!folder.exists());
}

#[test]
fn a_server_does_not_outlive_its_owner() -> Result<()> {
    does_not_outlive(&["postgres", "-c", "work_mem=77MB"])?;
    does_not_outlive(&["mariadb", "-c", "max_connections=20"])
}

fn does_not_outlive(arguments: &[&str]) -> Result<()> {
    // The binary is killed, so that it cannot stop its server.
    let mut owner = command().args(arguments).spawn()?;
    let mut line = String::new();
    BufReader::new(owner.stdout.take().ok_or("no output")?).read_line(&mut line)?;
    let described: serde_json::Value = serde_json::from_str(&line)?;
    let process = u32::try_from(described["pid"].as_u64().ok_or("no pid")?)?;
    let folder = PathBuf::from(described["folder"].as_str().ok_or("no folder")?);
    assert!(runs(process) && folder.exists());
    owner.kill()?;
    owner.wait()?;
    assert!(eventually(|| !runs(process) && !folder.exists()));
    Ok(())
}

#[test]
fn the_binary_stops_when_its_input_closes() {
    let mut owner = command().args(["postgres", "--tls"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let described: serde_json::Value = serde_json::from_str(&line).unwrap();
    let port = u16::try_from(described["port"].as_u64().unwrap()).unwrap();
    assert!(described["uri"].as_str().unwrap().contains(&port.to_string()));
    assert!(PathBuf::from(described["certificates"]["root"].as_str().unwrap()).exists());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    drop(owner.stdin.take());
    assert!(owner.wait().unwrap().success());
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());

    let output = command().args(["mysql"]).output().unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("usage: "));
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bowshot-testkit"));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_false_server_lets_everybody_in_and_then_lies() {
    let server = FalseServer::start(b"lie".to_vec()).unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", server.port())).unwrap();
    client.write_all(&[0, 0, 0, 8, 4, 210, 22, 47]).unwrap();
    let mut answer = [0];
    client.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"N");
    client.write_all(&[0, 0, 0, 8, 0, 3, 0, 0]).unwrap();
    client.write_all(b"Q\0\0\0\x05\0").unwrap();
    let mut all = Vec::new();
    client.read_to_end(&mut all).unwrap();
    assert!(all.starts_with(b"R\0\0\0\x08\0\0\0\0") && all.ends_with(b"lie"), "{all:?}");
    assert_eq!((server.connections(), server.cancels()), (1, 0));
}
