use bowshot_net::Verify;

use super::*;

fn parse(uri: &str) -> Result<Config> {
    Config::parse_in(uri, None)
}

fn host(name: &str, port: u16) -> Place {
    Place::Tcp(Host { name: name.into(), port })
}

#[test]
fn uris_say_where_and_who() {
    let config = parse("mysql://ana:p%40ss%2F@db.example.org:3307/shop").unwrap();
    assert_eq!(config.place, host("db.example.org", 3307));
    assert_eq!((config.user.as_str(), config.database.as_deref()), ("ana", Some("shop")));
    assert_eq!(config.password, Some(Secret::new("p@ss/")));
    assert_eq!(parse("mariadb://u:p@ss@h/").unwrap().password, Some(Secret::new("p@ss")));
    assert_eq!(parse("mysql+pymysql://u@[::1]:9/d").unwrap().place, host("::1", 9));
    assert_eq!(parse("mysql://u@h").unwrap().place, host("h", 3306));
    assert_eq!(parse("mysql:///d?socket=/tmp/s").unwrap().place, Place::Socket("/tmp/s".into()));
    assert_eq!(parse("mysql://localhost/d?unix_socket=/tmp/s").unwrap().place, Place::Socket("/tmp/s".into()));
    assert_eq!(parse("mysql://u@h/d?user=v&password=w").unwrap().user, "v");
    assert_eq!(parse("mysql://u@h/d?protocol=text").unwrap().protocol, Some(Protocol::Text));
    for (options, lock) in [("", Lock::Tables), ("?lock=global", Lock::Global), ("?lock=none", Lock::Never)] {
        assert_eq!(parse(&format!("mysql://u@h/d{options}")).unwrap().lock, lock, "{options}");
    }
    assert_eq!(parse("mysql://u@h/d?connect_timeout=3").unwrap().connect_timeout, Some(Duration::from_secs(3)));
    assert_eq!(parse("mysql://u@h/d?connect_timeout=0").unwrap().connect_timeout, None);
}

#[test]
fn ssl_modes_are_those_of_mysql() {
    for (options, encryption, verify) in [
        ("", Encryption::IfPossible, Verify::Nothing),
        ("ssl-mode=disabled", Encryption::Never, Verify::Nothing),
        ("ssl_mode=REQUIRED", Encryption::Always, Verify::Nothing),
        ("sslmode=verify_ca", Encryption::Always, Verify::Chain),
        ("ssl-mode=VERIFY_IDENTITY", Encryption::Always, Verify::Name),
        ("ssl-ca=/ca.pem", Encryption::Always, Verify::Chain),
        ("ssl-ca=/ca.pem&ssl-mode=PREFERRED", Encryption::IfPossible, Verify::Nothing),
        ("ssl-ca=/ca.pem&ssl-mode=REQUIRED", Encryption::Always, Verify::Chain),
    ] {
        let config = parse(&format!("mysql://u@h/d?{options}")).unwrap();
        assert_eq!((config.encryption, config.tls.verify), (encryption, verify), "{options}");
    }
}

#[test]
fn what_makes_no_sense_is_refused_without_a_secret() {
    for (uri, word) in [
        ("postgresql://u:secret@h/d", "mysql://"),
        ("mysql:u:secret@h", "://"),
        ("mysql://u:secret@h:notaport/d", "port"),
        ("mysql://u:secret@h:0/d", "port"),
        ("mysql://u:secret@h/d?sslmod=x", "did you mean ssl-mode?"),
        ("mysql://u:secret@h/d?ssl-mode=maybe", "VERIFY_IDENTITY"),
        ("mysql://u:secret@h/d?charset=latin1", "utf8mb4"),
        ("mysql://u:secret@h/d?lock=rows", "tables, global or none"),
        ("mysql://u:secret@h/d?protocol=csv", "text and binary"),
        ("mysql://u:secret@h/d?connect_timeout=soon", "whole number"),
        ("mysql://u:secret@h/d?ssl-cert=/c", "ssl-key"),
        ("mysql://u:secret@h/d?socket=/s", "socket"),
        ("mysql://u:secret@h/d?read_default_file=/no/such/file", "read-default-file"),
    ] {
        let error = parse(uri).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{uri}");
        assert!(error.to_string().contains(word) && !error.to_string().contains("secret"), "{uri}: {error}");
    }
    let config = parse("mysql://u:secret@h/d?password=secret").unwrap();
    assert!(!format!("{config:?}").contains("secret"));
}

#[test]
fn option_files_add_what_the_uri_leaves_out() {
    let home = tempfile::tempdir().unwrap();
    let other = home.path().join("more.cnf");
    std::fs::write(&other, "[client]\nssl-mode = REQUIRED # encrypted\n").unwrap();
    let text = "[mysqld]\nport = 1\n[client]\nuser = ana\npassword = \"a#b \\\"c\\\"\"\nhost=db\nprotocol=tcp\n\
                [client-mariadb]\nport=4000\nloose-unknown=1\n!include more.cnf\n[bowshot]\nuser=bow\n[mysql]\nport=2\n";
    std::fs::write(home.path().join(".my.cnf"), text).unwrap();
    let config = Config::parse_in("mysql:///d", Some(home.path())).unwrap();
    assert_eq!((config.user.as_str(), config.place), ("bow", host("db", 4000)));
    assert_eq!(config.password, Some(Secret::new("a#b \"c\"")));
    assert_eq!(config.encryption, Encryption::Always);
    let config = Config::parse_in("mysql://eve:x@h:5/d?ssl-mode=DISABLED", Some(home.path())).unwrap();
    assert_eq!((config.user.as_str(), config.place, config.encryption), ("eve", host("h", 5), Encryption::Never));
    let path = home.path().join(".my.cnf");
    let named = Config::parse_in(&format!("mysql:///d?read_default_file={}", path.display()), None).unwrap();
    assert_eq!(named.user, "bow");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // One that everybody may write to says nothing.
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
        assert_ne!(Config::parse_in("mysql://h/d", Some(home.path())).unwrap().user, "bow");
    }
}
