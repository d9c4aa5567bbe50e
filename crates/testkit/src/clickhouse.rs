//! A ClickHouse server of one's own.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::encode::encode;
use crate::owner::Owner;
use crate::port;
use crate::process::Process;
use crate::{Certificates, Result};

/// The user that may do everything, and its password.
const USER: &str = "bowshot";
const PASSWORD: &str = "bowshot";

/// The user that may not even change a setting; it has no password.
const READER: &str = "reader";

/// A running ClickHouse server in a folder of its own, on free ports of this machine. Dropping it stops it.
///
/// It takes HTTP, with and without TLS; there is the database `default`, in UTC.
pub struct ClickHouse {
    process: Process,
    port: u16,
    tls_port: u16,
    native_port: u16,
    certificates: Certificates,
}

impl ClickHouse {
    /// Starts a server.
    ///
    /// # Errors
    /// ClickHouse is not installed, or does not start; its log says why.
    pub fn start() -> Result<Self> {
        let program = binary()?;
        let owner = Owner::find(&["clickhouse", "nobody"])?;
        let mut process = Process::folder("bowshot-ch-", &owner)?;
        let root = process.path().to_owned();
        for name in ["data", "tmp"] {
            fs::create_dir(root.join(name))?;
            owner.give(&root.join(name))?;
        }
        let certificates = owner.certificates(&root, USER)?;
        fs::write(root.join("users.xml"), users())?;
        let (tls_port, native_port) = (port::free()?, port::free()?);
        let config = root.join("config.xml");
        let port = port::free()?;
        fs::write(&config, configuration(&root, [port, tls_port, native_port, port::free()?], &certificates))?;
        let command = |_| {
            let mut command = owner.command(&program);
            command.arg("server").arg(format!("--config-file={}", config.display()));
            if program.file_name().is_some_and(|name| name == "clickhouse-server") {
                command = owner.command(&program);
                command.arg(format!("--config-file={}", config.display()));
            }
            command
        };
        process.start(Some(port), command, |port, _| answers(port).is_some())?;
        Ok(ClickHouse { process, port, tls_port, native_port, certificates })
    }

    /// A URI of the user that may do everything, of the database `default`.
    pub fn uri(&self) -> String {
        self.uri_of(USER, PASSWORD, "default")
    }

    /// A URI; everything in it is encoded as it must be.
    pub fn uri_of(&self, user: &str, password: &str, database: &str) -> String {
        let [user, password, database] = [user, password, database].map(encode);
        format!("clickhouse://{user}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// A URI with TLS; the certificate is made out to `localhost`.
    pub fn tls_uri(&self) -> String {
        format!("clickhouse://{USER}:{PASSWORD}@localhost:{}/default?secure=true", self.tls_port)
    }

    /// A URI of a user that may read and not change a single setting.
    pub fn reader_uri(&self) -> String {
        format!("clickhouse://{READER}@127.0.0.1:{}/default", self.port)
    }

    /// A URI of the port on which ClickHouse's own clients connect, which is the wrong one.
    pub fn native_uri(&self) -> String {
        format!("clickhouse://{USER}:{PASSWORD}@127.0.0.1:{}/default", self.native_port)
    }

    /// The user that may do everything.
    pub fn user(&self) -> &'static str {
        USER
    }

    /// That user's password.
    pub fn password(&self) -> &'static str {
        PASSWORD
    }

    /// The certificates of the server.
    pub fn certificates(&self) -> &Certificates {
        &self.certificates
    }

    /// Runs one statement in a database; what it prints, columns separated by tabs.
    ///
    /// # Errors
    /// The server's.
    pub fn sql(&self, database: &str, sql: &str) -> Result<String> {
        let (status, body) = request(self.port, &format!("/?database={database}"), sql)?;
        if status == 200 && !body.starts_with("Code: ") { Ok(body) } else { Err(body.into()) }
    }

    /// Ends the server on the spot, as a crash would.
    ///
    /// # Errors
    /// It cannot be sent a signal.
    pub fn crash(&mut self) -> Result<()> {
        self.process.end(Signal::SIGKILL)
    }
}

impl Drop for ClickHouse {
    fn drop(&mut self) {
        // Nobody is left to hear of a failure, and the watchdog's folder goes either way.
        let _ = self.crash();
    }
}

/// The server's program: in the folder `CLICKHOUSE_BIN`, or where Debian puts it.
fn binary() -> Result<PathBuf> {
    let named = std::env::var_os("CLICKHOUSE_BIN").map(PathBuf::from);
    let folders = named.into_iter().chain(["/usr/sbin", "/usr/bin", "/usr/local/bin"].map(PathBuf::from));
    folders
        .flat_map(|folder| ["clickhouse-server", "clickhouse"].map(|name| folder.join(name)))
        .find(|path| path.is_file())
        .ok_or_else(|| "ClickHouse is not installed: run dev/clickhouse_setup.sh, or set CLICKHOUSE_BIN".into())
}

fn configuration(root: &Path, ports: [u16; 4], certificates: &Certificates) -> String {
    let [http, https, native, internal] = ports;
    let (root, certificate, key) =
        (root.display(), certificates.server().display().to_string(), certificates.server_key().display().to_string());
    format!(
        "<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port><https_port>{https}</https_port>
  <tcp_port>{native}</tcp_port><interserver_http_port>{internal}</interserver_http_port>
  <openSSL><server><certificateFile>{certificate}</certificateFile><privateKeyFile>{key}</privateKeyFile>
    <verificationMode>none</verificationMode></server></openSSL>
  <path>{root}/data/</path><tmp_path>{root}/tmp/</tmp_path>
  <users_config>{root}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  <mark_cache_size>33554432</mark_cache_size><timezone>UTC</timezone>
</yandex>"
    )
}

fn users() -> String {
    let networks = "<networks><ip>127.0.0.1</ip><ip>::1</ip></networks><quota>default</quota>";
    format!(
        "<yandex>
  <profiles><default/><reader><readonly>1</readonly></reader></profiles>
  <quotas><default/></quotas>
  <users>
    <{USER}><password>{PASSWORD}</password>{networks}<profile>default</profile></{USER}>
    <{READER}><password></password>{networks}<profile>reader</profile></{READER}>
  </users>
</yandex>"
    )
}

/// What the server says to a request without a query; `None` while it does not listen.
fn answers(port: u16) -> Option<String> {
    request(port, "/ping", "").ok().filter(|(status, _)| *status == 200).map(|(_, body)| body)
}

/// A request of HTTP 1.0, whose answer ends with the connection: its status and its body.
fn request(port: u16, path: &str, body: &str) -> Result<(u16, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(120)))?;
    let method = if body.is_empty() { "GET" } else { "POST" };
    write!(
        stream,
        "{method} {path} HTTP/1.0\r\nX-ClickHouse-User: {USER}\r\nX-ClickHouse-Key: {PASSWORD}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("the answer has no end of its head")?;
    let status = head.split(' ').nth(1).ok_or("the answer has no status")?.parse()?;
    Ok((status, body.to_owned()))
}
