use super::*;

fn rendered(uri: &str) -> String {
    Location::parse(uri).unwrap().render(&[])
}

#[test]
fn every_way_to_name_a_source_is_understood() {
    for (uri, wanted) in [
        ("odbc:shop", "DSN=shop;"),
        ("odbc://shop", "DSN=shop;"),
        ("odbc://shop?UID=ann&PWD=a%3Bb", "DSN=shop;UID=ann;PWD={a;b};"),
        ("odbc:DSN=shop;UID=ann;PWD={a}}b;c}", "DSN=shop;UID=ann;PWD={a}}b;c};"),
        ("odbc:Driver={PostgreSQL Unicode};Server=a.example", "Driver=PostgreSQL Unicode;Server=a.example;"),
        (" odbc:x".trim(), "DSN=x;"),
        (
            "odbc:///?odbc_connect=DRIVER%3D%7BMariaDB+Unicode%7D%3BSERVER%3Dh%3BPWD%3Dp%2Bq",
            "DRIVER=MariaDB Unicode;SERVER=h;PWD=p+q;",
        ),
    ] {
        assert_eq!(rendered(uri), wanted, "{uri}");
    }
}

#[test]
fn what_is_unclear_is_refused_without_being_shown() {
    for uri in
        ["odbc:", "odbc://", "odbc:UID=ann;PWD=secret", "odbc:DSN=a;PWD={secret", "odbc:DSN=a;secret", "postgres:x"]
    {
        let error = Location::parse(uri).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Config, "{uri}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[test]
fn secrets_are_shown_nowhere() {
    let location = Location::parse("odbc:DSN=a;UID=ann;Pwd={se;cret}").unwrap();
    let shown = format!("{location:?}");
    assert!(shown.contains("UID=ann") && !shown.contains("cret"), "{shown}");
    assert_eq!(location.without_secrets("login of ann with se;cret failed"), "login of ann with *** failed");
}

#[test]
fn a_login_has_a_time_limit() {
    assert_eq!(Location::parse("odbc:a").unwrap().login_time(), LOGIN_TIME);
    assert_eq!(Location::parse("odbc:DSN=a;LoginTimeout=3").unwrap().login_time(), Duration::from_secs(3));
    assert_eq!(Location::parse("odbc:DSN=a;LoginTimeout=0").unwrap().login_time(), LOGIN_TIME);
}
