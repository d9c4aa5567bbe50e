//! Where a server listens, and its name for people.

use std::net::IpAddr;
use std::time::Instant;

use bowshot_core::{Cancel, Result};
use bowshot_net::Address;

use crate::uri::{Host, Place};

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

    /// Its addresses, found before the deadline.
    pub(super) fn addresses(&self, deadline: Option<Instant>, cancel: &Cancel) -> Result<Vec<Address>> {
        let port = self.port;
        Ok(vec![match &self.place {
            Place::Name(name) => {
                return bowshot_net::Host { name: name.clone(), port }.addresses(deadline, cancel);
            }
            Place::Address { address, .. } => Address::Tcp((*address, port).into()),
            Place::Socket(name) if name.to_string_lossy().starts_with('@') => {
                Address::Unix(format!("{}/.s.PGSQL.{port}", name.display()).into())
            }
            Place::Socket(folder) => Address::Unix(folder.join(format!(".s.PGSQL.{port}"))),
        }])
    }
}
