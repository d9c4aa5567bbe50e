//! The servers that a connection string names.

use std::net::IpAddr;
use std::path::PathBuf;

use bowshot_core::{Error, ErrorKind, Result};

use super::environment::Environment;
use super::options::Settings;
use super::{Host, Place};

const DEFAULT_PORT: u16 = 5432;

/// Every server, in the order in which they are tried.
pub(super) fn hosts(settings: &Settings, environment: &Environment) -> Result<Vec<Host>> {
    let list = |name| settings.text(name).map(|text| text.split(',').map(str::trim).collect::<Vec<&str>>());
    let (names, addresses) = (list("host"), list("hostaddr"));
    let count = names.as_ref().or(addresses.as_ref()).map_or(1, Vec::len);
    if let (Some(names), Some(addresses)) = (&names, &addresses)
        && names.len() != addresses.len()
    {
        let (names, addresses) = (names.len(), addresses.len());
        return Err(wrong(format!("the connection names {names} hosts, but {addresses} addresses (hostaddr)")));
    }
    let ports = list("port").unwrap_or_else(|| vec![""]);
    if ports.len() != 1 && ports.len() != count {
        return Err(wrong(format!("the connection names {} ports for {count} hosts", ports.len()))
            .with_hint("give one port for all hosts, or one for each"));
    }
    let at = |list: &Option<Vec<&str>>, index: usize| {
        list.as_ref().and_then(|list| list.get(index)).copied().filter(|text| !text.is_empty()).map(str::to_owned)
    };
    (0..count)
        .map(|index| {
            let port = match ports.get(index).or(ports.first()).copied().unwrap_or_default() {
                "" => DEFAULT_PORT,
                text => text
                    .parse()
                    .ok()
                    .filter(|port| *port != 0)
                    .ok_or_else(|| settings.wrong("port", "a number from 1 to 65535"))?,
            };
            let place = match (at(&names, index), at(&addresses, index)) {
                (name, Some(address)) => {
                    let parsed: Option<IpAddr> = address.parse().ok();
                    let address = parsed.ok_or_else(|| settings.wrong("hostaddr", "an IP address"))?;
                    Place::Address { address, name }
                }
                (Some(name), None) if name.starts_with(['/', '@']) => Place::Socket(PathBuf::from(name)),
                (Some(name), None) => Place::Name(name),
                (None, None) => default_place(environment, port),
            };
            Ok(Host { place, port, password: None })
        })
        .collect()
}

/// The folder in which a server of this machine listens, or else this machine over TCP.
fn default_place(environment: &Environment, port: u16) -> Place {
    let folder = environment.socket_folders.iter().find(|folder| folder.join(format!(".s.PGSQL.{port}")).exists());
    folder.map_or_else(|| Place::Name("localhost".to_owned()), |folder| Place::Socket(folder.clone()))
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Config, message)
}
