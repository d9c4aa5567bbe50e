//! Ports for servers that have to be told one before they start.

use std::hash::{BuildHasher, RandomState};
use std::net::TcpListener;
use std::ops::Range;

use crate::Result;

/// Below the ports that Linux gives to outgoing connections (`net.ipv4.ip_local_port_range`) and to whoever binds port
/// 0: nothing of either kind takes the port before the server does.
const PORTS: Range<u16> = 15_000..32_000;

/// How many ports are looked at.
const ATTEMPTS: u16 = 100;

/// A port of this machine on which nobody listens, another one each time.
///
/// # Errors
/// Hardly any port is free.
pub(crate) fn free() -> Result<u16> {
    for attempt in 0..ATTEMPTS {
        let random = RandomState::new().hash_one((std::process::id(), attempt)) % u64::try_from(PORTS.len())?;
        let port = PORTS.start + u16::try_from(random)?;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return Ok(port);
        }
    }
    Err("no port is free".into())
}
