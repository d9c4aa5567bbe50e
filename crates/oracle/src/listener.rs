//! The way through the listener to a process of the database: asked again, handed on, refused or accepted.

use std::time::Instant;

use bowshot_core::{Cancel, Error, ErrorKind, Result};
use bowshot_net::Host;
use oracledb_protocol::thin::{
    AcceptInfo, TNS_PACKET_FLAG_REDIRECT, TNS_PACKET_TYPE_ACCEPT, TNS_PACKET_TYPE_CONNECT, TNS_PACKET_TYPE_DATA,
    TNS_PACKET_TYPE_REDIRECT, TNS_PACKET_TYPE_REFUSE, TNS_PACKET_TYPE_RESEND, build_connect_packet_payload,
    connect_data_fits_inline, parse_accept_payload,
};

use crate::error::{guarded, protocol, unexpected};
use crate::uri::{Location, Target};
use crate::wire::Wire;

/// A listener that sends us on more often leads us in circles.
const MOST_TURNS: usize = 8;
/// The packet asks to encrypt anew.
const TLS_AGAIN: u8 = 0x08;

/// Where the next question goes, and what it says.
struct Question {
    host: Host,
    encrypted: bool,
    descriptor: String,
    flags: u8,
}

/// Asks the listener until a process of the database takes us.
pub(crate) fn reach(location: &Location, deadline: Instant, cancel: &Cancel) -> Result<(Wire, AcceptInfo)> {
    let mut question = Question {
        host: location.host.clone(),
        encrypted: location.tls.is_some(),
        descriptor: descriptor(location),
        flags: 0,
    };
    for _ in 0..MOST_TURNS {
        let wire = connect(&question, location, deadline, cancel)?;
        match ask(wire, &question, location)? {
            Answer::Accepted(wire, info) => return Ok((wire, info)),
            Answer::Elsewhere(next) => question = next,
        }
    }
    Err(Error::new(ErrorKind::Connect, "the listener sends us from one place to the next, without an end"))
}

/// Connects to the first address of the host that answers.
fn connect(question: &Question, location: &Location, deadline: Instant, cancel: &Cancel) -> Result<Wire> {
    let tls = location.tls.as_ref().filter(|_| question.encrypted);
    let mut failure = None;
    for address in question.host.addresses(Some(deadline), cancel)? {
        match Wire::connect(&address, &question.host.name, tls, deadline, cancel) {
            Ok(wire) => return Ok(wire),
            Err(error) if matches!(error.kind(), ErrorKind::Cancelled | ErrorKind::Tls) => return Err(error),
            Err(error) => failure = Some(error),
        }
    }
    Err(failure.unwrap_or_else(|| Error::new(ErrorKind::Connect, format!("{} has no address", question.host))))
}

enum Answer {
    Accepted(Wire, AcceptInfo),
    Elsewhere(Question),
}

/// Asks one listener.
fn ask(mut wire: Wire, question: &Question, location: &Location) -> Result<Answer> {
    let packet = location.packet;
    let request = build_connect_packet_payload(&question.descriptor, packet).map_err(|error| protocol(error, None))?;
    let mut body = Vec::new();
    for _ in 0..MOST_TURNS {
        wire.send(TNS_PACKET_TYPE_CONNECT, question.flags, &request)?;
        if !connect_data_fits_inline(&question.descriptor) {
            wire.send_data(question.descriptor.as_bytes())?;
        }
        body.clear();
        let head = wire.receive(&mut body)?;
        match head.kind {
            TNS_PACKET_TYPE_ACCEPT => {
                let info = guarded(|| parse_accept_payload(&body)).map_err(|error| protocol(error, None))?;
                wire.accepted(usize::try_from(info.sdu).unwrap_or(usize::MAX).min(usize::from(packet)));
                return Ok(Answer::Accepted(wire, info));
            }
            TNS_PACKET_TYPE_REFUSE => return Err(refused(&body, location)),
            TNS_PACKET_TYPE_RESEND => {
                if head.flags & TLS_AGAIN != 0 {
                    let tls =
                        location.tls.as_ref().ok_or_else(|| unexpected("a request to encrypt that nobody made"))?;
                    wire = wire.encrypt_again(tls, &question.host.name)?;
                }
            }
            TNS_PACKET_TYPE_REDIRECT => {
                // The text is behind its length, or in a packet of its own.
                let mut text = body.split_off(body.len().min(2));
                let length = <[u8; 2]>::try_from(body.as_slice()).map_or(0, u16::from_be_bytes);
                while text.len() < usize::from(length) {
                    if wire.receive(&mut text)?.kind != TNS_PACKET_TYPE_DATA {
                        return Err(unexpected("a redirection without an address"));
                    }
                }
                return elsewhere(&text, question, location).map(Answer::Elsewhere);
            }
            other => return Err(unexpected(&format!("a packet of type {other} as the answer to a connection"))),
        }
    }
    Err(Error::new(ErrorKind::Connect, "the listener asks again and again what we want"))
}

/// What the listener is told: where we want to go, and who asks.
fn descriptor(location: &Location) -> String {
    let protocol = if location.tls.is_some() { "tcps" } else { "tcp" };
    let target = match &location.target {
        Target::Service(name) => format!("(SERVICE_NAME={name})"),
        Target::Sid(name) => format!("(SID={name})"),
    };
    let Host { name, port } = &location.host;
    let (machine, user) = (crate::login::machine(), crate::login::system_user());
    format!(
        "(DESCRIPTION=(ADDRESS=(PROTOCOL={protocol})(HOST={name})(PORT={port}))(CONNECT_DATA={target}\
         (CID=(PROGRAM=bowshot)(HOST={machine})(USER={user}))))"
    )
}

/// The place that a redirection names: an address, a NUL, and the descriptor to ask with.
fn elsewhere(text: &[u8], question: &Question, location: &Location) -> Result<Question> {
    let text = String::from_utf8_lossy(text);
    let (address, descriptor) = text.split_once('\0').unwrap_or((&text, &question.descriptor));
    let (Some(name), Some(port)) = (value(address, "HOST"), value(address, "PORT").and_then(|port| port.parse().ok()))
    else {
        return Err(unexpected("a redirection to nowhere"));
    };
    let encrypted = value(address, "PROTOCOL").is_some_and(|protocol| protocol.eq_ignore_ascii_case("tcps"));
    if location.tls.is_some() && !encrypted {
        return Err(Error::new(ErrorKind::Tls, "the listener sends us to an address without TLS")
            .with_hint("the database's LOCAL_LISTENER should name its encrypted address"));
    }
    if encrypted && location.tls.is_none() {
        return Err(Error::new(ErrorKind::Tls, "the listener sends us to an encrypted address")
            .with_hint("connect with oracle+tcps://"));
    }
    let host = Host { name: name.to_owned(), port };
    Ok(Question { host, encrypted, descriptor: descriptor.to_owned(), flags: TNS_PACKET_FLAG_REDIRECT })
}

/// The value of `(NAME=value)`.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split('(').find_map(|pair| {
        let (key, value) = pair.split_once('=')?;
        let value = value.split(')').next()?.trim();
        (key.trim().eq_ignore_ascii_case(name) && !value.is_empty()).then_some(value)
    })
}

/// Why the listener does not want us.
fn refused(body: &[u8], location: &Location) -> Error {
    let text = String::from_utf8_lossy(body.get(4..).unwrap_or_default());
    let host = &location.host;
    let name = match &location.target {
        Target::Service(name) | Target::Sid(name) => name,
    };
    let code: Option<u32> = value(&text, "ERR").or_else(|| value(&text, "CODE")).and_then(|code| code.parse().ok());
    let error = |kind, code: u32, what: &str| Error::new(kind, format!("ORA-{code:05}: {what}"));
    match code {
        Some(code @ 12_514) => {
            error(ErrorKind::Connect, code, &format!("the listener at {host} knows no service \"{name}\""))
                .with_hint("lsnrctl status shows its services; ?sid= names an instance instead")
        }
        Some(code @ 12_505) => {
            error(ErrorKind::Connect, code, &format!("the listener at {host} knows no instance (SID) \"{name}\""))
                .with_hint("most databases are reached by service: oracle://…/service_name")
        }
        Some(code) => {
            crate::error::server(&format!("ORA-{code:05}: the listener at {host} refused the connection"), 0, None)
                .at_connect()
        }
        None => {
            Error::new(ErrorKind::Connect, format!("the listener at {host} refused the connection without a reason"))
        }
    }
}

/// An error of the listener is about the connection, unless it says something else.
trait AtConnect {
    fn at_connect(self) -> Error;
}

impl AtConnect for Error {
    fn at_connect(self) -> Error {
        if self.kind() == ErrorKind::Sql { Error::new(ErrorKind::Connect, self.message()) } else { self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location() -> Location {
        Location::parse("oracle://u:p@db:1521/sales").unwrap()
    }

    fn refusal(text: &str) -> Error {
        let mut body = vec![0x22, 0, 0, 0];
        body.extend_from_slice(text.as_bytes());
        refused(&body, &location())
    }

    #[test]
    fn refusals_have_reasons() {
        let error =
            refusal("(DESCRIPTION=(TMP=)(VSNNUM=318767104)(ERR=12514)(ERROR_STACK=(ERROR=(CODE=12514)(EMFI=4))))");
        assert_eq!(error.kind(), ErrorKind::Connect);
        assert_eq!(error.message(), "ORA-12514: the listener at db:1521 knows no service \"sales\"");
        assert_eq!(refusal("(ERR=12505)").kind(), ErrorKind::Connect);
        assert_eq!(refusal("(ERR=12520)").kind(), ErrorKind::ConnectionLimit);
        assert_eq!(refusal("(ERR=12528)").kind(), ErrorKind::Connect);
        assert_eq!(refusal("(ERR=1189)").kind(), ErrorKind::Connect);
        assert_eq!(refusal("nothing").kind(), ErrorKind::Connect);
    }

    #[test]
    fn descriptors_say_where_and_who() {
        let text = descriptor(&location());
        assert!(text.starts_with(
            "(DESCRIPTION=(ADDRESS=(PROTOCOL=tcp)(HOST=db)(PORT=1521))(CONNECT_DATA=(SERVICE_NAME=sales)"
        ));
        assert_eq!(value(&text, "port"), Some("1521"));
        assert_eq!(value(&text, "PROGRAM"), Some("bowshot"));
        let sid = Location::parse("oracle://u:p@db?sid=XE").unwrap();
        assert!(descriptor(&sid).contains("(SID=XE)"));
    }

    #[test]
    fn redirections_never_leave_tls() {
        let question = Question { host: location().host, encrypted: false, descriptor: "d".into(), flags: 0 };
        let next =
            elsewhere(b"(ADDRESS=(PROTOCOL=tcp)(HOST=other)(PORT=1600))\0(DESCRIPTION=)", &question, &location())
                .unwrap();
        assert_eq!((next.host.to_string().as_str(), next.descriptor.as_str()), ("other:1600", "(DESCRIPTION=)"));
        let tls = Location::parse("oracle+tcps://u:p@db/s").unwrap();
        let error = elsewhere(b"(ADDRESS=(PROTOCOL=tcp)(HOST=other)(PORT=1600))", &question, &tls).err().unwrap();
        assert_eq!(error.kind(), ErrorKind::Tls);
        assert!(elsewhere(b"(ADDRESS=(PROTOCOL=tcps)(HOST=o)(PORT=1))", &question, &location()).is_err());
        for nowhere in [b"".as_slice(), b"(HOST=x)", b"(HOST=x)(PORT=99999)", b"((((", b"\xff\xfe(HOST=)(PORT=)"] {
            assert!(elsewhere(nowhere, &question, &location()).is_err());
        }
    }
}
