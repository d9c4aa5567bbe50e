use super::*;

#[test]
fn uris_say_where_and_how() {
    for (uri, shown, user, catalog, schema) in [
        ("trino://ada@h", "http://h:8080", "ada", None, None),
        ("trino://ada@h:443", "https://h:443", "ada", None, None),
        ("trino://ada:x@h", "https://h:443", "ada", None, None),
        ("trino+http://ada@h:443/c", "http://h:443", "ada", Some("c"), None),
        ("trino+https://a%40b@[::1]:8443/c/s%2Ft", "https://[::1]:8443", "a@b", Some("c"), Some("s/t")),
        ("TRINO://ada@h/c/s/?source=x", "http://h:8080", "ada", Some("c"), Some("s")),
    ] {
        let target = Target::parse(uri).unwrap();
        assert_eq!(target.to_string(), shown, "{uri}");
        assert_eq!(target.user.as_deref(), Some(user), "{uri}");
        assert_eq!((target.catalog.as_deref(), target.schema.as_deref()), (catalog, schema), "{uri}");
    }
}

#[test]
fn options_are_read() {
    let target = Target::parse(
        "trino://a@h?session.join_distribution_type=BROADCAST&query_timeout=1.5&client_tags=a,b&timezone=UTC&connect_timeout=3",
    )
    .unwrap();
    assert_eq!(target.properties["join_distribution_type"], "BROADCAST");
    assert_eq!(target.properties["query_max_run_time"], "1500ms");
    assert_eq!(target.client_tags.as_deref(), Some("a,b"));
    assert_eq!(target.connect_timeout, Duration::from_secs(3));
    assert!(Target::parse("trino://h?token=abc").unwrap().tls);
}

#[test]
fn what_makes_no_sense_is_refused_by_name() {
    for (uri, words) in [
        ("presto://a@h", "is no scheme"),
        ("presto://a@h", "older protocol"),
        ("trino", "is no scheme"),
        ("trino://a@", "no host"),
        ("trino://h", "no user"),
        ("trino://a@h:99999", "port"),
        ("trino://a@h:0", "port"),
        ("trino://a@[::1]8080", "port"),
        ("trino://a@h/c/s/t", "catalog and a schema"),
        ("trino+http://a:geheim@h", "in the clear"),
        ("trino+http://a@h?token=geheim", "in the clear"),
        ("trino://a:geheim@h?token=x", "both"),
        ("trino://a@h?ca=x.pem", "options of TLS"),
        ("trino://a@h?clienttags=x", "did you mean client_tags=?"),
        ("trino://a@h?session.=x", "session.NAME"),
        ("trino://a@h?session.a=b&session.a%2Cb=c", "session property"),
        ("trino://a@h?connect_timeout=geheim", "connect_timeout"),
        ("trino://a%0ab@h", "HTTP cannot send"),
        ("trino://a@h\u{0}?source=x", "host"),
    ] {
        let error = Target::parse(uri).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{uri}");
        assert!(error.to_string().contains(words), "{uri}: {error}");
        assert!(!error.to_string().contains("geheim"), "{error}");
    }
}

#[test]
fn secrets_are_not_shown() {
    let target = Target::parse("trino+https://ada:geheim@h/c?session.key=geheim").unwrap();
    assert!(!format!("{target:?} {target}").contains("geheim"));
    let target = Target::parse("trino+https://h/c?token=geheim").unwrap();
    assert!(!format!("{target:?} {target}").contains("geheim"));
}
