//! The server's greeting. It is read here, field by field: what a stranger sends must never panic, and the library's own
//! reader trusts the length that it announces for its nonce.

use mysql_common::constants::{CapabilityFlags, MariadbCapabilities};
use mysql_common::packets::AuthPlugin;

use crate::packet::Fields;

/// Bytes of the nonce that every greeting has, and that most ways to log in take.
const FIRST: usize = 8;
const NONCE: usize = 20;

/// The server's greeting.
#[derive(Clone, Debug)]
pub(crate) struct Greeting {
    /// Of the protocol; 10 since 1998.
    pub(crate) protocol: u8,
    /// The server's own.
    pub(crate) version: String,
    pub(crate) connection: u32,
    pub(crate) nonce: Vec<u8>,
    pub(crate) capabilities: CapabilityFlags,
    /// MariaDB's own.
    pub(crate) own_capabilities: MariadbCapabilities,
    /// The way to log in that it offers first.
    pub(crate) plugin: Option<AuthPlugin<'static>>,
}

impl Greeting {
    /// `None` where it is cut off.
    pub(crate) fn read(body: &[u8]) -> Option<Greeting> {
        let mut fields = Fields(body);
        let protocol = fields.u8()?;
        let end = fields.0.iter().position(|byte| *byte == 0)?;
        let version = String::from_utf8_lossy(fields.bytes(end)?).into_owned();
        let _zero = fields.u8()?;
        let connection = fields.u32()?;
        let mut nonce = fields.bytes(FIRST)?.to_vec();
        let _zero = fields.u8()?;
        let low = u32::from(fields.u16()?);
        // The server's collation and its status; then what came later than MySQL 4.1.
        let _collation = fields.u8()?;
        let _status = fields.u16()?;
        let high = u32::from(fields.u16()?);
        let announced = usize::from(fields.u8()?);
        let _reserved = fields.bytes(6)?;
        let own = fields.u32()?;
        // At least 12 bytes and a zero, whatever is announced.
        let rest = fields.bytes(announced.saturating_sub(FIRST).max(NONCE - FIRST + 1))?;
        nonce.extend_from_slice(rest.strip_suffix(&[0]).unwrap_or(rest));
        let capabilities = CapabilityFlags::from_bits_truncate(low | high << 16);
        let name = fields.0.split(|byte| *byte == 0).next().filter(|name| !name.is_empty());
        Some(Greeting {
            protocol,
            version,
            connection,
            nonce,
            capabilities,
            own_capabilities: MariadbCapabilities::from_bits_truncate(own),
            plugin: name.map(|name| AuthPlugin::from_bytes(name).into_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_greeting_of_mariadb() {
        let mut body = vec![10];
        body.extend(
            b"5.5.5-10.11.19-MariaDB\0\x2A\0\0\0abcdefgh\0\xFE\xF7\x2D\x02\0\xFF\x81\x15\0\0\0\0\0\0\x1D\0\0\0",
        );
        body.extend(b"ijklmnopqrst\0mysql_native_password\0");
        let greeting = Greeting::read(&body).unwrap();
        assert_eq!((greeting.protocol, greeting.connection), (10, 42));
        assert_eq!(greeting.version, "5.5.5-10.11.19-MariaDB");
        assert_eq!(greeting.nonce, b"abcdefghijklmnopqrst");
        assert!(!greeting.capabilities.contains(CapabilityFlags::CLIENT_LONG_PASSWORD));
        assert!(greeting.own_capabilities.contains(MariadbCapabilities::MARIADB_CLIENT_EXTENDED_METADATA));
        assert_eq!(greeting.plugin, Some(AuthPlugin::MysqlNativePassword));
        for end in 0..body.len() - 22 {
            assert!(Greeting::read(&body[..end]).is_none(), "{end}");
        }
    }
}
