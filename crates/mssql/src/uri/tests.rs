use super::*;

#[test]
fn a_uri_has_its_parts() {
    let config =
        Config::parse("mssql+pyodbc://sa:p%40ss%2Fword@db.example:1444/my%20shop?driver=ODBC+Driver+18+for+SQL+Server")
            .unwrap();
    assert_eq!((config.host.as_str(), config.known_port()), ("db.example", Some(1444)));
    assert_eq!((config.user.as_str(), config.password.expose()), ("sa", "p@ss/word"));
    assert_eq!(config.database, "my shop");
    assert_eq!((config.encrypt, config.tls.verify), (Encrypt::Yes, Verify::Name));
    let config = Config::parse("sqlserver://u:a@b@[::1]/").unwrap();
    assert_eq!((config.host.as_str(), config.known_port(), config.password.expose()), ("::1", Some(1433), "a@b"));
    let config = Config::parse("MSSQL://u@host%5Csqlexpress/db").unwrap();
    assert_eq!(
        (config.host.as_str(), config.instance.as_deref(), config.known_port()),
        ("host", Some("sqlexpress"), None)
    );
}

#[test]
fn options_have_any_case_and_spelling() {
    let config = Config::parse(
        "mssql://u:p@h/d?Encrypt=Optional&TrustServerCertificate=yes&hostnameInCertificate=x.y&ca=/a%20b.pem\
         &application_name=my+app&ApplicationIntent=ReadOnly&connect_timeout=2.5&instance=i&Packet+Size=4096",
    );
    // The name of an option may hold a space only as %20.
    assert!(config.is_err());
    let config = Config::parse(
        "mssql://u:p@h/d?Encrypt=Optional&TrustServerCertificate=yes&hostnameInCertificate=x.y&ca=/a%20b.pem\
         &application_name=my+app&ApplicationIntent=ReadOnly&connect_timeout=2.5&instance=i&Packet%20Size=4096",
    )
    .unwrap();
    assert_eq!((config.encrypt, config.tls.verify), (Encrypt::No, Verify::Nothing));
    assert_eq!(config.certificate_name.as_deref(), Some("x.y"));
    assert_eq!(config.tls.root_file.as_deref().and_then(|path| path.to_str()), Some("/a b.pem"));
    assert_eq!((config.application_name.as_str(), config.read_only), ("my app", true));
    assert_eq!((config.connect_timeout, config.packet_size), (Duration::from_millis(2500), 4096));
}

#[test]
fn the_way_of_encrypting_decides_on_certificates_and_versions() {
    let tls = |options: &str| {
        let tls = Config::parse(&format!("mssql://u:p@h/d?{options}")).unwrap().tls;
        (tls.verify, tls.system_roots, tls.maximum, tls.protocol)
    };
    let (old, new) = (TlsVersion::Tls12, TlsVersion::Tls13);
    assert_eq!(tls(""), (Verify::Name, true, old, None));
    assert_eq!(tls("ca=/r&trust_server_certificate=no"), (Verify::Name, false, old, None));
    assert_eq!(tls("trust_server_certificate=yes"), (Verify::Nothing, true, old, None));
    assert_eq!(tls("encrypt=no"), (Verify::Nothing, true, old, None));
    assert_eq!(tls("encrypt=strict"), (Verify::Name, true, new, Some(tls::PROTOCOL)));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (uri, kind, word) in [
        ("mssql:u@h", ErrorKind::Config, "mssql://"),
        ("mysql://u@h", ErrorKind::Config, "sqlserver://"),
        ("mssql://h/d", ErrorKind::Config, "user"),
        ("mssql://u:p@h:0/d", ErrorKind::Config, "port"),
        ("mssql://u:p@h:x/d", ErrorKind::Config, "port"),
        ("mssql://u:p@h/d?sslmode=require", ErrorKind::Config, "trust_server_certificate"),
        ("mssql://u:p@h/d?encrypt=maybe", ErrorKind::Config, "strict"),
        ("mssql://u:p@h/d?connect_timeout=0", ErrorKind::Config, "SECONDS"),
        ("mssql://u:p@h/d?packet_size=100", ErrorKind::Config, "512"),
        ("mssql://u:p@h/d?encrypt=strict&trust_server_certificate=1", ErrorKind::Config, "ca=file"),
        ("mssql://u:p@h/d?Trusted_Connection=yes", ErrorKind::Unsupported, "Kerberos"),
        ("mssql://u:p@h/d?authentication=ActiveDirectoryDefault", ErrorKind::Unsupported, "Entra"),
    ] {
        let error = Config::parse(uri).unwrap_err();
        assert_eq!(error.kind(), kind, "{uri}: {error}");
        assert!(error.to_string().contains(word), "{uri}: {error}");
    }
}

#[test]
fn secrets_stay_secret() {
    let config = Config::parse("mssql://u:geheim@h/d").unwrap();
    assert!(!format!("{config:?}").contains("geheim"));
    let error = Config::parse("mssql://u:geheim@h:99999/d").unwrap_err();
    assert!(!format!("{error:?}").contains("geheim"));
}
