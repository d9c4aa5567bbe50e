use super::*;

#[test]
fn every_way_to_log_in_that_servers_ask_for() {
    let port = PLAIN.port();
    for (user, password) in [("postgres", "bowshot"), ("old", "old"), ("clear", "clear"), ("trusted", "")] {
        let mut session = open(&PLAIN.uri_of(user, password, "postgres")).unwrap();
        assert_eq!(value(&mut session, "SELECT current_user"), user);
        assert!(!session.is_encrypted());
    }
    let mut session = open(&PLAIN.uri_of("Ünïcode @:/?#", "päss @:/?# wörd's", "a b")).unwrap();
    assert_eq!(value(&mut session, "SELECT current_user || current_database()"), "Ünïcode @:/?#a b");
    let mut session = open(&format!(
        "host=127.0.0.1 port={port} user='Ünïcode @:/?#' password='päss @:/?# wörd\\'s' dbname='a b' \
         options='-c work_mem=77MB' application_name='an application'"
    ))
    .unwrap();
    assert_eq!(value(&mut session, "SHOW work_mem"), "77MB");
    assert_eq!(value(&mut session, "SHOW application_name"), "an application");
    assert_eq!(value(&mut session, "SHOW client_encoding"), "UTF8");
}

#[test]
fn a_session_answers() {
    let mut session = open(&PLAIN.uri()).unwrap();
    assert!(session.version() >= 120_000, "{}", session.version());
    assert_eq!(session.parameter("client_encoding"), Some("UTF8"));
    assert_eq!(value(&mut session, "SHOW application_name"), "bowshot");
    let rows =
        session.query("SELECT 0; SELECT 1, NULL, '' UNION ALL SELECT 2, 'ä', NULL; SET work_mem = '1MB'").unwrap();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(rows, [[text("1"), None, text("")], [text("2"), text("ä"), None]]);
    assert!(session.query("").unwrap().is_empty());

    let error = session.query("SELECT 1; SELECT x").unwrap_err();
    assert_eq!(
        (error.kind(), error.sqlstate(), error.position()),
        (ErrorKind::Sql, Some("42703"), Some(18)),
        "{error}"
    );
    assert_eq!(value(&mut session, "SELECT 3"), "3", "a session survives an error");
    assert!(session.query("COPY pg_class FROM STDIN").is_err());
    assert!(session.query("COPY (SELECT 1) TO STDOUT").unwrap().is_empty());
    assert_eq!(value(&mut session, "SELECT repeat('x', 3000000)").len(), 3_000_000);
}

#[test]
fn a_wrong_password_is_tried_once() {
    let before = PLAIN.log().matches("password authentication failed").count();
    let kind = ErrorKind::Authentication;
    assert_refused(&PLAIN.uri_of("postgres", "wrong", "postgres"), kind, &["28P01", "password authentication failed"]);
    assert_refused(&PLAIN.uri_of("old", "wrong", "postgres"), kind, &["28P01"]);
    // With a second server that might know it.
    let port = PLAIN.port();
    let two = format!("host=127.0.0.1,127.0.0.1 port={port} user=postgres password=wrong");
    assert_refused(&two, kind, &["28P01"]);
    assert!(eventually(|| PLAIN.log().matches("password authentication failed").count() == before + 3));
    assert_refused(&format!("host=127.0.0.1 port={port} user=postgres"), kind, &["there is none", "PGPASSWORD"]);
    assert_refused(&PLAIN.uri_of("nobody", "x", "postgres"), kind, &["pg_hba.conf"]);
    assert_refused(&PLAIN.uri_of("stranger", "x", "postgres"), kind, &["stranger"]);
}

#[test]
fn what_is_not_there_is_named() {
    assert_refused(&PLAIN.uri_of("postgres", "bowshot", "nowhere"), ErrorKind::Config, &["3D000", "\"nowhere\""]);
    let with_options = format!("{}?options=-c%20nonsense%3D1", PLAIN.uri());
    assert_refused(&with_options, ErrorKind::Sql, &["nonsense"]);
}

#[test]
fn a_full_server_says_so() {
    let uri = PLAIN.uri_of("single", "single", "postgres");
    let first = open(&uri).unwrap();
    assert_refused(&uri, ErrorKind::ConnectionLimit, &["53300", "too many connections"]);
    drop(first);
    assert!(eventually(|| open(&uri).is_ok()), "the dropped session left its place");
}

#[test]
fn only_the_methods_that_are_allowed() {
    let kind = ErrorKind::Authentication;
    let with = |uri: String, options: &str| format!("{uri}?{options}");
    let (old, scram) = (PLAIN.uri_of("old", "old", "postgres"), PLAIN.uri());
    assert_refused(&with(old.clone(), "require_auth=scram-sha-256"), kind, &["md5", "require_auth"]);
    assert_refused(&with(old, "require_auth=!md5"), kind, &["md5"]);
    assert_refused(&with(PLAIN.uri_of("clear", "clear", "postgres"), "require_auth=!password"), kind, &["password"]);
    assert_refused(&with(PLAIN.uri_of("trusted", "", "postgres"), "require_auth=scram-sha-256"), kind, &["nothing"]);
    assert!(open(&with(scram.clone(), "require_auth=md5,scram-sha-256")).is_ok());
    assert!(open(&with(scram.clone(), "require_auth=!none,!gss")).is_ok());
    assert_refused(&with(scram, "channel_binding=require"), kind, &["channel_binding", "no TLS"]);
}

#[test]
fn passwords_come_from_the_environment_and_from_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("passwords");
    let port = PLAIN.port();
    let text = format!("host=127.0.0.1 port={port} user=postgres");
    let open_in = |variables: &[(&str, &str)]| {
        let variable = |name: &str| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned());
        let mut environment = surroundings(&variable);
        environment.home = Some(folder.path().to_owned());
        Session::open(&Config::parse_in(&text, &environment).unwrap(), &Cancel::new())
    };
    assert!(open_in(&[("PGPASSWORD", "bowshot")]).is_ok());
    let passfile = [("PGPASSFILE", file.to_str().unwrap())];
    std::fs::write(&file, format!("127.0.0.1:{port}:*:postgres:bowshot\n")).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(open_in(&passfile).is_ok());
    // Open to others: ignored, and the error tells.
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let error = open_in(&passfile).err().unwrap();
    assert!(error.hint().unwrap().contains("chmod 0600"), "{error}");
    // The user's own file, with an old password.
    let own = folder.path().join(".pgpass");
    std::fs::write(&own, "*:*:*:*:forgotten").unwrap();
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o600)).unwrap();
    let error = open_in(&[]).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Authentication);
    assert!(error.to_string().contains(".pgpass") && !error.to_string().contains("forgotten"), "{error}");
}
