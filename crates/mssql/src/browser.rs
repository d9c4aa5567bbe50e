//! The SQL Server Browser, which knows the port of each instance of a machine ([MC-SQLR]).

use std::io;
use std::net::{ToSocketAddrs, UdpSocket};
use std::time::{Duration, Instant};

use bowshot_core::{Cancel, Error, ErrorKind, Result};

/// Where the browser listens.
const PORT: u16 = 1434;
/// A question that is not answered within this time is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// The port of an instance.
pub(crate) fn port(host: &str, instance: &str, deadline: Instant, cancel: &Cancel) -> Result<u16> {
    let failed = |what: String| {
        Error::new(ErrorKind::Connect, format!("the port of the instance \"{instance}\" is not known: {what}"))
            .with_hint("is the SQL Server Browser running on the server? Or name the port: mssql://user@host:PORT/…")
    };
    let unreachable = |error: io::Error| failed(format!("{host}:{PORT} cannot be reached: {error}")).with_source(error);
    let address = (host, PORT).to_socket_addrs().map_err(unreachable)?.next();
    let Some(address) = address else { return Err(failed(format!("{host} has no address"))) };
    let own = if address.is_ipv6() { "[::]:0" } else { "0.0.0.0:0" };
    let socket = UdpSocket::bind(own).map_err(unreachable)?;
    socket
        .connect(address)
        .and_then(|()| socket.set_read_timeout(Some(Duration::from_millis(100))))
        .map_err(unreachable)?;
    // CLNT_UCAST_INST.
    let mut question = vec![4];
    question.extend(instance.as_bytes());
    question.push(0);
    let mut asked: Option<Instant> = None;
    let mut answer = [0; 4096];
    while Instant::now() < deadline {
        cancel.check()?;
        if asked.is_none_or(|asked| asked.elapsed() > AGAIN) {
            socket.send(&question).map_err(unreachable)?;
            asked = Some(Instant::now());
        }
        match socket.recv(&mut answer) {
            Ok(length) => {
                let answer = answer.get(..length).unwrap_or_default();
                return tcp_port(answer).ok_or_else(|| failed("it does not listen on TCP".to_owned()));
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
            Err(error) => return Err(unreachable(error)),
        }
    }
    Err(failed(format!("nobody answers at {host}:{PORT}")))
}

/// The port in an answer: `ServerName;X;InstanceName;Y;…;tcp;1434;;` behind three bytes.
fn tcp_port(answer: &[u8]) -> Option<u16> {
    let text = String::from_utf8_lossy(answer.get(3..).filter(|_| answer.first() == Some(&5))?).into_owned();
    let mut parts = text.split(';');
    parts.by_ref().find(|part| part.eq_ignore_ascii_case("tcp"))?;
    parts.next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_stands_behind_tcp() {
        let answer =
            b"\x05\x40\x00ServerName;DB;InstanceName;SQLEXPRESS;IsClustered;No;Version;16.0.1000.6;tcp;49721;;";
        assert_eq!(tcp_port(answer), Some(49721));
        assert_eq!(tcp_port(b"\x05\x40\x00ServerName;DB;InstanceName;X;np;\\\\DB\\pipe;;"), None);
        assert_eq!(tcp_port(b"\x04"), None);
        assert_eq!(tcp_port(b""), None);
    }
}
