//! Where a server listens, and the names that lead there.

use std::net::{IpAddr, Ipv6Addr, SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{fmt, io, thread};

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use socket2::{Domain, SockAddr};

/// One address to connect to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The socket itself; `@name` in the abstract namespace.
    Unix(PathBuf),
}

impl Address {
    pub(crate) fn domain(&self) -> Domain {
        match self {
            Address::Tcp(address) => Domain::for_address(*address),
            Address::Unix(_) => Domain::UNIX,
        }
    }

    pub(crate) fn to_socket(&self) -> io::Result<SockAddr> {
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

/// A name or an address, and a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Host {
    /// A name to be resolved, or an IP address.
    pub name: String,
    /// The port.
    pub port: u16,
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name.parse::<Ipv6Addr>() {
            Ok(address) => write!(f, "[{address}]:{}", self.port),
            Err(_) => write!(f, "{}:{}", self.name, self.port),
        }
    }
}

impl Host {
    /// Its addresses. Resolving a name takes as long as the system's resolver wants, but never past the deadline and
    /// not on when the work was cancelled.
    pub fn addresses(&self, deadline: Option<Instant>, cancel: &Cancel) -> Result<Vec<Address>> {
        if let Ok(address) = self.name.parse::<IpAddr>() {
            return Ok(vec![Address::Tcp((address, self.port).into())]);
        }
        let failed = |why: &dyn fmt::Display| {
            Error::new(ErrorKind::Connect, format!("the host \"{}\" could not be found: {why}", self.name))
        };
        let found = resolve(self.name.clone(), self.port, deadline, cancel)?.map_err(|error| failed(&error))?;
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
