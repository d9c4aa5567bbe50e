//! Who we are: the dialogue up to a session.

use std::collections::BTreeMap;

use bowshot_core::{Error, Result};
use oracledb_protocol::ProtocolError;
use oracledb_protocol::crypto::{generate_verifier, verify_server_response};
use oracledb_protocol::thin::{
    AcceptInfo, AuthResponse, ClientCapabilities, build_auth_phase_one_payload,
    build_auth_phase_two_payload_with_proxy_with_seq, build_data_types_payload, build_fast_auth_phase_one_payload,
    build_protocol_negotiation_payload, classic_connect_response_is_complete, parse_auth_response,
};
use oracledb_protocol::wire::ProtocolLimits;

use crate::error::{guarded, is_incomplete, protocol, unexpected};
use crate::uri::Location;
use crate::wire::{MARKER, Wire};

/// What we call ourselves, as V$SESSION_CONNECT_INFO shows it.
const DRIVER: &str = "bowshot : 0.1.0";
/// 0.1.0 in the form of the protocol.
const VERSION: u32 = 0x0010_0000;
/// More rounds than any server asks for; more would only burn this machine's processor.
const MOST_ROUNDS: u64 = 1_000_000;

/// The name of this machine, as far as its environment says.
pub(crate) fn machine() -> String {
    identity(&["HOSTNAME", "COMPUTERNAME"], "localhost")
}

/// The user of the operating system.
pub(crate) fn system_user() -> String {
    identity(&["USER", "USERNAME"], "unknown")
}

fn identity(variables: &[&str], otherwise: &str) -> String {
    let found = variables.iter().find_map(|name| std::env::var(name).ok()).unwrap_or_default();
    let kept: String =
        found.chars().filter(|letter| letter.is_ascii_alphanumeric() || ".-_".contains(*letter)).take(60).collect();
    if kept.is_empty() { otherwise.to_owned() } else { kept }
}

/// Logs in; what the server can do.
pub(crate) fn log_in(wire: &mut Wire, location: &Location, info: &AcceptInfo) -> Result<ClientCapabilities> {
    let (machine, user) = (machine(), system_user());
    let failed = |error| protocol(error, None);
    let mut capabilities = ClientCapabilities::default();
    let first = if info.supports_fast_auth {
        let request = build_fast_auth_phase_one_payload(
            &location.user,
            "bowshot",
            &machine,
            &user,
            "unknown",
            std::process::id(),
        )
        .map_err(failed)?;
        wire.send_data(&request)?;
        let answer = answer(wire, info.supports_end_of_response)?;
        capabilities = answer.capabilities.unwrap_or(capabilities);
        answer
    } else {
        wire.send_data(&build_protocol_negotiation_payload().map_err(failed)?)?;
        capabilities = answer(wire, false)?.capabilities.unwrap_or(capabilities);
        wire.send_data(&build_data_types_payload().map_err(failed)?)?;
        answer(wire, false)?;
        let request =
            build_auth_phase_one_payload(&location.user, "bowshot", &machine, &user, "unknown", std::process::id())
                .map_err(failed)?;
        wire.send_data(&request)?;
        answer(wire, info.supports_end_of_response)?
    };
    let verifier = first.verifier_type.ok_or_else(|| unexpected("a login without a question for the password"))?;
    check_rounds(&first.session_data)?;
    let proof = guarded(|| generate_verifier(location.password.expose().as_bytes(), &first.session_data, verifier))
        .map_err(failed)?;
    let version = capabilities.ttc_field_version;
    let request = build_auth_phase_two_payload_with_proxy_with_seq(
        &location.user,
        &proof,
        DRIVER,
        VERSION,
        "",
        2,
        &[],
        None,
        None,
        version,
    )
    .map_err(failed)?;
    wire.send_data(&request)?;
    let second = answer(wire, info.supports_end_of_response)?;
    // Who does not know the password cannot know the key that comes of it.
    guarded(|| verify_server_response(&proof.combo_key, &second.session_data)).map_err(failed)?;
    Ok(capabilities)
}

/// A server may not make us compute for minutes.
fn check_rounds(data: &BTreeMap<String, String>) -> Result<()> {
    for name in ["AUTH_PBKDF2_VGEN_COUNT", "AUTH_PBKDF2_SDER_COUNT"] {
        let rounds = data.get(name).and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or_default();
        if rounds > MOST_ROUNDS {
            return Err(unexpected(&format!("a login of {rounds} rounds")));
        }
    }
    Ok(())
}

/// One answer of the dialogue. Servers before 23ai do not mark its end: it is there when it can be read.
fn answer(wire: &mut Wire, marked: bool) -> Result<AuthResponse> {
    let mut marked = marked;
    let mut body = Vec::new();
    loop {
        let head = wire.receive(&mut body)?;
        if head.kind == MARKER {
            // The server broke off; its reasons follow.
            wire.reset()?;
            body.clear();
            marked = false;
            continue;
        }
        let complete = head.ends
            || (!marked || head.may_end)
                && guarded(|| classic_connect_response_is_complete(&body, ProtocolLimits::DEFAULT))
                    .or_else(|error| if is_incomplete(&error) { Ok(false) } else { Err(error) })
                    .map_err(refused)?;
        if complete {
            return guarded(|| parse_auth_response(&body)).map_err(refused);
        }
    }
}

fn refused(error: ProtocolError) -> Error {
    protocol(error, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_into_a_descriptor() {
        for name in [machine(), system_user(), identity(&["BOWSHOT_NO_SUCH_VARIABLE"], "none")] {
            assert!(!name.is_empty() && !name.contains(['(', ')', '=']), "{name}");
        }
    }

    #[test]
    fn endless_logins_are_refused() {
        let data = |rounds: &str| BTreeMap::from([("AUTH_PBKDF2_VGEN_COUNT".to_owned(), rounds.to_owned())]);
        assert!(check_rounds(&data("4096")).is_ok());
        assert!(check_rounds(&data("4294967295")).is_err());
    }
}
