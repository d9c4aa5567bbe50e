//! The two forms of a connection string: `postgresql://…` and `host=… dbname=…`.

use bowshot_core::{Error, ErrorKind, Result};

use super::options;

/// The options in the order in which they are written; a later one of the same name replaces an earlier one.
///
/// No error here repeats what may be a part of a password.
pub(super) fn pairs(text: &str) -> Result<Vec<(String, String)>> {
    match text.split_once("://") {
        Some((scheme, rest)) if !scheme.contains(['=', ' ', '\'']) => {
            let (base, driver) = scheme.split_once('+').map_or((scheme, None), |(base, driver)| (base, Some(driver)));
            if !matches!(base, "postgres" | "postgresql") {
                return Err(wrong(format!("\"{scheme}://\" is not PostgreSQL"))
                    .with_hint("a PostgreSQL URI starts with postgresql://"));
            }
            uri(rest, driver.is_some())
        }
        _ => keywords(text),
    }
}

/// What stands after `postgresql://`: `user:password@host:port,host:port/dbname?option=value&option=value`.
fn uri(rest: &str, sqlalchemy: bool) -> Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let slash = rest.find('/').unwrap_or(rest.len());
    let (before_slash, _) = rest.split_at(slash);
    // The last "@", so that one in a password that nobody encoded does no harm.
    let (credentials, places) = match before_slash.rfind('@') {
        Some(at) => (before_slash.get(..at), rest.get(at + 1..).unwrap_or_default()),
        None => (None, rest),
    };
    if let Some(credentials) = credentials {
        let (user, password) = credentials.split_once(':').map_or((credentials, None), |(u, p)| (u, Some(p)));
        pairs.push(("user".to_owned(), decode(user, "user")?));
        if let Some(password) = password {
            pairs.push(("password".to_owned(), decode(password, "password")?));
        }
    }
    let end = places.find(['/', '?']).unwrap_or(places.len());
    let (authority, path) = places.split_at(end);
    let (mut hosts, mut ports) = (Vec::new(), Vec::new());
    for place in authority.split(',') {
        let (host, port) = place_of(place)?;
        if port.bytes().any(|byte| !byte.is_ascii_digit()) {
            // Not repeated: in `user:pass/word@host` it is the beginning of the password.
            return Err(wrong("the port in the PostgreSQL URI is not a number").with_hint(
                "in a user name or a password, write \"/\" as %2F, \"@\" as %40, \":\" as %3A and \"%\" as %25",
            ));
        }
        hosts.push(decode(host, "host")?);
        ports.push(port);
    }
    let (path, query) = path.split_once('?').map_or((path, ""), |(path, query)| (path, query));
    if let Some(database) = path.strip_prefix('/') {
        pairs.push(("dbname".to_owned(), decode(database, "dbname")?));
    }
    let mut more_hosts = Vec::new();
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        let Some((name, value)) = parameter.split_once('=') else {
            return Err(wrong("a parameter after the \"?\" of the PostgreSQL URI has no \"=\""));
        };
        let (name, value) = (decode(name, "parameter")?, decode(value, name)?);
        match (name.as_str(), value.as_str()) {
            ("ssl", "true") => pairs.push(("sslmode".to_owned(), "require".to_owned())),
            // SQLAlchemy lists several hosts as ?host=one:5432&host=two:5432.
            ("host", _) if sqlalchemy && !value.starts_with('/') => more_hosts.push(value),
            _ => pairs.push((name, value)),
        }
    }
    if !more_hosts.is_empty() {
        let places: Vec<(&str, &str)> = more_hosts.iter().map(|host| place_of(host)).collect::<Result<_>>()?;
        hosts = places.iter().map(|(host, _)| (*host).to_owned()).collect();
        if places.iter().any(|(_, port)| !port.is_empty()) {
            ports = places.iter().map(|(_, port)| *port).collect();
        }
    }
    // First, so that ?host= and ?port= replace them.
    if ports.iter().any(|port| !port.is_empty()) {
        pairs.insert(0, ("port".to_owned(), ports.join(",")));
    }
    pairs.insert(0, ("host".to_owned(), hosts.join(",")));
    Ok(pairs)
}

/// `host:port`, `[IPv6]:port`, `host`, `:port` or nothing.
fn place_of(place: &str) -> Result<(&str, &str)> {
    if let Some(inside) = place.strip_prefix('[') {
        let Some((address, after)) = inside.split_once(']') else {
            return Err(wrong("the PostgreSQL URI has a \"[\" before an IPv6 address, but no \"]\" behind it"));
        };
        return match after.strip_prefix(':') {
            Some(port) => Ok((address, port)),
            None if after.is_empty() => Ok((address, "")),
            None => Err(wrong("after the \"]\" of an IPv6 address only a port may follow in a PostgreSQL URI")),
        };
    }
    Ok(place.split_once(':').unwrap_or((place, "")))
}

/// Resolves `%41` to `A`. `what` says in an error what was decoded.
fn decode(text: &str, what: &str) -> Result<String> {
    let bad = || {
        wrong(format!("the {what} in the PostgreSQL URI has a \"%\" without two hexadecimal digits behind it"))
            .with_hint("write a percent sign that means itself as %25")
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit =
            || rest.next().and_then(|byte| char::from(byte).to_digit(16)).and_then(|d| u8::try_from(d).ok());
        let (Some(high), Some(low)) = (digit(), digit()) else { return Err(bad()) };
        bytes.push(high * 16 + low);
    }
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Ok(text),
        _ => Err(wrong(format!("the {what} in the PostgreSQL URI is not UTF-8 text when its % signs are resolved"))),
    }
}

/// `host=localhost dbname='a b' password=it\'s`.
fn keywords(text: &str) -> Result<Vec<(String, String)>> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let after = pairs.last().map(|(name, _)| name.clone());
        let Some((name, value)) = rest.split_once('=') else {
            return Err(no_equals(after));
        };
        let name = name.trim_end();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(no_equals(after));
        }
        if after.as_deref().is_some_and(options::is_secret) && options::find(name).is_err() {
            // It may be the second word of a password that was not quoted.
            return Err(wrong(format!(
                "what follows {} in the connection string is no option",
                after.unwrap_or_default()
            ))
            .with_hint("a value with spaces is written in quotes: password='two words'"));
        }
        let (value, behind) = value_of(value.trim_start(), name)?;
        pairs.push((name.to_owned(), value));
        rest = behind.trim_start();
    }
    Ok(pairs)
}

/// A value, bare or in single quotes, with its backslashes resolved, and what stands behind it.
fn value_of<'a>(text: &'a str, name: &str) -> Result<(String, &'a str)> {
    let (quoted, text) = text.strip_prefix('\'').map_or((false, text), |inside| (true, inside));
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((index, character)) = characters.next() {
        match character {
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            '\'' if quoted => return Ok((value, text.get(index + 1..).unwrap_or_default())),
            _ if !quoted && character.is_whitespace() => return Ok((value, text.get(index..).unwrap_or_default())),
            _ => value.push(character),
        }
    }
    match quoted {
        true => Err(wrong(format!("the quoted value of \"{name}\" in the connection string has no closing quote"))),
        false => Ok((value, "")),
    }
}

fn no_equals(after: Option<String>) -> Error {
    let place = after.map_or("at its beginning".to_owned(), |name| format!("behind the value of \"{name}\""));
    wrong(format!("the connection string has no \"option=value\" {place}")).with_hint(
        "write postgresql://user:password@host:5432/database, or host=… dbname=… user=…, with values that have spaces in \
         single quotes",
    )
}

fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Config, message)
}
