//! What ClickHouse and its driver say, as Bowshot's errors.

use std::error::Error as StdError;

use bowshot_core::{Error, ErrorKind};

/// An exception of the server.
#[derive(Debug, PartialEq)]
pub(crate) struct Exception<'a> {
    pub(crate) code: u32,
    pub(crate) message: &'a str,
    /// The byte of the SQL that was sent, from 1.
    pub(crate) position: Option<usize>,
}

impl<'a> Exception<'a> {
    /// Reads `Code: 60. DB::Exception: …`, as every version writes it in its own way.
    pub(crate) fn parse(text: &'a str) -> Option<Self> {
        let text = text.get(text.find("Code: ")?..)?;
        let (code, rest) = text.strip_prefix("Code: ")?.split_at_checked(text.find(['.', ','])?.checked_sub(6)?)?;
        let code = code.trim().parse().ok()?;
        // What it is called: DB::Exception, DB::NetException, Poco::Exception.
        let message = rest.find("Exception: ").and_then(|place| rest.get(place + 11..)).unwrap_or(rest);
        let message = ["\n__exception__", "\r\n__exception__", ", e.what() = ", " (version "]
            .iter()
            .fold(message, |message, end| message.rfind(end).and_then(|place| message.get(..place)).unwrap_or(message));
        let failed = message.find("failed at position ").and_then(|place| message.get(place + 19..));
        let position = failed.and_then(|rest| {
            let digits = rest.find(|character: char| !character.is_ascii_digit()).unwrap_or(rest.len());
            rest.get(..digits)?.parse().ok()
        });
        Some(Exception { code, message: message.trim().trim_end_matches(['.', ',']), position })
    }

    /// As an error; the position still counts the bytes of what was sent.
    pub(crate) fn into_error(self) -> Error {
        let Exception { code, message, position } = self;
        let new = |kind| Error::new(kind, format!("{message} (ClickHouse code {code})"));
        let error = match code {
            // Unknown user, wrong password, no password, the modern word for all of these.
            192..=194 | 516 => new(ErrorKind::Authentication).with_hint("check the user and the password in the URI"),
            81 => new(ErrorKind::Config).with_hint("check the database's name in the URI"),
            115 => new(ErrorKind::Config)
                .with_hint("check the settings in the URI and in the query; this version may not have it"),
            159 | 160 => {
                new(ErrorKind::Timeout).with_hint("a longer limit: ?setting.max_execution_time=SECONDS in the URI")
            }
            202 => new(ErrorKind::ConnectionLimit),
            164 => new(ErrorKind::Sql).with_hint("Bowshot only reads, and asks ClickHouse to let nothing be written"),
            241 => new(ErrorKind::Sql).with_hint("a higher limit: ?setting.max_memory_usage=BYTES in the URI"),
            373 => new(ErrorKind::Sql).with_hint("another client uses the session of this connection"),
            394 => new(ErrorKind::Sql).with_hint("somebody ended the query with KILL QUERY"),
            62 if message.contains("FORMAT") => new(ErrorKind::Sql)
                .with_hint("leave FORMAT out of the query: Bowshot reads ClickHouse's own Native format"),
            _ => new(ErrorKind::Sql),
        };
        match position {
            Some(position) => error.with_position(position),
            None => error,
        }
    }
}

/// The exception that stands in an answer among, or instead of, its bytes.
pub(crate) fn in_stream(bytes: &[u8]) -> Option<Error> {
    let text = String::from_utf8_lossy(bytes);
    let begin = text.rfind("Code: ")?;
    let exception = text.get(begin..)?;
    // Whatever the text of a column holds, this is how the server names what it throws.
    exception.contains("Exception").then(|| Exception::parse(exception).map(Exception::into_error))?
}

/// An error of the driver; `host` for people, and whether the answer had begun.
pub(crate) fn of_driver(error: clickhouse::error::Error, host: &str, begun: bool) -> Error {
    use clickhouse::error::Error as Driver;
    match error {
        Driver::BadResponse(text) => match Exception::parse(&text) {
            Some(exception) => exception.into_error(),
            None => {
                let shown: String = text.chars().take(200).collect();
                Error::new(ErrorKind::Protocol, format!("{host} did not answer as ClickHouse does over HTTP: {shown}"))
                    .with_hint("the URI needs ClickHouse's HTTP port: 8123, or 8443 with TLS")
            }
        },
        Driver::Network(source) => network(source, host, begun),
        Driver::TimedOut => Error::new(ErrorKind::Timeout, format!("{host} took too long")),
        other => {
            Error::new(ErrorKind::Protocol, format!("the answer of {host} cannot be read: {other}")).with_source(other)
        }
    }
}

fn network(source: Box<dyn StdError + Send + Sync>, host: &str, begun: bool) -> Error {
    let mut last: &(dyn StdError + 'static) = source.as_ref();
    let (mut tls, mut refused, mut late) = (false, false, false);
    let mut next = Some(last);
    while let Some(error) = next {
        last = error;
        tls |= error.is::<rustls::Error>();
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            tls |= is_tls(error);
            late |= error.kind() == std::io::ErrorKind::TimedOut;
        }
        refused |= error.downcast_ref::<hyper_util::client::legacy::Error>().is_some_and(|error| error.is_connect());
        next = error.source();
    }
    let last = last.to_string();
    if tls {
        return Error::new(ErrorKind::Tls, format!("no encrypted connection to {host}: {last}"))
            .with_hint("the roots that are trusted: ?ca=FILE; without TLS: ?secure=false");
    }
    let error = match (begun, refused, late) {
        (_, true, true) => {
            Error::new(ErrorKind::Timeout, format!("{host} did not take the connection in time: {last}"))
        }
        (_, true, false) => Error::new(ErrorKind::Connect, format!("cannot connect to {host}: {last}"))
            .with_hint("check the host and the port: ClickHouse's HTTP port is 8123, or 8443 with TLS"),
        (true, ..) => Error::new(ErrorKind::ConnectionLost, format!("the connection to {host} broke: {last}")),
        (false, ..) => Error::new(ErrorKind::ConnectionLost, format!("{host} did not answer over HTTP: {last}"))
            .with_hint("the URI needs ClickHouse's HTTP port: 8123, or 8443 with TLS"),
    };
    error.with_source(Kept(source))
}

/// Whether the error of TLS is somewhere inside: errors of the system pack each other in.
fn is_tls(error: &std::io::Error) -> bool {
    let inner = error.get_ref();
    inner.is_some_and(|inner| inner.is::<rustls::Error>() || inner.downcast_ref().is_some_and(is_tls))
}

/// The driver's boxed error as one that can be kept.
#[derive(Debug)]
struct Kept(Box<dyn StdError + Send + Sync>);

impl std::fmt::Display for Kept {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl StdError for Kept {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

/// The error with its position as a character of the user's SQL, which began behind `before` bytes of what was sent.
pub(crate) fn placed(error: Error, sql: &str, before: usize) -> Error {
    let Some(position) = error.position() else { return error };
    let place = position.checked_sub(before + 1).and_then(|place| sql.get(..place));
    let mut moved = Error::new(error.kind(), error.message());
    if let Some(place) = place {
        moved = moved.with_position(place.chars().count() + 1);
    }
    match error.hint() {
        Some(hint) => moved.with_hint(hint),
        None => moved,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_of_every_version() {
        let old = "Code: 60, e.displayText() = DB::Exception: Table default.nowhere doesn't exist., e.what() = DB::Exception\n";
        let new = "Code: 60. DB::Exception: Unknown table expression identifier 'nowhere' in scope SELECT * FROM nowhere. (UNKNOWN_TABLE) (version 24.10.1.2812 (official build))\n";
        let exception = Exception::parse(old).unwrap();
        assert_eq!((exception.code, exception.message), (60, "Table default.nowhere doesn't exist"));
        let exception = Exception::parse(new).unwrap();
        assert_eq!(exception.code, 60);
        assert!(exception.message.ends_with("(UNKNOWN_TABLE)"), "{exception:?}");
        let syntax = "Code: 62. DB::Exception: Syntax error: failed at position 28 (line 1, col 28): WHERE. Expected …";
        assert_eq!(Exception::parse(syntax).unwrap().position, Some(28));
        let tagged = b"\r\n__exception__\r\nrnywyenlaeqynhmu\r\nCode: 159. DB::Exception: Timeout exceeded: elapsed 126 ms. (TIMEOUT_EXCEEDED) (version 25.12.1.649 (official build))\n142 rnywyenlaeqynhmu\r\n__exception__\r\n";
        let error = in_stream(tagged).unwrap();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        assert_eq!(error.message(), "Timeout exceeded: elapsed 126 ms. (TIMEOUT_EXCEEDED) (ClickHouse code 159)");
    }

    #[test]
    fn kinds_follow_the_codes() {
        for (code, kind) in [
            (193, ErrorKind::Authentication),
            (516, ErrorKind::Authentication),
            (81, ErrorKind::Config),
            (62, ErrorKind::Sql),
            (159, ErrorKind::Timeout),
            (202, ErrorKind::ConnectionLimit),
            (241, ErrorKind::Sql),
        ] {
            let text = format!("Code: {code}. DB::Exception: Something. (NAME) (version 25.1)");
            assert_eq!(Exception::parse(&text).unwrap().into_error().kind(), kind, "{code}");
        }
    }

    #[test]
    fn what_is_no_exception_is_none() {
        for text in ["", "Code: ", "Code: x. Exception", "nothing", "Code: 5"] {
            assert!(in_stream(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn positions_count_characters_of_the_users_sql() {
        let error = Error::new(ErrorKind::Sql, "x").with_position(11 + 8);
        assert_eq!(placed(error, "SELECT 'ü' + nix nix", 10).position(), Some(9));
        let beyond = Error::new(ErrorKind::Sql, "x").with_position(100);
        assert_eq!(placed(beyond, "SELECT", 10).position(), None);
    }
}
