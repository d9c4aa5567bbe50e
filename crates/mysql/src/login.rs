//! The handshake: greetings, TLS, and the ways to log in, whose secrets mysql_common computes.

use std::collections::HashMap;
use std::net::IpAddr;

use bowshot_core::{Error, ErrorKind, Result, Secret};
use bowshot_net::Transport;
use mysql_common::auth::plugins::{AuthProc, ChallengeResponsePlugin, Context, Error as PluginError};
use mysql_common::constants::{CapabilityFlags, MariadbCapabilities};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, HandshakeResponse, SslRequest};
use mysql_common::proto::{MyDeserialize, MySerialize};

use crate::connect::{Server, Session, is_error};
use crate::error::{broken, from_packet};
use crate::greeting::Greeting;
use crate::key;
use crate::uri::{Config, Encryption, Place};

/// What we ask a server for, as far as it can.
const WANTED: CapabilityFlags = CapabilityFlags::CLIENT_LONG_FLAG
    .union(CapabilityFlags::CLIENT_PROTOCOL_41)
    .union(CapabilityFlags::CLIENT_TRANSACTIONS)
    .union(CapabilityFlags::CLIENT_SECURE_CONNECTION)
    .union(CapabilityFlags::CLIENT_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_PS_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA)
    .union(CapabilityFlags::CLIENT_CONNECT_ATTRS)
    .union(CapabilityFlags::CLIENT_DEPRECATE_EOF);

/// MySQL counts as what it is when this flag is set; MariaDB leaves it out, and has flags of its own then.
const IS_MYSQL: CapabilityFlags = CapabilityFlags::CLIENT_LONG_PASSWORD;

/// The largest message that we take, 1 GiB: the most that a server sends.
const MOST: u32 = 1 << 30;

/// A login needs at most five exchanges.
const MOST_EXCHANGES: usize = 10;

/// utf8mb4_general_ci, which every server of the last fifteen years has.
const UTF8MB4: u8 = 45;

/// What a way to log in may know.
struct Surroundings<'a> {
    password: &'a [u8],
    nonce: Vec<u8>,
    socket: bool,
    encrypted: bool,
}

impl Context for &Surroundings<'_> {
    fn pass(&self) -> &[u8] {
        self.password
    }

    fn is_ipc_transport(&self) -> bool {
        self.socket
    }

    fn is_tls_transport(&self) -> bool {
        self.encrypted
    }

    fn scramble(&self) -> &[u8] {
        &self.nonce
    }

    fn server_key_pem(&self) -> Option<&[u8]> {
        None
    }
}

/// Logs in on a connected session; the server, and the number that it gave the connection.
pub(crate) fn log_in(session: &mut Session, config: &Config, address: Option<IpAddr>) -> Result<(Server, u64)> {
    let body = session.receive()?.to_vec();
    if is_error(&body) {
        return Err(from_packet(&body));
    }
    let greeting = Greeting::read(&body).ok_or_else(|| broken("its greeting is none of MySQL's"))?;
    if greeting.protocol != 10 {
        return Err(broken("it speaks another version of MySQL's protocol than 10"));
    }
    let offered = greeting.capabilities;
    if !offered.contains(CapabilityFlags::CLIENT_PROTOCOL_41 | CapabilityFlags::CLIENT_PLUGIN_AUTH) {
        return Err(Error::new(
            ErrorKind::Unsupported,
            "the server is too old: it does not speak the protocol of MySQL 5.6",
        ));
    }
    let mut flags = WANTED & offered;
    let mut own = MariadbCapabilities::empty();
    if !offered.contains(IS_MYSQL) {
        own = greeting.own_capabilities & MariadbCapabilities::MARIADB_CLIENT_EXTENDED_METADATA;
    } else {
        flags |= IS_MYSQL;
    }
    if config.database.is_some() {
        // Said already with the wish for TLS: MariaDB does not look at the flags of the second message.
        flags |= CapabilityFlags::CLIENT_CONNECT_WITH_DB;
    }
    let server = Server {
        extended: !own.is_empty(),
        without_eof: flags.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF),
        ..server(&greeting.version)
    };
    if encrypts(config, offered)? {
        flags |= CapabilityFlags::CLIENT_SSL;
        let request = SslRequest::new(flags, MOST, UTF8MB4).with_mariadb_capabilities(own);
        session.send(&serialized(&request))?;
        encrypt(session, config, address)?;
    }
    let socket = matches!(config.place, Place::Socket(_));
    let password = config.password.as_ref().map_or("", Secret::expose);
    let mut surroundings = Surroundings {
        password: password.as_bytes(),
        nonce: greeting.nonce.clone(),
        socket,
        encrypted: session.is_encrypted(),
    };
    let plugin = match &greeting.plugin {
        Some(plugin) if allowed(plugin, config, &surroundings).is_ok() => plugin.clone(),
        // The server will ask for the user's own.
        _ => AuthPlugin::MysqlNativePassword,
    };
    let (mut procedure, answer) = begin(&plugin, &surroundings)?;
    let attributes: HashMap<String, String> =
        [("_client_name", "bowshot"), ("_client_version", env!("CARGO_PKG_VERSION")), ("program_name", "bowshot")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
    let attributes = flags.contains(CapabilityFlags::CLIENT_CONNECT_ATTRS).then_some(attributes);
    let response = HandshakeResponse::new(
        answer,
        (10, 0, 0),
        Some(config.user.as_bytes()),
        config.database.as_ref().map(|name| name.as_bytes()),
        Some(plugin.borrow()),
        flags,
        attributes,
        MOST,
    )
    .with_mariadb_ext_capabilities(own);
    session.send(&serialized(&response))?;
    let mut plugin = plugin.into_owned();
    for _ in 0..MOST_EXCHANGES {
        let body = session.receive()?.to_vec();
        let answer = match body.split_first() {
            Some((0, _)) => return Ok((server, greeting.connection.into())),
            Some((0xFF, _)) => return Err(explained(from_packet(&body), config, password)),
            Some((0xFE, rest)) if !rest.is_empty() => {
                let wish = AuthSwitchRequest::deserialize((), &mut ParseBuf(&body))
                    .map_err(|_| broken("its wish for another way to log in is cut off"))?;
                plugin = wish.auth_plugin().into_owned();
                allowed(&plugin, config, &surroundings)?;
                surroundings.nonce = wish.plugin_data().to_vec();
                let (next, answer) = begin(&plugin, &surroundings)?;
                procedure = next;
                answer
            }
            Some((0xFE, _)) => return Err(unsupported("mysql_old_password")),
            Some((1, more)) => {
                check_key(&plugin, more, config, &surroundings)?;
                step(&mut procedure, &surroundings, more)?
            }
            _ => return Err(broken("its answer to the login is none")),
        };
        if let Some(answer) = answer {
            session.send(&answer)?;
        }
    }
    Err(broken("the login goes on for ever"))
}

/// What a server says of itself in its greeting: `8.4.2`, `5.5.5-10.11.19-MariaDB-1`, where the first number is there
/// for old replicas.
fn server(text: &str) -> Server {
    let maria_db = text.to_ascii_lowercase().contains("mariadb");
    let own = text.strip_prefix("5.5.5-").filter(|_| maria_db).unwrap_or(text);
    let mut numbers =
        own.split(|character: char| !character.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    Server { version: (next(), next(), next()), maria_db, text: own.to_owned(), ..Server::default() }
}

fn serialized(message: &impl MySerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    message.serialize(&mut bytes);
    bytes
}

/// Whether this connection is to be encrypted.
fn encrypts(config: &Config, offered: CapabilityFlags) -> Result<bool> {
    // A Unix socket never leaves the machine.
    let local = matches!(config.place, Place::Socket(_));
    let able = offered.contains(CapabilityFlags::CLIENT_SSL);
    match config.encryption {
        Encryption::Never => Ok(false),
        Encryption::IfPossible => Ok(able && !local),
        Encryption::Always if able => Ok(true),
        Encryption::Always if local => Ok(false),
        Encryption::Always => Err(Error::new(ErrorKind::Tls, "the server has no TLS, and ssl-mode asks for it")
            .with_hint(
                "turn on TLS in the server's configuration (ssl_cert, ssl_key), or connect with ssl-mode=PREFERRED",
            )),
    }
}

/// Puts TLS around the socket.
fn encrypt(session: &mut Session, config: &Config, address: Option<IpAddr>) -> Result<()> {
    if !session.buffer.unread().is_empty() {
        // Bytes from before the handshake could have been put there by anyone.
        return Err(broken("it sent bytes before the TLS handshake"));
    }
    let name = match &config.place {
        Place::Tcp(host) => Some(host.name.as_str()),
        Place::Socket(_) => Some("localhost"),
    };
    let client = config.tls.client(name, address)?;
    session.wrap(|transport| match transport {
        Transport::Plain(socket) => client.handshake(socket),
        encrypted => Ok(encrypted),
    })
}

/// Refuses ways to log in that Bowshot does not know, or that would give the password away.
fn allowed(plugin: &AuthPlugin<'_>, config: &Config, surroundings: &Surroundings<'_>) -> Result<()> {
    match plugin {
        AuthPlugin::MysqlNativePassword | AuthPlugin::CachingSha2Password | AuthPlugin::Ed25519 => Ok(()),
        AuthPlugin::Sha256Password if surroundings.encrypted || surroundings.socket || config.server_key => Ok(()),
        AuthPlugin::Sha256Password => Err(needs_protection("sha256_password")),
        AuthPlugin::MysqlClearPassword if !config.cleartext => Err(Error::new(
            ErrorKind::Authentication,
            "the server wants the password in the clear (mysql_clear_password)",
        )
        .with_hint("if you trust it, allow that with enable-cleartext-plugin=1 and ssl-mode=VERIFY_IDENTITY")),
        AuthPlugin::MysqlClearPassword if !surroundings.encrypted && !surroundings.socket => Err(Error::new(
            ErrorKind::Authentication,
            "the password would travel in the clear, and the connection is not encrypted",
        )
        .with_hint("connect with ssl-mode=VERIFY_IDENTITY")),
        AuthPlugin::MysqlClearPassword => Ok(()),
        other => Err(unsupported(&String::from_utf8_lossy(other.as_bytes()))),
    }
}

fn unsupported(plugin: &str) -> Error {
    Error::new(
        ErrorKind::Authentication,
        format!("the server wants a way to log in that Bowshot does not know: {plugin}"),
    )
    .with_hint("give the user a password of the kind caching_sha2_password, ed25519 or mysql_native_password")
}

fn needs_protection(plugin: &str) -> Error {
    let message = format!("the login ({plugin}) needs an encrypted connection, or the server's public key");
    Error::new(ErrorKind::Authentication, message).with_hint(
        "connect with ssl-mode=REQUIRED or a stricter one; on a network that you trust, get-server-public-key=1 takes the \
         server's word for its key",
    )
}

/// The first step of a way to log in, and what it has to say.
fn begin(plugin: &AuthPlugin<'_>, surroundings: &Surroundings<'_>) -> Result<(AuthProc, Option<Vec<u8>>)> {
    let mut procedure = plugin.init().map_err(|_| unsupported(&String::from_utf8_lossy(plugin.as_bytes())))?;
    let answer = step(&mut procedure, surroundings, &surroundings.nonce)?;
    Ok((procedure, answer))
}

/// The next step, and what it has to say.
fn step(procedure: &mut AuthProc, surroundings: &Surroundings<'_>, challenge: &[u8]) -> Result<Option<Vec<u8>>> {
    match procedure.run(surroundings, challenge) {
        Ok(response) => Ok(response.data().map(<[u8]>::to_vec)),
        Err(PluginError::Challenge | PluginError::Logic) => {
            Err(broken("it asks for something that belongs to no login"))
        }
        Err(error) => Err(Error::new(ErrorKind::Authentication, format!("the login cannot be computed: {error}"))),
    }
}

/// Looks at what a server sends in the middle of a login, before a password is encrypted with it.
fn check_key(plugin: &AuthPlugin<'_>, more: &[u8], config: &Config, surroundings: &Surroundings<'_>) -> Result<()> {
    let protected = surroundings.encrypted || surroundings.socket;
    match plugin {
        AuthPlugin::CachingSha2Password | AuthPlugin::Sha256Password if protected => Ok(()),
        // 3: the server remembers the password; 4: it wants to have it.
        AuthPlugin::CachingSha2Password if more == [3] => Ok(()),
        AuthPlugin::CachingSha2Password if more == [4] && config.server_key => Ok(()),
        AuthPlugin::CachingSha2Password if more == [4] => Err(needs_protection("caching_sha2_password")),
        AuthPlugin::CachingSha2Password | AuthPlugin::Sha256Password => key::check(more),
        _ => Ok(()),
    }
}

/// A refused login, with what a user may not think of.
fn explained(error: Error, config: &Config, password: &str) -> Error {
    if error.kind() != ErrorKind::Authentication || error.hint().is_some() {
        return error;
    }
    let hint = if password.is_empty() {
        "no password was given: mysql://user:password@host, or one in ~/.my.cnf"
    } else if matches!(config.place, Place::Socket(_)) {
        "is the password right? A user may have another one for localhost"
    } else {
        "is the password right, and is the user known for the host that we come from?"
    };
    error.with_hint(hint)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        // The library's parsers and procedures, with what a hostile server could send.
        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..90) {
            // Something like a greeting, so that it is looked at to its end.
            let mut greeting = vec![10];
            greeting.extend(b"8.0.1\0\x01\0\0\0abcdefgh\0\xFF\xFF\x2D\x02\0\xFF\xFF\x15\0\0\0\0\0\0\0\0\0\0");
            greeting.truncate(cut);
            greeting.extend(&bytes);
            for bytes in [&bytes, &greeting] {
                if let Some(greeting) = Greeting::read(bytes) {
                    let _ = server(&greeting.version);
                }
            }
            if let Ok(wish) = AuthSwitchRequest::deserialize((), &mut ParseBuf(&bytes)) {
                let _ = (wish.auth_plugin(), wish.plugin_data());
            }
            for encrypted in [false, true] {
                let surroundings = Surroundings { password: b"secret", nonce: bytes.clone(), socket: false, encrypted };
                for plugin in [
                    AuthPlugin::MysqlNativePassword,
                    AuthPlugin::CachingSha2Password,
                    AuthPlugin::Ed25519,
                    AuthPlugin::MysqlClearPassword,
                ] {
                    let Ok((mut procedure, _)) = begin(&plugin, &surroundings) else { continue };
                    let _ = step(&mut procedure, &surroundings, &bytes);
                }
            }
            let _ = key::check(&bytes);
        }
    }

    #[test]
    fn a_password_meets_a_key_only_where_that_is_allowed() {
        let config = |options: &str| Config::parse(&format!("mysql://u:p@h/?{options}")).unwrap();
        let open = |encrypted| Surroundings { password: b"p", nonce: vec![1; 20], socket: false, encrypted };
        let plugin = AuthPlugin::CachingSha2Password;
        assert!(check_key(&plugin, &[3], &config(""), &open(false)).is_ok());
        assert_eq!(check_key(&plugin, &[4], &config(""), &open(false)).unwrap_err().kind(), ErrorKind::Authentication);
        assert!(check_key(&plugin, &[4], &config(""), &open(true)).is_ok());
        assert!(check_key(&plugin, &[4], &config("get-server-public-key=1"), &open(false)).is_ok());
        assert_eq!(
            check_key(&plugin, b"no key", &config("get-server-public-key=1"), &open(false)).unwrap_err().kind(),
            ErrorKind::Protocol
        );
        let clear = AuthPlugin::MysqlClearPassword;
        assert!(allowed(&clear, &config(""), &open(true)).is_err());
        assert!(allowed(&clear, &config("enable-cleartext-plugin=1"), &open(false)).is_err());
        assert!(allowed(&clear, &config("enable-cleartext-plugin=1"), &open(true)).is_ok());
        assert!(allowed(&AuthPlugin::Sha256Password, &config(""), &open(false)).is_err());
        assert!(allowed(&AuthPlugin::MysqlOldPassword, &config(""), &open(true)).is_err());
    }

    #[test]
    fn servers_tell_their_version() {
        let maria = server("5.5.5-10.11.19-MariaDB-0+deb12u1");
        assert_eq!(
            (maria.version, maria.maria_db, maria.text.as_str()),
            ((10, 11, 19), true, "10.11.19-MariaDB-0+deb12u1")
        );
        assert_eq!(server("11.4.5-MariaDB").version, (11, 4, 5));
        assert_eq!((server("8.4.2").version, server("8.4.2").maria_db), ((8, 4, 2), false));
        assert_eq!(server("8.0").version, (8, 0, 0));
        assert_eq!(server("99999999.x").version, (0, 0, 0));
        assert_eq!(server("").version, (0, 0, 0));
    }
}
