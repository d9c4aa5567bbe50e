//! TLS as PostgreSQL's servers take it: asked for in the clear first, or from the first byte on.

mod channel_binding;

use std::io::{Read, Write};

use bowshot_core::{Error, ErrorKind, Result};
use bowshot_net::{Address, OptionNames, Socket, TlsOptions, Transport, Verify, lost};
use bytes::BytesMut;
pub(crate) use channel_binding::server_end_point;
use postgres_protocol::message::frontend;

use crate::uri::{Host, Place};

/// The name of PostgreSQL's protocol within TLS.
pub(crate) const PROTOCOL: &[u8] = b"postgresql";

/// libpq's names of the options, for errors.
pub(crate) const NAMES: OptionNames = OptionNames {
    roots: "sslrootcert",
    revoked: "sslcrl",
    certificate: "sslcert",
    key: "sslkey",
    without_name: "sslmode=verify-ca",
    system: Some("sslrootcert=system"),
};

/// Whether the connection is encrypted (`sslmode`); how much of the certificate counts is in the TLS options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encryption {
    Never,
    /// If the server insists.
    IfDemanded,
    /// If the server can.
    IfPossible,
    Always,
}

/// What the connection string says on TLS.
#[derive(Clone, Debug)]
pub(crate) struct Tls {
    pub(crate) encryption: Encryption,
    /// Whether TLS begins at once, without asking the server first (`sslnegotiation=direct`).
    pub(crate) direct: bool,
    pub(crate) options: TlsOptions,
}

/// All that a handshake with one server needs.
#[derive(Clone)]
pub(crate) struct TlsClient {
    client: bowshot_net::TlsClient,
    direct: bool,
    /// Whether a server without TLS will do.
    optional: bool,
}

impl Tls {
    /// What a handshake with this host needs.
    pub(crate) fn client(&self, host: &Host, address: &Address) -> Result<TlsClient> {
        let name = match &host.place {
            Place::Name(name) | Place::Address { name: Some(name), .. } => Some(name.as_str()),
            Place::Address { .. } | Place::Socket(_) => None,
        };
        if name.is_none() && self.options.verify == Verify::Name {
            return Err(Error::new(
                ErrorKind::Config,
                "sslmode=verify-full needs the host's name, not only its address",
            )
            .with_hint("give host=… beside hostaddr=…"));
        }
        let address = match address {
            Address::Tcp(address) => Some(address.ip()),
            Address::Unix(_) => None,
        };
        Ok(TlsClient {
            client: self.options.client(name, address)?,
            direct: self.direct,
            optional: self.encryption != Encryption::Always,
        })
    }
}

impl TlsClient {
    /// Asks the server for TLS and makes the handshake; plain when the server has none and need not.
    pub(crate) fn negotiate(&self, mut socket: Socket) -> Result<Transport> {
        if self.direct {
            let transport = self.client.handshake(socket)?;
            // Without it, a server of another protocol could be talked to by mistake.
            if transport.protocol() != Some(PROTOCOL) {
                return Err(Error::new(ErrorKind::Tls, "the server did not agree to speak PostgreSQL inside TLS")
                    .with_hint("sslnegotiation=direct needs PostgreSQL 17 or newer"));
            }
            return Ok(transport);
        }
        let mut request = BytesMut::new();
        frontend::ssl_request(&mut request);
        let what = "the request for TLS";
        socket.write_all(&request).map_err(|error| lost(error, what, &NAMES))?;
        let mut answer = [0];
        // One byte and no more: what follows it belongs to TLS.
        socket.read_exact(&mut answer).map_err(|error| lost(error, what, &NAMES))?;
        match &answer {
            b"S" => self.client.handshake(socket),
            b"N" if self.optional => Ok(Transport::Plain(socket)),
            b"N" => Err(Error::new(ErrorKind::Tls, "the server has no TLS, and sslmode asks for it")
                .with_hint("turn on ssl in the server's configuration, or connect with sslmode=prefer")),
            // A server that is out of processes. Its words are not encrypted, so that nobody knows whose they are.
            b"E" => Err(Error::new(ErrorKind::Connect, "the server answered the request for TLS with an error")
                .with_hint("its log says why; it may be out of memory or processes")),
            _ => Err(crate::message::unexpected("something that is no answer to a request for TLS")),
        }
    }
}
