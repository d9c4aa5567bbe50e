//! Where the user and the password of an address end, although their special characters may not be encoded.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::{Error, ErrorKind, Result};

/// How special characters of a password are written.
const ENCODING: &str = "in a user name or a password, write \"/\" as %2F, \"?\" as %3F, \"@\" as %40, \":\" as %3A, \
                        \"#\" as %23, \"[\" as %5B, a blank as %20 and \"%\" as %25";

/// What is not certain.
#[derive(Debug, PartialEq)]
pub(super) enum Unclear {
    /// Whether what stands before this character is a host, or user and password.
    At(char),
    /// What a host's name is.
    Host,
}

/// What stands before the host in `user:password@host:port/path?options`, and what stands from it on.
///
/// The last `@` before a slash or a question mark ends the login, as RFC 3986 has it. With an `@` behind them, either may be a
/// part of the password: that is accepted only where there is no other way to read it.
pub(super) fn split(rest: &str) -> Result<(Option<&str>, &str), Unclear> {
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let unclear = Err(Unclear::At(tail.chars().next().unwrap_or('/')));
    let in_authority = authority.rsplit_once('@');
    let (login, place) = if !tail.contains('@') {
        (in_authority.map(|(login, _)| login), in_authority.map_or(rest, |(login, _)| after(rest, login)))
    } else if let Some(names) = options(tail) {
        let named = names.iter().any(|name| LOGIN.contains(&name.to_ascii_lowercase().as_str()));
        match in_authority {
            // The password may go on to the last @.
            Some((login, _)) if login.contains(':') && !named => return unclear,
            Some((login, _)) => (Some(login), after(rest, login)),
            None if authority.contains(':') && !named => return unclear,
            None => (None, rest),
        }
    } else {
        let (login, _) = rest.rsplit_once('@').unwrap_or((rest, ""));
        let one = in_authority.is_none() && tail.matches('@').count() == 1 && !login.contains('=');
        if !one || is_place(authority) {
            return unclear;
        }
        (Some(login), after(rest, login))
    };
    let end = place.find(['/', '?']).unwrap_or(place.len());
    let host = place.get(..end).unwrap_or_default();
    // Several hosts, sockets, addresses of IPv6, instances, zones; names in any script.
    let fits = |character: char| character.is_alphanumeric() || ".-_:,[]%~\\()$".contains(character);
    if host.chars().all(fits) { Ok((login, place)) } else { Err(Unclear::Host) }
}

/// Options by which a login may be given.
const LOGIN: [&str; 9] = ["user", "username", "uid", "password", "passwd", "pwd", "pass", "token", "sslpassword"];

/// What follows the `@` behind a login.
fn after<'a>(rest: &'a str, login: &str) -> &'a str {
    rest.get(login.len() + 1..).unwrap_or_default()
}

/// The names of the options in `/path?name=value&…`, where the `@` is in their values alone and the names are plain words.
fn options(tail: &str) -> Option<Vec<&str>> {
    let (path, options) = tail.split_once('?')?;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
    let name =
        |option: &'_ str| option.split_once('=').is_some_and(|(name, _)| !name.is_empty() && name.bytes().all(plain));
    let parts = || options.split('&').filter(|option| !option.is_empty());
    (!path.contains('@') && parts().all(name))
        .then(|| parts().filter_map(|option| Some(option.split_once('=')?.0)).collect())
}

/// Whether a text can be a host with or without a port, or several.
fn is_place(authority: &str) -> bool {
    authority.split(',').all(|place| match place.rsplit_once(':') {
        Some((_, port)) => port.len() <= 5 && port.bytes().all(|byte| byte.is_ascii_digit()),
        None => true,
    })
}

/// The address with every special character of its user and its password encoded.
pub(super) fn encoded(text: &str) -> Result<Cow<'_, str>> {
    // What is no scheme may be libpq's keywords with a password that holds the three characters.
    let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| known(scheme) == *scheme) else {
        return Ok(Cow::Borrowed(text));
    };
    let (login, place) = split(rest).map_err(|unclear| refused(scheme, &unclear))?;
    let Some(login) = login else { return Ok(Cow::Borrowed(text)) };
    let (user, password) = login.split_once(':').map_or((login, None), |(user, password)| (user, Some(password)));
    let mut written = format!("{scheme}://");
    for (name, part) in [("user", Some(user)), ("password", password)] {
        let Some(part) = part else { continue };
        if name == "password" {
            written.push(':');
        }
        if percent_decode_str(part).decode_utf8().is_err() {
            let what =
                format!("the {name} in the {} address is not UTF-8 text when its %XX are decoded", known(scheme));
            return Err(Error::new(ErrorKind::Config, what).with_hint(ENCODING));
        }
        encode(part, &mut written);
    }
    written.push('@');
    written.push_str(place);
    Ok(Cow::Owned(written))
}

fn encode(part: &str, written: &mut String) {
    let bytes = part.as_bytes();
    for (place, byte) in bytes.iter().enumerate() {
        let hex = |ahead: usize| bytes.get(place + ahead).is_some_and(u8::is_ascii_hexdigit);
        if byte.is_ascii_alphanumeric() || b"-._~!$'()*+,;=&".contains(byte) || (*byte == b'%' && hex(1) && hex(2)) {
            written.push(char::from(*byte));
        } else {
            written.push_str(&format!("%{byte:02X}"));
        }
    }
}

/// The scheme, unless it is a long text with `://` somewhere in it.
fn known(scheme: &str) -> &str {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte);
    if scheme.len() <= 30 && scheme.bytes().all(plain) { scheme } else { "given" }
}

fn refused(scheme: &str, unclear: &Unclear) -> Error {
    let scheme = known(scheme);
    let what = match unclear {
        Unclear::At(found) => format!(
            "the {scheme} address can be read in two ways, since an \"@\" follows a \"{found}\": nothing was asked of a host \
             that may not be meant"
        ),
        Unclear::Host => format!("the host in the {scheme} address holds characters that no host's name has"),
    };
    Error::new(ErrorKind::Config, what).with_hint(format!("{ENCODING}; in an option, write \"@\" as %40"))
}
