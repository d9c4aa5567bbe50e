use super::*;

#[test]
fn uris_are_read() {
    for (uri, url, user, database) in [
        ("clickhouse://", "http://localhost:8123/", "default", None),
        ("clickhouse://ada@db/shop", "http://db:8123/", "ada", Some("shop")),
        ("clickhousedb://ada@db:8443/shop", "https://db:8443/", "ada", Some("shop")),
        ("clickhouse+https://db", "https://db:8443/", "default", None),
        ("clickhouse+http://db:8443", "http://db:8443/", "default", None),
        ("clickhouse://[::1]:81/?secure=1&user=bob&database=d", "https://[::1]:81/", "bob", Some("d")),
        ("clickhousedb+connect://a%40b:c@db", "http://db:8123/", "a@b", None),
    ] {
        let location = Location::parse(uri).unwrap();
        assert_eq!((location.url().as_str(), location.user.as_str()), (url, user), "{uri}");
        assert_eq!(location.database.as_deref(), database, "{uri}");
    }
}

#[test]
fn options_are_read() {
    let uri = "clickhouse://h?connect_timeout=1.5&compression=lz4&setting.max_threads=2&secure=true&verify=ca&ca=%2Fx";
    let location = Location::parse(uri).unwrap();
    assert_eq!(location.connect_timeout, Duration::from_millis(1500));
    assert!(location.compress);
    assert_eq!(location.settings, [("max_threads".to_owned(), "2".to_owned())]);
    let tls = location.tls.unwrap();
    assert_eq!((tls.verify, tls.system_roots, tls.root_file), (Verify::Chain, false, Some("/x".into())));
    let tls = Location::parse("clickhouse+https://h").unwrap().tls.unwrap();
    assert_eq!((tls.verify, tls.system_roots), (Verify::Name, true));
}

#[test]
fn secrets_stay_secret() {
    let location = Location::parse("clickhouse://ada:geheim@h/").unwrap();
    assert_eq!(location.password, Some(Secret::new("geheim")));
    assert!(!format!("{location:?}").contains("geheim"));
    for uri in ["clickhouse://ada:geheim@h:x/", "clickhouse://ada:geheim@[h/", "clickhouse://ada:geheim@h/?x=geheim"] {
        let error = Location::parse(uri).unwrap_err();
        assert!(!format!("{error:?}").contains("geheim"), "{error:?}");
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (uri, word) in [
        ("clickhouse:host", "://"),
        ("clickhouse+native://h", "http or https"),
        ("postgres://h", "clickhouse"),
        ("clickhouse://h:0", "65535"),
        ("clickhouse://h?max_threads=2", "setting.max_threads=VALUE"),
        ("clickhouse://h?secure=perhaps", "true or false"),
        ("clickhouse://h?verify=true", "secure=true"),
        ("clickhouse://h?compression=zip", "none or lz4"),
        ("clickhouse+https://h?cert=x", "without the other"),
        ("clickhouse://h?connect_timeout=0", "SECONDS"),
    ] {
        let error = Location::parse(uri).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{uri}");
        assert!(error.to_string().contains(word), "{uri}: {error}");
    }
}
