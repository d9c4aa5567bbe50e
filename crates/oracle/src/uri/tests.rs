use super::*;

#[test]
fn uris_name_databases() {
    for (uri, host, port, target) in [
        ("oracle://u:p@h/s", "h", 1521, Target::Service("s".into())),
        ("oracle://u:p@h:1522/orcl.example.com", "h", 1522, Target::Service("orcl.example.com".into())),
        ("oracle+oracledb://u:p@h/?service_name=s", "h", 1521, Target::Service("s".into())),
        ("oracle://u:p@h?sid=XE", "h", 1521, Target::Sid("XE".into())),
        ("oracle://u:p@[::1]:1600/s", "::1", 1600, Target::Service("s".into())),
        ("oracle+cx_oracle://u:p@h/s", "h", 1521, Target::Service("s".into())),
    ] {
        let location = Location::parse(uri).unwrap();
        assert_eq!((location.host.name.as_str(), location.host.port), (host, port), "{uri}");
        assert_eq!(location.target, target, "{uri}");
        assert!(location.tls.is_none(), "{uri}");
    }
}

#[test]
fn passwords_are_decoded_and_never_shown() {
    let location = Location::parse("oracle://us%40er:t%2Fi%3Age%72@h/s").unwrap();
    assert_eq!((location.user.as_str(), location.password.expose()), ("us@er", "t/i:ger"));
    assert!(!format!("{location:?}").contains("ger"), "{location:?}");
}

#[test]
fn tls_is_verified_unless_the_uri_says_otherwise() {
    for (uri, verify, system) in [
        ("oracle+tcps://u:p@h/s", Verify::Name, true),
        ("oracle://u:p@h/s?protocol=tcps", Verify::Name, true),
        ("oracle://u:p@h/s?protocol=tcps&ca=/x.pem", Verify::Name, false),
        ("oracle+tcps://u:p@h/s?ssl_server_dn_match=false", Verify::Chain, true),
    ] {
        let tls = Location::parse(uri).unwrap().tls.unwrap();
        assert_eq!((tls.verify, tls.system_roots), (verify, system), "{uri}");
    }
}

#[test]
fn a_wallet_is_roots_and_perhaps_a_certificate_of_our_own() {
    let folder = tempfile::tempdir().unwrap();
    let uri = format!("oracle+tcps://u:p@h/s?wallet_location={}", folder.path().display());
    assert_eq!(Location::parse(&uri).unwrap_err().kind(), ErrorKind::Tls);
    let wallet = folder.path().join("ewallet.pem");
    std::fs::write(&wallet, "-----BEGIN CERTIFICATE-----").unwrap();
    let tls = Location::parse(&uri).unwrap().tls.unwrap();
    assert_eq!((tls.root_file.as_ref(), tls.key_file.as_ref()), (Some(&wallet), None));
    std::fs::write(&wallet, "-----BEGIN ENCRYPTED PRIVATE KEY-----").unwrap();
    let tls = Location::parse(&uri).unwrap().tls.unwrap();
    assert_eq!(tls.key_file, Some(wallet));
}

#[test]
fn options_are_read() {
    let location = Location::parse("oracle://u:p@h/s?connect_timeout=2.5&sdu=8192").unwrap();
    assert_eq!((location.timeout, location.packet), (Duration::from_millis(2500), 8192));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (uri, word) in [
        ("oracle:u:p@h/s", "scheme"),
        ("oracle+odbc://u:p@h/s", "odbc"),
        ("oracle://h/s", "user"),
        ("oracle://u@h/s", "password"),
        ("oracle://u:p@h", "service"),
        ("oracle://u:p@h/", "sid"),
        ("oracle://u:p@/s", "host"),
        ("oracle://u:p@h:0/s", "port"),
        ("oracle://u:p@h:x/s", "port"),
        ("oracle://u:p@[::1/s", "IPv6"),
        ("oracle://u:p@h/s?sid=x", "path"),
        ("oracle://u:p@h?sid=x&service_name=y", "two"),
        ("oracle://u:p@h/s)(HOST=evil", "no name"),
        ("oracle://u:p@h/s%29", "no name"),
        ("oracle://u:p@h/s?sslmode=require", "wallet_location"),
        ("oracle://u:p@h/s?connect_timeout=0", "SECONDS"),
        ("oracle://u:p@h/s?connect_timeout=soon", "SECONDS"),
        ("oracle://u:p@h/s?sdu=10", "BYTES"),
        ("oracle://u:p@h/s?protocol=udp", "tcps"),
        ("oracle+tcps://u:p@h/s?protocol=tcp", "scheme"),
        ("oracle://u:p@h/s?ca=x", "does not ask"),
        ("oracle+tcps://u:p@h/s?key=x", "without its"),
        ("oracle+tcps://u:p@h/s?ssl_server_dn_match=maybe", "true or false"),
        ("oracle://u:%ff@h/s", "UTF-8"),
    ] {
        let error = Location::parse(uri).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{uri}: {error}");
        assert!(error.to_string().contains(word), "{uri}: {error}");
    }
}
