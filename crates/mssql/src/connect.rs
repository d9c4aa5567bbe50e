//! Opens connections: TCP, PRELOGIN, TLS, LOGIN7 ([MS-TDS] 3.2).

use std::time::Instant;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bytes::Bytes;
use tds_protocol::login7::{FeatureExtension, FeatureId, Login7};
use tds_protocol::prelogin::{EncryptionLevel, PreLogin};
use tds_protocol::version::TdsVersion;

use crate::browser;
use crate::error::broken;
use crate::packet::{Kind, Packets};
use crate::session::{Login, Session};
use crate::socket::Socket;
use crate::tls::Tls;
use crate::transport::Transport;
use crate::uri::{Config, Encrypt};

/// How often a login may be sent on to another server.
const MOST_ROUTES: usize = 4;
/// The server's answer to PRELOGIN is a few dozen bytes.
const LONGEST_PRELOGIN: usize = 4096;
/// What every session begins with: without a limit, text of the old types would be cut at 4,096 bytes.
const FIRST: &str = "SET TEXTSIZE 2147483647; SET QUOTED_IDENTIFIER ON; SET ARITHABORT ON; SET ROWCOUNT 0";

/// Opens a connection and runs the user's statements on it.
pub(crate) fn connect(config: &Config, before: &[String], cancel: &Cancel) -> Result<Session> {
    let deadline = Instant::now() + config.connect_timeout;
    let mut host = config.host.clone();
    let mut port = match (config.known_port(), &config.instance) {
        (Some(port), _) => port,
        (None, instance) => browser::port(&host, instance.as_deref().unwrap_or_default(), deadline, cancel)?,
    };
    for _ in 0..MOST_ROUTES {
        let mut session = open(config, &host, port, deadline, cancel)?;
        match session.finish_login()? {
            Login::Done => {
                session.execute(FIRST)?;
                session.set_deadline(None);
                for sql in before {
                    session.execute(sql)?;
                }
                return Ok(session);
            }
            Login::Routed(to, at) => (host, port) = (to, at),
        }
    }
    Err(Error::new(ErrorKind::Connect, format!("the servers send each other's logins on, at last to {host}:{port}")))
}

fn open(config: &Config, host: &str, port: u16, deadline: Instant, cancel: &Cancel) -> Result<Session> {
    let socket = Socket::connect(host, port, deadline, cancel)?;
    let mut packets = match config.encrypt {
        Encrypt::Strict => Packets::new(Transport::strict(socket, &Tls::new(config, host)?)?),
        _ => Packets::new(Transport::Plain(socket)),
    };
    let wanted = match config.encrypt {
        Encrypt::Yes => EncryptionLevel::On,
        Encrypt::No => EncryptionLevel::Off,
        // The server does not look at it.
        Encrypt::Strict => EncryptionLevel::NotSupported,
    };
    packets.send(Kind::PreLogin, &PreLogin::new().with_encryption(wanted).encode())?;
    let mut answer = Vec::new();
    packets.begin();
    while packets.receive(&mut answer)? {
        if answer.len() > LONGEST_PRELOGIN {
            return Err(broken("its answer to the first message does not end"));
        }
    }
    let answer = PreLogin::decode(answer.as_slice())
        .map_err(|error| broken(format_args!("its answer to the first message cannot be read ({error})")))?;
    let server_encrypts = matches!(answer.encryption, EncryptionLevel::On | EncryptionLevel::Required);
    let login = login(config, host).encode();
    match config.encrypt {
        Encrypt::Strict => packets.send(Kind::Login, &login)?,
        Encrypt::Yes if !server_encrypts => {
            return Err(Error::new(ErrorKind::Tls, "the server does not encrypt, and the URI asks for it")
                .with_hint("encrypt=no reads without encryption; the login is then sent nearly in the clear"));
        }
        Encrypt::Yes => {
            packets = encrypted(packets, config, host)?;
            packets.send(Kind::Login, &login)?;
        }
        Encrypt::No if answer.encryption == EncryptionLevel::NotSupported => packets.send(Kind::Login, &login)?,
        Encrypt::No => {
            packets = encrypted(packets, config, host)?;
            packets.send(Kind::Login, &login)?;
            if !server_encrypts {
                packets = packets.into_plain();
            }
        }
    }
    Ok(Session::new(packets))
}

fn encrypted(packets: Packets, config: &Config, host: &str) -> Result<Packets> {
    match packets.transport {
        Transport::Plain(socket) => Ok(Packets::new(Transport::within_packets(socket, &Tls::new(config, host)?)?)),
        transport => Ok(Packets::new(transport)),
    }
}

fn login(config: &Config, host: &str) -> Login7 {
    let version = if config.encrypt == Encrypt::Strict { TdsVersion::V8_0 } else { TdsVersion::V7_4 };
    let mut login = Login7::new()
        .with_tds_version(version)
        .with_sql_auth(&config.user, config.password.expose())
        .with_database(&config.database)
        .with_hostname(machine())
        .with_app_name(&config.application_name)
        .with_server_name(host)
        .with_packet_size(u32::from(config.packet_size))
        .with_read_only_intent(config.read_only)
        // Text of collations that end in _UTF8 comes as UTF-8.
        .with_feature(FeatureExtension { feature_id: FeatureId::Utf8Support, data: Bytes::new() });
    login.library_name = "bowshot".to_owned();
    login
}

/// This machine's name, as `sys.dm_exec_sessions` will show it.
fn machine() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname")
        .or_else(|_| std::env::var("COMPUTERNAME"))
        .or_else(|_| std::env::var("HOSTNAME"))
        .unwrap_or_default();
    name.trim().chars().take(64).collect()
}
