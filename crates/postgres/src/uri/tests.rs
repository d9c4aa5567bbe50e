//! Connection strings in made-up surroundings.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;

use super::*;

/// Surroundings that tests can fill.
#[derive(Default)]
struct World {
    variables: BTreeMap<&'static str, String>,
    home: Option<PathBuf>,
    socket_folders: Vec<PathBuf>,
    system_folders: Vec<PathBuf>,
}

impl World {
    fn with(variables: &[(&'static str, &str)]) -> Self {
        let variables = variables.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        World { variables, ..World::default() }
    }

    fn parse(&self, text: &str) -> Result<Config> {
        let variable = |name: &str| self.variables.get(name).cloned();
        let environment = Environment {
            variable: &variable,
            user: Some("somebody".to_owned()),
            home: self.home.clone(),
            socket_folders: self.socket_folders.clone(),
            system_folders: self.system_folders.clone(),
        };
        Config::parse_in(text, &environment)
    }
}

fn parse(text: &str) -> Config {
    World::default().parse(text).unwrap()
}

fn error(text: &str) -> Error {
    World::default().parse(text).err().unwrap()
}

/// Hosts in short: `name:port`.
fn hosts(config: &Config) -> Vec<String> {
    let place = |place: &Place| match place {
        Place::Name(name) => name.clone(),
        Place::Address { address, name } => format!("{}={address}", name.as_deref().unwrap_or("")),
        Place::Socket(folder) => folder.display().to_string(),
    };
    config.hosts.iter().map(|host| format!("{}:{}", place(&host.place), host.port)).collect()
}

fn password(config: &Config) -> Option<&str> {
    config.hosts.first().and_then(|host| host.password.as_ref()).map(|secret| secret.expose())
}

#[test]
fn uris_as_libpq_documents_them() {
    for (text, expected_hosts, user, database) in [
        ("postgresql://", &["localhost:5432"][..], "somebody", "somebody"),
        ("postgresql://localhost", &["localhost:5432"], "somebody", "somebody"),
        ("postgres://localhost:5433", &["localhost:5433"], "somebody", "somebody"),
        ("postgresql://localhost/mydb", &["localhost:5432"], "somebody", "mydb"),
        ("postgresql://user@localhost", &["localhost:5432"], "user", "user"),
        ("postgresql://user:secret@localhost/", &["localhost:5432"], "user", "user"),
        ("postgresql:///mydb", &["localhost:5432"], "somebody", "mydb"),
        ("postgresql:///db?host=/tmp", &["/tmp:5432"], "somebody", "db"),
        ("postgresql://%2Fvar%2Frun/db", &["/var/run:5432"], "somebody", "db"),
        ("postgresql://%2Fvar%2Frun:77/db", &["/var/run:77"], "somebody", "db"),
        ("postgresql://@/db?host=@abstract", &["@abstract:5432"], "somebody", "db"),
        ("postgresql://[::1]:6000/db", &["::1:6000"], "somebody", "db"),
        ("postgresql://[2001:db8::1234]/db", &["2001:db8::1234:5432"], "somebody", "db"),
        ("postgresql://a:1,b,[::1]:3/db", &["a:1", "b:5432", "::1:3"], "somebody", "db"),
        ("postgresql://a,b:2/db", &["a:5432", "b:2"], "somebody", "db"),
        ("postgresql://a,b/db?port=7", &["a:7", "b:7"], "somebody", "db"),
        ("postgresql://x/db?host=y&user=u&dbname=d", &["y:5432"], "u", "d"),
        ("postgresql://?hostaddr=10.0.0.1", &["=10.0.0.1:5432"], "somebody", "somebody"),
        ("postgresql://db.example/d?hostaddr=10.0.0.1", &["db.example=10.0.0.1:5432"], "somebody", "d"),
        ("postgresql+psycopg2://u:p@h/d", &["h:5432"], "u", "d"),
        ("postgresql+asyncpg://u@/d?host=a:1&host=b:2", &["a:1", "b:2"], "u", "d"),
        ("postgresql+psycopg://u@/d?host=/tmp&port=9", &["/tmp:9"], "u", "d"),
    ] {
        let config = World::default().parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(hosts(&config), expected_hosts, "{text}");
        assert_eq!((config.user.as_str(), config.database.as_str()), (user, database), "{text}");
    }
    let config = parse("postgresql://%C3%BCser:p%40s%2Fs%20w%25@h/a%20b");
    assert_eq!((config.user.as_str(), password(&config), config.database.as_str()), ("üser", Some("p@s/s w%"), "a b"));
    assert_eq!(password(&parse("postgresql://u:p@ss@h/d")), Some("p@ss"), "an @ that nobody encoded");
    assert_eq!(password(&parse("postgresql://u:a:b@h/d")), Some("a:b"));
}

#[test]
fn keywords_as_libpq_documents_them() {
    let config = parse(r" host = localhost port=5433 dbname='a b' user=it\'s password='it\'s \\ = '");
    assert_eq!(hosts(&config), ["localhost:5433"]);
    assert_eq!((config.database.as_str(), config.user.as_str()), ("a b", "it's"));
    assert_eq!(password(&config), Some(r"it's \ = "));
    assert_eq!(hosts(&parse("host=a,b port=1,2")), ["a:1", "b:2"]);
    assert_eq!(hosts(&parse("host=a,b hostaddr=1.1.1.1,::1 port=9")), ["a=1.1.1.1:9", "b=::1:9"]);
    assert_eq!(hosts(&parse("host=,b port=,2")), ["localhost:5432", "b:2"]);
    assert_eq!(parse("user=a user=b").user, "b", "the last one wins");
    assert_eq!(parse("").user, "somebody");
    // A URI inside a value does not make it one.
    assert_eq!(password(&parse("user=u password=a://b")), Some("a://b"));
}

#[test]
fn defaults_and_choices() {
    let config = parse("");
    assert_eq!(config.application_name, "bowshot");
    assert_eq!(config.connect_timeout, Some(CONNECT_TIMEOUT));
    assert_eq!(
        (config.tls.encryption, config.tls.direct, config.tls.options.send_name),
        (Encryption::IfPossible, false, true)
    );
    assert_eq!((config.channel_binding, config.target, config.shuffle), (ChannelBinding::Prefer, Target::Any, false));
    assert!(config.keepalive.enabled && config.protocol.is_none() && config.options.is_none());

    let config = parse(
        "postgresql://h/d?connect_timeout=0&application_name=a&fallback_application_name=b&keepalives=0&\
         keepalives_idle=5&keepalives_interval=6&keepalives_count=7&tcp_user_timeout=800&cxprotocol=cursor&\
         options=-c%20geqo%3Doff&client_encoding=utf-8&gssencmode=prefer&sslcompression=1&sslcertmode=allow&\
         channel_binding=disable&load_balance_hosts=random&target_session_attrs=primary&sslsni=0&replication=false",
    );
    assert_eq!(config.connect_timeout, None);
    assert_eq!(config.application_name, "a");
    let keepalive = config.keepalive;
    assert!(!keepalive.enabled);
    assert_eq!((keepalive.idle, keepalive.interval), (Some(Duration::from_secs(5)), Some(Duration::from_secs(6))));
    assert_eq!((keepalive.count, keepalive.user_timeout), (Some(7), Some(Duration::from_millis(800))));
    assert_eq!((config.protocol.as_deref(), config.options.as_deref()), (Some("cursor"), Some("-c geqo=off")));
    assert_eq!(
        (config.channel_binding, config.target, config.shuffle),
        (ChannelBinding::Disable, Target::Primary, true)
    );
    assert!(!config.tls.options.send_name);
    assert_eq!(parse("fallback_application_name=b").application_name, "b");
    let mode = |text: &str| {
        let tls = parse(text).tls;
        (tls.encryption, tls.options.verify)
    };
    assert_eq!(mode("postgresql://h/d?ssl=true"), (Encryption::Always, Verify::Nothing));
    assert_eq!(mode("sslmode=require sslrootcert=/r"), (Encryption::Always, Verify::Chain));
    assert_eq!(mode("sslmode=prefer sslrootcert=/r"), (Encryption::IfPossible, Verify::Nothing));
    assert_eq!(mode("sslrootcert=system"), (Encryption::Always, Verify::Name));
}

#[test]
fn mistakes_are_named() {
    for (text, part) in [
        ("postgresql://h/d?sslmod=require", "did you mean \"sslmode\"?"),
        ("hots=a", "did you mean \"host\"?"),
        ("aplication_name=a", "did you mean \"application_name\"?"),
        ("qqq=1", "no option \"qqq\""),
        ("sslmode=sometimes", "one of disable, allow, prefer, require, verify-ca, verify-full"),
        ("port=none", "port is \"none\"; it has to be a number from 1 to 65535"),
        ("port=0", "1 to 65535"),
        ("port=70000", "1 to 65535"),
        ("connect_timeout=soon", "a whole number"),
        ("hostaddr=localhost", "an IP address"),
        ("client_encoding=LATIN1", "Arrow's text is UTF-8"),
        ("host=a,b hostaddr=1.1.1.1", "2 hosts, but 1 addresses"),
        ("postgresql://h:port/d", "not a number"),
        ("postgresql://[::1/d", "no \"]\""),
        ("postgresql://[::1]x/d", "only a port"),
        ("postgresql://h/d?user", "no \"=\""),
        ("postgresql://h/%zz", "%25"),
        ("postgresql://h/%4", "%25"),
        ("postgresql://h/%00", "not UTF-8 text"),
        ("postgresql://h/%ff", "not UTF-8 text"),
        ("mysql://h/d", "\"mysql://\" is not PostgreSQL"),
        ("host", "option=value"),
        ("host=a b", "behind the value of \"host\""),
        ("dbname='a", "no closing quote"),
        ("sslnegotiation=direct sslmode=prefer", "verify-full"),
        ("require_auth=magic", "scram-sha-256"),
        ("require_auth=md5,!password", "all with"),
    ] {
        let error = error(text);
        assert_eq!(error.kind(), ErrorKind::Config, "{text}: {error}");
        assert!(error.to_string().contains(part), "{text}: {error}");
    }
    for (text, part) in [
        ("gssencmode=require", "Kerberos"),
        ("krbsrvname=postgres", "leave krbsrvname out"),
        ("requirepeer=postgres", "Unix socket"),
        ("replication=database", "replication stream"),
        ("sslcertmode=require", "disable, allow"),
        ("sslcrldir=/x", "sslcrl"),
        ("min_protocol_version=3.2", "3.0"),
        ("oauth_client_secret=hush", "OAuth"),
    ] {
        let error = error(text);
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{text}: {error}");
        let shown = error.to_string();
        assert!(shown.contains(part) && !shown.contains("hush"), "{text}: {error}");
    }
}

#[test]
fn the_environment_fills_the_gaps() {
    let world = World::with(&[
        ("PGHOST", "env"),
        ("PGPORT", "7"),
        ("PGDATABASE", "d"),
        ("PGUSER", "u"),
        ("PGPASSWORD", "p"),
        ("PGAPPNAME", "a"),
        ("PGOPTIONS", "-c x=y"),
        ("PGCONNECT_TIMEOUT", "3"),
        ("PGTARGETSESSIONATTRS", "standby"),
        ("PGSSLMODE", "require"),
        ("PGSSLSNI", "0"),
        ("PGCHANNELBINDING", "require"),
        ("PGSSLNEGOTIATION", "direct"),
        ("PGSSLROOTCERT", "/r"),
        ("PGSSLCERT", "/c"),
        ("PGSSLKEY", "/k"),
        ("PGREQUIREAUTH", "scram-sha-256"),
        ("PGLOADBALANCEHOSTS", ""),
    ]);
    let config = world.parse("").unwrap();
    assert_eq!(hosts(&config), ["env:7"]);
    assert_eq!((config.user.as_str(), config.database.as_str(), password(&config)), ("u", "d", Some("p")));
    assert_eq!((config.application_name.as_str(), config.options.as_deref()), ("a", Some("-c x=y")));
    assert_eq!((config.connect_timeout, config.target), (Some(Duration::from_secs(3)), Target::Standby));
    assert_eq!(
        (config.tls.encryption, config.tls.direct, config.tls.options.send_name),
        (Encryption::Always, true, false)
    );
    let tls = config.tls.options;
    assert_eq!((tls.root_file, tls.verify), (Some("/r".into()), Verify::Chain));
    assert_eq!((tls.certificate_file, tls.key_file), (Some("/c".into()), Some("/k".into())));
    assert_eq!(config.methods, Some([Method::Scram].into()));
    assert!(!config.shuffle, "an empty variable is none");

    let config = world.parse("postgresql://me:mine@here:1/data?sslmode=disable&sslnegotiation=postgres").unwrap();
    assert_eq!(hosts(&config), ["here:1"]);
    assert_eq!((config.user.as_str(), config.database.as_str(), password(&config)), ("me", "data", Some("mine")));
    assert_eq!(config.tls.encryption, Encryption::Never);

    let error = World::with(&[("PGSSLMODE", "no")]).parse("").err().unwrap();
    assert!(error.to_string().contains("the environment variable PGSSLMODE is \"no\""), "{error}");
    let error = World::with(&[("PGGSSENCMODE", "require")]).parse("").err().unwrap();
    assert!(error.to_string().contains("PGGSSENCMODE"), "{error}");
}

#[test]
fn services_come_between() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().join(".pg_service.conf");
    std::fs::write(&own, "# mine\n[mine]\nhost=service\n port = 9 \nuser=ada\npassword=hush\n\n[other]\nhost=x\n")
        .unwrap();
    let system = folder.path().join("system");
    std::fs::create_dir(&system).unwrap();
    std::fs::write(
        system.join("pg_service.conf"),
        "[everybody]\ndbname=all\n[bad]\nsslmod=x\n[nested]\nservice=mine\n[torn]\nhost\n[ldap]\nldap://x/y\n",
    )
    .unwrap();
    let mut world = World::with(&[("PGHOST", "env"), ("PGUSER", "env"), ("PGDATABASE", "env")]);
    world.home = Some(folder.path().to_owned());
    world.system_folders = vec!["/nowhere".into(), system.clone()];

    let config = world.parse("service=mine user=me").unwrap();
    assert_eq!(hosts(&config), ["service:9"]);
    assert_eq!((config.user.as_str(), config.database.as_str(), password(&config)), ("me", "env", Some("hush")));
    assert_eq!(world.parse("postgresql://?service=everybody").unwrap().database, "all");
    for (service, part) in [
        ("bad", "sslmode"),
        ("nested", "within a service"),
        ("torn", "line 8 of"),
        ("ldap", "LDAP"),
        ("nobody", "no service \"nobody\""),
    ] {
        let error = world.parse(&format!("service={service}")).err().unwrap();
        assert!(error.to_string().contains(part), "{error}");
    }
    world.variables.insert("PGSERVICE", "mine".to_owned());
    assert_eq!(hosts(&world.parse("").unwrap()), ["service:9"]);
    world.variables.insert("PGSERVICE", "everybody".to_owned());
    world.variables.insert("PGSERVICEFILE", own.display().to_string());
    world.variables.insert("PGSYSCONFDIR", "/nowhere".to_owned());
    assert!(world.parse("").is_err());
    let by_option = format!("service=everybody servicefile={}", system.join("pg_service.conf").display());
    assert_eq!(world.parse(&by_option).unwrap().database, "all");
}

#[test]
fn files_in_the_users_folder_count_where_they_exist() {
    let folder = tempfile::tempdir().unwrap();
    let world = World { home: Some(folder.path().to_owned()), ..World::default() };
    let tls = world.parse("").unwrap().tls.options;
    assert_eq!((tls.root_file, tls.certificate_file, tls.key_file, tls.revoked_file), (None, None, None, None));
    std::fs::create_dir(folder.path().join(".postgresql")).unwrap();
    let own = |name: &str| folder.path().join(".postgresql").join(name);
    for name in ["root.crt", "root.crl", "postgresql.crt"] {
        std::fs::write(own(name), "").unwrap();
    }
    let tls = world.parse("").unwrap().tls.options;
    assert_eq!((tls.root_file, tls.revoked_file), (Some(own("root.crt")), Some(own("root.crl"))));
    assert_eq!((tls.certificate_file, tls.key_file), (Some(own("postgresql.crt")), Some(own("postgresql.key"))));
    assert_eq!(world.parse("sslcertmode=disable").unwrap().tls.options.certificate_file, None);
    assert_eq!(world.parse("sslrootcert=system").unwrap().tls.options.root_file, None);

    let passfile = folder.path().join(".pgpass");
    std::fs::write(
        &passfile,
        "localhost:5432:*:*:for localhost\n/odd:*:*:*:for a folder\n10.0.0.1:*:*:*:for an address\n",
    )
    .unwrap();
    std::fs::set_permissions(&passfile, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut world = world;
    world.socket_folders = vec!["/usual".into()];
    for (text, expected) in [
        ("", Some("for localhost")),
        ("host=/usual", Some("for localhost")),
        ("host=/odd", Some("for a folder")),
        ("hostaddr=10.0.0.1", Some("for an address")),
        ("host=elsewhere", None),
        ("password=given", Some("given")),
    ] {
        assert_eq!(password(&world.parse(text).unwrap()), expected, "{text}");
    }
    // Each of several hosts has its own.
    let config = world.parse("host=elsewhere,/odd,localhost").unwrap();
    let passwords: Vec<_> =
        config.hosts.iter().map(|host| host.password.as_ref().map(|secret| secret.expose())).collect();
    assert_eq!(passwords, [None, Some("for a folder"), Some("for localhost")]);
}

#[test]
fn the_server_of_this_machine_is_found_by_its_socket() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(".s.PGSQL.5433"), "").unwrap();
    let world = World { socket_folders: vec!["/nowhere".into(), folder.path().to_owned()], ..World::default() };
    assert_eq!(hosts(&world.parse("port=5433").unwrap()), [format!("{}:5433", folder.path().display())]);
    assert_eq!(hosts(&world.parse("").unwrap()), ["localhost:5432"]);
}

#[test]
fn no_secret_is_ever_shown() {
    let text = "postgresql://u:hush1@h/d?sslpassword=hush2";
    let shown = format!("{:?}", parse(text));
    assert!(!shown.contains("hush") && shown.contains("hidden"), "{shown}");
    for text in [
        "postgresql://u:hu/sh@h/d",
        "postgresql://u:12/hush@h/d",
        "postgresql://u:hush%zz@h/d",
        "postgresql://u:hush@h:bad/d",
        "postgresql://u:hush@h/d?password=hush&nonsense=1",
        "postgresql://u:hush@h/d?sslmode=bad",
        "postgresql://u:hush@h/d?hush",
        "password=hush hush",
        "password=two hush=1",
        "password=hush hush hush=1 user=x",
        "sslpassword=two hush='x' y",
        "password='hush",
        "user=u password=hush port=x",
        "password=hush gssencmode=require",
        "hush",
    ] {
        match World::default().parse(text) {
            // A raw character of the password is understood where the address has one meaning.
            Ok(config) => assert!(!format!("{config:?}").contains("hush"), "{text}"),
            Err(error) => {
                let shown = format!("{error} {error:?}");
                assert!(!shown.contains("hush"), "{text}: {shown}");
            }
        }
    }
}

proptest::proptest! {
    #[test]
    fn nothing_that_anybody_writes_panics(text in "\\PC{0,60}", rest in "[a-z=:@/?&,%' \\\\\\[\\]0-9.]{0,40}") {
        let _ = World::default().parse(&text);
        let _ = World::default().parse(&rest);
        let _ = World::default().parse(&format!("postgresql://{rest}"));
    }

    #[test]
    fn quoted_values_come_back(user in "\\PC{1,20}", name in "\\PC{1,20}") {
        let quote = |text: &str| text.replace('\\', "\\\\").replace('\'', "\\'");
        let config = World::default().parse(&format!("user='{}' dbname='{}'", quote(&user), quote(&name))).unwrap();
        proptest::prop_assert_eq!((config.user, config.database), (user, name));
    }
}
