//! Where a server listens, and the names that lead there.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use socket2::{Domain, SockAddr};

use crate::uri::{Host, Place};

/// One address to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    Tcp(SocketAddr),
    /// The socket itself; `@name` in the abstract namespace.
    Unix(PathBuf),
}

impl Address {
    pub(super) fn domain(&self) -> Domain {
        match self {
            Address::Tcp(address) => Domain::for_address(*address),
            Address::Unix(_) => Domain::UNIX,
        }
    }

    pub(super) fn to_socket(&self) -> io::Result<SockAddr> {
        match self {
            Address::Tcp(address) => Ok(SockAddr::from(*address)),
            Address::Unix(path) => match path.to_str().and_then(|path| path.strip_prefix('@')) {
                // The kernel's spelling of the abstract namespace.
                Some(name) => SockAddr::unix(format!("\0{name}")),
                None => SockAddr::unix(path),
            },
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Address::Tcp(address) => address.fmt(f),
            Address::Unix(path) => path.display().fmt(f),
        }
    }
}

impl Host {
    /// Its name for people: `db.example.org:5432`.
    pub(super) fn label(&self) -> String {
        let port = self.port;
        match &self.place {
            Place::Name(name) | Place::Address { name: Some(name), .. } => format!("{name}:{port}"),
            Place::Address { address: IpAddr::V6(address), .. } => format!("[{address}]:{port}"),
            Place::Address { address, .. } => format!("{address}:{port}"),
            Place::Socket(folder) => format!("{}:{port}", folder.display()),
        }
    }

    /// Its addresses. Resolving a name takes as long as the system's resolver wants, but never past the deadline and
    /// not on when the work was cancelled.
    pub(super) fn addresses(&self, deadline: Option<Instant>, cancel: &Cancel) -> Result<Vec<Address>> {
        let name = match &self.place {
            Place::Socket(name) if name.to_string_lossy().starts_with('@') => {
                return Ok(vec![Address::Unix(format!("{}/.s.PGSQL.{}", name.display(), self.port).into())]);
            }
            Place::Socket(folder) => {
                return Ok(vec![Address::Unix(folder.join(format!(".s.PGSQL.{}", self.port)))]);
            }
            Place::Address { address, .. } => return Ok(vec![Address::Tcp((*address, self.port).into())]),
            Place::Name(name) => name,
        };
        if let Ok(address) = name.parse::<IpAddr>() {
            return Ok(vec![Address::Tcp((address, self.port).into())]);
        }
        let failed = |why: &dyn fmt::Display| {
            Error::new(ErrorKind::Connect, format!("the host \"{name}\" could not be found: {why}"))
        };
        let found = resolve(name.clone(), self.port, deadline, cancel)?.map_err(|error| failed(&error))?;
        if found.is_empty() { Err(failed(&"it has no address")) } else { Ok(found) }
    }
}

/// Asks the resolver in a thread of its own, which ends when the resolver answers or gives up.
fn resolve(name: String, port: u16, deadline: Option<Instant>, cancel: &Cancel) -> Result<io::Result<Vec<Address>>> {
    let (answer, answers) = mpsc::sync_channel(1);
    let asked = name.clone();
    let spawned = thread::Builder::new().name("bowshot-resolve".to_owned()).spawn(move || {
        let found = (asked.as_str(), port).to_socket_addrs().map(|found| found.map(Address::Tcp).collect());
        // Nobody listens any more when it took too long.
        let _ = answer.send(found);
    });
    spawned.map_err(|error| {
        Error::new(ErrorKind::Io, format!("no thread could be started to look up a host: {error}")).with_source(error)
    })?;
    loop {
        cancel.check()?;
        match answers.recv_timeout(Duration::from_millis(20)) {
            Ok(found) => return Ok(found),
            Err(mpsc::RecvTimeoutError::Timeout) if deadline.is_none_or(|deadline| Instant::now() < deadline) => {}
            Err(_) => {
                let message = format!("the address of the host \"{name}\" was not found in time");
                return Err(Error::new(ErrorKind::Timeout, message));
            }
        }
    }
}
