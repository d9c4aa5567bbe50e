//! Where an endpoint can be read.

use arrow_flight::FlightEndpoint;

use crate::uri::{Address, address};

/// The name that says: where the query was asked for.
const SAME: &str = "arrow-flight-reuse-connection";

/// A place where an endpoint can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The server that ran the query.
    Same,
    /// Another one.
    Other(Address),
    /// One that cannot be reached from here, and why.
    Unusable(String),
}

/// The places of an endpoint, in the server's order.
pub(crate) fn places(endpoint: &FlightEndpoint, base: &Address) -> Vec<Place> {
    if endpoint.location.is_empty() {
        return vec![Place::Same];
    }
    endpoint.location.iter().map(|location| place(&location.uri, base)).collect()
}

fn place(uri: &str, base: &Address) -> Place {
    let unusable = |why: &str| Place::Unusable(format!("{uri}: {why}"));
    let (scheme, rest) = uri.split_once("://").unwrap_or((uri, ""));
    let tls = match scheme.to_ascii_lowercase().as_str() {
        // Some servers write an empty location where they mean themselves.
        SAME | "" => return Place::Same,
        "grpc" | "grpc+tcp" => false,
        "grpc+tls" | "grpcs" => true,
        _ => return unusable("only locations of gRPC can be read"),
    };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match address(authority, tls) {
        Ok(found) if found == *base => Place::Same,
        // What proves who we are goes to every place that the server names, but never in the clear where it was
        // encrypted before.
        Ok(found) if base.tls && !found.tls => unusable("it is not encrypted, and the URI asks for TLS"),
        Ok(found) => Place::Other(found),
        Err(error) => unusable(error.message()),
    }
}

#[cfg(test)]
mod tests {
    use arrow_flight::Location;

    use super::*;

    fn all(uris: &[&str], base: &str) -> Vec<Place> {
        let location = uris.iter().map(|uri| Location { uri: (*uri).to_owned() }).collect();
        let base = crate::uri::Target::parse(base).unwrap().address;
        places(&FlightEndpoint { location, ..FlightEndpoint::default() }, &base)
    }

    #[test]
    fn locations_are_understood() {
        let other = |tls, host: &str, port| Place::Other(Address { tls, host: host.into(), port });
        assert_eq!(all(&[], "grpc://h:1"), [Place::Same]);
        for (uri, base, place) in [
            ("arrow-flight-reuse-connection://?", "grpc://h:1", Place::Same),
            ("", "grpc://h:1", Place::Same),
            ("grpc+tcp://h:1", "grpc://h:1", Place::Same),
            ("grpc+tls://h:1", "grpc+tls://h:1", Place::Same),
            ("grpc+tls://h:1", "grpc://h:1", other(true, "h", 1)),
            ("grpc://u:p@h:2/", "grpc://h:1", other(false, "h", 2)),
            ("grpc+tls://[::1]:2", "grpc+tls://h:1", other(true, "::1", 2)),
        ] {
            assert_eq!(all(&[uri], base), [place], "{uri}");
        }
    }

    #[test]
    fn what_cannot_be_read_says_why() {
        for (uri, base, why) in [
            ("https://bucket/x.arrow", "grpc://h:1", "only locations of gRPC"),
            ("grpc+unix:///tmp/x", "grpc://h:1", "only locations of gRPC"),
            ("grpc://h:2", "grpc+tls://h:1", "not encrypted"),
            ("grpc://h", "grpc://h:1", "port"),
        ] {
            let found = all(&[uri], base);
            let [Place::Unusable(words)] = found.as_slice() else { panic!("{uri} was taken") };
            assert!(words.contains(why) && words.contains(uri), "{words}");
        }
    }
}
