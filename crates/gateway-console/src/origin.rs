//! Whether a request comes from the console's own page.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, StatusCode};

use crate::failure::Failure;

/// The header that a request must have to change anything: pages of strangers cannot set it without asking first
/// ([Fetch, CORS-safelisted request-header](https://fetch.spec.whatwg.org/#cors-safelisted-request-header)).
pub(crate) const OWN_HEADER: &str = "x-bowshot-console";

/// Refuses hosts by names that nobody gave this machine: a stranger's name may resolve to it (DNS rebinding).
pub(crate) fn check_host(headers: &HeaderMap, names: &[String]) -> Result<(), Failure> {
    match host(headers) {
        Some(host) if is_known(name_of(host), names) => Ok(()),
        _ => Err(Failure::refused(StatusCode::MISDIRECTED_REQUEST, "the console is not known by this name")
            .with_hint("use localhost or the address in digits, or name the host in the console's configuration")),
    }
}

/// Refuses requests that a page of somebody else makes.
pub(crate) fn check_site(headers: &HeaderMap) -> Result<(), Failure> {
    match text(headers, "sec-fetch-site") {
        None | Some("same-origin" | "none") => Ok(()),
        Some(_) => Err(foreign()),
    }
}

/// Refuses to change anything for a page of somebody else.
pub(crate) fn check_change(headers: &HeaderMap) -> Result<(), Failure> {
    check_site(headers)?;
    if !headers.contains_key(OWN_HEADER) {
        return Err(Failure::refused(StatusCode::FORBIDDEN, format!("the header {OWN_HEADER} is missing"))
            .with_hint(format!("send \"{OWN_HEADER}: 1\" with whatever changes something")));
    }
    let Some(origin) = headers.get("origin") else {
        // No browser, which would say where its page is from.
        return Ok(());
    };
    let origin = origin.to_str().ok().and_then(|origin| origin.split_once("://"));
    match (origin, host(headers)) {
        (Some(("http" | "https", origin)), Some(host)) if origin.eq_ignore_ascii_case(host) => Ok(()),
        _ => Err(foreign()),
    }
}

fn foreign() -> Failure {
    Failure::refused(StatusCode::FORBIDDEN, "the request comes from a page of another site")
        .with_hint("open the console itself")
}

fn host(headers: &HeaderMap) -> Option<&str> {
    text(headers, "host")
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// A host without its port.
fn name_of(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) && !name.ends_with(':') => name,
        _ => host,
    }
}

/// Addresses in digits need no resolving, so nobody can have them resolved to something else.
fn is_known(name: &str, names: &[String]) -> bool {
    let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok()
        || address.is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
        || names.iter().any(|known| known.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn only_digits_localhost_and_configured_names_are_hosts() {
        let names = ["bowshot.example.com".to_owned()];
        let known = |host: &str| check_host(&headers(&[("host", host)]), &names).is_ok();
        for host in
            ["localhost", "LOCALHOST:8080", "127.0.0.1:1", "10.1.2.3", "[::1]:80", "[::1]", "Bowshot.example.com:443"]
        {
            assert!(known(host), "{host}");
        }
        for host in [
            "evil.com",
            "evil.com:127",
            "localhost.evil.com",
            "127.0.0.1.evil.com",
            "",
            ":80",
            "::1",
            "[::1",
            "[evil]:1",
        ] {
            assert!(!known(host), "{host}");
        }
        assert_eq!(check_host(&HeaderMap::new(), &names).unwrap_err().status, StatusCode::MISDIRECTED_REQUEST);
    }

    #[test]
    fn changes_need_the_header_and_the_same_origin() {
        let host = ("host", "localhost:8080");
        let own = (OWN_HEADER, "1");
        let allowed = |pairs: &[(&'static str, &str)]| check_change(&headers(pairs)).is_ok();
        assert!(allowed(&[host, own, ("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin")]));
        assert!(allowed(&[host, own]), "no browser");
        assert!(!allowed(&[host, ("origin", "http://localhost:8080")]), "no header");
        for origin in
            ["http://evil.com", "http://localhost:8081", "null", "localhost:8080", "ftp://localhost:8080", "é"]
        {
            assert!(!allowed(&[host, own, ("origin", origin)]), "{origin}");
        }
        for site in ["cross-site", "same-site"] {
            assert!(!allowed(&[host, own, ("sec-fetch-site", site)]), "{site}");
        }
    }

    proptest! {
        #[test]
        fn a_name_that_nobody_gave_is_never_known(host in "[a-z]{1,10}\\.[a-z]{2,5}(:[0-9]{0,5})?") {
            prop_assert!(check_host(&headers(&[("host", &host)]), &[]).is_err());
        }

        #[test]
        fn no_host_makes_it_panic(host in "[ -~]{0,40}") {
            let _ = check_host(&headers(&[("host", &host)]), &[]);
        }
    }
}
