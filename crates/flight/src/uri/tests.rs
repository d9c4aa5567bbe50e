use bowshot_core::Secret;

use super::*;

fn target(uri: &str) -> Target {
    Target::parse(uri).unwrap()
}

#[test]
fn schemes_and_hosts() {
    for (uri, address) in [
        ("grpc://localhost:50051", "grpc://localhost:50051"),
        ("grpc+tcp://localhost:50051/", "grpc://localhost:50051"),
        ("GRPC+TLS://flight.example.com:32010", "grpc+tls://flight.example.com:32010"),
        ("grpcs://flight.example.com", "grpc+tls://flight.example.com:443"),
        ("flightsql://a:1", "grpc+tls://a:1"),
        ("flightsql://a:1?transport=TCP", "grpc://a:1"),
        ("grpc://[::1]:50051", "grpc://[::1]:50051"),
    ] {
        assert_eq!(target(uri).address.to_string(), address, "{uri}");
    }
    assert_eq!(target("grpc://[::1]:50051").address.host, "::1");
}

#[test]
fn who_asks() {
    let asked = target("grpc+tls://a%40b:p%3Aw%2F@h:1");
    assert_eq!((asked.user.as_deref(), asked.password.as_ref().map(Secret::expose)), (Some("a@b"), Some("p:w/")));
    let asked = target("grpc://h:1?username=ada&password=x%26y");
    assert_eq!((asked.user.as_deref(), asked.password.as_ref().map(Secret::expose)), (Some("ada"), Some("x&y")));
    let asked = target("grpc://h:1?token=abc&header.x-db=sales&catalog=c&schema=s&session.tz=UTC");
    assert_eq!(asked.token.as_ref().map(Secret::expose), Some("abc"));
    assert_eq!(asked.headers.len(), 1);
    assert_eq!(asked.session.keys().collect::<Vec<_>>(), ["catalog", "schema", "tz"]);
}

#[test]
fn options_are_read() {
    let asked = target(
        "grpc+tls://h:1?connect_timeout=2.5&query_timeout=60&fetch_timeout=9&max_message_bytes=4096&poll=1\
         &tls_skip_verify=true&tls_server_name=n&authority=x&ca=/ca.pem&cert=/c.pem&key=/k.pem",
    );
    assert_eq!(asked.connect_timeout, Duration::from_millis(2500));
    assert_eq!(asked.query_timeout, Some(Duration::from_secs(60)));
    assert_eq!(asked.fetch_timeout, Some(Duration::from_secs(9)));
    assert_eq!(asked.max_message_bytes, 4096);
    assert!(asked.poll && asked.tls_skip_verify);
    assert_eq!(asked.identity, Some(("/c.pem".into(), "/k.pem".into())));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (uri, word) in [
        ("http://h:1", "\"http\" is no scheme"),
        ("h:1", "is no scheme"),
        ("grpc://h", "no port"),
        ("grpc://:1", "no host"),
        ("grpc://h:70000", "65535"),
        ("grpc://h:1/sales", "?catalog=NAME"),
        ("grpc://h:1?user=x", "did you mean username=?"),
        ("grpc://h:1?nonsense=1", "the options are authority"),
        ("grpc://h:1?poll=maybe", "true or false"),
        ("grpc://h:1?connect_timeout=0", "SECONDS"),
        ("grpc://h:1?connect_timeout=nan", "SECONDS"),
        ("grpc://h:1?max_message_bytes=5000000000", "4294967295"),
        ("grpc://h:1?ca=/x.pem", "grpc+tls://"),
        ("grpc://h:1?transport=tls", "flightsql://"),
        ("flightsql://h:1?transport=unix", "tls or tcp"),
        ("grpc+tls://h:1?cert=/x.pem", "both cert=FILE and key=FILE"),
        ("grpc://u@h:1?token=t", "both a token and a user"),
        ("grpc://h:1?password=p", "no user"),
        ("grpc://h:1?header.a%20b=1", "no name that HTTP allows"),
        ("grpc://h:1?header.a=%0A", "does not allow"),
        ("grpc://%FF:1", "UTF-8"),
    ] {
        let error = Target::parse(uri).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{uri}: {error}");
        assert!(error.to_string().contains(word), "{uri}: {error}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let shown = format!(
        "{:?} {:?}",
        target("grpc+tls://ada:hush@h:1?header.x-key=hush&session.secret=hush"),
        target("grpc://h:1?token=hush")
    );
    assert!(shown.contains("ada") && !shown.contains("hush"), "{shown}");
    let error = Target::parse("grpc://h:1?poll=hush").unwrap_err();
    assert!(!format!("{error:?}").contains("hush"), "{error}");
}
