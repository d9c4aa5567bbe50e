//! Who we are, told to the server once; and the options of the session that it keeps for us.

use std::collections::BTreeMap;

use arrow_flight::{Action, BasicAuth, HandshakeRequest};
use bowshot_core::{Cancel, Error, ErrorKind, Result, Secret};
use bytes::Bytes;
use http::HeaderValue;
use prost::Message;
use tonic::Code;
use tonic::codegen::tokio_stream;

use crate::channel::Channel;
use crate::error::{failed, protocol};
use crate::messages::{SessionOptionValue, SetSessionOptionsRequest, SetSessionOptionsResult};
use crate::uri::Target;

/// Logs in over `channel`, for all connections of its session, and sets the session's options.
pub(crate) fn login(channel: &Channel, target: &Target, cancel: &Cancel) -> Result<()> {
    channel.wait(cancel, Some(target.connect_timeout), "the login", async {
        if let Some(token) = &target.token {
            channel.session().authorize(header(&format!("Bearer {}", token.expose()), "token")?);
        }
        if let Some(user) = &target.user {
            shake_hands(channel, user, target.password.as_ref().map_or("", Secret::expose)).await?;
        }
        if !target.session.is_empty() {
            set_options(channel, &target.session).await?;
        }
        Ok(())
    })
}

/// Shows user and password once. Servers answer with a token in a header (most), in a message (Flight's own way), or not at
/// all: then the password goes with every call.
async fn shake_hands(channel: &Channel, user: &str, password: &str) -> Result<()> {
    let session = channel.session();
    let basic = header(&format!("Basic {}", base64(format!("{user}:{password}").as_bytes())), "user or password")?;
    session.authorize(basic.clone());
    let proof = BasicAuth { username: user.to_owned(), password: password.to_owned() };
    let request = HandshakeRequest { protocol_version: 0, payload: proof.encode_to_vec().into() };
    let refused = |status: tonic::Status| {
        let error = failed(status, channel.address());
        match error.kind() {
            // Before anything was asked for, these mean us and not a query.
            ErrorKind::Sql => Error::new(ErrorKind::Authentication, error.message().to_owned())
                .with_hint("check the user and the password"),
            _ => error,
        }
    };
    let mut answers = match channel.client().handshake(tokio_stream::once(request)).await {
        Ok(answers) => answers.into_inner(),
        Err(status) if status.code() == Code::Unimplemented => return Ok(()),
        Err(status) => return Err(refused(status)),
    };
    let mut payload = Bytes::new();
    loop {
        match answers.message().await {
            Ok(Some(answer)) => payload = answer.payload,
            Ok(None) => break,
            Err(status) if status.code() == Code::Unimplemented => return Ok(()),
            Err(status) => return Err(refused(status)),
        }
    }
    if session.authorization() == Some(basic) && !payload.is_empty() {
        session.authorize_with(header(&base64(&payload), "token of the server")?);
        if let Ok(bearer) = HeaderValue::from_maybe_shared(Bytes::from([b"Bearer ", payload.as_ref()].concat())) {
            session.authorize(bearer);
        }
    }
    Ok(())
}

fn header(value: &str, what: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(value)
        .map_err(|_| Error::new(ErrorKind::Config, format!("the {what} has characters that HTTP does not allow")))
}

async fn set_options(channel: &Channel, options: &BTreeMap<String, String>) -> Result<()> {
    let value = |text: &String| SessionOptionValue { string_value: Some(text.clone()) };
    let session_options = options.iter().map(|(name, text)| (name.clone(), value(text))).collect();
    let body = SetSessionOptionsRequest { session_options }.encode_to_vec();
    let names = || options.keys().cloned().collect::<Vec<_>>().join(", ");
    let action = Action { r#type: "SetSessionOptions".into(), body: body.into() };
    let refused = |status: tonic::Status| match failed(status, channel.address()) {
        error if error.kind() == ErrorKind::Unsupported => {
            let message = format!("the server has no session whose options could be set ({})", names());
            Error::new(ErrorKind::Unsupported, message)
                .with_hint("name catalog and schema in the query, or as headers: header.NAME=VALUE")
        }
        error => error,
    };
    let mut answers = channel.client().do_action(action).await.map_err(refused)?.into_inner();
    let answer = answers.message().await.map_err(refused)?.unwrap_or_default();
    let result = SetSessionOptionsResult::decode(answer.body)
        .map_err(|error| protocol(channel.address(), format!("an answer to session options: {error}")))?;
    let Some((name, error)) = result.errors.iter().next() else { return Ok(()) };
    let why = match error.value {
        1 => "it does not know the name",
        2 => "it does not know the value",
        _ => "it does not say why",
    };
    Err(Error::new(ErrorKind::Config, format!("the server refuses the session option {name}: {why}")))
}

/// Base64 with padding, as HTTP has it.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let word = group.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = usize::try_from(word >> (18 - 6 * place) & 0x3f).unwrap_or_default();
            text.push(if place <= group.len() {
                LETTERS.get(letter).map_or('=', |letter| char::from(*letter))
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_http() {
        for (plain, text) in [
            ("", ""),
            ("a", "YQ=="),
            ("ab", "YWI="),
            ("abc", "YWJj"),
            ("Aladdin:open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ] {
            assert_eq!(base64(plain.as_bytes()), text);
        }
        assert_eq!(base64(&[0xfb, 0xff]), "+/8=");
    }
}
